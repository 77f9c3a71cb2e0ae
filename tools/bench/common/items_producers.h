/* SPDX-License-Identifier: MIT */
/*
 * As items.h, with empty tasks for a pool of two workers. They come from threads outside of the
 * pool, and the row's number of workers is the number of these threads.
 */
#ifndef NAP_BENCH_ITEMS_PRODUCERS_H
#define NAP_BENCH_ITEMS_PRODUCERS_H

#include "common/items.h"

#include <pthread.h>

#define PRODUCERS_MAX 64u

struct producer {
	pthread_t thread;
	uint64_t from, to;
};

static struct producer producers[PRODUCERS_MAX];

static void *produce(void *arg)
{
	struct producer *producer = (struct producer *)arg;

	for (uint64_t i = producer->from; i < producer->to; i++)
		item_push(&items[i]);
	return NULL;
}

/* The round of n tasks also starts and joins the threads, some 20 us for each. */
static void all_produce(const struct size *size)
{
	count_set(&count, size->n);
	for (unsigned i = 0; i < size->workers; i++) {
		producers[i].from = size->n * i / size->workers;
		producers[i].to = size->n * (i + 1) / size->workers;
		if (pthread_create(&producers[i].thread, NULL, produce, &producers[i]))
			row_die("no thread");
	}
	for (unsigned i = 0; i < size->workers; i++)
		pthread_join(producers[i].thread, NULL);
	count_wait(&count);
}

static void producers_row(const struct size *size)
{
	struct size two = *size;

	if (size->workers > PRODUCERS_MAX)
		row_die("too many producers");
	two.workers = 2;
	items_init(size, nothing);
	peer_start(&two);
	row_time(size, all_produce);
	peer_end();
	items_free();
}

#endif /* NAP_BENCH_ITEMS_PRODUCERS_H */
