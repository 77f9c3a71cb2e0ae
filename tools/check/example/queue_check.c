/* SPDX-License-Identifier: MIT */
/*
 * Scenarios for queue.c, which is compiled as it is:
 *
 *	nap-check queue_check.c queue.c
 *	nap-check -DSEEDED_FAULT queue_check.c queue.c
 *
 * The first command finds nothing in any execution of any scenario. The second finds a data race
 * under rc11: a consumer reads an item's cell, and although the turn was the consumer's, nothing
 * orders the producer's write before that read. (Under sc and tso the machine orders the two.)
 *
 * An item's pointer leads to plain memory. So a queue that hands on the pointer too early causes a
 * data race in the thread that follows the pointer.
 */
#include <nap/check.h>

#include "queue.h"

#define ITEMS	3u

struct item {
	int payload;
	unsigned int nr_got;
};

static struct queue queue;
static struct item items[ITEMS];

static void got(struct item *item)
{
	CHECK(item->payload == 42);
	item->nr_got++;
}

static void put(unsigned int i)
{
	items[i].payload = 42;
	CHECK(queue_put(&queue, &items[i]));
}

/* Checks that each item that was put is there once, in a consumer's hands or in the queue. */
static void once_each(unsigned int n)
{
	struct item *item;

	while ((item = queue_get(&queue)))
		got(item);
	for (unsigned int i = 0; i < ITEMS; i++)
		CHECK(items[i].nr_got == (i < n));
}

/* ---- one after the other ---- */

static void put_one(void *arg)
{
	put((unsigned int)(uintptr_t)arg);
}

static void get_one(void *arg)
{
	struct item *item = queue_get(&queue);

	(void)arg;
	if (item)
		got(item);
}

static void once_one(void)
{
	once_each(1);
}

CHECK_SCENARIO(handed_over,
	.about = "who gets an item sees what its producer has written",
	.finally = once_one,
	.threads = { { put_one, (void *)0, "producer" }, { get_one, NULL, "consumer" } },
	.models = CHECK_ALL);

/* ---- producers and consumers at the same time ---- */

static void once_two(void)
{
	once_each(2);
}

CHECK_SCENARIO(two_producers,
	.about = "two producers and a consumer: nothing is lost, nothing comes twice",
	.finally = once_two,
	.threads = { { put_one, (void *)0, "P0" }, { put_one, (void *)1, "P1" },
		     { get_one, NULL, "consumer" } },
	.models = CHECK_ALL);

CHECK_SCENARIO(two_consumers,
	.about = "two of each: nothing is lost, nothing comes twice",
	.finally = once_two,
	.threads = { { put_one, (void *)0, "P0" }, { put_one, (void *)1, "P1" },
		     { get_one, NULL, "C0" }, { get_one, NULL, "C1" } },
	.models = CHECK_ALL);

/* ---- more items than cells ---- */

/* Puts one item more than there are cells. The loop spins, and says so with check_yield(). */
static void put_all(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < ITEMS; i++) {
		items[i].payload = 42;
		while (!queue_put(&queue, &items[i]))
			check_yield();
	}
}

static void get_all(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < ITEMS; i++) {
		struct item *item;

		while (!(item = queue_get(&queue)))
			check_yield();
		CHECK(item == &items[i]);
		got(item);
	}
}

static void once_all(void)
{
	once_each(ITEMS);
}

/* Lets both counters wrap soon. */
static void near_the_edge(void)
{
	queue.head = queue.tail = 0u - QUEUE_SIZE;
	for (unsigned int i = 0; i < QUEUE_SIZE; i++)
		queue.cells[i].turn = 0u - QUEUE_SIZE;
}

CHECK_SCENARIO(round_and_round,
	.about = "items come in order, also when a cell is used again",
	.setup = near_the_edge, .finally = once_all,
	.threads = { { put_all, NULL, "producer" }, { get_all, NULL, "consumer" } },
	.models = CHECK_ALL);

/* ---- a full queue ---- */

/* Leaves one item and one free cell in the queue. */
static void fill_half(void)
{
	put(0);
}

static void put_or_leave(void *arg)
{
	struct item *item = arg;

	item->payload = 42;
	if (!queue_put(&queue, item))
		item->nr_got = 1;	/* not in the queue: no thread gets it */
}

static void cell_is_not_left_free(void)
{
	CHECK(queue.tail == QUEUE_SIZE);
	once_all();
}

CHECK_SCENARIO(full,
	.about = "of two producers for the last cell one has it, the other is told",
	.setup = fill_half, .finally = cell_is_not_left_free,
	.threads = { { put_or_leave, &items[1], "P0" }, { put_or_leave, &items[2], "P1" } },
	.models = CHECK_ALL);
