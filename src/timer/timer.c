/* SPDX-License-Identifier: MIT */
/* Tasks at a time: nap/timer.h. */
#include "timer/timer.h"

#include <errno.h>

#include "async.h"
#include "atomic.h"
#include "deadline.h"
#include "debug.h"
#include "enter.h"
#include "fiber/stacks.h"
#include "gate.h"
#include "happens.h"
#include "lock.h"
#include "phase.h"
#include "self.h"
#include "timer/timers.h"

void nap_timer_init(struct nap_timer *timer, nap_task_fn run)
{
	*timer = (struct nap_timer){ .run = run };
	nap_task_init(&timer->task, run);
}

/* For the next time that has not passed. True: it is the earliest of all. Under the lock. */
static bool arm_again(struct nap__timers *timers, struct nap_timer *timer)
{
	uint64_t now = nap__os_now(), late = now > timer->node.when ? now - timer->node.when : 0;
	uint64_t missed = late / timer->period;

	timer->missed += missed;
	timer->node.when += (missed + 1) * timer->period;
	timer->state = TIMER_ARMED;
	return nap__timers_put(timers, &timer->node);
}

void nap__timer_run(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);
	struct nap_pool *pool = timer->pool;
	struct nap__timers *timers = &pool_async(pool)->timers;
	bool earliest = false;

	unseen_begin();
	lock_take(&timers->lock);
	timer->state = TIMER_IDLE;
	if (timer->period)
		earliest = arm_again(timers, timer);
	lock_give(&timers->lock);
	if (earliest)
		nap__timers_attend(pool, timers);
	unseen_end();
	timer->run(task);
}

/* The caller is inside. */
static int arm(struct nap_pool *pool, struct nap_timer *timer, uint64_t when, uint64_t period)
{
	struct nap__fibers *fibers = nap__fibers_of(pool);
	struct nap__timers *timers;
	bool earliest = false, armed = false;

	if (!fibers)
		return -ENOMEM;
	timers = &fibers->async.timers;
	lock_take(&timers->lock);
	if (timer->state == TIMER_IDLE) {
		armed = true;
		timer->state = TIMER_ARMED;
		timer->pool = pool;
		timer->period = period;
		timer->missed = 0;
		timer->node.when = when ? when : 1;
		timer->task.run = nap__timer_run;
		happens_before(&timer->task);
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
			err = arm(pool, timer, when, period);
	} else if (intake_enter(pool)) {
		err = arm(pool, timer, when, period);
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
	return enter_and_arm(pool, timer, deadline_after(ns), 0);
}

int nap_schedule_every(struct nap_pool *pool, struct nap_timer *timer, uint64_t first_ns,
		       uint64_t period_ns)
{
	if (!pool || !timer || !timer->run || !period_ns)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return enter_and_arm(pool, timer, deadline_after(first_ns), period_ns);
}

uint64_t nap_timer_missed(const struct nap_timer *timer)
{
	return timer->missed;
}

/* Of a timer that was armed once. */
static int disarm(struct nap__timers *timers, struct nap_timer *timer)
{
	int err = -EALREADY;

	lock_take(&timers->lock);
	if (timer->state == TIMER_ARMED) {
		nap__timers_take(timers, &timer->node);
		timer->state = TIMER_IDLE;
		timer->task.run = timer->run;
		err = 0;
	} else if (timer->state == TIMER_QUEUED) {
		timer->period = 0;
		err = -EINPROGRESS;
	}
	lock_give(&timers->lock);
	return err;
}

int nap_timer_cancel(struct nap_timer *timer)
{
	struct nap__async *async;
	int err = -EALREADY;

	if (!timer)
		return -EINVAL;
	unseen_begin();
	async = timer->pool && !pool_forked(timer->pool) ? pool_async(timer->pool) : NULL;
	if (async)
		err = disarm(&async->timers, timer);
	unseen_end();
	return err;
}
