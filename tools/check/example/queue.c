/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <stddef.h>

/* -DSEEDED_FAULT: a cell is handed to the consumer without what was written into it. */
#ifdef SEEDED_FAULT
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

/*
 * Claim the next number of @counter, if its cell has the turn of that number: its round, and one
 * more for a consumer. NULL if the cell is not free for it, and nobody else has claimed the number
 * either.
 */
static struct queue_cell *claim(struct queue *queue, atomic_uint *counter, unsigned int consumer,
				unsigned int *turn)
{
	unsigned int number = atomic_load_explicit(counter, memory_order_relaxed);

	for (;;) {
		struct queue_cell *cell = &queue->cells[number % QUEUE_SIZE];
		unsigned int now = atomic_load_explicit(&cell->turn, memory_order_acquire);
		unsigned int claimed = number;

		*turn = number - number % QUEUE_SIZE + consumer;
		if (now != *turn)
			number = atomic_load_explicit(counter, memory_order_relaxed);
		else if (atomic_compare_exchange_strong_explicit(counter, &number, number + 1,
								 memory_order_relaxed,
								 memory_order_relaxed))
			return cell;
		if (number == claimed)
			return NULL;
	}
}

bool queue_put(struct queue *queue, void *item)
{
	unsigned int turn;
	struct queue_cell *cell = claim(queue, &queue->tail, 0, &turn);

	if (!cell)
		return false;
	cell->item = item;
	atomic_store_explicit(&cell->turn, turn + 1, PUBLISH);
	return true;
}

void *queue_get(struct queue *queue)
{
	unsigned int turn;
	struct queue_cell *cell = claim(queue, &queue->head, 1, &turn);
	void *item;

	if (!cell)
		return NULL;
	item = cell->item;
	/* The next round's producer may write the item only after it was read. */
	atomic_store_explicit(&cell->turn, turn - 1 + QUEUE_SIZE, memory_order_release);
	return item;
}
