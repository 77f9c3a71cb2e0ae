/* SPDX-License-Identifier: MIT */
/*
 * Checking for workers that are stuck: nap_pool_check_stuck() in nap/blocking.h.
 *
 * The statistics of a worker show whether it makes progress, so no counter exists for this check
 * alone. Typically a worker is idle, or one of its counters has changed since the last check.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/set.h"
#include "os/happens.h"
#include "os/os.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "worker/capacity.h"
#include "worker/enter.h"
#include "worker/leaving.h"
#include "worker/registry.h"
#include "worker/runs.h"
#include "worker/self.h"
#include "worker/worker.h"

/* Whether the worker is inside a task or a callback, and cannot take another task. */
static bool is_busy(struct nap_worker *worker)
{
	return !worker->guest && nap_load_relaxed(&worker->record) == RECORD_STARTED &&
	       !(nap_load_relaxed(&worker->rest) & 1) &&
	       nap_load_relaxed(&worker->idle_state) != SET_LISTED;
}

/* Notes that the worker has made progress since the last check. */
static void has_gone_on(struct nap_worker *worker, uint64_t done, uint64_t now)
{
	worker->stuck_count = done;
	worker->stuck_since = now;
	worker->stuck_reported = false;
	nap__replace_no_more(worker, REPLACED_AS_STUCK);
}

static void stuck_report(const struct nap_stuck *how, struct nap_worker *worker, uint64_t ns)
{
	struct nap__outer before;

	nothing_leaves();
	become(nap__self()->worker, &before);
	unseen_end();
	how->stuck(worker->index, ns, how->arg);
	unseen_begin();
	back_to(&before);
}

static bool is_stuck(struct nap_worker *worker, const struct nap_stuck *how, uint64_t now)
{
	uint64_t done = done_by(worker), ns;

	seen_for(&worker->seen, done, now);
	if (!is_busy(worker) || !worker->stuck_since || done != worker->stuck_count) {
		has_gone_on(worker, done, now);
		return false;
	}
	ns = now - worker->stuck_since;
	if (ns < how->stuck_ns)
		return false;
	if (how->stuck && !worker->stuck_reported) {
		worker->stuck_reported = true;
		stuck_report(how, worker, ns);
	}
	if (how->compensate)
		nap__replace(worker, REPLACED_AS_STUCK);
	return true;
}

static int check_all(struct nap_pool *pool, const struct nap_stuck *how)
{
	uint64_t now = nap__os_now();
	int n = 0;

	for (struct nap_worker *w = registry_first(pool); w; w = w->next) {
		n += is_stuck(w, how, now);
		if (pool_forked(pool))	/* by @stuck, which has returned in the child */
			return -ESHUTDOWN;
	}
	return n;
}

/* Checks all workers. Called by one thread at a time. */
static int check_exclusively(struct nap_pool *pool, const struct nap_stuck *how)
{
	int n = -EBUSY;

	if (!visits_enter(pool))
		return -ESHUTDOWN;
	/* Sees what the previous check has noted: pairs with the release below. [R5] */
	if (!nap_cmpxchg_acquire(&pool->checking_stuck, 0, this_thread())) {
		n = check_all(pool, how);
		/* pairs with the acquire above [R5] */
		nap_store_release(&pool->checking_stuck, 0);
	}
	gate_leave(&pool->visits);
	return n;
}

int nap_pool_check_stuck(struct nap_pool *pool, const struct nap_stuck *how)
{
	int n;

	if (!pool || !how || !how->stuck_ns || how->reserved || how->reserved_too)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	n = check_exclusively(pool, how);
	unseen_end();
	return n;
}
