/* SPDX-License-Identifier: MIT */
/*
 * Calls at the very nanosecond of their deadline. The clock is the test's, and the only thread is
 * the caller.
 */
#include <errno.h>

#include <nap/async.h>
#include <nap/nap.h>
#include <nap/parallel.h>

#include "os/futex.h"
#include "os/os.h"
#include "harness.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);

/* The time, and how often the caller slept. A sleep takes a nanosecond. */
static uint64_t at = 1000000000;
static uint32_t nr_sleeps;

WRAP(uint64_t, nap__os_now, (void))
{
	return at;
}

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	(void)word;
	(void)expected;
	(void)deadline;
	nr_sleeps++;
	at++;
	return -ETIMEDOUT;
}

/* ---- waits for what does not come */

static struct nap_group group = NAP_GROUP_INIT(NULL);
static struct nap_event event = NAP_EVENT_INIT;
static struct nap_mutex mutex = NAP_MUTEX_INIT;
static struct nap_sem sem = NAP_SEM_INIT(0);
static struct nap_channel channel = NAP_CHANNEL_INIT(NULL, 1, 0);

static int wait_for_group(uint64_t deadline)
{
	return nap_group_wait_until(&group, deadline);
}

static int wait_for_event(uint64_t deadline)
{
	return nap_event_wait_until(&event, deadline);
}

static int wait_for_mutex(uint64_t deadline)
{
	return nap_mutex_lock_until(&mutex, deadline);
}

static int wait_for_sem(uint64_t deadline)
{
	return nap_sem_acquire_until(&sem, deadline);
}

static int wait_for_value(uint64_t deadline)
{
	return nap_channel_recv_until(&channel, &(char){ 0 }, deadline);
}

static int wait_for_select(uint64_t deadline)
{
	struct nap_select_case one = { .channel = &channel, .value = &(char){ 0 } };

	return nap_select_until(&one, 1, deadline);
}

TEST(a_deadline_that_is_now_has_passed)
{
	static int (*const waits[])(uint64_t deadline) = {
		wait_for_group, wait_for_event, wait_for_mutex, wait_for_sem, wait_for_value,
		wait_for_select,
	};

	ASSERT_EQ(nap_group_add(&group, 1), 0);
	ASSERT_TRUE(nap_mutex_trylock(&mutex));
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		for (uint32_t ns = 0; ns < 3; ns++) {
			nr_sleeps = 0;
			EXPECT_EQ(waits[i](at + ns), -ETIMEDOUT);
			EXPECT_EQ(nr_sleeps, ns) {
				TH_LOG("wait %zu, %u ns", i, ns);
			}
		}
}

/* ---- loops */

static size_t nr_run;

static int takes_a_ns(size_t begin, size_t end, void *unused)
{
	(void)unused;
	nr_run += end - begin;
	at += end - begin;
	return 0;
}

TEST(a_loop_ends_when_its_time_is_over)
{
	static const uint64_t times[] = { 1, 2, 50, 99, 100, 101 };

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct nap_loop how = { .grain = 1, .timeout_ns = times[i] };

		nr_run = 0;
		EXPECT_EQ(nap_for_as(&pool, &how, 0, 100, takes_a_ns, NULL),
			  times[i] < 100 ? -ETIMEDOUT : 0);
		EXPECT_EQ(nr_run, times[i] < 100 ? times[i] : 100);
	}
	nap_pool_join(&pool, NULL);
}

/* ---- works and timers */

static int result;

static int one(struct nap_work *work)
{
	(void)work;
	return 1;
}

static void note_result(struct nap_work *work, int of_work)
{
	(void)work;
	result = of_work;
}

TEST(a_work_is_late_only_behind_its_deadline)
{
	struct nap_work work = NAP_WORK_INIT(one, note_result, NULL);

	for (int late = 0; late < 2; late++) {
		work.deadline = at;
		ASSERT_EQ(nap_work_schedule(&pool, &work), 0);
		at += (uint64_t)late;
		EXPECT_EQ(nap_pool_help(&pool, 0), 1);
		EXPECT_EQ(result, late ? -ETIMEDOUT : 1);
	}
	nap_pool_join(&pool, NULL);
}

static uint32_t nr_fired;

static void fire(struct nap_task *task)
{
	(void)task;
	nr_fired++;
}

TEST(a_timer_fires_at_its_time)
{
	struct nap_timer timer;

	nap_timer_init(&timer, fire);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, at + 1000000), 0);
	at += 999999;
	nap_pool_help(&pool, 0);
	EXPECT_EQ(nr_fired, 0);
	at++;
	nap_pool_help(&pool, 0);
	EXPECT_EQ(nr_fired, 1);
	nap_pool_join(&pool, NULL);
}

TEST_HARNESS_MAIN
