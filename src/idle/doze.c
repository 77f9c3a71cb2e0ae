/* SPDX-License-Identifier: MIT */
/* Putting off a wake: src/idle/doze.h. Typically no thread ends the doze, and its time passes. */
#include "idle/doze.h"

#include "arch/atomic.h"
#include "os/os.h"
#include "sync/event.h"
#include "worker/measure.h"
#include "worker/probe.h"
#include "worker/queued.h"
#include "worker/source.h"
#include "worker/worker.h"

/* Sleeps for NAP_DOZE_US, or until EVENT_WORK. Returns the bits that have come. */
static uint32_t sleep_lightly(struct nap_worker *worker)
{
	/* With the default timer slack of a thread the doze would last three times as long. */
	uint64_t slack = nap__os_timer_slack(1);
	uint64_t end = nap__os_now() + NAP_DOZE_US * 1000u;
	uint32_t woken;

	trace(worker->pool, TRACE_FLAGS(NAP_TRACE_PARK, NAP_TRACE_DOZES), NAP_TRACE_NOBODY, end, 0);
	probe3(park, worker->pool, worker->index, end);
	woken = event_wait(&worker->event, EVENT_WORK, end);
	probe3(unpark, worker->pool, worker->index, woken);
	watch_unpark(worker, woken, false);
	nap__os_timer_slack(slack);
	return woken;
}

void nap__doze(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t woken = 0;

	/* Publishes this worker's record: pairs with nap__doze_end(). [S5] */
	nap_store_release(&pool->dozer, worker->index + 1);
	/* write the name before checking; pairs with nap__doze_end() [S5] */
	nap_fence_seq_cst();
	/*
	 * If a worker has private jobs there is no doze, because forking them has notified no
	 * thread.
	 */
	if (!nap__more_than_lone(pool) && !nap__sources_reveal(worker)) {
		stat_add(&worker->stats.dozed, 1);
		woken = sleep_lightly(worker);
	}
	/*
	 * If another thread took the index out of pool->dozer, that thread has set EVENT_WORK, or
	 * will do so soon.
	 */
	if (!nap_xchg_relaxed(&pool->dozer, 0) && !woken)
		event_wait(&worker->event, EVENT_WORK, UINT64_MAX);
}
