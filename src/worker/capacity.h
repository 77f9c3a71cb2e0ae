/* SPDX-License-Identifier: MIT */
/*
 * How many workers a pool may ever have: it has as many records (src/thread/spawn.c). The limit in
 * force, pool->limit, goes up and down below that:
 *
 *	limit = base + blocked
 *	base	what was configured, or set last: 1 to pool->most
 *	blocked	workers that replace others in a blocking section: 0 to most_blocked()
 *
 * A thread that changes base or blocked adds as much to the limit, so the limit may be read alone.
 * The limit may be lower than the number of workers. Surplus workers retire (src/sched/standby.h).
 */
#ifndef NAP_CAPACITY_H
#define NAP_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "worker/worker.h"

/* For a pool that was used. Bounded here: a static initialiser cannot refuse too large a number. */
static inline uint32_t most_blocked(struct nap_pool *pool)
{
	uint32_t left = NAP_MAX_WORKERS - nap_load_relaxed(&pool->most);

	return pool->config.most_blocked < left ? pool->config.most_blocked : left;
}

/*
 * Records of workers beyond the capacity, for two that have retired: one leaves at a time, and the
 * thread of the one before may not have ended (src/sched/standby.c). Guests' records lie in front
 * of these.
 */
#define SPARE_RECORDS	2u

/* Inside a gate or on a worker: called after a change of @pool->base or ->blocked. */
void nap__limit_changed(struct nap_pool *pool);

/*
 * Has another worker replace @worker, unless one does already, or most_blocked() are replaced. A
 * blocking section takes the replacement over from a check for stuck workers.
 */
void nap__replace(struct nap_worker *worker, enum nap__replaced why);

/* Ends the replacement, if it was made for @why. */
void nap__replace_no_more(struct nap_worker *worker, enum nap__replaced why);

static inline uint32_t pool_capacity(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->most) + most_blocked(pool);
}

#endif /* NAP_CAPACITY_H */
