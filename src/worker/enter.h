/* SPDX-License-Identifier: MIT */
/* Entering a pool from outside, through one of its gates: src/sync/gate.h. */
#ifndef NAP_ENTER_H
#define NAP_ENTER_H

#include <stdbool.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "sync/gate.h"
#include "worker/phase.h"

/* Returns how many workers @config asks for, with the present CPUs. */
uint32_t nap__wanted_workers(const struct nap_config *config);

/*
 * Notes how many CPUs the pool's threads may use now. Returns how many workers the configuration
 * asks for, with these CPUs.
 */
uint32_t nap__count_cpus(struct nap_pool *pool);

/* Sizes the pool and notes the process, at the first use by any thread. */
void nap__pool_start(struct nap_pool *pool);

static inline void pool_start(struct nap_pool *pool)
{
	if (!nap_load_acquire(&pool->limit))	/* pairs with nap__pool_start() [P2] */
		nap__pool_start(pool);
}

/*
 * Enters the intake, to bring work from outside. True: the caller has to call gate_leave() of the
 * intake.
 */
static inline bool intake_enter(struct nap_pool *pool)
{
	if (pool_forked(pool))
		return false;
	pool_start(pool);
	return gate_enter(&pool->intake);
}

/*
 * Enters the visits, to read workers' records or wait for the pool. True: the caller has to call
 * gate_leave() of the visits. Notes the process first, so that a child that is forked from now on
 * does not wait for visitors of the parent.
 */
static inline bool visits_enter(struct nap_pool *pool)
{
	if (pool_forked(pool))
		return false;
	pool_start(pool);
	return gate_enter(&pool->visits);
}

#endif /* NAP_ENTER_H */
