/* SPDX-License-Identifier: MIT */
/*
 * A timer that is canceled while its task runs (src/async/timer/cancel.c): a runner runs the
 * task, fiber F1 cancels the timer and waits for its end, and other threads fire or cancel it.
 * Invariants: the waiter goes on, sees what the task wrote, and finds no thread in the task; the
 * runs of a periodic timer follow each other.
 */
#include <errno.h>

#include "async/timer/timer.h"
#include "async/timer/timers.h"
#include "sync/lock.h"
#include "fiber_setup.h"

static struct nap_timer timer;
static struct nap__timers *timers;
/* value belongs to the task's runner; not atomic, so a missing order is a race */
static int value, runs, waited, canceled;

static void task(struct nap_task *unused)
{
	(void)unused;
	value++;
	runs++;
}

/* Setup: the timer is queued, and its task has not begun. */
static void queued(uint64_t period)
{
	pool_new(1, 4);
	fiber_is(1);
	timers = &nap__fibers_of(pool)->async.timers;
	check_name(timers, sizeof(*timers), "pool.timers");
	/* so that arming the timer notifies no worker */
	timers->poller = POLLER_IN_PASSING;
	nap_timer_init(&timer, task);
	timer.pool = pool;
	timer.period = period;
	timer.node.when = 1;
	timer.task.run = nap__timer_run;
	nap__timer_queued(&timer.node);
	value = runs = 0;
	waited = canceled = 1;
}

static void run(void *unused)
{
	(void)unused;
	nap__timer_run(&timer.task);
}

/* Checks the clock once, and runs the timer's task if the timer is armed. */
static void fire_and_run(void *unused)
{
	bool is_armed;

	(void)unused;
	lock_take(&timers->lock);
	is_armed = timer.state == TIMER_ARMED;
	if (is_armed) {
		nap__timers_take(timers, &timer.node);
		nap__timer_queued(&timer.node);
	}
	lock_give(&timers->lock);
	if (is_armed)
		nap__timer_run(&timer.task);
}

static void cancel_and_wait(void *unused)
{
	(void)unused;
	waited = nap_timer_cancel_wait(&timer, NAP_FOREVER);
	/* The task has ended, so the timer is the caller's. */
	value += 10;
}

static void cancel(void *unused)
{
	(void)unused;
	canceled = nap_timer_cancel(&timer);
}

static void has_ended(void)
{
	CHECK(waited == 0 && value == 10 + runs && runs >= 1);
	CHECK(!timers->running && !timers->ends.first);
}

static void once(void)
{
	queued(0);
}

CHECK_SCENARIO(timer_awaited, .about = "a timer is canceled and waited for while its task runs",
	.setup = once, .finally = has_ended,
	.threads = { { run, NULL, "runner" }, { cancel_and_wait, NULL, "F1" } });

static void again_and_again(void)
{
	queued(1);
}

CHECK_SCENARIO(timer_periodic_awaited,
	.about = "the same of a periodic one, which may be fired again",
	.random = 3000, .setup = again_and_again, .finally = has_ended,
	.threads = { { run, NULL, "runner" }, { cancel_and_wait, NULL, "F1" },
		     { fire_and_run, NULL, "next" } });

CHECK_SCENARIO(timer_canceled_and_awaited, .about = "one cancels it, and another waits for its end",
	.random = 3000, .setup = again_and_again, .finally = has_ended,
	.threads = { { run, NULL, "runner" }, { cancel_and_wait, NULL, "F1" },
		     { cancel, NULL, "canceler" } });

/* A periodic timer that has run, and was not canceled before, is armed again. */
static void no_less_than_one(void)
{
	CHECK(runs == value && runs >= 1 && runs <= 2);
	CHECK(timer.state == TIMER_ARMED && !timers->running);
}

CHECK_SCENARIO(timer_runs_ordered,
	.about = "two workers run a periodic timer, one behind the other",
	.setup = again_and_again, .finally = no_less_than_one,
	.threads = { { run, NULL, "runner" }, [2] = { fire_and_run, NULL, "next" } });

/* Cancels without waiting. The timer is the caller's also if the call returns 0 or -EALREADY. */
static void cancel_and_have(void *unused)
{
	(void)unused;
	canceled = nap_timer_cancel(&timer);
	if (canceled != -EINPROGRESS)
		value += 10;
}

static void had_it_or_not(void)
{
	CHECK(value == runs + (canceled == -EINPROGRESS ? 0 : 10));
}

CHECK_SCENARIO(timer_canceled_while_it_runs, .about = "who is told that nobody runs it has it",
	.setup = again_and_again, .finally = had_it_or_not,
	.threads = { { run, NULL, "runner" }, { cancel_and_have, NULL, "F1" } });
