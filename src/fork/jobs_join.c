/* SPDX-License-Identifier: MIT */
/*
 * Joining, where the fast path in nap/fork.h does not do: the job is public, or was stolen. Then
 * its joiner runs other tasks until the thief has set the latch (src/sched/jobs.h), or sleeps as an
 * idle worker.
 *
 * Typically the job is still there and taken back by one compare-exchange (deque_take_back()). Else
 * the joiner steals back from its thief what that has forked, which is part of the same job (Wagner
 * and Calder, "Leapfrogging: A Portable Technique for Implementing Efficient Futures", 1993).
 * Inside of what is exclusive (src/worker/exclusive.h) it runs nothing else.
 */
#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "queue/deque.h"
#include "sched/fair.h"
#include "sched/jobs.h"
#include "sched/park.h"
#include "sched/permits.h"
#include "sched/run.h"
#include "sched/search.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "wait/deep.h"
#include "worker/ask.h"
#include "worker/debug_jobs.h"
#include "worker/exclusive.h"
#include "worker/leaving.h"
#include "worker/message.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "worker/self.h"
#include "worker/source.h"
#include "worker/worker.h"

static bool is_done(struct nap_frame *frame)
{
	return nap_load_acquire(&frame->latch) == LATCH_SET;	/* pairs with latch_set() [L1] */
}

/* The job's thief, or NULL: nobody has begun it, or one whose jobs cannot be stolen. */
static struct nap_worker *thief_of(struct nap_worker *worker, struct nap_frame *frame)
{
	uint32_t thief = nap_load_acquire(&frame->thief);	/* pairs with run_stolen() [L2] */

	return thief ? registry_at(worker->pool, thief - 1) : NULL;
}

static struct nap_task *steal_back(struct nap_worker *worker, struct nap_worker *victim)
{
	bool more = false;
	struct nap_task *task;

	if (!victim || pool_stopped_or_forked(worker->pool))
		return NULL;
	task = nap__steal_job(worker, victim, &more);
	if (task)
		nap__idle_stop_search(worker, more);
	return task;
}

/*
 * First what the thief has forked, which is part of the same job; then whatever there is. The thief
 * may go on forking for ever: in between others have their turns.
 */
static struct nap_task *find_work(struct nap_worker *worker, struct nap_frame *frame)
{
	struct nap_worker *victim = thief_of(worker, frame);
	struct nap_task *task = NULL;

	if (victim && !source_is_linked(worker->pool, KIND_CLASSES) && before_turn(worker))
		task = steal_back(worker, victim);
	if (task)
		return task;
	/* With classes a job is ordinary, and has its turn among them. */
	worker->classed.thief = victim;
	task = nap__dequeue(worker);
	worker->classed.thief = NULL;
	return task;
}

/* Of what the thief keeps private, too: nobody else may come to ask for that. */
static struct nap_task *find_own(struct nap_worker *worker, struct nap_frame *frame)
{
	struct nap_worker *victim = thief_of(worker, frame);
	struct nap_task *task = steal_back(worker, victim);

	if (!task && victim && nap__ask_one(victim))
		task = steal_back(worker, victim);
	return task;
}

/* The joiner: whether it is to go on in the latch's state @from, as @to. */
static bool latch_move(struct nap_frame *frame, uint32_t from, uint32_t to)
{
	return nap_cmpxchg_relaxed(&frame->latch, from, to) == from;
}

/* How it may wait for a job. */
struct nap__joining {
	bool nest;		/* whatever there is may be run until then */
	bool steals;		/* no, but what the thief has forked */
	uint64_t pause;		/* before it looks at the thief again, which does not tell it */
};

/* Between two looks at a thief at first, ns; then twice as long each time. */
#define STEAL_PAUSE_NS	50000u

/* As an idle worker that has one more reason to wake; as nobody's when it may not run anything. */
static void sleep_on(struct nap_worker *worker, struct nap_frame *frame, struct nap__joining *how)
{
	enum nap__verdict verdict = NAP_EXIT;
	uint32_t reasons = 0;

	if (!latch_move(frame, LATCH_UNSET, LATCH_SLEEPING))
		return;
	if (how->nest)
		verdict = nap__park(worker, UINT64_MAX, &reasons);
	if (verdict == NAP_EXIT && !pool_forked(worker->pool))
		reasons |= sleep_on_event(&worker->event, EVENT_LATCH | EVENT_MESSAGE, how->steals ?
					  deadline_or_pause(NAP_FOREVER, &how->pause) : UINT64_MAX);
	/* Too late to take the request back: it is answered, and nobody else may get the answer. */
	if (!(reasons & EVENT_LATCH) && !latch_move(frame, LATCH_SLEEPING, LATCH_UNSET))
		event_wait(&worker->event, EVENT_LATCH, UINT64_MAX);
}

static struct nap_task *find(struct nap_worker *worker, struct nap_frame *frame,
			     struct nap__joining *how)
{
	struct nap_task *task = how->nest ? find_work(worker, frame) :
				how->steals ? find_own(worker, frame) : NULL;

	if (task)
		how->pause = STEAL_PAUSE_NS;
	return task;
}

bool nap__latch_wait(struct nap_worker *worker, struct nap_frame *frame, bool stuck)
{
	bool nest = may_nest();
	struct nap__joining how = { nest && !is_exclusive(), nest && is_exclusive(), STEAL_PAUSE_NS };
	struct nap__outer before;

	nothing_leaves();
	become(worker, &before);
	if (!how.nest)
		deep_begin(worker, stuck);
	while (!is_done(frame) && !pool_forked(worker->pool)) {
		struct nap_task *task = find(worker, frame, &how);

		if (task)
			nap__run(worker, task);
		else if (!how.nest && message_waits(worker))
			deep_answer(worker, stuck);
		else
			sleep_on(worker, frame, &how);
	}
	if (!how.nest)
		deep_end(worker, stuck);
	back_to(&before);
	/*
	 * Not noticed in tests when dropped: a task that forks is run when nobody relies on the
	 * worker. A signal handler may call fork(2) at any time.
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
	/* Jobs that are forked until then, by what runs nested here, go above it. */
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
