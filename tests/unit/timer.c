/* SPDX-License-Identifier: MIT */
/*
 * nap/timer.h: tasks that run at a given time, periodic timers, canceled timers, and timers that a
 * pool leaves.
 */
#include <errno.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "harness.h"
#include "watchdog.h"
#include "wrap.h"

#define MS 1000000u

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static uint32_t runs;
static uint64_t ran_at;

static void count(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&ran_at, nap__os_now());
	nap_fetch_add_release(&runs, 1);
}

static void until_run(uint32_t n)
{
	while (nap_load_acquire(&runs) < n)
		usleep(100);
}

TEST(a_task_is_scheduled_at_its_time)
{
	uint64_t begin = nap__os_now();
	struct nap_timer timer;

	nap_timer_init(&timer, count);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 3600000 * (uint64_t)MS), 0);
	EXPECT_EQ(nap_schedule_after(&pool, &timer, 1), -EBUSY);
	EXPECT_EQ(nap_timer_cancel(&timer), 0);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 20 * MS), 0);
	until_run(1);
	EXPECT_GE(nap_load_relaxed(&ran_at), begin + 20 * MS);
	/* The timer's task may not have ended yet. */
	nap_timer_cancel_wait(&timer, NAP_FOREVER);
	EXPECT_EQ(nap_timer_cancel(&timer), -EALREADY);
	/* The timer is armed again, at once, for a time that has passed. */
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 0), 0);
	until_run(2);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, 0), 0);
	until_run(3);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Each timer is due before the time until which a worker sleeps. */
TEST(an_earlier_one_is_not_late)
{
	struct nap_timer late, timers[100];

	nap_timer_init(&late, count);
	ASSERT_EQ(nap_schedule_after(&pool, &late, 3600000 * (uint64_t)MS), 0);
	for (uint32_t i = 0; i < 100; i++) {
		/* The workers may have fallen asleep by now. */
		usleep(i % 4 * 300);
		nap_timer_init(&timers[i], count);
		ASSERT_EQ(nap_schedule_after(&pool, &timers[i], i % 3 * 100000), 0);
		until_run(i + 1);
	}
	EXPECT_EQ(nap_timer_cancel(&late), 0);
	EXPECT_EQ(nap_timer_cancel(&late), -EALREADY);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&runs), 100);
}

#define NR 200u

static uint64_t nth[NR];
static uint32_t begun;

static void in_order(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);

	nth[nap_load_relaxed(&runs)] = timer->node.when;
	nap_fetch_add_release(&runs, 1);
}

static void holds_the_worker(struct nap_task *task)
{
	(void)task;
	while (!nap_load_acquire(&begun))
		nap_cpu_relax();
}

/* When the only worker checks, all timers are due; it runs them in the order of their times. */
TEST(the_earliest_comes_first)
{
	static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
	struct nap_task task = NAP_TASK_INIT(holds_the_worker);
	static struct nap_timer timers[NR];
	uint64_t now = nap__os_now();
	uint32_t random = 1, nr = 0;

	ASSERT_EQ(nap_schedule(&one, &task), 0);
	for (uint32_t i = 0; i < NR; i++) {
		random = random * 1103515245 + 12345;
		nap_timer_init(&timers[i], in_order);
		ASSERT_EQ(nap_schedule_at(&one, &timers[i], now + (random >> 8) % MS), 0);
	}
	/* Removes every seventh timer from the middle of the heap. */
	for (uint32_t i = 0; i < NR; i++) {
		if (i % 7)
			nr++;
		else
			ASSERT_EQ(nap_timer_cancel(&timers[i]), 0);
	}
	while (nap__os_now() < now + MS)
		usleep(100);
	nap_store_release(&begun, 1);
	until_run(nr);
	/*
	 * If the ring is too small for all tasks, they come out of the overflow in another order.
	 */
	for (uint32_t i = 1; i < nr && NR < NAP_RING_SIZE; i++)
		ASSERT_LE(nth[i - 1], nth[i]);
	ASSERT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&runs), nr);
}

/* ---- periodic timers */

static struct nap_timer periodic;
static int canceled;
static uint64_t second, missed;

static void again(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);
	uint32_t n = nap_load_relaxed(&runs);

	if (n == 0) {
		second = timer->node.when;
		missed = nap_timer_missed(timer);
	}
	if (n == 3)
		usleep(20000);		/* some times are missed in this pause */
	if (n == 9)
		canceled = nap_timer_cancel(timer);
	nap_fetch_add_release(&runs, 1);
}

TEST(periods_do_not_drift)
{
	uint64_t begin = nap__os_now();
	struct nap_pool one;

	ASSERT_EQ(nap_pool_init(&one, &(struct nap_config){ .max_workers = 1 }), 0);
	nap_timer_init(&periodic, again);
	EXPECT_EQ(nap_schedule_every(&one, &periodic, 2 * MS, 0), -EINVAL);
	ASSERT_EQ(nap_schedule_every(&one, &periodic, 2 * MS, 2 * MS), 0);
	until_run(10);
	usleep(10000);
	ASSERT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(canceled, -EINPROGRESS);
	EXPECT_EQ(nap_load_relaxed(&runs), 10);
	EXPECT_GE(nap__os_now() - begin, 20 * MS);
	/* The times of all runs, and the missed times, are one period apart. */
	missed = nap_timer_missed(&periodic) - missed;
	EXPECT_EQ(periodic.node.when - second, (9 + missed) * 2 * MS);
	EXPECT_GE(nap_timer_missed(&periodic), 8);
}

/* ---- timers that are not due when the pool ends */

static void left_over(enum nap_shutdown how)
{
	struct nap_timer timers[3], *first;
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_task *task;
	int n = 0;

	for (int i = 0; i < 3; i++) {
		nap_timer_init(&timers[i], count);
		nap_schedule_every(&pool, &timers[i], 3600000 * (uint64_t)MS, 1);
	}
	first = &timers[0];
	nap_timer_cancel(first);
	nap_pool_shutdown(&pool, how);
	nap_schedule_after(&pool, first, 1);
	nap_pool_join(&pool, &left);
	while ((task = nap_batch_pop(&left))) {
		if (task->run == count)
			n++;
		if (task == &first->task)
			n = 100;
	}
	nap_store_relaxed(&runs, (uint32_t)n);
}

TEST(a_drain_hands_back_what_is_armed)
{
	left_over(NAP_DRAIN);
	EXPECT_EQ(nap_load_relaxed(&runs), 2);
}

TEST(so_does_a_stop)
{
	left_over(NAP_STOP);
	EXPECT_EQ(nap_load_relaxed(&runs), 2);
}

static int err_in_stop = 1, err_without_memory;
static struct nap_timer in_stop;

static void stop_and_arm(struct nap_task *task)
{
	(void)task;
	nap_pool_shutdown(&pool, NAP_STOP);
	err_in_stop = nap_schedule_after(&pool, &in_stop, 0);
}

TEST(a_task_of_a_stopped_pool_arms_none)
{
	struct nap_task task = NAP_TASK_INIT(stop_and_arm);
	struct nap_batch left = NAP_BATCH_INIT;

	nap_timer_init(&in_stop, count);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(err_in_stop, -ESHUTDOWN);
	EXPECT_EQ(left.count, 0u);
	EXPECT_EQ(nap_load_relaxed(&runs), 0u);
	EXPECT_EQ(nap_timer_cancel(&in_stop), -EALREADY);
}

/* ---- a pool that has no memory for timers */

static bool has_no_memory;

WRAP(void *, nap__os_map, (size_t size))
{
	return has_no_memory ? NULL : __real_nap__os_map(size);
}

TEST(without_memory_none_is_armed)
{
	struct nap_timer timer;

	nap_timer_init(&timer, count);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	has_no_memory = true;
	err_without_memory = nap_schedule_after(&pool, &timer, 0);
	has_no_memory = false;
	EXPECT_EQ(err_without_memory, -ENOMEM);
	EXPECT_EQ(nap_timer_cancel(&timer), -EALREADY);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 0), 0);
	until_run(1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- busy workers check for timers, too */

static uint32_t ends;

static void goes_on(struct nap_task *task)
{
	if (!nap_load_relaxed(&ends))
		nap_schedule(&pool, task);
}

TEST(busy_workers_look_at_the_clock)
{
	static struct nap_task tasks[8];
	struct nap_timer timer;

	for (int i = 0; i < 8; i++) {
		nap_task_init(&tasks[i], goes_on);
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	nap_timer_init(&timer, count);
	for (uint32_t i = 0; i < 50; i++) {
		ASSERT_EQ(nap_schedule_after(&pool, &timer, MS / 2), 0);
		until_run(i + 1);
	}
	nap_store_relaxed(&ends, 1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t long_ones;

static void takes_long(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_relaxed(&long_ones, 1);
	while (!nap_load_acquire(&runs))
		nap_cpu_relax();
}

/*
 * The poller sleeps until the timer is due. A task takes this worker away, and ends after the
 * timer's time.
 */
TEST(who_is_called_away_hands_on_the_seat)
{
	for (int i = 0; i < 200; i++) {
		struct nap_timer timer;
		struct nap_task task;

		nap_store_relaxed(&runs, 0);
		nap_store_relaxed(&long_ones, 0);
		nap_timer_init(&timer, count);
		nap_task_init(&task, takes_long);
		ASSERT_EQ(nap_schedule_after(&pool, &timer, 200000), 0);
		if (i % 2)
			usleep((unsigned int)i % 60);
		ASSERT_EQ(nap_schedule(&pool, &task), 0);
		until_run(1);
		while (!nap_load_relaxed(&long_ones))
			usleep(10);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a timer whose pool was joined and initialised again, and has no timers since */

static struct nap_timer timer_of_before;
static int err_elsewhere = 1;

static void arm_elsewhere(struct nap_task *task)
{
	static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);

	(void)task;
	err_elsewhere = nap_schedule_after(&other, &timer_of_before, 0);
	until_run(2);
	if (nap_timer_cancel_wait(&timer_of_before, NAP_FOREVER) || nap_pool_join(&other, NULL))
		abort();
}

TEST(a_pool_without_timers_since)
{
	struct nap_task task = NAP_TASK_INIT(arm_elsewhere);

	nap_timer_init(&timer_of_before, count);
	ASSERT_EQ(nap_schedule_after(&pool, &timer_of_before, 0), 0);
	until_run(1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(err_elsewhere, 0);
}

TEST_HARNESS_MAIN
