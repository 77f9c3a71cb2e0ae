// SPDX-License-Identifier: MIT
/*
 * A function that forks, called from outside the pool: the caller becomes a guest for as long as it
 * lasts (src/sched/guest.h).
 *
 * Typically there is a place: the caller enters the intake, takes a guest's record, runs the
 * function as that worker, and gives both back.
 *
 * With all places taken the caller lists its call in pool->calls and sleeps. A worker that finds
 * nothing of its own, or whose turn it is (src/sched/fair.c), takes the call that was listed first,
 * and runs it; a guest that leaves wakes the callers, who try for its place. Whichever comes first:
 * a call is taken out of the list by one thread only, and that may be its caller. The list is taken
 * as a whole, and those who got nothing list themselves anew, in any order.
 *
 *	caller                            guest that leaves
 *	------                            -----------------
 *	list the call                     give the place back
 *	notify: full fence [Q1]           full fence [Q1]
 *	try for a place: none: sleep      calls are listed: wake their callers
 *
 * Towards workers a listed call is a task: published, then notified, and the notification's fence
 * serves both ends.
 *
 * The caller is inside the intake all the while, like everybody who brings work. So who joins a
 * pool that drains waits for the call. A stop wakes the caller, and its function is not begun.
 */
#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fork/call_list.h"
#include "idle/idle.h"
#include "idle/retry.h"
#include "os/happens.h"
#include "os/os.h"
#include "sched/ends.h"
#include "sched/guest.h"
#include "sched/permits.h"
#include "sync/deadline.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "worker/debug_jobs.h"
#include "worker/enter.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/worker.h"

/* On the stack of the thread that runs the function, as long as that lasts. */
struct called {
	struct nap__outer before;
	struct nap_worker *worker;
	struct nap_frame *bottom;	/* of what is forked there */
	bool guest;			/* whose place is to be given back, and the intake left */
};

/*
 * The end of a call, after a full fence: the pool's end may have been waiting for that. A thread
 * that wants to be told and is not seen here waits for the intake. [N1]
 */
static void leave_intake(struct nap_pool *pool)
{
	/* As long as somebody is in the intake nobody closes the visits. */
	bool looks = ends_wait(pool) && gate_enter(&pool->visits);

	gate_leave(&pool->intake);
	if (looks) {
		nap__ends_look(pool);
		gate_leave(&pool->visits);
	}
}

static void called_end(struct called *called)
{
	struct nap_pool *pool = called->worker->pool;

	back_to(&called->before);
	/* In the child of a fork nothing is left to leave. */
	if (!called->guest || pool_forked(pool))
		return;
	nap__guest_end(called->worker);
	leave_intake(pool);
}

/* An exception passes, or the thread ends. */
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

/* Not inlined: what else is in the caller's frame is not to be left. */
static __attribute__((noinline)) void call_on(struct called *called, nap_call_fn fn, void *arg)
{
	struct nap_worker *worker = called->worker;
	uint32_t forked = debug_forked(worker);

	a_call_leaves();
	called->bottom = worker->deque.forks.bottom;
	become(worker, &called->before);
	called->before.leave = called_leave;
	unseen_end();
	fn(worker, arg);
	unseen_begin();
	debug_returned(worker, forked, "function that was called", (void *)fn);
	called_end(called);
}

/* The caller is inside the intake, and is not afterwards. */
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

/* ---- calls that wait */

/* On the caller's stack. */
struct call {
	struct nap__call waits;
	struct nap_pool *pool;
	nap_call_fn fn;
	void *arg;
};

/* Runs on a worker or a guest of the pool, as a task of the program's; its caller waits. */
static void call_run(struct nap_task *task)
{
	struct call *call = nap_container_of(task, struct call, waits.task);
	struct nap_pool *pool = call->pool;

	unseen_begin();
	call_as_worker(own_worker(pool), call->fn, call->arg);
	/* In the child of a fork the caller's stack is anybody's. */
	if (!pool_forked(pool)) {
		happens_before(&call->waits.event);
		event_set(&call->waits.event, EVENT_LATCH);
	}
	unseen_end();
}

/*
 * List the call until there may be a place, it was run, or the deadline has come; or until a start
 * that failed is to be tried again, by notifying. The place, or NULL.
 */
static struct nap_worker *wait_for_place(struct call *call, uint64_t deadline, uint64_t *pause)
{
	struct nap_pool *pool = call->pool;
	struct nap_worker *guest;

	happens_before(&call->waits.task);
	nap__call_list(pool, &call->waits);
	/* Listed, then its fence, then looking; pairs with nap__guest_end() and stop() [Q1] */
	nap__idle_notify(pool);
	guest = nap__guest_begin(pool);
	if (nap__start_owed(pool))
		deadline = deadline_or_pause(deadline, pause);
	if (guest || pool_canceled(pool) ||
	    !sleep_on_event(&call->waits.event, EVENT_LATCH, deadline))
		waitlist_remove(&pool->calls, &call->waits.listed, EVENT_LATCH);
	return guest;
}

/* Until there is a place, which is returned. NULL: it was run, or *@err says why it was not. */
static struct nap_worker *call_wait(struct call *call, uint64_t deadline, int *err)
{
	struct nap_pool *pool = call->pool;
	uint64_t pause = PAUSE_FIRST_NS;

	*err = 0;
	while (!pool_canceled(pool)) {
		struct nap_worker *guest;

		if (deadline_passed(deadline)) {
			*err = -ETIMEDOUT;
			return NULL;
		}
		guest = wait_for_place(call, deadline, &pause);
		if (guest && !call->waits.taken && !pool_canceled(pool))
			return guest;
		if (guest)
			nap__guest_end(guest);
		if (call->waits.taken) {
			happens_after(&call->waits.event);
			return NULL;
		}
	}
	*err = -ECANCELED;
	return NULL;
}

/* The same, counted while it waits. */
static struct nap_worker *call_wait_counted(struct call *call, uint64_t deadline, int *err)
{
	struct nap_pool *pool = call->pool;
	struct nap_worker *guest;

	nap_fetch_add_relaxed(&pool->callers, 1);
	guest = call_wait(call, deadline, err);
	nap_fetch_sub_relaxed(&pool->callers, 1);
	/* Listed and counted no more before looking; as nap__guest_end() [Q1] [N1] */
	nap_fence_seq_cst();
	if (*err == -ETIMEDOUT)
		nap__idle_wake_watchers(pool);
	return guest;
}

/* Without memory for places nobody will have one. */
static __attribute__((noinline)) void call_unregistered(struct nap_pool *pool, nap_call_fn fn, void *arg)
{
	struct nap__unregistered aside;

	call_as_guest(nap__guest_begin_unregistered(pool, &aside), fn, arg);
}

/* The caller is inside the intake, and is not afterwards. */
static int call_from_outside(struct nap_pool *pool, nap_call_fn fn, void *arg, uint64_t deadline)
{
	struct call call = { .waits.task = NAP_TASK_INIT(call_run), .pool = pool,
			     .fn = fn, .arg = arg };
	struct nap_worker *guest = nap__guest_begin(pool);
	int err = 0;

	if (!guest && !nap_load_relaxed(&pool->records)) {
		call_unregistered(pool, fn, arg);
		return 0;
	}
	call.waits.listed.event = &call.waits.event;
	if (!guest)
		guest = call_wait_counted(&call, deadline, &err);
	is_given(&call, sizeof(call));
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
