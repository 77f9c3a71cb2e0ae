/* SPDX-License-Identifier: MIT */
/* nap_schedule_every(): the edges of its numbers, equal times, and a drain. */
#include <errno.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/async.h"
#include "os/os.h"
#include "worker/registry.h"
#include "harness.h"
#include "watchdog.h"
#include "wrap.h"

#define MS	1000000u
#define HOUR	(3600000 * (uint64_t)MS)

static struct nap_pool pool;
static struct nap_timer timer;
static uint32_t runs;
static uint64_t missed;

static void begin(uint32_t workers)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers });
	nap_store_relaxed(&runs, 0);
}

static void count(struct nap_task *task)
{
	missed = nap_timer_missed(nap_container_of(task, struct nap_timer, task));
	nap_fetch_add_release(&runs, 1);
}

static void until_run(uint32_t n)
{
	while (nap_load_acquire(&runs) < n)
		usleep(100);
}

static intptr_t sleeps(void *unused)
{
	(void)unused;
	return nap_sleep(MS);
}

/* Whether a fiber of the pool sleeps and resumes. */
static bool a_sleep_ends(void)
{
	struct nap_fiber *fiber;
	intptr_t err = 1;

	return nap_spawn(&pool, &fiber, sleeps, NULL) == 0 && nap_await(fiber, &err) == 0 &&
	       err == 0;
}

/* ---- the edges */

TEST(the_first_time_is_now)
{
	uint64_t before = nap__os_now(), behind;

	begin(1);
	nap_timer_init(&timer, count);
	ASSERT_EQ(nap_schedule_every(&pool, &timer, 0, HOUR), 0);
	behind = nap__os_now();
	until_run(1);
	EXPECT_EQ(missed, 0u);
	ASSERT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
	EXPECT_TRUE(timer.node.when >= before + HOUR && timer.node.when <= behind + HOUR);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

#define SUMS	5

static uint64_t sums[SUMS];

static void sum(struct nap_task *task)
{
	struct nap_timer *of = nap_container_of(task, struct nap_timer, task);

	sums[runs] = nap_timer_missed(of);
	if (runs == SUMS - 1)
		nap_timer_cancel(of);
	nap_fetch_add_release(&runs, 1);
}

/* With a period of a nanosecond times pass between two runs. */
TEST(what_is_skipped_adds_up_until_it_is_armed_anew)
{
	begin(1);
	nap_timer_init(&timer, sum);
	ASSERT_EQ(nap_schedule_every(&pool, &timer, 0, 1), 0);
	until_run(SUMS);
	for (int i = 1; i < SUMS; i++)
		EXPECT_GE(sums[i], sums[i - 1]);
	EXPECT_GT(sums[SUMS - 1], 0);
	ASSERT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
	nap_store_relaxed(&runs, 0);
	ASSERT_EQ(nap_schedule_every(&pool, &timer, 0, HOUR), 0);
	until_run(1);
	EXPECT_EQ(sums[0], 0);
	ASSERT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static const uint64_t firsts[] = { 0, 1, 2 * MS };
static const uint64_t periods[] = { NAP_FOREVER, NAP_FOREVER - 1, NAP_FOREVER / 2 + 1 };

/* The timer runs once, is armed for a time that never comes, and delays nothing. */
TEST(a_period_beyond_the_clock_never_comes)
{
	for (int i = 0; i < 9; i++) {
		begin(1);
		nap_timer_init(&timer, count);
		ASSERT_EQ(nap_schedule_every(&pool, &timer, firsts[i / 3], periods[i % 3]), 0);
		until_run(1);
		EXPECT_TRUE(a_sleep_ends());
		EXPECT_EQ(nap_load_relaxed(&runs), 1u);
		EXPECT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
		EXPECT_TRUE(timer.node.when > NAP_FOREVER / 2);
		/* Only the shortest of these periods ends on the clock. */
		EXPECT_EQ(timer.node.when == NAP_FOREVER, i % 3 < 2);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

static bool poller_sleeps(void)
{
	uint32_t poller = nap_load_relaxed(&pool_async(&pool)->timers.poller);

	return poller && !poller_is_passing(poller) &&
	       (nap_load_relaxed(&registry_at(&pool, poller - 1)->event) & EVENT_PARKED);
}

static void waits_for_a_poller(struct nap_task *task)
{
	while (!nap_load_relaxed(&runs) && !poller_sleeps())
		usleep(100);
	count(task);
}

/* The poller sleeps for another timer. At the end of a run it learns of the timer's next time. */
TEST(a_run_ends_beside_a_poller_that_sleeps_for_long)
{
	struct nap_timer late;

	begin(2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	nap_timer_init(&late, count);
	nap_timer_init(&timer, waits_for_a_poller);
	ASSERT_EQ(nap_schedule_after(&pool, &late, HOUR), 0);
	ASSERT_EQ(nap_schedule_every(&pool, &timer, 0, 100 * MS), 0);
	until_run(2);
	EXPECT_EQ(nap_timer_cancel(&late), 0);
	EXPECT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a clock that stands still */

static uint64_t clock_at;

WRAP(uint64_t, nap__os_now, (void))
{
	uint64_t at = nap_load_relaxed(&clock_at);

	return at ? at : __real_nap__os_now();
}

TEST(a_time_that_is_exactly_now_has_come_and_is_not_missed)
{
	uint64_t at = nap__os_now();

	begin(1);
	nap_timer_init(&timer, count);
	nap_store_relaxed(&clock_at, at);
	ASSERT_EQ(nap_schedule_every(&pool, &timer, 0, 1), 0);
	until_run(1);
	while (nap_timer_cancel(&timer) == -EINPROGRESS)
		usleep(100);
	EXPECT_EQ(nap_load_relaxed(&runs), 1u);
	EXPECT_EQ(nap_timer_missed(&timer), 0u);
	EXPECT_EQ(timer.node.when, at + 1);
	nap_store_relaxed(&clock_at, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(the_first_time_never_comes)
{
	begin(1);
	nap_timer_init(&timer, count);
	ASSERT_EQ(nap_schedule_every(&pool, &timer, NAP_FOREVER, 1), 0);
	EXPECT_TRUE(a_sleep_ends());
	EXPECT_EQ(nap_timer_cancel(&timer), 0);
	EXPECT_EQ(nap_load_relaxed(&runs), 0u);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t other_runs;

static void count_other(struct nap_task *task)
{
	(void)task;
	nap_store_release(&other_runs, 1);
}

/* The timer is due at every check. Other timers that are due run as well, and so do tasks. */
TEST(the_shortest_period_leaves_turns_to_others)
{
	struct nap_timer other;

	for (uint32_t workers = 1; workers <= 2; workers++) {
		begin(workers);
		nap_timer_init(&timer, count);
		nap_timer_init(&other, count_other);
		ASSERT_EQ(nap_schedule_every(&pool, &timer, 0, 1), 0);
		for (int i = 0; i < 20; i++) {
			EXPECT_TRUE(a_sleep_ends());
			nap_store_relaxed(&other_runs, 0);
			ASSERT_EQ(nap_schedule_after(&pool, &other, (uint64_t)i % 3), 0);
			while (!nap_load_acquire(&other_runs))
				usleep(100);
		}
		EXPECT_GE(nap_load_relaxed(&runs), 20u);
		EXPECT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
		EXPECT_EQ(nap_timer_cancel_wait(&other, NAP_FOREVER), 0);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* ---- a drain */

static uint32_t has_begun, may_end;

static void takes_longer(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&runs, 1);
	nap_store_release(&has_begun, 1);
	while (!nap_load_acquire(&may_end))
		nap_cpu_relax();
}

/*
 * Ends the pool while the timer's task runs. At the end of this task the timer is due again, but it
 * is given back and does not run.
 */
static void shut_down(enum nap_shutdown how)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_timer due;

	nap_store_relaxed(&has_begun, 0);
	nap_store_relaxed(&may_end, 0);
	begin(1);
	nap_timer_init(&timer, takes_longer);
	nap_timer_init(&due, count);
	nap_schedule_every(&pool, &timer, 0, 1);
	while (!nap_load_acquire(&has_begun))
		usleep(100);
	nap_schedule_after(&pool, &due, 0);
	nap_pool_shutdown(&pool, how);
	nap_store_release(&may_end, 1);
	nap_pool_join(&pool, &left);
	nap_store_relaxed(&runs, nap_load_relaxed(&runs) * 10 + (uint32_t)left.count);
}

TEST(a_drain_fires_none)
{
	shut_down(NAP_DRAIN);
	EXPECT_EQ(nap_load_relaxed(&runs), 12u);
	EXPECT_EQ(nap_timer_cancel(&timer), -EALREADY);
}

TEST(nor_does_a_stop)
{
	shut_down(NAP_STOP);
	EXPECT_EQ(nap_load_relaxed(&runs), 12u);
}

static intptr_t sleeps_in_a_drain(void *unused)
{
	(void)unused;
	nap_store_release(&has_begun, 1);
	for (int i = 0; i < 20; i++)
		if (nap_sleep(MS / 10))
			return -1;
	return 0;
}

/* In a drain a fiber's sleeps end, and a timer that is not due does not run. */
TEST(sleeps_go_on_in_a_drain)
{
	struct nap_fiber *fiber;
	struct nap_batch left;
	intptr_t result = 1;
	uint32_t before;

	begin(1);
	nap_store_relaxed(&has_begun, 0);
	nap_timer_init(&timer, count);
	ASSERT_EQ(nap_spawn(&pool, &fiber, sleeps_in_a_drain, NULL), 0);
	while (!nap_load_acquire(&has_begun))
		usleep(100);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, HOUR), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	before = nap_load_relaxed(&runs);
	EXPECT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_load_relaxed(&runs), before);
	EXPECT_EQ(left.count, 1u);
}

/* ---- the order of timers that are due at once */

#define NR 100u

static struct nap_timer timers[NR];
static uint32_t order[NR];

static void note(struct nap_task *task)
{
	struct nap_timer *t = nap_container_of(task, struct nap_timer, task);
	uint32_t n = nap_load_relaxed(&runs);

	order[n] = (uint32_t)(t - timers);
	nap_store_release(&runs, n + 1);
}

static uint32_t nr_begun;

/*
 * Sleeps on the only worker. A fiber's number is its place in the order of sleeps, in whatever
 * order the queues give out the fibers.
 */
static intptr_t sleeps_and_notes(void *unused)
{
	uint32_t n, number = nr_begun++;

	(void)unused;
	nap_sleep(MS);
	n = nap_load_relaxed(&runs);
	order[n] = number;
	nap_store_release(&runs, n + 1);
	return 0;
}

static void holds_the_worker(struct nap_task *task)
{
	(void)task;
	nap_store_release(&has_begun, 1);
	while (!nap_load_acquire(&may_end))
		nap_cpu_relax();
}

static void hold(struct nap_task *task)
{
	nap_store_relaxed(&has_begun, 0);
	nap_store_relaxed(&may_end, 0);
	nap_task_init(task, holds_the_worker);
	nap_schedule(&pool, task);
	while (!nap_load_acquire(&has_begun))
		usleep(100);
}

static void let_go_at(uint64_t when)
{
	while (nap__os_now() < when)
		usleep(100);
	nap_store_release(&may_end, 1);
	until_run(NR);
}

static bool in_order(void)
{
	for (uint32_t i = 0; i < NR; i++)
		if (order[i] != i)
			return false;
	return true;
}

TEST(equal_times_come_in_the_order_of_arming)
{
	uint64_t when = nap__os_now() + MS;
	struct nap_task task;

	begin(1);
	hold(&task);
	for (uint32_t i = 0; i < NR; i++) {
		nap_timer_init(&timers[i], note);
		ASSERT_EQ(nap_schedule_at(&pool, &timers[i], when), 0);
	}
	/* Other timers are in between: they are armed, and removed again. */
	for (uint32_t i = 0; i < NR; i += 3) {
		struct nap_timer gone;

		nap_timer_init(&gone, note);
		ASSERT_EQ(nap_schedule_at(&pool, &gone, when - i), 0);
		ASSERT_EQ(nap_timer_cancel(&gone), 0);
	}
	let_go_at(when);
	EXPECT_TRUE(in_order());
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t nr_sleep;

static intptr_t spawns(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < NR; i++)
		if (!nap_spawn(&pool, NULL, sleeps_and_notes, NULL))
			nr_sleep++;
	return 0;
}

TEST(sleepers_go_on_in_the_order_of_their_times)
{
	struct nap_fiber *fiber;
	struct nap_task task;

	begin(1);
	ASSERT_EQ(nap_spawn(&pool, &fiber, spawns, NULL), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	ASSERT_EQ(nr_sleep, NR);
	hold(&task);
	let_go_at(nap__os_now() + 2 * MS);
	EXPECT_TRUE(in_order());
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
