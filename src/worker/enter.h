/* SPDX-License-Identifier: MIT */
/* Coming into a pool from outside, through one of its gates: src/sync/gate.h says what each is for. */
#ifndef NAP_ENTER_H
#define NAP_ENTER_H

#include <stdbool.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "sync/gate.h"
#include "worker/phase.h"

/* The workers that @config asks for, as the CPUs are now. */
uint32_t nap__wanted_workers(const struct nap_config *config);

/* How many CPUs the pool's threads may use now; @workers: what nap__wanted_workers() has said. */
void nap__count_cpus(struct nap_pool *pool, uint32_t workers);

/* Size the pool and note the process, on the first use by any thread. */
void nap__pool_start(struct nap_pool *pool);

static inline void pool_start(struct nap_pool *pool)
{
	if (!nap_load_acquire(&pool->limit))	/* pairs with nap__pool_start() [P2] */
		nap__pool_start(pool);
}

/* Bring work into @pool from outside; true: gate_leave() of the intake is owed. */
static inline bool intake_enter(struct nap_pool *pool)
{
	if (pool_forked(pool))
		return false;
	pool_start(pool);
	return gate_enter(&pool->intake);
}

/*
 * Look at workers, or wait for the pool; true: gate_leave() of the visits is owed. Notes the
 * process first: a child that is forked from now on does not wait for those that are inside here.
 */
static inline bool visits_enter(struct nap_pool *pool)
{
	if (pool_forked(pool))
		return false;
	pool_start(pool);
	return gate_enter(&pool->visits);
}

#endif /* NAP_ENTER_H */
