/* SPDX-License-Identifier: MIT */
/* Arming timers, and running their tasks: nap/timer.h. */
#include "async/timer/timer.h"

#include <errno.h>

#include "arch/atomic.h"
#include "async/fiber/stacks.h"
#include "async/fiber/waiters.h"
#include "async/timer/timers.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "sync/lock.h"
#include "async/async.h"
#include "worker/enter.h"
#include "worker/phase.h"
#include "worker/self.h"
#include "worker/trace.h"

void nap_timer_init(struct nap_timer *timer, nap_task_fn run)
{
	*timer = (struct nap_timer){ .run = run };
	nap_task_init(&timer->task, run);
}

/* ---- the timer's task */

/* Returns @when plus @periods periods; NAP_FOREVER beyond the end of the clock. */
static uint64_t time_behind(uint64_t when, uint64_t periods, uint64_t period)
{
	uint64_t ns;

	return __builtin_mul_overflow(periods, period, &ns) || ns > NAP_FOREVER - when ?
		       NAP_FOREVER : when + ns;
}

/* Advances the timer to its first time that has not passed. */
static void advance(struct nap_timer *timer)
{
	uint64_t now = nap__os_now(), late = now > timer->node.when ? now - timer->node.when : 0;
	uint64_t missed = late / timer->period;

	timer->missed += missed;
	timer->node.when = time_behind(timer->node.when, missed + 1, timer->period);
}

/*
 * Begins a run, and returns the function to call. A timer that is not periodic is the program's
 * again.
 */
static nap_task_fn timer_begin(struct nap__timers *timers, struct nap__timer_run *run)
{
	struct nap_timer *timer = run->timer;
	nap_task_fn fn;

	lock_take(&timers->lock);
	run->again = timer->period;
	if (run->again)
		advance(timer);
	timer->state = run->again ? TIMER_RUNNING : TIMER_IDLE;
	run->next = timers->running;
	timers->running = run;
	fn = timer->run;
	lock_give(&timers->lock);
	return fn;
}

/* Ends a run. True: the timer is armed again, and is the earliest. */
static bool timer_end(struct nap__timers *timers, struct nap__timer_run *run)
{
	struct nap__timer_run **link = &timers->running;
	struct nap__fiber_waiter *told;
	/* Not noticed in tests when true for false: a poller is only notified once too often. */
	bool first = false;

	happens_before(&run->timer->task);
	lock_take(&timers->lock);
	while (*link != run)
		link = &(*link)->next;
	*link = run->next;
	if (run->again) {
		run->timer->state = TIMER_ARMED;
		first = nap__timers_put(timers, &run->timer->node);
	}
	told = nap__timer_ended(timers, run->timer);
	lock_give(&timers->lock);
	waiters_go_on(told);
	return first;
}

static void timer_call(struct nap_task *task, nap_task_fn fn)
{
	unseen_end();
	fn(task);
	unseen_begin();
}

/* Not inlined, as in src/sched/run.c. @task may be freed, or armed again, when @fn returns. */
static __attribute__((noinline)) void timer_call_watched(struct nap_pool *pool,
							 struct nap_task *task, nap_task_fn fn)
{
	trace_object(pool, TRACE_FLAGS(NAP_TRACE_BEGIN, NAP_TRACE_INNER), task, (uintptr_t)fn);
	timer_call(task, fn);
	trace_object(pool, TRACE_FLAGS(NAP_TRACE_END, NAP_TRACE_INNER), task, (uintptr_t)fn);
}

void nap__timer_run(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);
	struct nap__timer_run run = { .timer = timer, .self = nap__self() };
	struct nap_pool *pool = timer->pool;
	struct nap__timers *timers = &pool_async(pool)->timers;
	nap_task_fn fn;

	unseen_begin();
	is_given(timer, sizeof(*timer));
	fn = timer_begin(timers, &run);
	runs_now(run.self->worker, (uintptr_t)fn);
	if (is_watched(pool))
		timer_call_watched(pool, task, fn);
	else
		timer_call(task, fn);
	/*
	 * The task may have forked; in the child another thread may have left the lock taken for
	 * ever.
	 */
	if (!pool_forked(pool) && timer_end(timers, &run))
		nap__timers_attend(pool, timers);
	is_given(&run, sizeof(run));
	unseen_end();
}

/* ---- arming */

/*
 * Whether the caller is a thread of the pool where the timer was armed last, and the task is
 * scheduled or runs there. The timers of @pool, another pool, do not know of this run.
 */
static bool goes_on_elsewhere(struct nap_pool *pool, struct nap_timer *timer)
{
	struct nap_pool *last = timer->pool;
	struct nap__timers *timers;
	bool goes_on;

	/* The pool may have been initialised again since, and have had no timer in this life. */
	if (!last || last == pool || !own_worker(last) || !pool_async(last))
		return false;
	timers = &pool_async(last)->timers;
	lock_take(&timers->lock);
	goes_on = nap__timer_goes_on(timers, timer);
	lock_give(&timers->lock);
	return goes_on;
}

/*
 * Called under the lock, when @timer is armed first in this pool, or was armed in another one last:
 * no run of it goes on here (nap/timer.h). A run with its address is that of an earlier timer,
 * which the task has freed.
 */
static void forget_runs(struct nap__timers *timers, const struct nap_timer *timer)
{
	for (struct nap__timer_run *run = timers->running; run; run = run->next)
		if (run->timer == timer)
			run->forgotten = true;
}

/* Arms the timer. The caller is inside the pool. */
static int timer_arm(struct nap_pool *pool, struct nap_timer *timer, uint64_t when, uint64_t period)
{
	struct nap__fibers *fibers = nap__fibers_of(pool);
	struct nap__timers *timers;
	bool earliest = false, armed = false;

	if (!fibers)
		return -ENOMEM;
	if (goes_on_elsewhere(pool, timer))
		return -EBUSY;
	timers = &fibers->async.timers;
	lock_take(&timers->lock);
	if (timer->state == TIMER_IDLE) {
		armed = true;
		if (timer->pool != pool)
			forget_runs(timers, timer);
		timer->state = TIMER_ARMED;
		timer->pool = pool;
		timer->period = period;
		timer->missed = 0;
		/* Not noticed in tests when 2 for 1: both times have passed. */
		timer->node.when = when ? when : 1;
		timer->task.run = nap__timer_run;
		happens_before(&timer->task);
		timers_note_armed(pool, timers);
		earliest = nap__timers_put(timers, &timer->node);
	}
	lock_give(&timers->lock);
	if (earliest)
		nap__timers_attend(pool, timers);
	return armed ? 0 : -EBUSY;
}

static int enter_and_arm(struct nap_pool *pool, struct nap_timer *timer, uint64_t when,
			 uint64_t period)
{
	int err = -ESHUTDOWN;

	unseen_begin();
	if (insider(pool)) {
		if (!pool_stopped_or_forked(pool))
			err = timer_arm(pool, timer, when, period);
	} else if (intake_enter(pool)) {
		err = timer_arm(pool, timer, when, period);
		gate_leave(&pool->intake);
	}
	unseen_end();
	return err;
}

int nap_schedule_at(struct nap_pool *pool, struct nap_timer *timer, uint64_t when_ns)
{
	if (!pool || !timer || !timer->run)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return enter_and_arm(pool, timer, when_ns, 0);
}

int nap_schedule_after(struct nap_pool *pool, struct nap_timer *timer, uint64_t ns)
{
	if (!pool || !timer || !timer->run)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return enter_and_arm(pool, timer, deadline_of(ns), 0);
}

int nap_schedule_every(struct nap_pool *pool, struct nap_timer *timer, uint64_t first_ns,
		       uint64_t period_ns)
{
	if (!pool || !timer || !timer->run || !period_ns)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return enter_and_arm(pool, timer, deadline_of(first_ns), period_ns);
}

uint64_t nap_timer_missed(const struct nap_timer *timer)
{
	return timer->missed;
}
