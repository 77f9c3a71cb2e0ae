/* SPDX-License-Identifier: MIT */
/*
 * Which CPU a worker has with NAP_ONE_CPU_EACH: the n-th allowed CPU, n being worker->cpu_rank. A
 * worker takes the lowest rank that no other holds, so none is left out however they come and go.
 * A worker that retires gives it back, and takes one anew when it is called back.
 *
 * That rank n is held stands in record n, whichever worker holds it. There is a record for each
 * worker.
 *
 * Rejected: the number of the worker's own record (those that are left may have the same CPU); a
 * rank among the others (who comes later is given what another has by its rank).
 */
#ifndef NAP_CPU_RANK_H
#define NAP_CPU_RANK_H

#include "arch/atomic.h"
#include "worker/registry.h"
#include "worker/worker.h"

/* The worker, or who starts it. */
static inline void cpu_rank_take(struct nap_worker *worker)
{
	uint32_t rank = 0;

	if (!(worker->pool->config.flags & NAP_ONE_CPU_EACH))
		return;
	for (;; rank++) {
		uint32_t *held = &registry_at(worker->pool, rank)->rank_held;

		/*
		 * Both sides: a worker that finds it taken finds what its holder gave back before.
		 * [R7]
		 */
		if (!nap_load_acquire(held) && !nap_xchg_acq_rel(held, 1))
			break;
	}
	worker->cpu_rank = rank;
	worker->holds_rank = true;
}

/* The worker, or whose start has failed. Its CPU stays as it is. */
static inline void cpu_rank_give(struct nap_worker *worker)
{
	if (worker->holds_rank)
		nap_store_relaxed(&registry_at(worker->pool, worker->cpu_rank)->rank_held, 0);
	worker->holds_rank = false;
}

/* The worker: the lowest, now that others may have given theirs back. */
static inline void cpu_rank_anew(struct nap_worker *worker)
{
	if (!worker->holds_rank)
		return;
	cpu_rank_give(worker);
	cpu_rank_take(worker);
}

#endif /* NAP_CPU_RANK_H */
