// SPDX-License-Identifier: MIT
/* A run: a pool from its first task to its end, with the time it took. */
#include "demo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* How long the main thread waits before it looks for signals and shows progress. */
#define TICK_NS 100000000u

uint64_t run_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000000u + (uint64_t)tv->tv_usec * 1000u;
}

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
}

int run_begin(struct run *run, const struct options *options, unsigned workers)
{
	struct nap_config config = {
		.max_workers = workers,
		.name = "nap-demo",
		.idle = options->idle,
		.stack_size = options->stack,
	};
	int ret;

	memset(run, 0, sizeof(*run));
	run->workers = workers;
	ret = nap_pool_init(&run->pool, &config);
	if (ret)
		return ret;
	nap_group_init(&run->group, &run->pool);
	run->running = true;
	return 0;
}

void run_start_clock(struct run *run)
{
	run->cpu_start = cpu_ns();
	run->wall_start = run_clock();
}

void run_stop_clock(struct run *run)
{
	run->wall = run_clock() - run->wall_start;
	run->cpu = cpu_ns() - run->cpu_start;
}

/* Any thread: end the run early, for @error if that is not 0. */
void run_fail(struct run *run, int error)
{
	int none = 0;

	if (error)
		__atomic_compare_exchange_n(&run->error, &none, error, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	__atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED);
	nap_pool_shutdown(&run->pool, NAP_STOP);
}

/*
 * Wait for the group, and run its tasks meanwhile if no worker could be started.
 * Returns 0, or -ECANCELED when the run was stopped by a task that failed or by a signal.
 */
int run_wait(struct run *run, run_tick_fn tick, void *arg)
{
	int ret;

	for (;;) {
		ret = nap_group_wait_for(&run->group, TICK_NS);
		if (ret != -ETIMEDOUT)
			break;
		if (signals_caught())
			run_fail(run, 0);
		else if (tick)
			tick(arg);
	}
	progress_erase();
	if (ret && ret != -ECANCELED)
		run_fail(run, -ret);
	return ret ? -ECANCELED : 0;
}

/* Counters of single workers can only be read before the pool is joined. */
static void read_counters(struct run *run)
{
	unsigned n;

	nap_pool_get_stats(&run->pool, &run->stats);
	n = run->stats.spawned;
	run->each = calloc(n ? n : 1, sizeof(*run->each));
	if (!run->each)
		return;
	while (run->nr_each < n &&
	       !nap_worker_get_stats(&run->pool, run->nr_each, &run->each[run->nr_each]))
		run->nr_each++;
}

/* @left: gets what a stop left over. */
void run_end(struct run *run, struct nap_batch *left)
{
	int ret;

	if (!run->running)
		return;
	read_counters(run);
	ret = nap_pool_join(&run->pool, left);
	if (ret) {
		fprintf(stderr, "nap-demo: nap_pool_join: %s\n", strerror(-ret));
		abort();	/* there are threads that use the memory we would free */
	}
	run->running = false;
}

void run_free(struct run *run)
{
	free(run->each);
	run->each = NULL;
	run->nr_each = 0;
}
