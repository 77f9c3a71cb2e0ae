/* SPDX-License-Identifier: MIT */
/*
 * A worker's life: find a task (src/search.c), run it; find none, sleep. It does not know which
 * idle protocol it serves under.
 *
 * Typically: run_plain() takes one task after another from the own ring, nap__dequeue() looks
 * wherever else there may be one. When there is none: rest(), in which nap__park() asks the
 * protocol, which has it search once more; then it sleeps on its event, is woken, and searches
 * again.
 */
#include "loop.h"

#include "debug.h"
#include "debug_jobs.h"
#include "event.h"
#include "fair.h"
#include "happens.h"
#include "idle/idle.h"
#include "idle/spin.h"
#include "jobs.h"
#include "leaving.h"
#include "letter.h"
#include "os.h"
#include "phase.h"
#include "queued.h"
#include "search.h"
#include "self.h"
#include "worker.h"

/* Apart, so that without a detector there is one question a task. */
static __attribute__((noinline)) void run_watched(struct nap_task *task, nap_task_fn run)
{
	happens_after(task);
	is_given(task, sizeof(*task));
	unseen_end();
	run(task);
	unseen_begin();
}

void nap__run(struct nap_worker *worker, struct nap_task *task)
{
	uint32_t forked = debug_forked(worker);
	nap_task_fn run;

	if (task == &worker->stolen) {
		nap__run_job(worker);
		return;
	}
	if (task == &worker->letter) {
		nap__answer_letter(worker);
		return;
	}
	stat_add(&worker->stats.run, 1);
	debug_unmark(task);
	run = task->run;
	/*
	 * From here on the task is its own: it may be freed or scheduled again before this returns.
	 */
	if (is_detected())
		run_watched(task, run);
	else
		run(task);
	debug_returned(worker, forked, "task", (void *)run);
}

enum nap__verdict nap__park(struct nap_worker *worker, uint64_t deadline, uint32_t *reasons)
{
	uint32_t woken = 0;

	for (;;) {
		enum nap__verdict verdict;
		uint32_t jobs;

		if (pool_forked(worker->pool))
			return NAP_EXIT;
		verdict = nap__idle_prepare(worker);
		if (verdict != NAP_PARK)
			return verdict;
		jobs = nap__ask_for_jobs(worker);
		if (jobs) {
			nap__idle_abort_park(worker);
			/* If this worker's wait is over first, others have to take the jobs. */
			worker->relied_on = true;
			if (jobs > 1)
				nap__idle_notify(worker->pool);
			return NAP_SEARCH;
		}
		if (woken & EVENT_WORK)
			stat_add(&worker->stats.woken_idle, 1);
		if (nap__spin(worker->pool, worker, &worker->event, deadline))
			stat_add(&worker->stats.spun, 1);
		else
			stat_add(&worker->stats.parked, 1);
		woken = event_wait(&worker->event, EVENT_ANY, deadline);
		if (woken & EVENT_WORK)
			nap__idle_woken(worker);
		if (woken != EVENT_WORK) {
			*reasons |= woken & ~EVENT_WORK;
			nap__idle_abort_park(worker);
			return NAP_WAIT_OVER;
		}
	}
}

/*
 * Sleep with no task on the stack; what tells a worker at rest from one that waits inside a task.
 */
static enum nap__verdict rest(struct nap_worker *worker)
{
	enum nap__verdict verdict;
	uint32_t reasons = 0;

	/* Nothing of nap's is further up the stack. */
	if (nap__self()->outer)
		nap__left(LEFT_BY_JUMP, NULL);
	happens_before(worker->pool);
	/* Pairs with pool_at_rest(): odd means at rest, and what the tasks did before. [Q3] */
	nap_store_release(&worker->rest, worker->rest + 1);
	verdict = nap__park(worker, UINT64_MAX, &reasons);
	nap_store_relaxed(&worker->rest, worker->rest + 1);
	/* Counted before any queue is touched; pairs with pool_at_rest() [Q3] */
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

/* Worker whose turn is due, in the middle of its ring: run the task that it finds, if any. */
static __attribute__((noinline)) void run_turn(struct nap_worker *worker)
{
	bool more = false;
	struct nap_task *task = nap__take_turn(worker, &more);

	if (more)
		nap__idle_notify(worker->pool);
	if (task)
		nap__run(worker, task);
}

/*
 * The usual way from one task to the next, with none on the stack, so nothing is forked: those in
 * the own ring, and what has its turn (src/fair.c), until there is something else to look at.
 */
static void run_plain(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	struct nap_task *task;

	while (pool_is_plain(pool)) {
		if (!may_take_own(worker)) {
			run_turn(worker);
			continue;
		}
		task = ring_pop(&worker->ring);
		if (!task)
			return;
		stat_add(&worker->stats.run, 1);
		task->run(task);
	}
}

void nap__worker_main(struct nap_worker *worker)
{
	const struct nap_config *config = &worker->pool->config;
	struct nap_task *task;

	nothing_leaves();
	self_is(nap__self(), worker);
	if (config->worker_start)
		call_worker_start(worker);
	/*
	 * First to the protocol: if a notification has started this worker, it is answered there.
	 */
	while (rest(worker) != NAP_EXIT)
		while ((task = nap__dequeue(worker))) {
			nap__run(worker, task);
			run_plain(worker);
		}
	if (pool_forked(worker->pool)) {
		/* A child's only thread; with it the child ends, but for its exit handlers. */
		nap__self()->in_parent.worker = NULL;
		return;
	}
	nap__letters_end(worker, true);
	worker->ended = true;
	self_is(nap__self(), worker);
	if (config->worker_stop) {
		unseen_end();
		config->worker_stop(worker, config->arg);
		unseen_begin();
		debug_returned(worker, 0, "callback", (void *)config->worker_stop);
		nap__self()->in_parent.worker = NULL;	/* as above, if it has forked */
		happens_before(worker->pool);
	}
	self_is(nap__self(), NULL);
}
