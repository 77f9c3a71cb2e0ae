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
	return run && relaxed(&run->timer) == FIRED && !acquire(&run->ended);
}

int nap_schedule_at(struct nap_pool *pool, struct nap_timer *timer, uint64_t when_ns)
{
	struct run *run;
	int err;

	if (!pool || !timer)
		return -EINVAL;
	run = last_run(timer);
	if (run && (relaxed(&run->timer) == ARMED || (is_under_way(run) && relaxed(&run->state) == QUEUED)))
		return -EBUSY;
	if (!is_timed(when_ns))
		check_fail("the specification has no timer that never fires");
	run = spec_run(pool);
	run->task = &timer->task;
	store_relaxed(&run->timer, ARMED);
	store_release(&timer->node.order, (uintptr_t)run);
	err = spec_begin(run);
	if (err)
		store_relaxed(&run->timer, CANCELED);
	return err;
}

int nap_schedule_after(struct nap_pool *pool, struct nap_timer *timer, uint64_t ns)
{
	return nap_schedule_at(pool, timer, ns);
}

int nap_timer_cancel(struct nap_timer *timer)
{
	struct run *run;

	if (!timer)
		return -EINVAL;
	run = last_run(timer);
	if (run && cas_relaxed(&run->timer, ARMED, CANCELED))
		return 0;
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
	while (is_under_way(run) && !is_timed(deadline) && !self_is_stopped())
		;
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
