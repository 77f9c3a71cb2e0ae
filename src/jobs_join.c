/* SPDX-License-Identifier: MIT */
/*
 * Joining, where the fast path in nap/fork.h does not do: the job is public, or was stolen. Then
 * its joiner runs other tasks until the thief has set the latch (src/jobs.h), or sleeps as an idle
 * worker.
 *
 * Typically the job is still there and taken back by one compare-exchange (deque_take_back()). Else
 * the joiner steals back from its thief what that has forked, which is part of the same job.
 */
#include <nap/nap.h>

#include "atomic.h"
#include "class_take.h"
#include "debug_jobs.h"
#include "deep.h"
#include "event.h"
#include "fair.h"
#include "happens.h"
#include "idle/idle.h"
#include "jobs.h"
#include "leaving.h"
#include "letter.h"
#include "park.h"
#include "phase.h"
#include "queue/deque.h"
#include "registry.h"
#include "run.h"
#include "search.h"
#include "self.h"
#include "worker.h"

static bool is_done(struct nap_frame *frame)
{
	return nap_load_acquire(&frame->latch) == LATCH_SET;	/* pairs with latch_set() [L1] */
}

/*
 * First what the thief has forked, which is part of the same job; then whatever there is. The thief
 * may go on forking for ever: meanwhile others have their turns.
 */
static struct nap_task *find_work(struct nap_worker *worker, struct nap_frame *frame)
{
	uint32_t thief = nap_load_acquire(&frame->thief);	/* pairs with nap__run_job() [L2] */
	struct nap_worker *victim = thief ? registry_at(worker->pool, thief - 1) : NULL;
	struct nap_task *task = NULL;
	bool more = false;

	if (victim && !pool_stopped_or_forked(worker->pool) && before_turn(worker))
		task = nap__steal_job(worker, victim, &more);
	if (task) {
		nap__idle_stop_search(worker, more);
		return task;
	}
	/* With classes a job is ordinary, and has its turn among them. */
	worker->classed.thief = victim;
	task = nap__dequeue(worker);
	worker->classed.thief = NULL;
	return task;
}

/* The joiner: whether it is to go on in the latch's state @from, as @to. */
static bool latch_move(struct nap_frame *frame, uint32_t from, uint32_t to)
{
	return nap_cmpxchg_relaxed(&frame->latch, from, to) == from;
}

/* As an idle worker that has one more reason to wake; as nobody's when it may not run anything. */
static void sleep_on(struct nap_worker *worker, struct nap_frame *frame, bool nest)
{
	enum nap__verdict verdict = NAP_EXIT;
	uint32_t reasons = 0;

	if (!latch_move(frame, LATCH_UNSET, LATCH_SLEEPING))
		return;
	if (nest)
		verdict = nap__park(worker, UINT64_MAX, &reasons);
	if (verdict == NAP_EXIT && !pool_forked(worker->pool))
		reasons |= sleep_on_event(&worker->event, EVENT_LATCH | EVENT_LETTER, UINT64_MAX);
	/* Too late to take the request back: it is answered, and nobody else may get the answer. */
	if (!(reasons & EVENT_LATCH) && !latch_move(frame, LATCH_SLEEPING, LATCH_UNSET))
		event_wait(&worker->event, EVENT_LATCH, UINT64_MAX);
}

bool nap__latch_wait(struct nap_worker *worker, struct nap_frame *frame, bool stuck)
{
	struct nap__outer before;
	bool nest = may_nest();

	nothing_leaves();
	become(worker, &before);
	if (!nest)
		deep_begin(worker, stuck);
	while (!is_done(frame) && !pool_forked(worker->pool)) {
		struct nap_task *task = nest ? find_work(worker, frame) : NULL;

		if (task)
			nap__run(worker, task);
		else if (!nest && letter_waits(worker))
			deep_answer(worker, stuck);
		else
			sleep_on(worker, frame, nest);
	}
	if (!nest)
		deep_end(worker, stuck);
	back_to(&before);
	/*
	 * Not noticed in tests when dropped: a task that forks is run when nobody relies on the
	 * worker any more. A signal handler may call fork(2) at any time.
	 */
	if (!pool_forked(worker->pool))
		nap__idle_stop_search(worker, false);
	return is_done(frame);
}

static bool join(struct nap_worker *worker, struct nap_frame *frame)
{
	struct nap__deque *d = &worker->deque;
	bool keep_private = forks_are_split(worker), done;

	if (frame == deque_full(d) || deque_take_back(d, frame, keep_private))
		return true;
	/* Jobs that are forked meanwhile, by what runs nested here, go above it. */
	nap_store_relaxed(&d->forks.bottom, frame + 1);
	done = nap__latch_wait(worker, frame, true);
	happens_after(frame);
	nap_store_relaxed(&frame->thief, 0);
	nap_store_relaxed(&frame->latch, LATCH_UNSET);
	deque_joined(d, frame, keep_private);
	return !done;
}

bool nap_join_slow(struct nap_worker *worker, struct nap_frame *top)
{
	bool mine;

	debug_join(worker, top, __builtin_return_address(0));
	unseen_begin();
	mine = join(worker, top);
	unseen_end();
	debug_joined(worker, top, mine);
	return mine;
}
