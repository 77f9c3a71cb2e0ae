/* SPDX-License-Identifier: MIT */
/*
 * A function that forks, called from outside the pool: the caller becomes a guest during the call
 * (src/sched/guest.h).
 *
 * Typically a guest record is free: the caller enters the intake, takes the record, runs the
 * function as a worker with this record, gives the record back, and leaves the intake.
 *
 * If all records are taken the caller lists its call in pool->calls and sleeps. A worker that finds
 * no task, or whose tick has come (src/sched/fair.c), takes the call that was listed first, and
 * runs it. A guest that leaves wakes the callers, which try for its record. Exactly one thread
 * takes a call out of the list, a worker or the call's caller. This thread takes the whole list at
 * once; the callers of the other calls list them anew, in any order.
 *
 *	caller                            guest that leaves
 *	------                            -----------------
 *	list the call                     give the record back
 *	notify: full fence [Q1]           full fence [Q1]
 *	try for a record: none: sleep     calls are listed: wake their callers
 *
 * For workers a listed call is a task, which is published and then notified. The caller needs no
 * fence besides the notification's.
 *
 * The caller is inside the intake all the time, like every thread that brings work. So the joiner
 * of a pool that drains waits for the call. A stop wakes the caller, and its function is not begun.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fork/call_list.h"
#include "idle/idle.h"
#include "os/happens.h"
#include "os/os.h"
#include "sched/guest.h"
#include "sync/deadline.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "wait/wait.h"
#include "worker/debug_jobs.h"
#include "worker/enter.h"
#include "worker/exclusive.h"
#include "worker/jump.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/runs.h"
#include "worker/self.h"
#include "worker/source.h"
#include "worker/worker.h"

/* A call that is running, on the stack of the thread that runs the function. */
struct called {
	struct nap__outer before;
	struct nap_worker *worker;
	/* the top frame at the beginning: jobs of the function lie above */
	struct nap_frame *bottom;
	bool guest;			/* a guest's call: at the end the record is given back */
};

/*
 * Leaves the intake after a call, and checks whether the pool has ended, because its end may have
 * waited for the call. Called after a full fence: if this thread does not see that an end is
 * listed, the thread that lists the end sees that the call is over. [N1]
 */
static void leave_intake(struct nap_pool *pool)
{
	/* No thread closes the visits while a thread is in the intake, so they can be entered. */
	bool looks = source_is_linked(pool, KIND_ENDS) && gate_enter(&pool->visits);

	gate_leave(&pool->intake);
	if (looks) {
		nap__sources_hear(pool, NEWS_RESTED, NULL);
		gate_leave(&pool->visits);
	}
}

static void called_end(struct called *called)
{
	struct nap_pool *pool = called->worker->pool;

	back_to(&called->before);
	/* In the child of a fork there is no record or intake to leave. */
	if (!called->guest || pool_forked(pool))
		return;
	nap__guest_end(called->worker);
	leave_intake(pool);
}

/* Called when an exception leaves the function, or the thread ends inside it. */
static void called_leave(struct nap__outer *outer)
{
	struct called *called = nap_container_of(outer, struct called, before);
	struct nap_worker *worker = called->worker;

	if (worker->deque.forks.bottom != called->bottom && !pool_forked(worker->pool))
		nap__os_panic(NULL, "the function of a nap_call() is left with %u jobs not joined",
			      (unsigned)(worker->deque.forks.bottom - called->bottom));
	unseen_begin();
	called_end(called);
	unseen_end();
}

/* Not inlined, so that an exception has nothing else to undo in this frame. */
static __attribute__((noinline)) void call_on(struct called *called, nap_call_fn fn, void *arg)
{
	struct nap_worker *worker = called->worker;
	uint32_t forked = debug_forked(worker);

	a_call_leaves();
	called->bottom = worker->deque.forks.bottom;
	become(worker, &called->before);
	called->before.leave = called_leave;
	runs_now(worker, (uintptr_t)fn);
	unseen_end();
	fn(worker, arg);
	unseen_begin();
	debug_returned(worker, forked, "function that was called", (void *)fn);
	called_end(called);
}

/* Calls @fn as a guest. The caller is inside the intake; this function leaves the intake. */
static void call_as_guest(struct nap_worker *guest, nap_call_fn fn, void *arg)
{
	struct called called = { .worker = guest, .guest = true };

	call_on(&called, fn, arg);
}

static void call_as_worker(struct nap_worker *worker, nap_call_fn fn, void *arg)
{
	struct called called = { .worker = worker };

	call_on(&called, fn, arg);
}

/* As call_as_worker(), in exclusive execution (src/worker/exclusive.h). */
static void call_exclusively(struct nap_worker *worker, nap_call_fn fn, void *arg)
{
	bool before = exclusive_begin();

	call_as_worker(worker, fn, arg);
	exclusive_end(before);
}

/* ---- calls that wait */

/* A call that waits, on the caller's stack. */
struct call {
	struct nap__call waits;
	struct nap__wait wait;
	struct nap_pool *pool;
	struct nap_worker *guest;	/* the guest whose record the caller got */
	nap_call_fn fn;
	void *arg;
	bool exclusive;			/* the caller is in exclusive execution */
};

/*
 * The function of the call's task, which a worker or guest of the pool runs while the caller waits.
 */
static void call_run(struct nap_task *task)
{
	struct call *call = nap_container_of(task, struct call, waits.task);
	struct nap_pool *pool = call->pool;

	unseen_begin();
	if (call->exclusive)
		call_exclusively(own_worker(pool), call->fn, call->arg);
	else
		call_as_worker(own_worker(pool), call->fn, call->arg);
	/* In the child of a fork the caller's stack may hold other data by now. */
	if (!pool_forked(pool)) {
		happens_before(&call->waits.event);
		event_set(&call->waits.event, EVENT_LATCH);
	}
	unseen_end();
}

static int call_is_over(struct nap__wait *wait)
{
	struct call *call = nap_container_of(wait, struct call, wait);
	bool canceled = pool_canceled(call->pool);

	/* While the call is listed another thread may take it. */
	if (!wait->listed && (call->waits.taken || (call->guest && !canceled)))
		return 0;
	return canceled ? -ECANCELED : 1;
}

/* Lists the call, and notifies workers; then tries for a guest record. */
static bool call_enlist(struct nap__wait *wait)
{
	struct call *call = nap_container_of(wait, struct call, wait);
	struct nap_pool *pool = call->pool;

	if (!wait->listed) {
		happens_before(&call->waits.task);
		nap__call_list(pool, &call->waits);
		wait->listed = true;
	}
	/*
	 * The call is listed before it tries for a record. The fence between the two is in the
	 * notification; it pairs with nap__guest_end() and stop(). [Q1]
	 */
	nap__idle_notify(pool);
	call->guest = nap__guest_begin(pool);
	/* After each pause the caller notifies again, and so tries a failed start again. */
	wait->pauses = nap__start_owed(pool);
	if (call->guest)
		nap__wait_delist(wait);
	return !call->guest;
}

static const struct nap__wait_ops call_ops = { .is_over = call_is_over, .enlist = call_enlist,
					       .name = "place for a call" };

/*
 * Waits for a guest record, and returns it. NULL: a worker has run the function, or *@err says why
 * no worker has. pool->callers counts the waiting call. Not inlined, so that a call that need not
 * wait does not set up a struct call.
 */
static __attribute__((noinline)) struct nap_worker *call_wait(struct nap_pool *pool, nap_call_fn fn,
							      void *arg, uint64_t deadline,
							      int *err)
{
	struct call call = { .waits.task = NAP_TASK_INIT(call_run), .pool = pool, .fn = fn,
			     .arg = arg, .exclusive = is_exclusive(),
			     .wait = { .ops = &call_ops, .deadline = deadline,
				       .event = &call.waits.event, .list = &pool->calls,
				       .node = &call.waits.listed } };
	struct nap_worker *guest;

	nap_fetch_add_relaxed(&pool->callers, 1);
	*err = nap__wait(&call.wait);
	guest = call.guest;
	if (guest && (*err || call.waits.taken)) {
		nap__guest_end(guest);
		guest = NULL;
	}
	if (call.waits.taken) {
		happens_after(&call.waits.event);
		*err = 0;
	}
	nap_fetch_sub_relaxed(&pool->callers, 1);
	/*
	 * The call is counted out before leave_intake() checks for a listed end. [N1] The watchers
	 * below (threads that wait for a quiet pool) do not need this fence: each listing is
	 * followed by the fence of the notification in call_enlist(). [Q1]
	 */
	nap_fence_seq_cst();
	if (*err == -ETIMEDOUT)
		nap__idle_wake_watchers(pool);
	is_given(&call, sizeof(call));
	return guest;
}

/* Calls as an unregistered guest, in a pool that has no memory for guest records. */
static __attribute__((noinline)) void call_unregistered(struct nap_pool *pool, nap_call_fn fn,
							void *arg)
{
	struct nap__unregistered aside;

	call_as_guest(nap__guest_begin_unregistered(pool, &aside), fn, arg);
}

/* The caller is inside the intake; this function leaves the intake. */
static int call_from_outside(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t deadline)
{
	struct nap_worker *guest = nap__guest_begin(pool);
	int err = 0;

	if (!guest && !nap_load_relaxed(&pool->records)) {
		call_unregistered(pool, fn, arg);
		return 0;
	}
	if (!guest)
		guest = call_wait(pool, fn, arg, deadline, &err);
	if (guest)
		call_as_guest(guest, fn, arg);
	else
		leave_intake(pool);
	return err;
}

int nap_call_until(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t deadline)
{
	struct nap_worker *worker;
	int err = 0;

	if (!pool || !fn)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	check_jump(__builtin_return_address(0));
	unseen_begin();
	worker = own_worker(pool);
	if (worker)
		call_as_worker(worker, fn, arg);
	else if (intake_enter(pool))
		err = call_from_outside(pool, fn, arg, deadline);
	else
		err = -ESHUTDOWN;
	unseen_end();
	return err;
}

int nap_call_for(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t timeout_ns)
{
	return nap_call_until(pool, fn, arg, deadline_after(timeout_ns));
}

int nap_call(struct nap_pool *pool, nap_call_fn fn, void *arg)
{
	return nap_call_until(pool, fn, arg, NAP_FOREVER);
}
