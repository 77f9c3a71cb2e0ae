/* SPDX-License-Identifier: MIT */
/*
 * Looking at every queue, and asking everybody for jobs: src/queued.h. Typically all are empty, and
 * nobody has ever forked.
 */
#include "queued.h"

#include "async.h"
#include "atomic.h"
#include "call_list.h"
#include "class.h"
#include "jobs.h"
#include "os.h"
#include "phase.h"
#include "queue/deque.h"
#include "queue/kind.h"
#include "registry.h"

/* Whether anything is that has no class, in a ring more than @tasks. */
static bool is_queued(struct nap_pool *pool, uint32_t tasks)
{
	if (!inject_empty(&pool->inject) || calls_wait(pool))
		return true;
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (deque_has_public(&w->deque) || !overflow_empty(&w->overflow) ||
		    ring_count(&w->ring) > tasks)
			return true;
	return false;
}

bool nap__work_queued(struct nap_pool *pool)
{
	return is_queued(pool, 0) || classes_queued(pool, true) || async_unattended(pool);
}

bool nap__anything_queued(struct nap_pool *pool)
{
	return is_queued(pool, 0) || classes_queued(pool, false);
}

bool nap__more_than_lone(struct nap_pool *pool)
{
	return is_queued(pool, 1) || classes_queued(pool, true);
}

/* Ask everybody for jobs; true: somebody had not been asked. */
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

/* Whether there is something to be had from @w. @force: what is private is made public. */
static bool has_jobs(struct nap_worker *w, bool split, bool force)
{
	if (deque_has_public(&w->deque))
		return true;
	if (!split || !deque_has_jobs(&w->deque))
		return false;
	return !force || deque_force(&w->deque, nap__os_membarrier);
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
	 *	  no: done                        look at all jobs
	 *	  yes: clear it, full fence,
	 *	       who is idle? notify
	 *
	 * A forker that saw no request forked before the barrier, and its job is seen here. One
	 * that saw a request, and cleared ours with it, sees us registered, or that nobody has
	 * taken its notification yet, and tells. [F2]
	 */
	nap_fence_seq_cst();
	mode = nap_load_relaxed(&pool->forks);
	if (mode == FORKS_NONE || pool_stopped_or_forked(pool))
		return 0;
	/* Nobody is asked twice: what was forked before that is for who asked first. */
	if (mode == FORKS_SPLIT && ask_all(worker)) {
		nap__os_membarrier();	/* pairs with nap_fork() [F2]; without it: the next fork */
		stat_add(&worker->stats.asked, 1);
	}
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		n += has_jobs(w, mode == FORKS_SPLIT, !n);
	return n;
}

bool nap__others_needed(struct nap_worker *worker)
{
	return nap__work_queued(worker->pool) || nap__ask_for_jobs(worker);
}
