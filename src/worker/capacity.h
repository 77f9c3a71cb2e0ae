/* SPDX-License-Identifier: MIT */
/*
 * How many workers a pool may ever have: for that many there are records (src/thread/spawn.c). The
 * limit in force, pool->limit, goes up and down below that:
 *
 *	limit = base + blocked
 *	base	what was configured, or set last: 1 to pool->most
 *	blocked	workers in place of those that are in a blocking section: 0 to most_blocked()
 *
 * A thread that changes one of these adds as much to the limit. So the limit may be read without
 * the others. It may be lower than the number of workers. Those that are too many rest
 * (src/sched/standby.h).
 */
#ifndef NAP_CAPACITY_H
#define NAP_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "worker/worker.h"

/* The pool has been used. A static initialiser cannot refuse what is too much. */
static inline uint32_t most_blocked(struct nap_pool *pool)
{
	uint32_t left = NAP_MAX_WORKERS - nap_load_relaxed(&pool->most);

	return pool->config.most_blocked < left ? pool->config.most_blocked : left;
}

/*
 * Records that workers have: one for each, and two for those that have retired: one leaves at a
 * time, and the last one's thread may not have ended (src/sched/standby.c). Guests' lie between.
 */
#define SPARE_RECORDS	2u

/* Inside a gate or on a worker: @pool->base or ->blocked is another. */
void nap__limit_changed(struct nap_pool *pool);

/*
 * @worker is replaced by another, unless it is already, or there are most_blocked(). A section's
 * replacement is no longer a look's.
 */
void nap__replace(struct nap_worker *worker, enum nap__replaced why);

/* And no longer is, if that was @why. */
void nap__replace_no_more(struct nap_worker *worker, enum nap__replaced why);

static inline uint32_t pool_capacity(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->most) + most_blocked(pool);
}

#endif /* NAP_CAPACITY_H */
