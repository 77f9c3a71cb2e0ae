/* SPDX-License-Identifier: MIT */
/*
 * A timer that is armed (src/async/timer/timers.h), under each idle protocol, while workers fall
 * asleep, poll, are called away, retire, or wait inside a task. Invariant: the timer is fired,
 * whatever the workers do, unless it is canceled.
 */
#include "async/timer/timer.h"
#include "async/timer/timers.h"
#include "fiber_setup.h"
#include "wait_setup.h"

static struct nap_timer timer;
static int runs, in;

static void ran(struct nap_task *task)
{
	CHECK(in == JOB_IN && task == &timer.task);
	runs++;
}

static void all_fired(void)
{
	CHECK(runs == (in == JOB_IN));
	CHECK(!in || timer.state == TIMER_IDLE);
}

static void pool_of(uint32_t limit)
{
	pool_new(limit, 2);
	pool->config.yields = NAP_NO_YIELDS;
	check_name(&nap__fibers_of(pool)->async.timers, sizeof(struct nap__timers), "pool.timers");
	nap_timer_init(&timer, ran);
}

static void arm(void *unused)
{
	(void)unused;
	in = JOB_IN;
	CHECK(nap_schedule_at(pool, &timer, 1) == 0);
}

/* ---- a worker polls */

static void one_sleeps(void)
{
	pool_of(1);
	pool_set_idle(pool_add_worker(2));
}

CHECK_SCENARIO(timer_armed, .about = "a timer is armed while the only worker falls asleep",
	.setup = one_sleeps, .finally = all_fired, .may_block = true,
	.threads = { { arm, NULL, "armer" }, [2] = PARKED(0) });

static void one_awake(void)
{
	pool_of(1);
	pool_add_worker(2);
}

CHECK_SCENARIO(timer_armed_awake, .about = "a timer is armed while the only worker looks for work",
	.random = SAMPLE_OTHERS,
	.setup = one_awake, .finally = all_fired, .may_block = true,
	.threads = { { arm, NULL, "armer" }, [2] = WORKER(0) });

static void none(void)
{
	pool_of(1);
}

CHECK_SCENARIO(timer_armed_first, .about = "a timer is armed in a pool without a worker",
	.random = SAMPLE_OTHERS,
	.setup = none, .finally = all_fired, .may_block = true,
	.threads = { { arm, NULL, "armer" } });

/* ---- the poller is called away, by a task that never ends */

static struct job job = JOB_INIT(job_block);

static void call_away(void *unused)
{
	(void)unused;
	job_inject(&job);
}

/* Setup: @nr_idle workers sleep, and the timer is armed. */
static void armed(uint32_t nr_idle)
{
	struct nap__timers *timers;

	pool_of(nr_idle);
	for (uint32_t i = 0; i < nr_idle; i++)
		pool_set_idle(pool_add_worker(2));
	timers = &nap__fibers_of(pool)->async.timers;
	in = JOB_IN;
	timer.state = TIMER_ARMED;
	timer.pool = pool;
	timer.task.run = nap__timer_run;
	timer.node.when = 2000;
	nap__timers_put(timers, &timer.node);
}

static void armed_and_two_sleep(void)
{
	armed(2);
}

CHECK_SCENARIO(timer_seat_handed_on, .about = "who sits for a timer is called away for good",
	.random = 5000,
	.setup = armed_and_two_sleep, .finally = all_fired, .may_block = true,
	.threads = { { call_away, NULL, "producer" }, [2] = PARKED(0), PARKED(1) });

static void two_sleep(void)
{
	pool_of(2);
	pool_set_idle(pool_add_worker(2));
	pool_set_idle(pool_add_worker(2));
}

/* The notified worker may be another than the poller, and finds that there is a poller. [Y2] */
CHECK_SCENARIO(timer_armed_2, .about = "a timer is armed while two workers fall asleep",
	.random = 5000,
	.setup = two_sleep, .finally = all_fired, .may_block = true,
	.threads = { { arm, NULL, "armer" }, [2] = PARKED(0), PARKED(1) });

/*
 * The poller, with nothing armed yet, may be notified, and may end polling without a further
 * check. [Y2]
 */
CHECK_SCENARIO(timer_armed_and_called,
	.about = "a timer is armed while who sits is called away for good",
	.random = 20000,
	.setup = two_sleep, .finally = all_fired, .may_block = true,
	.threads = { { arm, NULL, "armer" }, { call_away, NULL, "producer" },
		     [2] = PARKED(0), PARKED(1) });

static void one_of_two_may_retire(void)
{
	two_sleep();
	pool->config.idle_timeout_ns = 1;
	pool->config.min_workers = 1;
	seam_restarts(4);
}

/* A worker that has ended polling checks the timers before it retires. [Y2] */
CHECK_SCENARIO(timer_armed_and_retires,
	.about = "a timer is armed while who sits has slept for long enough to retire",
	.random = 3000,
	.setup = one_of_two_may_retire, .finally = all_fired, .may_block = true,
	.threads = { { arm, NULL, "armer" }, [2] = PARKED(0), PARKED(1) });

/* ---- the poller waits inside a task, which never ends after that */

static void one_waits(void)
{
	pool_of(2);
	pool_waits(2);
}

CHECK_SCENARIO(timer_armed_and_done,
	.about = "a timer is armed while who sits has what it waits for",
	.random = 20000,
	.setup = one_waits, .finally = all_fired, .may_block = true,
	.threads = { { arm, NULL, "armer" }, { done, NULL, "done" }, [2] = WORKER(0), PARKED(1) });

/* ---- a guest, which waits in its call */

static struct nap_group never_done;

static void waits(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	nap_group_wait(&never_done);
}

static void call_and_wait(void *unused)
{
	(void)unused;
	nap_call(pool, waits, NULL);
}

static void armed_beside(uint32_t nr_idle)
{
	armed(nr_idle);
	nap_group_init(&never_done, pool);
	CHECK(nap_group_add(&never_done, 1) == 0);
}

static void armed_and_one_sleeps_beside(void)
{
	armed_beside(1);
}

/* Only the guest is left to poll. */
CHECK_SCENARIO(timer_guest_sits,
	.about = "the only worker is called away for good, and a guest waits",
	.random = 5000,
	.setup = armed_and_one_sleeps_beside, .finally = all_fired, .may_block = true,
	.threads = { { call_and_wait, NULL, "guest" }, { call_away, NULL, "producer" },
		     [2] = PARKED(0) });

static void armed_and_two_sleep_beside(void)
{
	armed_beside(2);
}

/* The guest may get the notification that there is no poller. */
CHECK_SCENARIO(timer_guest_is_told,
	.about = "who sits is called away for good, while a guest falls asleep",
	.random = 20000,
	.setup = armed_and_two_sleep_beside, .finally = all_fired, .may_block = true,
	.threads = { { call_and_wait, NULL, "guest" }, { call_away, NULL, "producer" },
		     [2] = PARKED(0), PARKED(1) });

/* ---- canceled */

static int canceled;

static void cancel(void *unused)
{
	(void)unused;
	canceled = nap_timer_cancel(&timer);
}

static void fired_or_canceled(void)
{
	CHECK(runs == (canceled != 0));
}

static void armed_and_one_sleeps(void)
{
	one_sleeps();
	arm(NULL);
}

CHECK_SCENARIO(timer_canceled, .about = "a timer is canceled while it fires",
	.setup = armed_and_one_sleeps, .finally = fired_or_canceled, .may_block = true,
	.threads = { { cancel, NULL, "canceler" }, [2] = PARKED(0) });
