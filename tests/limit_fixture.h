/* SPDX-License-Identifier: MIT */
/* The parts that tests of a changing number of workers share. */
#ifndef NAP_TESTS_LIMIT_FIXTURE_H
#define NAP_TESTS_LIMIT_FIXTURE_H

#include "pool_fixture.h"
#include "under.h"
#include "watchdog.h"

static struct nap_pool pool;
static uint32_t starts, stops;

static inline void count_start(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_relaxed(&starts, 1);
}

static inline void count_stop(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_fetch_add_relaxed(&stops, 1);
}

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
}

static inline void begin(struct __test_metadata *_metadata, struct nap_config config)
{
	config.worker_start = config.worker_start ? config.worker_start : count_start;
	config.worker_stop = config.worker_stop ? config.worker_stop : count_stop;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	watchdog(&pool, 0);
}

static inline uint32_t nr_spawned(void)
{
	struct nap_pool_stats stats;

	nap_pool_get_stats(&pool, &stats);
	return stats.spawned;
}

static inline void await_spawned(uint32_t n)
{
	while (nr_spawned() != n)
		sched_yield();
}

/* ---- tasks that stay until they may go; how many are inside, and the highest number so far */

static uint32_t entered, inside, most_inside, may_go;

static inline void come_in(void)
{
	uint32_t n = nap_fetch_add_relaxed(&entered, 1) + 1, most = nap_load_relaxed(&most_inside);

	while (most < n && !nap_try_cmpxchg_relaxed(&most_inside, &most, n))
		;
	/* A thread that reads this value of @inside also sees @entered and @most_inside change. */
	nap_fetch_add_acq_rel(&inside, 1);
}

static inline void come_out(void)
{
	nap_fetch_sub_acq_rel(&inside, 1);
	nap_fetch_sub_relaxed(&entered, 1);
}

static inline void go_out(struct nap_task *task)
{
	come_out();
	count_and_free(task);
}

static inline void stay(struct nap_task *task)
{
	come_in();
	flag_wait(&may_go);
	go_out(task);
}

static inline void pass(struct nap_task *task)
{
	come_in();
	sched_yield();
	go_out(task);
}

static inline void schedule_n(int n, nap_task_fn run)
{
	while (n--)
		if (nap_schedule(&pool, new_task(run)))
			abort();
}

static inline void await_inside(uint32_t n)
{
	while (nap_load_acquire(&inside) != n)
		sched_yield();
}

static inline void await_run(unsigned long n)
{
	while (nap_load_acquire(&nr_run) < n)
		sched_yield();
}

#endif /* NAP_TESTS_LIMIT_FIXTURE_H */
