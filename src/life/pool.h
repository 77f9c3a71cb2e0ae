/* SPDX-License-Identifier: MIT */
/*
 * The room life/ (this header is its door).
 *
 * The beginning and the end of a pool, and its counters: what a configuration may be (pool.c), the
 * shutdown, the join, the child of a fork, statistics, what is left to do.
 *
 * Typically a pool is initialised without a system call, is shut down once by one thread, and one
 * joiner waits for the threads, hands back what is left, and unmaps the records.
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

/* nap_pool_shutdown(), for a thread that is inside nap. */
int nap__shutdown(struct nap_pool *pool, enum nap_shutdown mode);

/*
 * For a waiter outside, for what only the joiner goes on with: nap_pool_join_for() until the
 * @deadline, without what that hands out. The program's own join is still the first. No
 * cancellation point. 0, -ETIMEDOUT; -ESHUTDOWN in the child of a fork.
 */
int nap__pool_end(struct nap_pool *pool, uint64_t deadline);

/* Add up the workers' counters; the caller keeps the records alive. */
void nap__stats_sum(struct nap_pool *pool, struct nap_worker_stats *sum);

/* What is left, by place. */
struct nap__remaining {
	uint64_t injected, classes, rings, overflow;
	uint64_t serial;	/* in serial queues, beside the one that each queue stands for */
	uint32_t starts;	/* of fibers that wait for a stack */
	uint32_t calls;		/* that wait for a place */
	uint32_t workers, guests;	/* inside tasks */
};

/* Everything that is queued, calls included. */
static inline uint64_t left_queued(const struct nap__remaining *left)
{
	return left->injected + left->classes + left->rings + left->overflow + left->serial +
	       left->starts + left->calls;
}

/* Inside the visits; notes what was the most. */
void nap__remaining_count(struct nap_pool *pool, struct nap__remaining *left);

#endif /* NAP_POOL_INTERNAL_H */
