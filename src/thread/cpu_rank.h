/* SPDX-License-Identifier: MIT */
/*
 * The CPU of a worker with NAP_ONE_CPU_EACH: the n-th allowed CPU, where n is worker->cpu_rank. A
 * worker takes the lowest rank that no other worker holds, so no rank is left out, however workers
 * come and go. A worker that retires gives its rank back, and takes a rank again when it is called
 * back.
 *
 * The flag rank_held of the record with index n says that rank n is held, by whichever worker.
 * There are as many records as workers, so each rank has a flag.
 *
 * Rejected: the number of the worker's own record (remaining workers could share a CPU while
 * another CPU is free); a rank among the present workers (a later worker could get the CPU of
 * another one).
 */
#ifndef NAP_CPU_RANK_H
#define NAP_CPU_RANK_H

#include "arch/atomic.h"
#include "worker/registry.h"
#include "worker/worker.h"

/* Called by the worker, or by its starter. */
static inline void cpu_rank_take(struct nap_worker *worker)
{
	uint32_t rank = 0;

	if (!(worker->pool->config.flags & NAP_ONE_CPU_EACH))
		return;
	for (;; rank++) {
		uint32_t *held = &registry_at(worker->pool, rank)->rank_held;

		/*
		 * Both sides of the pair are here: a worker that finds a rank taken sees the ranks
		 * that the rank's holder had given back before. [R7]
		 */
		if (!nap_load_acquire(held) && !nap_xchg_acq_rel(held, 1))
			break;
	}
	worker->cpu_rank = rank;
	worker->holds_rank = true;
}

/* Called by the worker, or when its start has failed. The worker's CPU does not change. */
static inline void cpu_rank_give(struct nap_worker *worker)
{
	if (worker->holds_rank)
		nap_store_relaxed(&registry_at(worker->pool, worker->cpu_rank)->rank_held, 0);
	worker->holds_rank = false;
}

/* Called by a worker: gives its rank back, and takes the lowest free one. */
static inline void cpu_rank_anew(struct nap_worker *worker)
{
	if (!worker->holds_rank)
		return;
	cpu_rank_give(worker);
	cpu_rank_take(worker);
}

#endif /* NAP_CPU_RANK_H */
