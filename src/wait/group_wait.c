/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a group: src/wait/group.h.
 *
 * Typically a worker runs other tasks until the group is complete. A thread from outside counts
 * itself in the group, lists itself with the group and with the group's pool, and sleeps until the
 * last nap_group_done() takes it out of the list. If the pool has no worker that could run the
 * tasks, the thread runs them itself.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "wait/deadlock.h"
#include "wait/group.h"
#include "wait/wait.h"
#include "worker/async.h"
#include "worker/jump.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/trace.h"
#include "worker/worker.h"

struct group_wait {
	/* the general wait; its pool is NULL once that pool has ended */
	struct nap__wait wait;
	struct nap_group *group;
	/* the worker as which the caller runs a task: src/worker/self.h */
	struct nap_worker *caller;
	struct nap__waiter node;
	bool counted;			/* counted in the group's state, from the first sleep on */
};

static bool in_forked_child(struct group_wait *w)
{
	return (w->wait.pool && pool_forked(w->wait.pool)) ||
	       (w->caller && pool_forked(w->caller->pool));
}

/*
 * Whether the thread is notified of a stop of the caller's pool. (Such a stop ends the wait.) If
 * the group belongs to another pool, only a worker that parks in the caller's pool is notified.
 */
static bool is_notified_of_own_stop(struct group_wait *w)
{
	return !w->caller || w->wait.pool == w->caller->pool ||
	       (w->caller == w->wait.worker && w->wait.parks);
}

static int group_is_over(struct nap__wait *wait)
{
	struct group_wait *w = nap_container_of(wait, struct group_wait, wait);

	/* This is checked first, because the pool may be freed once the group is complete. */
	if (group_is_complete(w->group))
		return 0;
	if (in_forked_child(w))
		return -ESHUTDOWN;
	if ((wait->pool && pool_canceled(wait->pool)) ||
	    (w->caller && pool_canceled(w->caller->pool)))
		return -ECANCELED;
	if (wait->inside && gate_is_closed(&wait->pool->visits)) {
		/*
		 * The visits were closed at the pool's end. If the end was a stop, the wait is
		 * over. If it was a drain, all tasks were run, and threads outside the pool may
		 * still count the group down.
		 */
		if (pool_canceled(wait->pool))
			return -ECANCELED;
		nap__wait_leave(wait);
		wait->pool = NULL;
	}
	wait->pauses = wait_at_limit(wait) || !is_notified_of_own_stop(w);
	return 1;
}

static bool group_enlist(struct nap__wait *wait)
{
	struct group_wait *w = nap_container_of(wait, struct group_wait, wait);

	if (!w->counted)
		w->counted = group_count_waiter(w->group);
	/*
	 * If the group completed without a counted waiter, no thread closes its list, so the
	 * waiting thread must not sleep.
	 */
	return (w->counted || !group_is_complete(w->group)) && wait_list(wait);
}

static const struct nap__wait_ops group_ops = {
	.is_over = group_is_over,
	.enlist = group_enlist,
	.gives_up = nap__deadlock_gives_up,
	.name = "group",
	.list_at = offsetof(struct nap_group, waiters),
};

/*
 * Leaves a group that was not complete. If the group has completed since, its list is about to be
 * closed, and the thread waits for the closing: when all waiters have left, the group may be used
 * again. In the child of a fork there may be no thread to close the list.
 */
static int group_give_up(struct group_wait *w, int err)
{
	uintptr_t *list = &w->group->waiters;

	if (!w->counted || err == -ESHUTDOWN || group_uncount_waiter(w->group))
		return err;
	while (!waitlist_closed(list))
		if (waitlist_add(list, &w->node))
			event_wait(w->wait.event, EVENT_LATCH, UINT64_MAX);
	return 0;
}

/*
 * Returns the worker as which the thread waits: its worker in the group's pool, or else its present
 * worker. Returns NULL for a group without a pool: then the thread only sleeps.
 */
static struct nap_worker *waiting_worker(struct nap_group *group)
{
	struct nap_worker *worker = group->pool ? own_worker(group->pool) : NULL;

	return worker || !group->pool ? worker : nap__self()->worker;
}

/* Not inlined, because after a fiber's wait the caller may be on another thread. */
static __attribute__((noinline)) int wait_as_thread(struct nap_group *group, uint64_t deadline,
						    bool only_sleeps)
{
	struct nap_worker *worker = only_sleeps ? NULL : waiting_worker(group);
	struct group_wait w = {
		.group = group,
		.caller = worker ? nap__self()->worker : NULL,
		.wait = {
			.ops = &group_ops,
			.as = &nap__wait_as_worker,
			.worker = worker,
			.pool = group->pool,
			.deadline = deadline,
			.list = &group->waiters,
			.node = &w.node,
			.runs = worker ? WAIT_RUNS_ANYTHING : WAIT_RUNS_NOTHING,
			.helps = !only_sleeps,
			.visits = true,
			.stuck = worker && worker->pool == group->pool && deadline == NAP_FOREVER,
		},
	};
	int err;

	nothing_leaves();
	trace_here(NAP_TRACE_WAIT_BEGIN, group, 0);
	/* In a fiber of the parent no thread completes a group without a pool. */
	err = !worker && !group->pool && in_fiber_of_parent() && !group_is_complete(group) ?
	      -ESHUTDOWN : nap__wait(&w.wait);
	trace_here(NAP_TRACE_WAIT_END, group, (uintptr_t)err);
	if (err)
		err = group_give_up(&w, err);
	if (!err) {
		happens_after(group);
		is_given(group, sizeof(*group));
	}
	is_given(&w, sizeof(w));
	return err;
}

static __attribute__((noinline)) bool is_in_fiber(void)
{
	struct nap__self *self = nap__self();

	return self->fiber && !self->outer && self->worker;
}

/*
 * Waits as a fiber; *@err is the result. False: the caller is in no fiber, or is nested in a
 * worker's frame on a fiber's stack.
 */
static bool wait_as_fiber(struct nap_group *group, uint64_t deadline, int *err)
{
	const struct nap__async_ops *ops = is_in_fiber() ? async_ops(nap__self()->worker->pool) :
							   NULL;

	return ops && ops->group_wait(group, deadline, err);
}

int nap__group_wait_until(struct nap_group *group, uint64_t deadline)
{
	int err;

	return wait_as_fiber(group, deadline, &err) ? err : wait_as_thread(group, deadline, false);
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
	err = nap__group_wait_until(group, deadline);
	unseen_end();
	return err;
}

int nap__group_sleep_until(struct nap_group *group, uint64_t deadline)
{
	return wait_as_thread(group, deadline, true);
}

int nap_group_wait_for(struct nap_group *group, uint64_t timeout_ns)
{
	/* The clock is read only if the caller has to wait. */
	if (group && !is_detected() && group_is_complete(group))
		return 0;
	return nap_group_wait_until(group, deadline_after(timeout_ns));
}

int nap_group_wait(struct nap_group *group)
{
	return nap_group_wait_until(group, NAP_FOREVER);
}
