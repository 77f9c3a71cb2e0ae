/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a group: src/wait/group.h.
 *
 * Typically a worker runs other tasks until the group is complete. A thread from outside counts and
 * lists itself with the group and with the group's pool, and sleeps until the last one that is done
 * takes it out. If the pool has no worker that could run the tasks, it runs them itself.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "idle/retry.h"
#include "idle/spin.h"
#include "os/happens.h"
#include "sched/guest.h"
#include "sched/park.h"
#include "sched/permits.h"
#include "sched/run.h"
#include "sched/search.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "wait/deep.h"
#include "wait/group.h"
#include "wait/help.h"
#include "worker/async.h"
#include "worker/enter.h"
#include "worker/leaving.h"
#include "worker/message.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * A thread that waits. Its nodes stay listed from one sleep to the next: being woken for nothing
 * takes one of them out, and only that one is listed again. (To take out both each time would wake
 * the others in turn, and they each other.) They are taken out before it leaves or runs a task.
 *
 * From then on it is a visitor of the pool, so that the joiner waits until it is gone: it leaves
 * after a look that says that the pool has ended, and not before. A worker that runs a task in its
 * wait is no visitor.
 */
struct wait {
	struct nap_group *group;
	struct nap_pool *pool;		/* the group's, until it has ended or if it has none: NULL */
	struct nap_worker *worker;	/* that the thread is, or NULL; and the one of whose pool */
	struct nap_worker *caller;	/* it runs a task just now: src/worker/self.h */
	uint64_t deadline;
	uint64_t pause;			/* before it looks again where nobody would tell it */
	uint64_t alone_until;		/* then it gives up; 0: others are there (src/wait/deep.h) */
	uint32_t own_event, *event;
	struct nap__waiter in_group, in_pool;
	bool nest;			/* it may run tasks, and sleeps as an idle worker */
	bool only_sleeps;		/* it runs none, even if no other thread can */
	bool looks;			/* at the clock and at files, because nobody else does */
	bool counted;			/* in the group's state, from its first sleep on */
	bool stuck;			/* in the pool's count of those (src/wait/deep.h) */
	bool inside;			/* a visitor of the pool */
	bool group_lists, pool_lists;
};

static bool in_forked_child(struct wait *wait)
{
	return (wait->pool && pool_forked(wait->pool)) ||
	       (wait->caller && pool_forked(wait->caller->pool));
}

/* What was taken out of the lists, with the @reasons that say so. */
static void taken_out(struct wait *wait, uint32_t reasons)
{
	wait->group_lists &= !(reasons & EVENT_LATCH);
	wait->pool_lists &= !(reasons & EVENT_POOL);
}

static void delist(struct wait *wait)
{
	if (wait->group_lists)
		waitlist_remove(&wait->group->waiters, &wait->in_group, EVENT_LATCH);
	if (wait->pool_lists)
		waitlist_remove(&wait->pool->waiters, &wait->in_pool, EVENT_POOL);
	wait->group_lists = wait->pool_lists = false;
}

/* The pool may go. */
static void leave_pool(struct wait *wait)
{
	delist(wait);
	if (wait->inside && !pool_forked(wait->pool))
		gate_leave(&wait->pool->visits);
	wait->inside = false;
}

/* Its gate is closed. True: by a stop. Else everything was run, and others may count the group down. */
static bool pool_has_ended(struct wait *wait)
{
	bool stopped = pool_canceled(wait->pool);

	leave_pool(wait);
	wait->pool = NULL;
	return stopped;
}

/* 1: go on waiting. Anything else is what the wait returns. */
static int wait_over(struct wait *wait)
{
	/* First, because when it is complete the pool may be gone. */
	if (group_is_complete(wait->group))
		return 0;
	if (in_forked_child(wait))
		return -ESHUTDOWN;
	if ((wait->pool && pool_canceled(wait->pool)) ||
	    (wait->caller && pool_canceled(wait->caller->pool)))
		return -ECANCELED;
	if (wait->inside && gate_is_closed(&wait->pool->visits) && pool_has_ended(wait))
		return -ECANCELED;
	return deadline_passed(wait->deadline) ? -ETIMEDOUT : 1;
}

/* False: the group is complete. */
static bool enlist(struct wait *wait)
{
	struct nap_pool *pool = wait->pool;

	if (!wait->counted)
		wait->counted = group_count_waiter(wait->group);
	/* Nobody closes the list of a group that was complete with nobody waiting. */
	if (!wait->counted && group_is_complete(wait->group))
		return false;
	if (!wait->group_lists && !waitlist_add(&wait->group->waiters, &wait->in_group))
		return false;
	wait->group_lists = true;
	if (!pool || wait->pool_lists)
		return true;
	wait->inside = wait->inside || visits_enter(pool);
	wait->pool_lists = wait->inside;
	if (wait->inside)
		waitlist_add(&pool->waiters, &wait->in_pool);
	else if (!pool_canceled(pool))
		wait->pool = NULL;
	return true;
}

static bool is_deep(struct wait *wait)
{
	return wait->worker && !wait->nest;
}

/* The thread is a worker that can be called to work: not too deep, nor aside, nor at its end. */
static bool can_park(struct wait *wait)
{
	return wait->worker && wait->nest && !guest_is_unregistered(wait->worker) && !wait->worker->ended;
}

/*
 * A stop of the caller's pool ends the wait. Workers that park are told of the stop, and nobody
 * else is; nor is one that parks as the worker of another pool.
 */
static bool is_told_of_own_stop(struct wait *wait)
{
	return !wait->caller || wait->pool == wait->caller->pool ||
	       (wait->caller == wait->worker && can_park(wait));
}

static void sleep_in_wait(struct wait *wait, uint64_t deadline)
{
	enum nap__verdict verdict = NAP_EXIT;
	uint32_t reasons = 0;

	if (can_park(wait)) {
		verdict = nap__park(wait->worker, deadline, &reasons);
		/* The stop came after the look at the phase. Look again: nobody tells the event. */
		if (verdict == NAP_EXIT)
			return;
	}
	if (!wait->worker && wait->pool_lists)	/* a visitor; others do not touch the pool */
		nap__spin(wait->pool, NULL, wait->event, deadline);
	if (verdict == NAP_EXIT)
		reasons |= sleep_on_event(wait->event, EVENT_LATCH | EVENT_POOL | EVENT_MESSAGE,
					  deadline);
	taken_out(wait, reasons);
}

/* Sleep, unless there is reason to look again. @no_help: there is, and this thread cannot help. */
static void wait_once(struct wait *wait, bool no_help)
{
	struct nap_pool *pool;
	bool owed, helps;

	if (!enlist(wait))
		return;
	pool = wait->pool;
	/*
	 * Enlist before looking; pairs with stop() in pool.c, end() in pool_join.c, deep_begin(),
	 * nap__idle_spawn_failed(). [Q1]
	 */
	nap_fence_seq_cst();
	/* Listed with the pool the thread is inside. */
	owed = wait->pool_lists && nap__retry_start(pool);
	helps = !no_help && !wait->only_sleeps;
	wait->looks = wait->pool_lists && helps && needs_help_or_look(pool);
	if (pool && (pool_canceled(pool) || (nap__needs_help(pool) && helps) || wait->looks ||
		     (wait->pool_lists && gate_is_closed(&pool->visits)))) {
		delist(wait);
		return;
	}
	sleep_in_wait(wait, no_help || owed || is_deep(wait) || !is_told_of_own_stop(wait) ?
				    deadline_or_pause(wait->deadline, &wait->pause) : wait->deadline);
}

/*
 * A deep wait, while there is no worker that is not deep. -EDEADLK: nor is there anybody else, and
 * not only just now. A thread that leaves the lists has those that wait outside look again, now and
 * not after their pauses.
 */
static int deep_alone(struct wait *wait)
{
	/* Not noticed in tests when dropped: the pauses are shorter than the wait. */
	delist(wait);
	if (wait->deadline != NAP_FOREVER ||
	    !alone_for_long(wait->worker, wait->pool, &wait->alone_until))
		return 0;
	wait->stuck = wait->stuck && !stuck_give_up(wait->worker);
	return wait->stuck ? 0 : -EDEADLK;
}

/* Run one task of a pool that has no worker able to run it. 0: none could be taken. */
static int help_group(struct wait *wait)
{
	if (is_deep(wait))
		return deep_alone(wait);
	/* It has just looked itself. */
	if (wait->worker && wait->worker->pool == wait->pool)
		return 0;
	delist(wait);
	if (wait->worker)
		nap__idle_stop_search(wait->worker, false);
	return nap__help_one(wait->pool);
}

/* As wait_over(), after one task or one sleep. */
static int wait_step(struct wait *wait)
{
	struct nap_task *task;
	bool no_help = false;
	int err = wait_over(wait);

	if (err <= 0)
		return err;
	if (wait->worker && wait->nest && (task = nap__dequeue(wait->worker))) {
		leave_pool(wait);	/* until the task has returned */
		nap__run(wait->worker, task);
		return 1;
	}
	if (is_deep(wait) && message_waits(wait->worker)) {
		leave_pool(wait);	/* waits in the message's function use the event */
		deep_answer(wait->worker, wait->stuck);
		return 1;
	}
	if (wait->pool && !wait->only_sleeps && (wait->looks || nap__needs_help(wait->pool))) {
		wait->looks = false;
		err = help_group(wait);
		if (err > 0)
			wait->pause = PAUSE_FIRST_NS;
		if (err)
			return err;
		no_help = true;
	}
	wait_once(wait, no_help);
	return 1;
}

/*
 * Leave a group that was not complete. If it has become so by now its list is about to be closed,
 * which is awaited: when all waiters have left, the group may be used again. In the child of a fork
 * there may be nobody who closes it.
 */
static int give_up(struct wait *wait, int err)
{
	uintptr_t *list = &wait->group->waiters;

	if (!wait->counted || err == -ESHUTDOWN || group_uncount_waiter(wait->group))
		return err;
	while (!waitlist_closed(list))
		if (waitlist_add(list, &wait->in_group))
			event_wait(wait->event, EVENT_LATCH, UINT64_MAX);
	return 0;
}

/*
 * As which worker the thread waits: that of the group's pool, if it is one there, or else the one
 * that it is just now. Where the group has no pool the thread waits as nobody's worker, and only
 * sleeps.
 */
static struct nap_worker *waiting_worker(struct nap_group *group)
{
	struct nap_worker *worker = group->pool ? own_worker(group->pool) : NULL;

	return worker || !group->pool ? worker : nap__self()->worker;
}

/* In a frame of its own: behind a fiber's wait the thread may be another. */
static __attribute__((noinline)) int wait_as_thread(struct nap_group *group, uint64_t deadline,
						    bool only_sleeps)
{
	struct wait wait = { .group = group, .pool = group->pool, .only_sleeps = only_sleeps };
	struct nap__outer before;
	int err;

	nothing_leaves();
	wait.deadline = deadline;
	wait.pause = PAUSE_FIRST_NS;
	wait.worker = only_sleeps ? NULL : waiting_worker(group);
	wait.caller = wait.worker ? nap__self()->worker : NULL;
	/* Not asked by a thread from outside, for which the first time is slow and allocates. */
	wait.nest = wait.worker && may_nest();
	wait.event = wait.worker ? &wait.worker->event : &wait.own_event;
	wait.in_group.event = wait.in_pool.event = wait.event;
	become(wait.worker, &before);
	wait.stuck = is_deep(&wait) && wait.deadline == NAP_FOREVER &&
		     wait.worker->pool == group->pool;
	if (is_deep(&wait))
		deep_begin(wait.worker, wait.stuck);
	do {
		err = wait_step(&wait);
	} while (err > 0);
	if (is_deep(&wait))
		deep_end(wait.worker, wait.stuck);
	leave_pool(&wait);
	if (err)
		err = give_up(&wait, err);
	/* As at the end of a join: src/fork/jobs_join.c. */
	if (wait.worker && !pool_forked(wait.worker->pool))
		nap__idle_stop_search(wait.worker, false);
	back_to(&before);
	if (!err) {
		happens_after(group);
		is_given(group, sizeof(*group));
	}
	is_given(&wait, sizeof(wait));
	return err;
}

static __attribute__((noinline)) bool is_in_fiber(void)
{
	struct nap__self *self = nap__self();

	return self->fiber && !self->outer && self->worker;
}

/* False: it is none, or is in the middle of something that lies on its stack. */
static bool wait_as_fiber(struct nap_group *group, uint64_t deadline, int *err)
{
	struct nap__async *async = is_in_fiber() ? pool_async(nap__self()->worker->pool) : NULL;

	return async && async->ops->group_wait(group, deadline, err);
}

int nap_group_wait_until(struct nap_group *group, uint64_t deadline)
{
	int err;

	if (!group)
		return -EINVAL;
	if (!is_detected() && group_is_complete(group))
		return 0;
	check_jump(__builtin_return_address(0));
	unseen_begin();
	if (!wait_as_fiber(group, deadline, &err))
		err = wait_as_thread(group, deadline, false);
	unseen_end();
	return err;
}

int nap__group_sleep_until(struct nap_group *group, uint64_t deadline)
{
	return wait_as_thread(group, deadline, true);
}

int nap_group_wait_for(struct nap_group *group, uint64_t timeout_ns)
{
	/* The clock is not looked at unless the caller has to wait. */
	if (group && !is_detected() && group_is_complete(group))
		return 0;
	return nap_group_wait_until(group, deadline_after(timeout_ns));
}

int nap_group_wait(struct nap_group *group)
{
	return nap_group_wait_until(group, NAP_FOREVER);
}
