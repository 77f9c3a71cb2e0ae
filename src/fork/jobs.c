/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of forked jobs (nap/fork.h): publishing them for workers that ask, stealing them,
 * and running stolen jobs. src/fork/jobs_join.c joins a stolen job.
 */
#include "fork/jobs.h"

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fork/ask.h"
#include "fork/fork.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "queue/deque.h"
#include "sync/event.h"
#include "worker/debug_jobs.h"
#include "worker/exclusive.h"
#include "worker/phase.h"
#include "worker/runs.h"
#include "worker/source.h"
#include "worker/trace.h"
#include "worker/worker.h"

/* ---- forking for workers that ask */

static void publish(struct nap_worker *worker, struct nap_frame *top)
{
	struct nap__deque *d = &worker->deque;
	struct nap_frame *full = deque_full(d);
	bool keep_private = nap__fork_mode(worker->pool) == FORKS_SPLIT;

	source_link(worker->pool, KIND_JOBS);
	trace(worker->pool, NAP_TRACE_FORK_PUBLISH, NAP_TRACE_NOBODY, 0, 0);
	if (top == full) {
		/*
		 * nap_fork() need not check for room, because there is one extra frame. This fork
		 * has used the extra frame.
		 */
		nap_store_relaxed(&d->forks.bottom, full);
		if (nap_load_relaxed(&d->forks.limit))
			return;
	}
	deque_publish(d, keep_private);
	/*
	 * The request is answered: it is cleared before the fence in nap__idle_notify(). This may
	 * also clear the request of a worker that is just going idle, or just taking an earlier
	 * notification. If that worker is already registered as idle, the notification below
	 * reaches that worker. If not, the worker makes its request after this store, and the
	 * request stays. [F2]
	 */
	if (keep_private)
		nap_store_relaxed(&d->forks.limit, full);
	if (!pool_forked(worker->pool))
		nap__idle_notify(worker->pool);
}

struct nap_frame *nap_fork_slow(struct nap_worker *worker, struct nap_frame *top)
{
	debug_fork(worker, top, __builtin_return_address(0));
	unseen_begin();
	happens_before(&worker->deque.forks.bottom);
	publish(worker, top);
	unseen_end();
	return worker->deque.forks.bottom;
}

/* ---- running stolen jobs */

/* Runs a job in exclusive execution (src/worker/exclusive.h). */
static void run_exclusive(struct nap_worker *worker, struct nap_frame *frame, nap_job_fn run)
{
	bool before = exclusive_begin();

	run(worker, worker->deque.forks.bottom, frame);
	exclusive_end(before);
}

static void run_stolen(struct nap_task *stand_in)
{
	struct nap_worker *worker = nap_container_of(stand_in, struct nap_worker, stand_in);
	/* Copied, because the job may steal again. */
	struct nap_worker *victim = worker->stolen_from;
	struct nap_frame *frame = worker->stolen_frame;
	uint32_t *event = &victim->event;
	uint32_t forked = debug_forked(worker);
	uint32_t forker = victim != worker ? victim->index : NAP_TRACE_NOBODY;
	nap_job_fn run = frame->run;

	happens_after(&victim->deque.forks.bottom);
	if (victim != worker)
		stat_add(&worker->stats.jobs_stolen, 1);
	/*
	 * Publishes this worker's record, which may be new to the joiner: pairs with thief_of().
	 * [L2]
	 */
	nap_store_release(&frame->thief, worker->index + 1);
	runs_now(worker, (uintptr_t)run);
	trace(worker->pool, NAP_TRACE_JOB_BEGIN, forker, (uintptr_t)frame, (uintptr_t)run);
	unseen_end();
	/* The forker is in exclusive execution until the job has ended, or left its frame. */
	if (nap_load_relaxed(&victim->exclusive))
		run_exclusive(worker, frame, run);
	else
		run(worker, worker->deque.forks.bottom, frame);
	unseen_begin();
	trace(worker->pool, NAP_TRACE_JOB_END, forker, (uintptr_t)frame, (uintptr_t)run);
	debug_returned(worker, forked, "job", (void *)run);
	if (!worker->frame_left) {
		happens_before(frame);
		latch_set(frame, event);
	}
	worker->frame_left = false;
}

void nap__frame_leave(struct nap_worker *worker, struct nap_frame *frame)
{
	happens_before(frame);
	latch_set(frame, &worker->stolen_from->event);
}

/* ---- stealing */

struct nap_task *nap__steal_job(struct nap_worker *worker, struct nap_worker *victim, bool *more)
{
	struct nap_frame *frame = deque_steal(&victim->deque);

	if (!frame)
		return NULL;
	/* The owner may have more private jobs, for which it has to be asked. */
	*more = true;
	worker->stolen_from = victim;
	worker->stolen_frame = frame;
	worker->stand_in.run = run_stolen;
	return &worker->stand_in;
}

static struct nap_task *take_own_job(struct nap_worker *worker)
{
	struct nap__deque *d = &worker->deque;
	bool more;

	/*
	 * If no job is left, the deque has at most the stolen job that this worker is joining. Not
	 * noticed in tests when dropped: nothing would be published, and nothing found.
	 */
	if (!deque_has_jobs(d))
		return NULL;
	/* Private jobs are run here as if they were stolen; only this worker can join them. */
	if (!deque_has_public(d))
		deque_publish(d, forks_are_split(worker));
	return nap__steal_job(worker, worker, &more);
}

const struct nap__source nap__jobs_source = {
	.steal = nap__steal_job,
	.own = take_own_job,
	.reveal = nap__ask_for_jobs,
};
