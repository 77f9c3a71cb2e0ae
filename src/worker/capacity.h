/* SPDX-License-Identifier: MIT */
/*
 * The capacity is the number of workers that a pool may ever have: the pool has as many records
 * (src/thread/spawn.c). The limit in force, pool->limit, goes up and down below the capacity:
 *
 *	limit = base + blocked
 *	base	what was configured, or set last: 1 to pool->most
 *	blocked	workers that replace others in a blocking section: 0 to most_blocked()
 *
 * A thread that changes base or blocked then sets the limit to the new sum (nap__limit_changed()).
 * So other threads read the limit alone. The limit may be lower than the number of workers. Surplus
 * workers retire (src/sched/standby.h).
 */
#ifndef NAP_CAPACITY_H
#define NAP_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "worker/worker.h"

/*
 * Returns how many replacements there may be at once, in a pool that was used. A larger number is
 * cut here, because a static initialiser cannot refuse it.
 */
static inline uint32_t most_blocked(struct nap_pool *pool)
{
	uint32_t left = NAP_MAX_WORKERS - nap_load_relaxed(&pool->most);

	return pool->config.most_blocked < left ? pool->config.most_blocked : left;
}

/*
 * Records beyond the capacity, for two retired workers: one that leaves, and one that left before
 * it, whose thread may not have ended (src/sched/standby.c). These records are behind the guests'.
 */
#define SPARE_RECORDS	2u

/* Called after a change of @pool->base or @pool->blocked, inside a gate or on a worker. */
void nap__limit_changed(struct nap_pool *pool);

/*
 * Has another worker replace @worker, unless @worker is replaced already, or most_blocked() workers
 * are replaced. A blocking section takes over a replacement that a check for stuck workers has
 * made.
 */
void nap__replace(struct nap_worker *worker, enum nap__replaced why);

/* Ends the replacement, if it was made for @why. */
void nap__replace_no_more(struct nap_worker *worker, enum nap__replaced why);

static inline uint32_t pool_capacity(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->most) + most_blocked(pool);
}

#endif /* NAP_CAPACITY_H */
