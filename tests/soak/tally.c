/* SPDX-License-Identifier: MIT */
/*
 * Counters. Every thread writes its own counters, and other threads read them at the same time.
 * Some shapes (soak.h) begin and end pools, and so threads. The counts of ended threads are kept.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "soak.h"

__thread struct tally *soak_tally;

static struct tally *tallies;
static bool *taken;
static unsigned int nr_tallies;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void tally_init(unsigned int n)
{
	tallies = aligned_alloc(64, n * sizeof(*tallies));
	taken = calloc(n, sizeof(*taken));
	if (!tallies || !taken)
		abort();
	memset(tallies, 0, n * sizeof(*tallies));
	nr_tallies = n;
}

void tally_take(void)
{
	unsigned int i = 0;

	pthread_mutex_lock(&lock);
	while (taken[i])
		if (++i == nr_tallies)
			abort();
	taken[i] = true;
	soak_tally = &tallies[i];
	pthread_mutex_unlock(&lock);
}

void tally_give_back(void)
{
	pthread_mutex_lock(&lock);
	taken[soak_tally - tallies] = false;
	soak_tally = NULL;
	pthread_mutex_unlock(&lock);
}

void tally_worker_start(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	tally_take();
}

void tally_worker_stop(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	tally_give_back();
}

static void add(uint64_t *sum, uint64_t *part)
{
	for (int i = 0; i < NR_SHAPES; i++)
		sum[i] += nap_load_relaxed(&part[i]);
}

void tally_sum(struct tally *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (unsigned int i = 0; i < nr_tallies; i++) {
		add(sum->offered, tallies[i].offered);
		add(sum->run, tallies[i].run);
		add(sum->refused, tallies[i].refused);
		add(sum->returned, tallies[i].returned);
		add(sum->wrong, tallies[i].wrong);
	}
}

/* ---- tasks ---- */

void item_only(struct nap_task *task)
{
	item_ran(nap_container_of(task, struct item, task));
}

void item_schedule(struct item *item)
{
	int err;

	item_offer(item);
	err = nap_schedule(item->pool, &item->task);
	if (err)
		soak_fault("nap_schedule() refused a task of a running pool", err);
}

void item_schedule_batch(struct nap_batch *batch, struct nap_pool *pool)
{
	int err = nap_schedule_batch(pool, batch);

	if (err)
		soak_fault("nap_schedule_batch() refused a batch of a running pool", err);
}

void items_check(struct item *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!item_settled(&items[i]))
			tally_add(&soak_tally->wrong[items[i].shape], 1);
}

#define LOST_AFTER_NS	2000000000u

void item_await(struct item *item)
{
	uint64_t began = 0;

	for (unsigned long i = 0; !item_settled(item); i++) {
		sched_yield();
		if (i % 4096 != 4095)
			continue;
		if (!began)
			began = nap__os_now();
		if (nap__os_now() - began < LOST_AFTER_NS)
			continue;
		/* A pool at rest has run every task that was scheduled before this call. */
		if (nap_pool_quiesce_for(item->pool, LOST_AFTER_NS) == 0 && !item_settled(item)) {
			soak_fault("a pool is at rest that has not run a task", 0);
			item->run = item->offered;
			tally_add(&soak_tally->wrong[item->shape], 1);
		}
	}
}
