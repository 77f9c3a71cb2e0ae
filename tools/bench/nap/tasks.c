// SPDX-License-Identifier: MIT
/* nap's rows of tasks that come one by one, and of those that only nap has: batches, producers. */
#include "nap.h"

#include <pthread.h>

#define item nap_task
#define item_init nap_task_init
#define item_push bench_schedule
#define peer_start bench_start
#define peer_end bench_end

#include "common/items.h"
#include "common/items_wake.h"

#define PRODUCERS_MAX 64u

const struct row *const row_tables[] = { item_rows, bench_rows, NULL };

/* ---- as a batch */

static void push_batch(uint64_t n)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (uint64_t i = 0; i < n; i++)
		nap_batch_push(&batch, &items[i]);
	if (nap_schedule_batch(&bench_pool, &batch))
		row_die("nap_schedule_batch() refused");
}

static void batch_from_outside(const struct size *size)
{
	count_set(&count, size->n);
	push_batch(size->n);
	count_wait(&count);
}

static void push_batch_from_worker(struct nap_task *unused)
{
	(void)unused;
	push_batch(begin_n);
	count_done(&count);
}

static void measure(const struct size *size, row_fn *once)
{
	items_init(size, nothing);
	bench_start(size);
	row_time(size, once);
	bench_end();
	items_free();
}

void batch_row(const struct size *size)
{
	measure(size, batch_from_outside);
}

void worker_batch_row(const struct size *size)
{
	nap_task_init(&begin_item, push_batch_from_worker);
	measure(size, begin_on_worker);
}

/* ---- as many producers as workers were asked for, and two workers */

struct producer {
	pthread_t thread;
	uint64_t from, to;
};

static struct producer producers[PRODUCERS_MAX];

static void *produce(void *arg)
{
	struct producer *producer = arg;

	for (uint64_t i = producer->from; i < producer->to; i++)
		bench_schedule(&items[i]);
	return NULL;
}

/* Threads are started and joined inside: some 20 us for each, of n tasks. */
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

void producers_row(const struct size *size)
{
	struct size two = *size;

	if (size->workers > PRODUCERS_MAX)
		row_die("too many producers");
	two.workers = 2;
	items_init(size, nothing);
	bench_start(&two);
	row_time(size, all_produce);
	bench_end();
	items_free();
}
