/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <stddef.h>

/* With -DSEEDED_FAULT the producer hands a cell over without the item that it wrote there. */
#ifdef SEEDED_FAULT
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

/*
 * Claims the next number of @counter, and returns the number's cell. The cell's turn has to be
 * the number's round (for a consumer, the round plus one). NULL if the cell is not free and no
 * other thread has claimed the number.
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
	/* Release: the next round's producer writes the item only after the read above. */
	atomic_store_explicit(&cell->turn, turn - 1 + QUEUE_SIZE, memory_order_release);
	return item;
}
