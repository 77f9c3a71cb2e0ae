/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue for any number of producers and consumers, none of which ever waits: an example
 * of code that nap-check(1) checks as it is. It is plain C11 and knows nothing of nap.
 *
 * The counters number what is put and what is taken; number n goes through cell n % QUEUE_SIZE. A
 * cell's turn says whose it is: with n's round, n - n % QUEUE_SIZE, it is for producer n; with one
 * more it is for consumer n. All of it may wrap.
 */
#ifndef EXAMPLE_QUEUE_H
#define EXAMPLE_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>

#define QUEUE_SIZE 2u	/* cells; a power of two, not 1 */

struct queue_cell {
	atomic_uint turn;
	void *item;	/* of whose turn it is */
};

struct queue {
	atomic_uint head;	/* consumers have claimed the numbers below */
	atomic_uint tail;	/* producers have claimed the numbers below */
	struct queue_cell cells[QUEUE_SIZE];
};

/* A queue is empty when it is all zero. */

/*
 * Any thread: false when the queue is full. The thread that gets @item sees what was done before.
 */
bool queue_put(struct queue *queue, void *item);

/* Any thread: the oldest item, or NULL when there is none or it is still being put. */
void *queue_get(struct queue *queue);

#endif /* EXAMPLE_QUEUE_H */
