/* SPDX-License-Identifier: MIT */
/*
 * A bounded queue for any number of producers and consumers, which never wait: an example of
 * code that nap-check(1) checks as it is. The code is plain C11 and knows nothing of nap.
 *
 * Two counters number the items that are put and taken. Item n goes through cell n % QUEUE_SIZE.
 * The turn of a cell says which thread may use the cell: the round of n, n - n % QUEUE_SIZE, is
 * for the producer of item n; the round plus one is for its consumer. All numbers may wrap.
 */
#ifndef EXAMPLE_QUEUE_H
#define EXAMPLE_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>

#define QUEUE_SIZE 2u	/* cells; a power of two, not 1 */

struct queue_cell {
	atomic_uint turn;
	void *item;	/* used by the thread that has the turn */
};

struct queue {
	atomic_uint head;	/* consumers have claimed all numbers below */
	atomic_uint tail;	/* producers have claimed all numbers below */
	struct queue_cell cells[QUEUE_SIZE];
};

/* A queue whose bytes are all zero is empty. */

/*
 * Puts @item at the end; false if the queue is full. Any thread may call. The thread that gets
 * @item sees what the caller did before.
 */
bool queue_put(struct queue *queue, void *item);

/* Returns the oldest item; NULL if there is none or a producer still puts it. Any thread. */
void *queue_get(struct queue *queue);

#endif /* EXAMPLE_QUEUE_H */
