/* SPDX-License-Identifier: MIT */
/*
 * A worker's life: find a task (src/sched/search.c), run it; find none, sleep. It does not know
 * which idle protocol it serves under.
 *
 * Typically: nap__run_plain() takes one task after another from the own ring, nap__dequeue() looks
 * wherever else there may be one. When there is none: rest(), in which nap__park() asks the
 * protocol, which has it search once more; then it sleeps on its event, is woken, and searches
 * again.
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
#include "worker/phase.h"
#include "worker/queued.h"
#include "worker/self.h"
#include "worker/source.h"
#include "worker/worker.h"

/* How long a worker that may retire sleeps before it does, where the configuration does not say. */
#define IDLE_NS 1000000000u

static uint64_t idle_ns(struct nap_pool *pool)
{
	uint64_t ns = nap_load_relaxed(&pool->config.idle_timeout_ns);

	return ns ? ns : IDLE_NS;
}

/* So many stay, however long they sleep: all but those in place of blocked ones, unless asked. */
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

/* Sleep, or retire: as one that is too many, or after a sleep that nobody has ended. */
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
			verdict = nap__standby(worker, nap_load_relaxed(&pool->limit), idle_ns(pool));
		}
		/* It was one too many, and has not looked; what told of the message may be taken. */
		if (verdict == NAP_PARK && message_waits(worker))
			return NAP_SEARCH;
		if (verdict == NAP_PARK) {
			verdict = nap__park(worker, sleep_until(pool), &reasons);
			if (verdict != NAP_WAIT_OVER || reasons)
				return verdict;
			/* Somebody has to sit for the timers. */
			if (async_unattended(pool))
				continue;
			verdict = nap__standby(worker, least_workers(pool), 0);
		}
		if (verdict == NAP_EXIT || verdict == NAP_RETIRED)
			return verdict;
	}
}

/* Sleep with no task on the stack; what tells a worker at rest from one that waits inside a task. */
static enum nap__verdict rest(struct nap_worker *worker)
{
	enum nap__verdict verdict;

	/* Nothing of nap's is further up the stack. */
	if (nap__self()->outer)
		nap__remaining(LEFT_BY_JUMP, NULL);
	/* It has not searched: it is one too many. */
	nap__sources_settle(worker);
	happens_before(worker->pool);
	/* Pairs with nap__pool_at_rest(): odd means at rest, and what the tasks did before. [Q3] */
	nap_store_release(&worker->rest, worker->rest + 1);
	verdict = sleep_or_retire(worker);
	/* It begins no further task, and nobody waits for its worker_stop. */
	if (verdict == NAP_RETIRED)
		return verdict;
	nap_store_relaxed(&worker->rest, worker->rest + 1);
	/*
	 * Counted before any queue is touched; pairs with nap__pool_at_rest() [Q3], and before it
	 * waits for a slot; pairs with nap__slot_gives_up() [K8].
	 */
	nap_fence_seq_cst();
	return verdict;
}

/* While others are still in worker_start, no more workers than one in this time are started. */
#define START_PAUSE_NS 1000000u

/*
 * The callback may take its time, or wait for what another worker is to do. But while this worker
 * may be about to answer the notification that it was started for, nobody else is started or woken.
 * So it answers first, as if it went to search, and then as if it had been called away: what is
 * queued is left to others, of whom one is woken or started. In the callback it is busy, and not at
 * rest.
 *
 * The one that is started so would start another in the same way, and so on up to the limit, for a
 * single task. So each first waits for those who are in the callback already: they may be about to
 * run that task.
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
	unseen_end();
	config->worker_start(worker, config->arg);
	unseen_begin();
	debug_returned(worker, 0, "callback", (void *)config->worker_start);
	nap_fetch_sub_relaxed(&pool->starting, 1);
}

static void begin(struct nap_worker *worker)
{
	worker->ended = worker->retired = false;
	self_is(nap__self(), worker);
	if (worker->pool->config.worker_start)
		call_worker_start(worker);
}

/* As long as it is a worker; NAP_EXIT or NAP_RETIRED. */
static enum nap__verdict run_all(struct nap_worker *worker)
{
	enum nap__verdict verdict;
	struct nap_task *task;

	/*
	 * First to the protocol: if a notification has started this worker, it is answered there.
	 */
	while ((verdict = rest(worker)) != NAP_EXIT && verdict != NAP_RETIRED)
		while (!is_surplus(worker) && (task = nap__dequeue(worker))) {
			nap__run(worker, task);
			nap__run_plain(worker);
		}
	return verdict;
}

/* One that is @retired only sleeps in a wait of worker_stop: it is to begin no task. */
static void end(struct nap_worker *worker, bool retired)
{
	const struct nap_config *config = &worker->pool->config;

	nap__messages_end(worker, true);
	worker->ended = true;
	worker->retired = retired;
	self_is(nap__self(), worker);
	if (!config->worker_stop)
		return;
	if (retired)
		nesting_off();
	unseen_end();
	config->worker_stop(worker, config->arg);
	unseen_begin();
	debug_returned(worker, 0, "callback", (void *)config->worker_stop);
	happens_before(worker->pool);
}

void nap__worker_main(struct nap_worker *worker)
{
	enum nap__verdict verdict;

	nothing_leaves();
	begin(worker);
	verdict = run_all(worker);
	if (!pool_forked(worker->pool))
		end(worker, verdict == NAP_RETIRED);
	if (pool_forked(worker->pool)) {
		/* A child's only thread; with it the child ends, except for its exit handlers. */
		nap__self()->in_parent.worker = NULL;
		return;
	}
	self_is(nap__self(), NULL);
	if (verdict == NAP_RETIRED)
		nap__standby_leave(worker);
	/* Pairs with worker_has_gone() in ends.c: what the tasks did. [N2] */
	nap_store_release(&worker->home, 1);
	nap_fence_seq_cst();	/* home before looking; pairs with look_for_end() [N1] */
	nap__sources_hear(worker->pool, NEWS_GONE, worker);
}
