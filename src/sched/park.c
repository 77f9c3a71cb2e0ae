/* SPDX-License-Identifier: MIT */
/*
 * A worker parks: src/sched/schedule.h. Typically the worker enters the idle set, searches once
 * more, sleeps on its event, and is woken for work. Two kinds of worker wake for other reasons,
 * too: the poller of the pool's timers and files (src/worker/async.h), and a worker in a wait.
 */
#include "sched/schedule.h"

#include "idle/idle.h"
#include "idle/spin.h"
#include "sched/lend.h"
#include "sync/event.h"
#include "worker/async.h"
#include "worker/phase.h"
#include "worker/probe.h"
#include "worker/source.h"
#include "worker/measure.h"
#include "worker/worker.h"

/* A poller stays the poller while it searches: nap__idle_stop_search() ends this. */
enum nap__verdict nap__park(struct nap_worker *worker, uint64_t deadline, uint32_t *reasons)
{
	for (;;) {
		const struct nap__async_ops *ops;	/* NULL if the worker is not the poller */
		enum nap__verdict verdict;
		uint32_t jobs, woken;
		uint64_t until;
		bool ready;	/* whether a polled file is ready */
		bool spun;	/* whether the worker was notified before it slept */

		if (pool_forked(worker->pool))
			return NAP_EXIT;
		ops = async_ops(worker->pool);
		until = ops ? ops->begin_polling(worker, deadline) : deadline;
		verdict = nap__idle_prepare(worker);
		if (verdict == NAP_EXIT)
			async_end_polling(worker);
		if (verdict != NAP_PARK)
			return verdict;
		jobs = nap__sources_reveal(worker);
		if (jobs) {
			nap__idle_abort_park(worker);
			/*
			 * If this worker's wait is over first, another worker has to take the jobs.
			 */
			worker->relied_on = true;
			if (jobs > 1)
				nap__idle_notify(worker->pool);
			return NAP_SEARCH;
		}
		/* The fence that this call needs is in nap__sources_reveal(). [N1] */
		nap__sources_hear(worker->pool, NEWS_RESTED, NULL);
		permits_lend();
		/*
		 * A poller of files does not spin, because in a spin it would not see that a file
		 * is ready.
		 */
		spun = !(worker->polls && ops->has_files(worker->pool)) &&
		       nap__spin(worker->pool, worker, &worker->event, until);
		stat_add(spun ? &worker->stats.spun : &worker->stats.parked, 1);
		trace(worker->pool, TRACE_FLAGS(NAP_TRACE_PARK, (spun ? NAP_TRACE_SPUN : 0) |
						(worker->polls ? NAP_TRACE_POLLS : 0)),
		      NAP_TRACE_NOBODY, until, 0);
		probe3(park, worker->pool, worker->index, until);
		ready = false;
		woken = worker->polls ? ops->sleep(worker, until, &ready) :
					event_wait(&worker->event, EVENT_ANY, until);
		permits_back();
		probe3(unpark, worker->pool, worker->index, woken);
		watch_unpark(worker, woken, ready);
		if (woken & EVENT_WORK)
			nap__idle_woken(worker);
		if (woken == EVENT_WORK && !ready)
			continue;
		nap__idle_abort_park(worker);
		if (ready)
			ops->notify_ready(worker->pool);
		/* The worker searches again, and checks the timers if it finds nothing. */
		if (!(woken & ~(EVENT_WORK | EVENT_TIMER)) && (woken || ready || until < deadline))
			return NAP_SEARCH;
		async_end_polling(worker);
		*reasons |= woken & ~(EVENT_WORK | EVENT_TIMER);
		return NAP_WAIT_OVER;
	}
}
