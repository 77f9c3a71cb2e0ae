/* SPDX-License-Identifier: MIT */
/*
 * Putting off a wake (src/idle/doze.h), step by step: one thread plays the two workers of a pool.
 * The first worker is in the middle of a task and schedules; the second worker is notified in
 * vain. The futex wait of the doze is replaced by the steps that happen while the second worker
 * dozes.
 */
#include "idle/doze.h"
#include "idle_steps.h"
#include "wrap.h"

static void (*meanwhile)(void);	/* NULL: no futex wait is expected */
static unsigned nr_dozes;
static bool ended;		/* the last wait was ended by a notification */

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	uint64_t now = nap__os_now();

	(void)word;
	(void)expected;
	/* The dozing worker has entered its index plus 1, and sleeps for NAP_DOZE_US at most. */
	if (!meanwhile || pool.dozer != 2 || deadline > now + NAP_DOZE_US * 1000u)
		abort();
	nr_dozes++;
	meanwhile();
	ended = was_woken(1);
	return ended ? 0 : -ETIMEDOUT;
}

/* Schedules task @t, which the first worker takes itself before the second worker can. */
static void schedule_and_take(struct __test_metadata *_metadata, int t)
{
	schedule_as(0, t, 1);
	ASSERT_EQ(nap__dequeue(worker_at(0)), &tasks[t]);
}

/* Wakes the second worker in vain, as often as it takes until this worker dozes. */
static void call_for_nothing(struct __test_metadata *_metadata)
{
	begin(_metadata, NAP_IDLE_SYNC, 2);
	ASSERT_GE(settle(1), 0);
	worker_at(1)->rest = 1;
	schedule_and_take(_metadata, 1);
	ASSERT_TRUE(was_woken(1));
	ASSERT_EQ(wake_up(1), NAP_SEARCH);
	while (sync_of(worker_at(1))->alarms < NAP_ALARMS) {
		ASSERT_EQ(nap__dequeue(worker_at(1)), NULL);
		ASSERT_EQ(worker_at(1)->patient, false);
		schedule_and_take(_metadata, 2);
		ASSERT_EQ(nap__idle_prepare(worker_at(1)), NAP_SEARCH);
	}
	ASSERT_EQ(nap__dequeue(worker_at(1)), NULL);
	ASSERT_EQ(nr_dozes, 0);
	ASSERT_TRUE(sync_of(worker_at(1))->waking && worker_at(1)->patient);
}

static void nothing_happens(void)
{
}

TEST(who_is_called_for_nothing_dozes_once_and_goes_idle)
{
	call_for_nothing(_metadata);
	meanwhile = nothing_happens;
	EXPECT_EQ(nap__idle_prepare(worker_at(1)), NAP_PARK);
	EXPECT_EQ(nr_dozes, 1);
	EXPECT_EQ(worker_at(1)->stats.dozed, 1);
	EXPECT_EQ(pool.dozer, 0);
	EXPECT_FALSE(worker_at(1)->patient);
	EXPECT_EQ(nap__idle_count(&pool), 1);
}

/* Schedules a lone task, which wakes no worker; after the doze the second worker checks for it. */
static void schedule_lone(void)
{
	schedule_as(0, 3, 1);
	if (was_woken(1) || pool.dozer != 2)
		abort();
}

TEST(a_lone_task_waits_for_the_end_of_a_doze)
{
	call_for_nothing(_metadata);
	meanwhile = schedule_lone;
	EXPECT_EQ(nap__idle_prepare(worker_at(1)), NAP_SEARCH);
	EXPECT_EQ(nr_dozes, 1);
	EXPECT_FALSE(ended);
	/* The first worker has not taken the task. */
	EXPECT_EQ(nap__dequeue(worker_at(1)), &tasks[3]);
	EXPECT_EQ(sync_of(worker_at(1))->alarms, 0);
	EXPECT_FALSE(worker_at(1)->patient);
}

static void take_lone(void)
{
	schedule_as(0, 3, 1);
	if (nap__dequeue(worker_at(0)) != &tasks[3])
		abort();
}

TEST(it_dozes_again_while_it_is_called_for_nothing)
{
	call_for_nothing(_metadata);
	meanwhile = take_lone;
	for (unsigned i = 1; i <= 3; i++) {
		EXPECT_EQ(nap__idle_prepare(worker_at(1)), NAP_SEARCH);
		EXPECT_EQ(nr_dozes, i);
		EXPECT_EQ(nap__dequeue(worker_at(1)), NULL);
	}
}

static void schedule_two(void)
{
	schedule_lone();
	schedule_as(0, 4, 1);
}

/*
 * A schedule from outside ends the doze: here without a notification before, in the next function
 * after one.
 */
static void schedule_from_outside(void)
{
	schedule_as(OUTSIDE, 3, 1);
}

static void schedule_from_outside_too(void)
{
	take_lone();
	schedule_as(OUTSIDE, 3, 1);
}

static void schedule_batch(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int t = 3; t < 5; t++) {
		nap_task_init(&tasks[t], run_nothing);
		nap_batch_push(&batch, &tasks[t]);
	}
	self_is(nap__self(), worker_at(0));
	if (nap_schedule_batch(&pool, &batch))
		abort();
	self_is(nap__self(), NULL);
}

static void leave_work_to_others(void)
{
	inject_silently(3);
	worker_at(0)->relied_on = true;
	nap__idle_stop_search(worker_at(0), false);
}

TEST(more_than_a_lone_task_ends_a_doze)
{
	void (*const end[])(void) = {
		schedule_two, schedule_from_outside, schedule_from_outside_too, schedule_batch,
		leave_work_to_others,
	};

	for (unsigned i = 0; i < sizeof(end) / sizeof(*end); i++) {
		memset(&pool, 0, sizeof(pool));
		nr_dozes = 0;
		meanwhile = NULL;
		call_for_nothing(_metadata);
		meanwhile = end[i];
		EXPECT_EQ(nap__idle_prepare(worker_at(1)), NAP_SEARCH);
		EXPECT_EQ(nr_dozes, 1);
		EXPECT_TRUE(ended);
		EXPECT_EQ(pool.dozer, 0);
		/* The wake is consumed, so that no other sleep takes it for its own. */
		EXPECT_FALSE(was_woken(1));
		EXPECT_EQ(nap__dequeue(worker_at(1)), &tasks[3]);
	}
}

TEST(nobody_dozes_beside_more_than_a_lone_task)
{
	call_for_nothing(_metadata);
	inject_silently(3);
	EXPECT_EQ(nap__idle_prepare(worker_at(1)), NAP_PARK);
	EXPECT_EQ(nr_dozes, 0);
	EXPECT_EQ(worker_at(1)->stats.dozed, 0);
	EXPECT_EQ(pool.dozer, 0);
}

/* A worker that waits inside a task may be woken for other reasons, so it does not doze. */
TEST(nobody_dozes_in_the_middle_of_a_task)
{
	call_for_nothing(_metadata);
	worker_at(1)->rest = 2;
	EXPECT_EQ(nap__idle_prepare(worker_at(1)), NAP_PARK);
	EXPECT_EQ(nr_dozes, 0);
}

TEST(who_was_not_called_for_nothing_does_not_doze)
{
	call_for_nothing(_metadata);
	/* The woken worker finds a task, so its wakes in vain are counted from 0 again. */
	schedule_as(OUTSIDE, 3, 1);
	EXPECT_EQ(nap__dequeue(worker_at(1)), &tasks[3]);
	EXPECT_EQ(sync_of(worker_at(1))->alarms, 0);
	EXPECT_GE(settle(1), 0);
	EXPECT_EQ(nr_dozes, 0);
}

TEST_HARNESS_MAIN
