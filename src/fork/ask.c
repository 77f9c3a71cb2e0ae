/* SPDX-License-Identifier: MIT */
/*
 * Asking all workers for jobs, and whether this is possible: src/fork/ask.h. Typically no job was
 * ever forked, and a search asks no worker.
 */
#include "fork/ask.h"

#include "arch/atomic.h"
#include "os/happens.h"
#include "os/os.h"
#include "queue/deque.h"
#include "worker/debug_jobs.h"
#include "worker/phase.h"
#include "worker/registry.h"

uint32_t nap__fork_mode(struct nap_pool *pool)
{
	uint32_t mode = nap_load_relaxed(&pool->forks);
	uint32_t before = FORKS_NONE;

	/* Not noticed in tests when dropped: the mode is set only once anyway, below. */
	if (mode != FORKS_NONE)
		return mode;
	/*
	 * In debug builds, and under a race detector, every fork and join has to take the slow
	 * path.
	 */
	mode = FORKS_FENCED;
	if (!DEBUG_BUILD && !is_detected() && nap__os_membarrier_works())
		mode = FORKS_SPLIT;
	/*
	 * All threads use the first thread's mode, though a seccomp filter may allow membarrier to
	 * some threads only.
	 */
	return nap_try_cmpxchg_relaxed(&pool->forks, &before, mode) ? mode : before;
}

/* Asks all workers for jobs. True: at least one had not been asked before. */
static bool ask_all(struct nap_worker *worker)
{
	bool asked = false;

	for (struct nap_worker *w = registry_first(worker->pool); w; w = w->next)
		asked |= deque_ask(&w->deque);
	return asked;
}

bool nap__jobs_wait(struct nap_pool *pool)
{
	bool any = false;

	if (nap_load_relaxed(&pool->forks) == FORKS_NONE)
		return false;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		deque_ask(&w->deque);
		any |= deque_has_jobs(&w->deque);
	}
	return any;
}

/* Whether @w has a job to take. @force: make private jobs public. */
static bool has_jobs(struct nap_worker *w, bool split, bool force)
{
	if (deque_has_public(&w->deque))
		return true;
	if (!split || !deque_has_jobs(&w->deque))
		return false;
	return !force || deque_force(&w->deque, nap__os_membarrier);
}

bool nap__ask_one(struct nap_worker *victim)
{
	bool split = nap_load_relaxed(&victim->pool->forks) == FORKS_SPLIT;

	if (split)
		deque_ask(&victim->deque);
	/*
	 * The membarrier in deque_force() also serves this request: a fork that missed the request
	 * is seen here. [F2]
	 */
	return has_jobs(victim, split, true);
}

uint32_t nap__ask_for_jobs(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t mode, n = 0;

	/*
	 *	forker (nap_fork())               this worker
	 *	-------------------               -----------
	 *	the job is forked                 registered as idle, or a notification taken
	 *	is a request there?               full fence; a request to everybody; barrier
	 *	  no: done                        check all jobs
	 *	  yes: clear it, full fence,
	 *	       who is idle? notify
	 *
	 * A forker that saw no request forked before the barrier, and its job is seen here. A
	 * forker that saw a request may have cleared this worker's request, too. Then it finds this
	 * worker registered as idle, or the notification not yet taken, and notifies. [F2]
	 */
	mode = nap_load_relaxed(&pool->forks);
	if (mode == FORKS_NONE || pool_stopped_or_forked(pool))
		return 0;
	/*
	 * If all workers had been asked already, no barrier is needed: the worker that asked first
	 * sees all jobs that were forked before.
	 */
	if (mode == FORKS_SPLIT && ask_all(worker)) {
		/* pairs with nap_fork(): sees its job, or the fork notifies [F2] */
		nap__os_membarrier();
		stat_add(&worker->stats.asked, 1);
	}
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		n += has_jobs(w, mode == FORKS_SPLIT, !n);
	return n;
}
