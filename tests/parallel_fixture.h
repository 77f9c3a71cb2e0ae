/* SPDX-License-Identifier: MIT */
/*
 * The parts that tests of loops share: a field that counts how often each index was run, and the
 * callers of loops.
 */
#ifndef NAP_TESTS_PARALLEL_FIXTURE_H
#define NAP_TESTS_PARALLEL_FIXTURE_H

#include "jobs_fixture.h"

#define FIELD 4000u

static struct nap_pool pool;
static uint32_t field[FIELD];

static inline void pool_of(uint32_t workers)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }))
		abort();
}

static inline void pool_end(void)
{
	if (nap_pool_join(&pool, NULL))
		abort();
}

/* Whether each index of [begin, end) was run @times times, and no other index was run. */
static inline bool field_is(size_t begin, size_t end, uint32_t times)
{
	for (size_t i = 0; i < FIELD; i++)
		if (nap_load_relaxed(&field[i]) != (i >= begin && i < end ? times : 0))
			return false;
	return true;
}

static inline void field_clear(void)
{
	for (size_t i = 0; i < FIELD; i++)
		nap_store_relaxed(&field[i], 0);
}

/* Whether no index was run more than once, and each index below @below was run. */
static inline bool field_at_most_once(size_t below)
{
	for (size_t i = 0; i < FIELD; i++)
		if (nap_load_relaxed(&field[i]) > 1 || (i < below && !field[i]))
			return false;
	return true;
}

static inline int count_range(size_t begin, size_t end, void *arg)
{
	(void)arg;
	if (begin >= end)
		abort();
	for (size_t i = begin; i < end; i++)
		nap_fetch_add_relaxed(&field[i], 1);
	return 0;
}

/* from_everywhere() calls @run outside of the pools, and in a task of each pool. */
static void (*run_inside)(void);
static inline void run_as_task(struct nap_worker *worker)
{
	(void)worker;
	run_inside();
}

static inline void from_everywhere(void (*run)(void))
{
	static const uint32_t workers[] = { 1, 2, 8 };

	run_inside = run;
	for (size_t i = 0; i < sizeof(workers) / sizeof(*workers); i++) {
		pool_of(workers[i]);
		run();
		if (run_on_worker(&pool, run_as_task))
			abort();
		pool_end();
	}
}

#endif /* NAP_TESTS_PARALLEL_FIXTURE_H */
