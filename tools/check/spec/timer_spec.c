/* SPDX-License-Identifier: MIT */
/*
 * nap/timer.h. A timer that is armed fires some time, and its task is scheduled then; unless it is
 * canceled before, or its pool's end comes first. Time stands still: whatever takes time ends at
 * any time.
 */
#include "spec.h"

void nap_timer_init(struct nap_timer *timer, nap_task_fn run)
{
	nap_task_init(&timer->task, run);
	store_relaxed(&timer->node.order, 0);
}

/* The timer's last run, in a field that is private. */
static struct run *last_run(const struct nap_timer *timer)
{
	return (struct run *)(uintptr_t)acquire(&timer->node.order);
}

static bool is_under_way(const struct run *run)
{
	uint32_t timer = run ? acquire(&run->timer) : NO_TIMER;

	return (timer == FIRED || timer == LAST) && !acquire(&run->ended);
}

bool spec_rearms(struct run *run)
{
	store_relaxed(&run->state, QUEUED);
	return cas_release(&run->timer, FIRED, ARMED);
}

uint64_t nap_timer_missed(const struct nap_timer *timer)
{
	(void)timer;
	return check_choose(2);
}

/* Whether the timer is periodic, its task is under way, and the timer will be armed again. */
static bool goes_round(const struct run *run)
{
	return run->periodic && is_under_way(run) && relaxed(&run->timer) == FIRED;
}

/* Whether the timer is armed, or its task is scheduled and has not begun. */
static bool is_busy(const struct run *run)
{
	return relaxed(&run->timer) == ARMED || goes_round(run) ||
	       (is_under_way(run) && relaxed(&run->state) == QUEUED);
}

static int schedule(struct nap_pool *pool, struct nap_timer *timer, uint64_t when_ns, bool periodic)
{
	struct run *run;
	int err;

	if (!pool || !timer)
		return -EINVAL;
	run = last_run(timer);
	if (run && is_busy(run))
		return -EBUSY;
	if (!is_timed(when_ns))
		check_fail("the specification has no timer that never fires");
	run = spec_run(pool);
	run->task = &timer->task;
	run->periodic = periodic;
	store_relaxed(&run->timer, ARMED);
	store_release(&timer->node.order, (uintptr_t)run);
	err = spec_begin(run);
	if (err)
		store_relaxed(&run->timer, CANCELED);
	return err;
}

int nap_schedule_at(struct nap_pool *pool, struct nap_timer *timer, uint64_t when_ns)
{
	return schedule(pool, timer, when_ns, false);
}

int nap_schedule_after(struct nap_pool *pool, struct nap_timer *timer, uint64_t ns)
{
	return schedule(pool, timer, ns, false);
}

int nap_schedule_every(struct nap_pool *pool, struct nap_timer *timer, uint64_t first_ns,
		       uint64_t period_ns)
{
	return period_ns ? schedule(pool, timer, first_ns, true) : -EINVAL;
}

int nap_timer_cancel(struct nap_timer *timer)
{
	struct run *run;

	if (!timer)
		return -EINVAL;
	run = last_run(timer);
	/* A periodic timer may be armed again, or fire, between the two compare-exchanges. */
	do
		if (run && cas_acquire(&run->timer, ARMED, CANCELED))
			return 0;
	while (run && run->periodic && relaxed(&run->timer) != LAST && !acquire(&run->ended) &&
	       !cas_relaxed(&run->timer, FIRED, LAST) && relaxed(&run->timer) != CANCELED);
	return is_under_way(run) ? -EINPROGRESS : -EALREADY;
}

int nap_timer_cancel_wait(struct nap_timer *timer, uint64_t deadline)
{
	struct run *run;
	int err = nap_timer_cancel(timer);

	if (err != -EINPROGRESS)
		return err == -EALREADY ? 0 : err;
	run = last_run(timer);
	if (run == spec_self)
		return -EDEADLK;
	spec_waits();
	spec_waits_for_end(run);
	while (is_under_way(run) && !is_timed(deadline) && !self_is_stopped())
		;
	waits_no_more();
	err = !is_under_way(run) ? 0 : self_is_stopped() ? -ECANCELED : -ETIMEDOUT;
	spec_goes_on();
	return err;
}

int nap_sleep_until(uint64_t deadline)
{
	if (!is_timed(deadline))
		check_fail("the specification has no sleep without an end");
	if (self_is_stopped())
		return -ECANCELED;
	spec_waits();
	spec_goes_on();
	return 0;
}

int nap_sleep(uint64_t ns)
{
	return nap_sleep_until(ns);
}
