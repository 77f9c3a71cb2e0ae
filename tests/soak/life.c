/* SPDX-License-Identifier: MIT */
/*
 * Shapes in which a pool is created, used, ended and joined, while other threads schedule on it.
 * After a stop the join returns the tasks that have not run; after a drain there are none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

#define FROM_MAIN	24
#define IN_BATCH	40
#define FROM_INSIDE	20
#define RACERS		2
#define FROM_RACER	16

static struct life {
	struct nap_pool *pool;
	struct nap_group racers;
	struct item one[FROM_MAIN], batch[IN_BATCH], parent, child[FROM_INSIDE];
	struct racer {
		struct nap_task task;
		struct item item[FROM_RACER];
	} racer[RACERS];
} life;

static void refused(struct item *item, int err)
{
	if (err != -ESHUTDOWN)
		soak_fault("a pool that ends refused a task with", err);
	item->offered--;
	tally_add(&soak_tally->refused[item->shape], 1);
}

static void offer(struct item *item)
{
	int err;

	item_offer(item);
	err = nap_schedule(life.pool, &item->task);
	if (err)
		refused(item, err);
}

/* Offers a batch, which is accepted or refused as a whole. */
static void offer_batch(struct item *items, size_t n)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	int err;

	for (size_t i = 0; i < n; i++)
		item_add(&batch, &items[i]);
	err = nap_schedule_batch(life.pool, &batch);
	if (batch.count != (err ? n : 0))
		soak_fault("a batch was neither accepted nor refused as a whole",
			   (long)batch.count);
	for (size_t i = 0; err && i < n; i++)
		refused(&items[i], err);
}

static void run_parent(struct nap_task *task)
{
	item_only(task);
	for (int i = 0; i < FROM_INSIDE; i++)
		offer(&life.child[i]);
}

/* Runs on the other pool, and schedules while life.pool is being ended. */
static void race(struct nap_task *task)
{
	struct racer *racer = nap_container_of(task, struct racer, task);

	for (int i = 0; i < FROM_RACER / 2; i++)
		offer(&racer->item[i]);
	offer_batch(&racer->item[FROM_RACER / 2], FROM_RACER / 2);
	nap_group_done(&life.racers);
}

static void init(unsigned int shape, unsigned long nr)
{
	struct nap_config config = {
		.max_workers = 1 + (uint32_t)(nr % 4),
		.idle = soak_idle,
		.name = "life",
		.worker_start = tally_worker_start,
		.worker_stop = tally_worker_stop,
	};

	life.pool = aligned_alloc(64, sizeof(*life.pool));
	if (!life.pool || nap_pool_init(life.pool, &config))
		abort();
	monitor_watch(life.pool);
	for (int i = 0; i < FROM_MAIN; i++)
		item_init(&life.one[i], shape, item_only, life.pool);
	for (int i = 0; i < IN_BATCH; i++)
		item_init(&life.batch[i], shape, item_only, life.pool);
	for (int i = 0; i < FROM_INSIDE; i++)
		item_init(&life.child[i], shape, item_only, life.pool);
	for (int r = 0; r < RACERS; r++)
		for (int i = 0; i < FROM_RACER; i++)
			item_init(&life.racer[r].item[i], shape, item_only, life.pool);
	item_init(&life.parent, shape, run_parent, life.pool);
}

static void start_racers(void)
{
	nap_group_init(&life.racers, &soak_b);
	nap_group_add(&life.racers, RACERS);
	for (int r = 0; r < RACERS; r++) {
		nap_task_init(&life.racer[r].task, race);
		if (nap_schedule(&soak_b, &life.racer[r].task))
			soak_fault("a running pool refused a racer", 0);
	}
}

static void join(unsigned int shape)
{
	struct nap_batch left;
	struct nap_task *task;
	int err = nap_pool_join(life.pool, &left);

	if (err)
		soak_fault("nap_pool_join() returned", err);
	if (shape == LIFE_DRAIN && left.count)
		soak_fault("a drained pool returned tasks", (long)left.count);
	while ((task = nap_batch_pop(&left))) {
		struct item *item = nap_container_of(task, struct item, task);

		if (item_settled(item))
			tally_add(&soak_tally->wrong[shape], 1);
		item->offered--;
		tally_add(&soak_tally->returned[shape], 1);
	}
}

static void await_racers(void)
{
	if (nap_group_wait(&life.racers))
		soak_fault("nap_group_wait() for the racers failed", 0);
}

/* Checks each task, and returns how many have run. To be called when all tasks have ended. */
static uint64_t check(void)
{
	uint64_t run = life.parent.run;

	items_check(&life.parent, 1);
	items_check(life.one, FROM_MAIN);
	items_check(life.batch, IN_BATCH);
	items_check(life.child, FROM_INSIDE);
	for (int r = 0; r < RACERS; r++)
		items_check(life.racer[r].item, FROM_RACER);
	for (int i = 0; i < FROM_MAIN; i++)
		run += life.one[i].run;
	for (int i = 0; i < IN_BATCH; i++)
		run += life.batch[i].run;
	for (int i = 0; i < FROM_INSIDE; i++)
		run += life.child[i].run;
	for (int r = 0; r < RACERS; r++)
		for (int i = 0; i < FROM_RACER; i++)
			run += life.racer[r].item[i].run;
	return run;
}

static void end(unsigned int shape, unsigned long nr)
{
	struct nap_pool_stats stats;
	uint64_t run;

	for (unsigned long i = 0; i < nr * 37 % 2000; i++)
		nap_cpu_relax();
	/* If there was no shutdown, the join begins a drain. */
	if (shape == LIFE_STOP || nr % 2)
		nap_pool_shutdown(life.pool, shape == LIFE_STOP ? NAP_STOP : NAP_DRAIN);
	join(shape);
	/* The racers may still schedule on the pool that was joined. */
	await_racers();
	run = check();
	nap_pool_get_stats(life.pool, &stats);
	if (stats.workers.run + stats.helped != run)
		soak_fault("a pool's own count of what it ran is wrong by",
			   (long)(stats.workers.run + stats.helped - run));
	monitor_forget(life.pool);
	memset(life.pool, 0xee, sizeof(*life.pool));
	free(life.pool);
	soak_report.pools++;
}

void soak_life(unsigned int shape, unsigned long tasks)
{
	unsigned long each = FROM_MAIN + IN_BATCH + 1 + FROM_INSIDE + RACERS * FROM_RACER;

	for (unsigned long i = 0; i < tasks && !soak_interrupted(); i += each) {
		init(shape, soak_report.pools);
		start_racers();
		offer(&life.parent);
		offer_batch(life.batch, IN_BATCH);
		for (int k = 0; k < FROM_MAIN; k++)
			offer(&life.one[k]);
		end(shape, soak_report.pools);
	}
}
