/* SPDX-License-Identifier: MIT */
/* Canceling timers, and waiting until their tasks have ended: nap/timer.h. */
#include <errno.h>

#include "async/fiber/budget.h"
#include "async/fiber/fiber.h"
#include "async/fiber/waiters.h"
#include "async/timer/timer.h"
#include "async/timer/timers.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/lock.h"
#include "async/async.h"
#include "worker/phase.h"
#include "worker/self.h"

/*
 * Called under the lock: returns the first run of @timer's task in the list from @from on, or NULL.
 */
static struct nap__timer_run *run_of(struct nap__timer_run *from, struct nap_timer *timer)
{
	while (from && (from->timer != timer || from->forgotten))
		from = from->next;
	return from;
}

bool nap__timer_goes_on(struct nap__timers *timers, struct nap_timer *timer)
{
	/* Reads @timer, which still exists: the caller owns it, or a thread waits for it. */
	return run_of(timers->running, timer) || timer->state == TIMER_QUEUED;
}

struct nap__fiber_waiter *nap__timer_ended(struct nap__timers *timers, struct nap_timer *timer)
{
	struct nap__fiber_waiter *waiter, *next, *told = NULL;

	for (waiter = timers->ends.first; waiter; waiter = next) {
		next = waiter->next;
		if (waiter->what != timer || nap__timer_goes_on(timers, timer))
			continue;
		waiters_take(&timers->ends, waiter);
		if (nap__fiber_wait_claim(waiter->wait, waiter->number, WAIT_WOKEN)) {
			waiter->next = told;
			told = waiter;
		}
	}
	return told;
}

/* Called under the lock: disarms @timer. Returns -EINPROGRESS if its task is scheduled or runs. */
static int disarm(struct nap__timers *timers, struct nap_timer *timer)
{
	struct nap__timer_run *run = timers->running;
	bool runs = false;
	int err = -EALREADY;

	while ((run = run_of(run, timer))) {
		runs = true;
		run->again = false;
		run = run->next;
	}
	if (timer->state == TIMER_QUEUED) {
		timer->period = 0;
		return -EINPROGRESS;
	}
	if (timer->state == TIMER_ARMED) {
		nap__timers_take(timers, &timer->node);
		timer->task.run = timer->run;
		err = 0;
	}
	timer->state = TIMER_IDLE;
	return runs ? -EINPROGRESS : err;
}

/* Returns NULL if the timer was never armed, or in the child of a fork, where no timer fires. */
static struct nap__timers *timers_of(struct nap_timer *timer)
{
	bool may_fire = timer->pool && !pool_forked(timer->pool);
	struct nap__async *async = may_fire ? pool_async(timer->pool) : NULL;

	return async ? &async->timers : NULL;
}

/* Tells a race detector that the caller owns the timer, and sees what its task wrote. */
static void timer_is_back(struct nap_timer *timer)
{
	happens_after(&timer->task);
	is_given(timer, sizeof(*timer));
}

static int timer_cancel(struct nap__timers *timers, struct nap_timer *timer)
{
	int err;

	lock_take(&timers->lock);
	err = disarm(timers, timer);
	lock_give(&timers->lock);
	if (err != -EINPROGRESS)
		timer_is_back(timer);
	return err;
}

int nap_timer_cancel(struct nap_timer *timer)
{
	struct nap__timers *timers;
	int err = -EALREADY;

	if (!timer)
		return -EINVAL;
	unseen_begin();
	timers = timers_of(timer);
	if (timers)
		err = timer_cancel(timers, timer);
	unseen_end();
	return err;
}

/* ---- waiting for the timer's task */

/* Whether this thread runs the timer's task, so that it would wait for itself. */
static bool is_inside(struct nap__timers *timers, struct nap_timer *timer)
{
	struct nap__self *self = nap__self();
	struct nap__timer_run *run;

	lock_take(&timers->lock);
	run = timers->running;
	while ((run = run_of(run, timer)) && run->self != self)
		run = run->next;
	lock_give(&timers->lock);
	return run;
}

/* Lists the caller, if there is a task to wait for. */
static bool timer_list(struct nap__timers *timers, struct nap_timer *timer,
		       struct nap__fiber_waiter *waiter, struct nap__sleeper *sleeper)
{
	bool goes_on;

	lock_take(&timers->lock);
	goes_on = nap__timer_goes_on(timers, timer);
	if (goes_on)
		waiters_add(&timers->ends, waiter, sleeper);
	lock_give(&timers->lock);
	return goes_on;
}

/* Out of line, because the caller may have given way, and be on another thread. */
static __attribute__((noinline)) int timer_await_end(struct nap__timers *timers,
						     struct nap_timer *timer, uint64_t deadline)
{
	struct nap__fiber_waiter waiter = { .what = timer };
	struct nap__sleeper sleeper;
	int err;

	/*
	 * A fiber may wait even if the task runs the fiber, nested in a wait: the fiber leaves its
	 * stack, and the task continues.
	 */
	if (!nap__fiber_waiting() && is_inside(timers, timer))
		return -EDEADLK;
	if (deadline_passed(deadline))
		return nap__timed_out();
	err = nap__sleeper_begin(&sleeper, timer->pool);
	if (err)
		return err;
	sleeper_waits_for(&sleeper, NAP_TRACE_ON_TIMER, timer);
	if (timer_list(timers, timer, &waiter, &sleeper))
		return waiter_sleep(&timers->ends, &timers->lock, &waiter, &sleeper, deadline);
	nap__sleeper_withdraw(&sleeper);
	return 0;
}

int nap_timer_cancel_wait(struct nap_timer *timer, uint64_t deadline)
{
	struct nap__timers *timers;
	int err = 0;

	if (!timer)
		return -EINVAL;
	unseen_begin();
	timers = timers_of(timer);
	if (timers && timer_cancel(timers, timer) == -EINPROGRESS) {
		if (deadline)
			budget_spend();
		err = timer_await_end(timers, timer, deadline);
		if (!err)
			timer_is_back(timer);
	}
	unseen_end();
	return err;
}
