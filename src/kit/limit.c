/* SPDX-License-Identifier: MIT */
/* Changing the limit, the idle timeout and the CPUs while the pool runs: nap/limit.h. */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "os/os.h"
#include "sched/fair.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "thread/cpu_rank.h"
#include "worker/capacity.h"
#include "worker/enter.h"
#include "worker/registry.h"

_Static_assert(NAP_LIMIT_DEQUEUES >= FAIR_GAP, "a worker checks the limit at each tick");

/*
 * Wakes idle workers, so that they read the limit and the idle timeout again; busy workers do so
 * anyway. EVENT_MESSAGE ends every sleep, and a worker without a message ignores it.
 */
static void wake_all(struct nap_pool *pool)
{
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		if (!w->guest)
			event_set(&w->event, EVENT_MESSAGE);
}

/*
 * Sets the limit to @limit, or, if @limit is 0, to what the configuration asks for. Returns the new
 * limit, or an error.
 */
static int set_limit(struct nap_pool *pool, uint32_t limit)
{
	uint32_t most;

	if (!visits_enter(pool))
		return -ESHUTDOWN;
	most = nap_load_relaxed(&pool->most);
	if (limit == 0) {
		limit = nap__count_cpus(pool);
		/* Not noticed in tests when <= for <: then both are the same number. */
		limit = limit < most ? limit : most;
	}
	if (limit <= most) {
		nap_store_relaxed(&pool->base, limit);
		nap__limit_changed(pool);
		if (nap__idle_spawned(pool) > nap_load_relaxed(&pool->limit))
			wake_all(pool);
	}
	gate_leave(&pool->visits);
	return limit <= most ? (int)limit : -EINVAL;
}

int nap_pool_set_limit(struct nap_pool *pool, uint32_t limit)
{
	int err;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	err = set_limit(pool, limit);
	unseen_end();
	return err;
}

static int set_idle(struct nap_pool *pool, uint32_t min_workers, uint64_t timeout_ns)
{
	if (!visits_enter(pool))
		return -ESHUTDOWN;
	/* Relaxed: a worker that is woken reads both words afterwards. */
	nap_store_relaxed(&pool->config.min_workers, min_workers);
	nap_store_relaxed(&pool->config.idle_timeout_ns, timeout_ns);
	wake_all(pool);
	gate_leave(&pool->visits);
	return 0;
}

int nap_pool_set_idle(struct nap_pool *pool, uint32_t min_workers, uint64_t timeout_ns)
{
	int err;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	err = set_idle(pool, min_workers, timeout_ns);
	unseen_end();
	return err;
}

/* Sets the limit again, except if the configuration gives max_workers. */
static int reread_limit(struct nap_pool *pool)
{
	int limit;

	if (!pool->config.max_workers)
		return set_limit(pool, 0);
	if (!visits_enter(pool))
		return -ESHUTDOWN;
	nap__count_cpus(pool);
	limit = (int)nap_load_relaxed(&pool->base);
	gate_leave(&pool->visits);
	return limit;
}

static void worker_take_cpus(struct nap_worker *worker, void *unused)
{
	(void)unused;
	/*
	 * Guests keep their own CPUs. Not noticed in tests when dropped: a broadcast does not call
	 * guests.
	 */
	if (worker->guest)
		return;
	cpu_rank_anew(worker);
	nap__os_thread_take_cpus(worker, worker->cpu_rank);
}

int nap_pool_reread(struct nap_pool *pool)
{
	int n, limit;

	if (!pool)
		return -EINVAL;
	debug_aligned(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	limit = reread_limit(pool);
	unseen_end();
	/*
	 * Not noticed in tests when dropped, <= for < or 1 for 0: the broadcast fails, too, and a
	 * pool with a limit of 0 has no worker.
	 */
	if (limit < 0)
		return limit;
	n = nap_broadcast(pool, worker_take_cpus, NULL);
	return n < 0 ? n : limit;
}
