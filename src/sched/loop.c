/* SPDX-License-Identifier: MIT */
/*
 * The loop of a worker: it finds a task (src/sched/search.c) and runs it; if there is none, it
 * sleeps. The loop does not depend on the idle protocol.
 *
 * Typically nap__run_plain() takes one task after another from the worker's own ring, and
 * nap__dequeue() then searches elsewhere. If there is no task, the worker calls rest(): nap__park()
 * asks the protocol, which has the worker search once more; then the worker sleeps on its event, is
 * woken, and searches again.
 */
#include "idle/idle.h"
#include "os/happens.h"
#include "os/os.h"
#include "sched/standby.h"
#include "sched/schedule.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "worker/async.h"
#include "worker/debug_jobs.h"
#include "worker/leaving.h"
#include "worker/message.h"
#include "worker/nest.h"
#include "worker/phase.h"
#include "worker/queued.h"
#include "worker/runs.h"
#include "worker/self.h"
#include "worker/source.h"
#include "worker/trace.h"
#include "worker/worker.h"

/* How long a worker sleeps before it may retire, if the configuration does not say. */
#define IDLE_NS 1000000000u

static uint64_t idle_ns(struct nap_pool *pool)
{
	uint64_t ns = nap_load_relaxed(&pool->config.idle_timeout_ns);

	return ns ? ns : IDLE_NS;
}

/*
 * Returns how many workers never retire. By default these are all, except those that replace
 * blocked workers.
 */
static uint32_t least_workers(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->config.idle_timeout_ns) ?
		       nap_load_relaxed(&pool->config.min_workers) : nap_load_relaxed(&pool->base);
}

static uint64_t sleep_until(struct nap_pool *pool)
{
	return nap__idle_spawned(pool) > least_workers(pool) ? deadline_after(idle_ns(pool)) :
							       NAP_FOREVER;
}

/* Sleeps, or retires: as a surplus worker, or after a sleep whose time is over. */
static enum nap__verdict sleep_or_retire(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;

	for (;;) {
		enum nap__verdict verdict = NAP_PARK;
		uint32_t reasons = 0;

		if (pool_forked(pool))
			return NAP_EXIT;
		if (is_surplus(worker)) {
			async_end_polling(worker);
			verdict = nap__standby(worker, nap_load_relaxed(&pool->limit),
					       idle_ns(pool));
		}
		/*
		 * A surplus worker has not searched, so a message may still wait, though
		 * nap__standby() has taken EVENT_MESSAGE.
		 */
		if (verdict == NAP_PARK && message_waits(worker))
			return NAP_SEARCH;
		if (verdict == NAP_PARK) {
			verdict = nap__park(worker, sleep_until(pool), &reasons);
			if (verdict != NAP_WAIT_OVER || reasons)
				return verdict;
			/* Some worker has to poll the timers, so this one does not retire. */
			if (async_unattended(pool))
				continue;
			verdict = nap__standby(worker, least_workers(pool), 0);
		}
		if (verdict == NAP_EXIT || verdict == NAP_RETIRED)
			return verdict;
	}
}

/* Sleeps with no task on the stack, as opposed to a worker that waits inside a task. */
static enum nap__verdict rest(struct nap_worker *worker)
{
	enum nap__verdict verdict;

	/* If self->outer is set here, a task was left by a jump. */
	if (nap__self()->outer)
		nap__panic_left(LEFT_BY_JUMP, NULL);
	/*
	 * A surplus worker has not searched, so other workers are notified of what its search would
	 * have found.
	 */
	nap__sources_settle(worker);
	happens_before(worker->pool);
	/*
	 * Odd: the worker is at rest. Publishes what its tasks did: pairs with nap__pool_at_rest().
	 * [Q3]
	 */
	nap_store_release(&worker->rest, worker->rest + 1);
	verdict = sleep_or_retire(worker);
	/*
	 * A retired worker begins no further task, and stays at rest: no quiescence waits for its
	 * worker_stop.
	 */
	if (verdict == NAP_RETIRED)
		return verdict;
	nap_store_relaxed(&worker->rest, worker->rest + 1);
	/*
	 * The count comes before the worker touches a queue: pairs with nap__pool_at_rest() [Q3];
	 * and before it waits for a slot: pairs with nap__slot_gives_up() [K8].
	 */
	nap_fence_seq_cst();
	return verdict;
}

/*
 * How long, in ns, a worker waits before its worker_start while another worker is in that callback.
 */
#define START_PAUSE_NS 1000000u

/*
 * worker_start may take long, or wait for something that another worker has to do. But no other
 * worker is woken or started until this worker has answered the notification that it was started
 * for. So the worker first answers, as if it searched, and then stops searching: another worker is
 * woken or started for queued tasks. In the callback the worker is busy, and not at rest.
 *
 * But if a single task is queued, each such worker would start another worker for it, up to the
 * limit. So if a worker is in the callback already, the next worker first waits for a while
 * (START_PAUSE_NS), because the other worker may run the task.
 */
static void call_worker_start(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	const struct nap_config *config = &pool->config;

	if (nap_fetch_add_relaxed(&pool->starting, 1) && nap__work_queued(pool))
		event_wait(&worker->event, EVENT_EXIT, nap__os_now() + START_PAUSE_NS);
	if (nap__idle_prepare(worker) == NAP_PARK)
		nap__idle_abort_park(worker);
	nap__idle_stop_search(worker, false);
	runs_now(worker, (uintptr_t)config->worker_start);
	unseen_end();
	config->worker_start(worker, config->arg);
	unseen_begin();
	runs_now(worker, 0);
	debug_returned(worker, 0, "callback", (void *)config->worker_start);
	nap_fetch_sub_relaxed(&pool->starting, 1);
}

static void begin(struct nap_worker *worker)
{
	struct nap__self *self = nap__self();

	worker->ended = worker->retired = false;
	self_is(self, worker);
	runs_on(worker, self);
	number_thread(self);
	if (is_watched(worker->pool))
		trace(worker->pool, NAP_TRACE_START, NAP_TRACE_NOBODY, thread_number(self), 0);
	if (worker->pool->config.worker_start)
		call_worker_start(worker);
}

/* Runs tasks as long as the thread is a worker. Returns NAP_EXIT or NAP_RETIRED. */
static enum nap__verdict run_all(struct nap_worker *worker)
{
	enum nap__verdict verdict;
	struct nap_task *task;

	/*
	 * The worker first asks the protocol, and so answers the notification that it was started
	 * for, if any.
	 */
	while ((verdict = rest(worker)) != NAP_EXIT && verdict != NAP_RETIRED)
		while (!is_surplus(worker) &&
		       ((task = nap__dequeue(worker)) || (task = search_on(worker)))) {
			nap__run(worker, task);
			nap__run_plain(worker);
			runs_now(worker, 0);
		}
	return verdict;
}

/* Calls worker_stop. A @retired worker begins no task there: if it waits, it only sleeps. */
static void call_worker_stop(struct nap_worker *worker, bool retired)
{
	const struct nap_config *config = &worker->pool->config;

	if (retired)
		nesting_ends();
	runs_now(worker, (uintptr_t)config->worker_stop);
	unseen_end();
	config->worker_stop(worker, config->arg);
	unseen_begin();
	debug_returned(worker, 0, "callback", (void *)config->worker_stop);
	happens_before(worker->pool);
}

static void end(struct nap_worker *worker, bool retired)
{
	const struct nap_config *config = &worker->pool->config;

	nap__messages_end(worker, true);
	worker->ended = true;
	worker->retired = retired;
	self_is(nap__self(), worker);
	if (config->worker_stop)
		call_worker_stop(worker, retired);
	trace(worker->pool, TRACE_FLAGS(NAP_TRACE_RETIRE, !retired), NAP_TRACE_NOBODY, 0, 0);
}

void nap__worker_main(struct nap_worker *worker)
{
	enum nap__verdict verdict;

	nothing_leaves();
	is_given(worker, sizeof(*worker));	/* a retired worker may have used the record */
	begin(worker);
	verdict = run_all(worker);
	if (!pool_forked(worker->pool))
		end(worker, verdict == NAP_RETIRED);
	if (pool_forked(worker->pool)) {
		/*
		 * This thread is the only one of the child of a fork. The child ends with it,
		 * except for the child's exit handlers.
		 */
		nap__self()->in_parent.worker = NULL;
		return;
	}
	self_is(nap__self(), NULL);
	if (verdict == NAP_RETIRED)
		nap__standby_leave(worker);
	/*
	 * Publishes what the worker's tasks did: pairs with worker_has_gone() in src/kit/ends.c.
	 * [N2]
	 */
	nap_store_release(&worker->home, 1);
	nap_fence_seq_cst();	/* set home before checking; pairs with look_for_end() [N1] */
	nap__sources_hear(worker->pool, NEWS_GONE, worker);
}
