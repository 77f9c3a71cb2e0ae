/* SPDX-License-Identifier: MIT */
/*
 * The room life/ (this header is its door).
 *
 * The beginning and the end of a pool, and its counters: which configurations are valid, and what
 * a shutdown does (pool.c; the public nap_pool_shutdown() is in kit/shutdown.c), the join
 * (pool_join.c), the steps of the end (pool_end.c), the child of a fork, statistics, what remains
 * to be done.
 *
 * Typically a pool is initialised without a system call, is shut down once by one thread, and one
 * joiner waits for the threads, hands back what remains, and unmaps the records.
 *
 * Where a drain finds that every task was run: nap__end_quiet() in pool_end.c, by nap__quiesce() in
 * wait/quiesce.c and nap__pool_at_rest() in idle/at_rest.c. The worker that falls idle last wakes
 * the joiner: nap__idle_wake_watchers() in idle/idle.c. Only then does the joiner end the workers.
 * kit/ends.c notifies an event loop, by the news of worker/source.h, not as a watcher.
 *
 * Where a stop ends waits: stop() in pool.c. Where the tasks that are left are collected: collect()
 * in pool_end.c. What a child of a fork gets back, and what it loses: nap_pool_init_child() in
 * child_init.c.
 *
 * Where a counter of the workers is summed: add_rest() in stats.c; where the sums are kept over a
 * join: keep_totals() in pool_end.c. kit/stuck.c and kit/metrics.c read the counters, too.
 *
 * From outside: the public calls of nap/pool.h, nap/end.h and nap/stats.h. Only the joiner may
 * touch a record or a queue after the last thread has ended.
 */
/* The beginning of a pool's end: src/life/pool.c. */
#ifndef NAP_POOL_INTERNAL_H
#define NAP_POOL_INTERNAL_H

#include <stdint.h>

#include <nap/end.h>
#include <nap/pool.h>
#include <nap/stats.h>

/* As nap_pool_shutdown(), for a thread that is inside nap. */
int nap__shutdown(struct nap_pool *pool, enum nap_shutdown mode);

/*
 * Called by a waiter outside that needs the work of a joiner. As nap_pool_join_until(), but hands
 * out no tasks, is no cancellation point, and lets the program's own join return as if it were the
 * first. Returns 0, -ETIMEDOUT, or -ESHUTDOWN in the child of a fork.
 */
int nap__pool_end(struct nap_pool *pool, uint64_t deadline);

/*
 * The steps of the end, for the joiner alone. A step that has failed is done again. Steps 1 and 2:
 * returns 0 when every task was run, or when the pool is stopped, and so no task has to be run.
 * Otherwise returns -ETIMEDOUT.
 */
int nap__end_quiet(struct nap_pool *pool, uint64_t deadline);

/* Steps 3 to 6. Returns 0: pool->left has the tasks that are left; or -ETIMEDOUT. */
int nap__end_pool(struct nap_pool *pool, uint64_t deadline);

/* Adds up the workers' counters. The caller ensures that the records stay. */
void nap__stats_sum(struct nap_pool *pool, struct nap_worker_stats *sum);

/* As nap_pool_get_stats(), for a thread that is inside nap. */
void nap__pool_stats(struct nap_pool *pool, struct nap_pool_stats *out);

/* What remains to be done, by queue. */
struct nap__remaining {
	uint64_t injected, classes, rings, overflow;
	/* in serial queues, except the first of each that waits for a worker */
	uint64_t serial;
	uint32_t starts;	/* starts of fibers that wait for a stack */
	uint32_t calls;		/* calls that wait for a guest record */
	uint32_t workers, guests;	/* workers and guests inside tasks */
};

/* Returns how many tasks and calls are queued. */
static inline uint64_t left_queued(const struct nap__remaining *left)
{
	return left->injected + left->classes + left->rings + left->overflow + left->serial +
	       left->starts + left->calls;
}

/* Called by a thread inside the visits: counts what remains, and notes the maxima. */
void nap__remaining_count(struct nap_pool *pool, struct nap__remaining *left);

#endif /* NAP_POOL_INTERNAL_H */
