/* SPDX-License-Identifier: MIT */
/*
 * The slow path of a join (nap/fork.h): the job is public, or was stolen. A joiner of a stolen job
 * runs other tasks until the thief has set the latch (src/sync/latch.h), or sleeps as an idle
 * worker: the loop is that of src/wait/wait.h.
 *
 * Typically the job is still there, and one compare-exchange takes it back (deque_take_back()).
 * Otherwise the joiner first steals back: it takes the jobs that its thief has forked, because they
 * are part of the awaited job (Wagner and Calder, "Leapfrogging: A Portable Technique for
 * Implementing Efficient Futures", 1993). In exclusive execution (src/worker/exclusive.h) the
 * joiner runs nothing else.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fork/ask.h"
#include "fork/fork.h"
#include "fork/jobs.h"
#include "idle/idle.h"
#include "idle/spin.h"
#include "os/happens.h"
#include "queue/deque.h"
#include "sched/fair.h"
#include "sched/schedule.h"
#include "sched/steal.h"
#include "sync/event.h"
#include "sync/latch.h"
#include "wait/wait.h"
#include "worker/debug_jobs.h"
#include "worker/exclusive.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/source.h"
#include "worker/trace.h"
#include "worker/worker.h"

static bool latch_is_set(struct nap_frame *frame)
{
	/* sees what the job did: pairs with latch_set() [L1] */
	return nap_load_acquire(&frame->latch) == LATCH_SET;
}

static struct nap_task *steal_back(struct nap_worker *worker, struct nap_worker *victim)
{
	bool more = false;	/* Not noticed in tests when true for false: each job sets it. */
	struct nap_task *task;

	if (!victim || pool_stopped_or_forked(worker->pool))
		return NULL;
	task = steal_job(worker, victim, &more);
	if (task)
		nap__idle_stop_search(worker, more);
	return task;
}

/*
 * Finds a job that the thief has forked, or else any task. At each tick the other queues come
 * first, because the thief may go on forking for ever.
 */
static struct nap_task *find_work(struct nap_worker *worker, struct nap_frame *frame)
{
	struct nap_worker *victim = thief_of(worker, frame);
	struct nap_task *task = NULL;

	if (victim && !source_is_linked(worker->pool, KIND_CLASSES) && before_turn(worker))
		task = steal_back(worker, victim);
	if (task)
		return task;
	/* In a pool with classes the search itself steals from the thief: src/kit/class_take.c */
	worker->joins = frame;
	task = nap__dequeue(worker);
	if (!task)
		task = search_on(worker);
	worker->joins = NULL;
	return task;
}

/*
 * Takes a job of the thief's, even a private one, because perhaps no other worker asks the thief.
 */
static struct nap_task *find_thiefs(struct nap_worker *worker, struct nap_frame *frame)
{
	struct nap_worker *victim = thief_of(worker, frame);
	struct nap_task *task = steal_back(worker, victim);

	if (!task && victim && nap__ask_one(victim))
		/* Not noticed in tests when dropped: the next turn of the wait takes the job. */
		task = steal_back(worker, victim);
	return task;
}

/* Called by the joiner: changes the latch from @from to @to; false: the latch was set before. */
static bool latch_move(struct nap_frame *frame, uint32_t from, uint32_t to)
{
	return nap_cmpxchg_relaxed(&frame->latch, from, to) == from;
}

/* The time, in ns, after which a joiner that runs only the thief's jobs tries the thief again. */
#define THIEF_PAUSE_NS	50000u

/* How often a joiner checks the latch before it falls idle: one or two microseconds. */
#define JOIN_LOOKS	(10 * NAP_SPIN_LOOKS)

struct latch_wait {
	struct nap__wait wait;
	struct nap_frame *frame;
};

static struct nap_frame *frame_of(struct nap__wait *wait)
{
	return nap_container_of(wait, struct latch_wait, wait)->frame;
}

static int latch_is_over(struct nap__wait *wait)
{
	if (latch_is_set(frame_of(wait)))
		return 0;
	return pool_forked(wait->worker->pool) ? -ESHUTDOWN : 1;
}

static struct nap_task *latch_take(struct nap__wait *wait)
{
	return wait->runs == WAIT_RUNS_ANYTHING ? find_work(wait->worker, frame_of(wait)) :
						  find_thiefs(wait->worker, frame_of(wait));
}

/*
 * Checks the latch for a moment, after a search that found nothing, because the thief often ends
 * just then, for example when the halves of a loop are equal. Then the joiner need not fall idle,
 * which may interrupt the thief (membarrier), and no wake is needed. True: the latch is set.
 */
static bool latch_spin(struct nap_pool *pool, struct nap_frame *frame)
{
	int looks = JOIN_LOOKS;

	if (nap_load_relaxed(&pool->cpus) < 2 || pool->config.spin_us == NAP_NO_SPIN)
		return false;
	/* Not noticed in tests when >= for > or 1 for 0: there is one look more, or one less. */
	while (looks-- > 0) {
		if (latch_is_set(frame))
			/* Not noticed in tests when false for true: latch_move() fails then. */
			return true;
		/* Not noticed in tests when dropped: only the other CPU has less of the cache. */
		nap_cpu_relax();
	}
	return false;
}

static bool latch_enlist(struct nap__wait *wait)
{
	if (!wait->listed && latch_spin(wait->worker->pool, frame_of(wait)))
		/* Not noticed in tests when true for false: latch_is_over() is asked next. */
		return false;
	wait->listed = wait->listed || latch_move(frame_of(wait), LATCH_UNSET, LATCH_SLEEPING);
	/*
	 * The thief's forks do not notify this worker, so it tries the thief again after a pause.
	 */
	wait->pauses = wait->runs == WAIT_RUNS_THIEFS;
	return wait->listed;
}

static void latch_delist(struct nap__wait *wait)
{
	/*
	 * If the latch was set before, the thief has seen LATCH_SLEEPING, and EVENT_LATCH is on its
	 * way to this thread.
	 */
	if (!latch_move(frame_of(wait), LATCH_SLEEPING, LATCH_UNSET))
		event_wait(wait->event, EVENT_LATCH, UINT64_MAX);
}

static const struct nap__wait_ops latch_ops = {
	.is_over = latch_is_over,
	.take = latch_take,
	.enlist = latch_enlist,
	.delist = latch_delist,
	.name = "stolen job",
};

bool nap__latch_wait(struct nap_worker *worker, struct nap_frame *frame, bool stuck)
{
	struct latch_wait w = {
		.frame = frame,
		.wait = {
			.ops = &latch_ops,
			.as = &nap__wait_as_worker,
			.worker = worker,
			.deadline = NAP_FOREVER,
			.first_pause = THIEF_PAUSE_NS,
			.runs = is_exclusive() ? WAIT_RUNS_THIEFS : WAIT_RUNS_ANYTHING,
			.stuck = stuck,
		},
	};

	nothing_leaves();
	return !nap__wait(&w.wait);
}

/* @leaves: the job leaves its frame when it begins. */
static bool join_job(struct nap_worker *worker, struct nap_frame *frame, bool leaves)
{
	struct nap__deque *d = &worker->deque;
	bool keep_private = forks_are_split(worker), done;

	if (frame == deque_full(d) || deque_take_back(d, frame, keep_private))
		return true;
	/* Nested tasks fork their jobs above the frame during the wait. */
	nap_store_relaxed(&d->forks.bottom, frame + 1);
	trace_object(worker->pool, NAP_TRACE_JOIN_BEGIN, frame, (uintptr_t)frame->run);
	/* A thief has claimed the frame, and is about to leave the frame. */
	if (leaves)
		latch_spin(worker->pool, frame);
	done = nap__latch_wait(worker, frame, true);
	trace_object(worker->pool, NAP_TRACE_JOIN_END, frame, (uintptr_t)frame->run);
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
	mine = join_job(worker, top, false);
	unseen_end();
	debug_joined(worker, top, mine);
	return mine;
}

bool nap__join_begun(struct nap_worker *worker, struct nap_frame *top)
{
	struct nap__forks *forks = &worker->deque.forks;
	bool mine = true;

	debug_join(worker, top, __builtin_return_address(0));
	nap_store_relaxed(&forks->bottom, top);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);	/* as in nap_join() [F3] */
	if (top < nap_load_relaxed(&forks->split)) {
		unseen_begin();
		mine = join_job(worker, top, true);
		unseen_end();
	}
	debug_joined(worker, top, mine);
	return mine;
}
