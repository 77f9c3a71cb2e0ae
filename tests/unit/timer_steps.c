/* SPDX-License-Identifier: MIT */
/*
 * src/async/timer/timers.h, timers.c: the poller for timers and files, and the order of what is
 * due, step by step. The main thread plays all workers, with a clock that stands still.
 */
#include "async/async.h"
#include "async/fiber/wait.h"
#include "idle_steps.h"

static uint64_t clock_at;

WRAP(uint64_t, nap__os_now, (void))
{
	return clock_at ? clock_at : __real_nap__os_now();
}

/* ---- the words */

TEST(a_poller_is_no_worker_that_polls_in_passing)
{
	EXPECT_FALSE(poller_is_passing(POLLER_NONE));
	EXPECT_FALSE(poller_is_passing(1));
	EXPECT_TRUE(poller_is_passing(POLLER_IN_PASSING));
	EXPECT_TRUE(poller_is_passing(POLLER_IN_PASSING - 1));
}

TEST(a_timer_or_a_file_is_polled_for)
{
	struct nap__timers timers = { .first = 0 };

	EXPECT_FALSE(timers_wanted(&timers));
	EXPECT_FALSE(timers_unattended(&timers));
	EXPECT_FALSE(timers_files_unattended(&timers));
	timers.first = 1;
	EXPECT_TRUE(timers_wanted(&timers));
	EXPECT_TRUE(timers_unattended(&timers));
	EXPECT_FALSE(timers_files_unattended(&timers));
	timers.first = 0;
	timers.files = 1;
	EXPECT_TRUE(timers_wanted(&timers));
	EXPECT_TRUE(timers_unattended(&timers));
	EXPECT_TRUE(timers_files_unattended(&timers));
	timers.poller = POLLER_IN_PASSING;
	EXPECT_FALSE(timers_unattended(&timers));
	EXPECT_TRUE(timers_files_unattended(&timers));
	timers.poller = 1;
	EXPECT_FALSE(timers_unattended(&timers));
	EXPECT_FALSE(timers_files_unattended(&timers));
}

TEST(several_poll_in_passing_or_one_is_the_poller)
{
	struct nap__timers timers = { .first = 0 };

	EXPECT_TRUE(timers_begin_passing(&timers));
	EXPECT_EQ(timers.poller, POLLER_IN_PASSING);
	EXPECT_FALSE(timers_begin_polling(&timers, 1));
	EXPECT_TRUE(timers_begin_passing(&timers));
	EXPECT_EQ(timers.poller, POLLER_IN_PASSING - 1);
	EXPECT_FALSE(timers_end_passing(&timers));
	EXPECT_TRUE(timers_end_passing(&timers));
	EXPECT_EQ(timers.poller, POLLER_NONE);
	EXPECT_TRUE(timers_begin_polling(&timers, 1));
	EXPECT_EQ(timers.poller, 1u);
	EXPECT_FALSE(timers_begin_polling(&timers, 2));
	EXPECT_FALSE(timers_begin_passing(&timers));
	EXPECT_EQ(timers.poller, 1u);
	timers_end_polling(&timers);
	EXPECT_EQ(timers.poller, POLLER_NONE);
}

/* In a watched pool the order of a node is at least the time; it never becomes smaller. */
TEST(an_order_is_a_time_where_the_pool_is_watched)
{
	struct nap__timers timers = { .order = 0 };

	clock_at = 100;
	timers_note_armed(&pool, &timers);
	EXPECT_EQ(timers.order, 0u);
#ifndef NAP_NO_TRACE
	pool.watched = WATCH_MEASURE;
	timers_note_armed(&pool, &timers);
	EXPECT_EQ(timers.order, 100u);
	timers.order = 101;
	timers_note_armed(&pool, &timers);
	EXPECT_EQ(timers.order, 101u);
#endif
}

/* ---- the poller */

#define LATER 1000u

static struct nap_timer timer;
static struct nap__timers *timers;

/* A pool that has had a timer, and has none. */
static void begin_with_timers(struct __test_metadata *_metadata)
{
	begin(_metadata, NAP_IDLE_SYNC, 2);
	nap_timer_init(&timer, run_nothing);
	clock_at = nap__os_now();
	ASSERT_EQ(nap_schedule_at(&pool, &timer, NAP_FOREVER), 0);
	ASSERT_EQ(nap_timer_cancel(&timer), 0);
	timers = &pool_async(&pool)->timers;
	EXPECT_EQ(timers->first, 0u);
}

static uint64_t begin_polling(uint32_t i, uint64_t deadline)
{
	return nap__timers_begin_polling(worker_at(i), timers, deadline);
}

TEST(the_poller_sleeps_until_the_first_time)
{
	begin_with_timers(_metadata);
	EXPECT_EQ(begin_polling(1, clock_at + LATER), clock_at + LATER);
	EXPECT_TRUE(worker_at(1)->polls);
	EXPECT_EQ(timers->poller, 2u);
	/* Another worker does not care for timers. */
	EXPECT_EQ(begin_polling(0, clock_at + LATER), clock_at + LATER);
	EXPECT_FALSE(worker_at(0)->polls);
	/* The poller is told of a timer, and sleeps again. */
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at + LATER), 0);
	EXPECT_TRUE(worker_at(1)->event & EVENT_TIMER);
	EXPECT_FALSE(worker_at(0)->event);
	EXPECT_EQ(begin_polling(1, clock_at + LATER + 1), clock_at + LATER);
	EXPECT_EQ(begin_polling(1, clock_at + LATER - 1), clock_at + LATER - 1);
	EXPECT_EQ(begin_polling(0, clock_at + LATER + 1), clock_at + LATER + 1);
	/* When the poller has ended, its search is relied on, because there is a timer. */
	worker_at(1)->relied_on = false;
	nap__timers_end_polling(worker_at(1), timers);
	EXPECT_FALSE(worker_at(1)->polls);
	EXPECT_EQ(timers->poller, POLLER_NONE);
	EXPECT_TRUE(worker_at(1)->relied_on);
	EXPECT_EQ(begin_polling(0, clock_at + LATER + 1), clock_at + LATER);
	EXPECT_EQ(timers->poller, 1u);
	ASSERT_EQ(nap_timer_cancel(&timer), 0);
	EXPECT_EQ(timers->first, 0u);
	worker_at(0)->relied_on = false;
	nap__timers_end_polling(worker_at(0), timers);
	EXPECT_FALSE(worker_at(0)->relied_on);
}

/* A worker that polls in passing looks for timers itself, and no other one is notified. */
TEST(who_polls_in_passing_is_not_notified)
{
	begin_with_timers(_metadata);
	for (uint32_t i = 0; i < 2; i++)
		ASSERT_GE(settle(i), 0);
	ASSERT_TRUE(timers_begin_passing(timers));
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at + LATER), 0);
	EXPECT_EQ(how_many_woken(), 0u);
	ASSERT_TRUE(timers_end_passing(timers));
	ASSERT_EQ(nap_timer_cancel(&timer), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at + LATER), 0);
	EXPECT_EQ(how_many_woken(), 1u);
}

/* ---- what is due */

TEST(more_is_due_as_long_as_the_next_time_has_come)
{
	struct nap_timer timer_too;
	bool more = false;

	begin_with_timers(_metadata);
	nap_timer_init(&timer_too, run_nothing);
	ASSERT_EQ(nap_schedule_at(&pool, &timer_too, clock_at + LATER), 0);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at + LATER), 0);
	EXPECT_EQ(timers->first, clock_at + LATER);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at + LATER - 1, &more), NULL);
	EXPECT_FALSE(more);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at + LATER, &more),
		  &timer_too.task);
	EXPECT_TRUE(more);
	EXPECT_EQ(timers->first, clock_at + LATER);
	more = false;
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at + LATER, &more), &timer.task);
	EXPECT_FALSE(more);
	EXPECT_EQ(timers->first, 0u);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at + LATER, &more), NULL);
}

/* Arms @again for a time that has passed; its task was taken, and has begun. */
static void arm_in_the_past(struct __test_metadata *_metadata, struct nap_timer *again)
{
	nap_timer_init(again, run_nothing);
	ASSERT_EQ(nap_schedule_at(&pool, again, 1), 0);
}

/*
 * A time that has passed is raised to that of the latest check. So it comes after what was due
 * then, however often it is armed; and of two such times the first comes first.
 */
TEST(a_time_that_has_passed_comes_after_what_is_due)
{
	struct nap_timer again[2];
	bool more = false;

	begin_with_timers(_metadata);
	for (int i = 0; i < 2; i++)
		arm_in_the_past(_metadata, &again[i]);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at), 0);
	/* There was no check yet. */
	EXPECT_EQ(timers->first, 1u);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), &again[0].task);
	EXPECT_EQ(timers->seen, clock_at);
	arm_in_the_past(_metadata, &again[0]);
	EXPECT_EQ(again[0].node.when, clock_at);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), &again[1].task);
	arm_in_the_past(_metadata, &again[1]);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), &timer.task);
	for (int i = 0; i < 4; i++) {
		struct nap_timer *next = &again[i % 2];

		EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), &next->task);
		arm_in_the_past(_metadata, next);
	}
	/* The clock that another worker has read before does not bring the time back. */
	EXPECT_EQ(nap__timers_fire(worker_at(1), timers, clock_at - 1, &more), NULL);
	EXPECT_EQ(timers->seen, clock_at);
}

static uint64_t put_and_take(struct nap__timer_node *node, uint64_t when)
{
	uint64_t put;

	node->when = when;
	nap__timers_put(timers, node);
	put = node->when;
	nap__timers_take(timers, node);
	return put;
}

/* The time of a sleep is raised, too; that of a periodic timer is not, because others follow it. */
TEST(whose_time_is_raised)
{
	struct nap__fiber_wait wait = { .state = 0 };
	struct nap__timer_node sleep = { .wait = &wait };

	begin_with_timers(_metadata);
	timers->seen = 100;
	EXPECT_EQ(put_and_take(&sleep, 99), 100u);
	EXPECT_EQ(put_and_take(&sleep, 100), 100u);
	EXPECT_EQ(put_and_take(&sleep, 101), 101u);
	EXPECT_EQ(put_and_take(&timer.node, 99), 100u);
	EXPECT_EQ(put_and_take(&timer.node, 101), 101u);
	timer.period = 1;
	EXPECT_EQ(put_and_take(&timer.node, 99), 99u);
	EXPECT_EQ(put_and_take(&timer.node, 101), 101u);
}

/*
 * Of a task of a ready file and a timer that is due the file comes first. Then they take turns.
 */
TEST(what_is_ready_comes_first)
{
	struct nap_batch ready = NAP_BATCH_INIT;
	bool more = false;

	begin_with_timers(_metadata);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, 1), 0);
	for (int i = 0; i < 2; i++) {
		nap_task_init(&tasks[i], run_nothing);
		nap_batch_push(&ready, &tasks[i]);
	}
	EXPECT_EQ(begin_polling(1, NAP_FOREVER), 1u);
	worker_at(1)->event = 0;
	nap__timers_ready(&pool, timers, clock_at, &ready);
	EXPECT_TRUE(worker_at(1)->event & EVENT_TIMER);
	EXPECT_EQ(timers->first, 1u);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), &tasks[0]);
	EXPECT_TRUE(more);
	more = false;
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), &timer.task);
	EXPECT_TRUE(more);
	more = false;
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), &tasks[1]);
	EXPECT_FALSE(more);
	nap_batch_push(&ready, &tasks[0]);
	nap__timers_ready(&pool, timers, clock_at, &ready);
	EXPECT_EQ(timers->first, 1u);
	/* At the end of the pool they are left. */
	ready = (struct nap_batch)NAP_BATCH_INIT;
	nap__timers_end_ready(timers, &ready);
	EXPECT_EQ(ready.count, 1u);
	EXPECT_EQ(ready.head, &tasks[0]);
}

static struct nap_task *fire(void)
{
	bool more = false;

	return nap__timers_fire(worker_at(0), timers, clock_at, &more);
}

/* Neither holds up the other, however many there are. A timer that is not due has no turn. */
TEST(files_and_timers_take_turns)
{
	struct nap_batch ready = NAP_BATCH_INIT;
	struct nap_timer due[4], later;

	begin_with_timers(_metadata);
	for (int i = 0; i < 4; i++) {
		nap_timer_init(&due[i], run_nothing);
		ASSERT_EQ(nap_schedule_at(&pool, &due[i], 1), 0);
	}
	nap_timer_init(&later, run_nothing);
	ASSERT_EQ(nap_schedule_at(&pool, &later, clock_at + LATER), 0);
	for (int i = 0; i < 4; i++) {
		nap_task_init(&tasks[i], run_nothing);
		nap_batch_push(&ready, &tasks[i]);
	}
	nap__timers_ready(&pool, timers, clock_at, &ready);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(fire(), &tasks[i]);
		EXPECT_EQ(fire(), &due[i].task);
	}
	for (int i = 2; i < 4; i++)
		ASSERT_EQ(nap_timer_cancel(&due[i]), 0);
	/* No timer is due. */
	EXPECT_EQ(fire(), &tasks[2]);
	EXPECT_EQ(fire(), &tasks[3]);
	EXPECT_EQ(fire(), NULL);
	/* The last one was a file. */
	nap_batch_push(&ready, &tasks[0]);
	nap__timers_ready(&pool, timers, clock_at, &ready);
	clock_at += LATER;
	EXPECT_EQ(fire(), &later.task);
	EXPECT_EQ(fire(), &tasks[0]);
	EXPECT_EQ(fire(), NULL);
}

#ifndef NAP_NO_TRACE
/* ---- in a watched pool: since when a task was due, and how late it is */

static uint32_t nr_due, nr_fired;
static uint64_t due_since, fired_late;

WRAP(void, nap__watch_due, (struct nap_pool *of, uint64_t when, struct nap_task *head,
			    struct nap_task *tail))
{
	(void)of;
	if (!head || !tail)
		abort();
	nr_due++;
	due_since = when;
}

WRAP(void, nap__trace, (struct nap_pool *of, uint32_t kind, uint32_t other, uint64_t a, uint64_t b))
{
	__real_nap__trace(of, kind, other, a, b);
	if (kind != NAP_TRACE_TIMER || a != (uintptr_t)&timer)
		return;
	nr_fired++;
	fired_late = b;
}

/* Fires the timer @late ns after @since, since when it is due. */
static void expect_due(struct __test_metadata *_metadata, uint64_t since, uint64_t late)
{
	uint32_t before = nr_due;
	bool more = false;

	nr_fired = 0;
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, since + late, &more), &timer.task);
	EXPECT_EQ(nr_due, before + 1);
	EXPECT_EQ(due_since, since);
	EXPECT_EQ(nr_fired, 1u);
	EXPECT_EQ(fired_late, late);
	/* The task begins, and nothing is left of the timer. */
	nap_timer_init(&timer, run_nothing);
}

/*
 * A timer whose time had passed when it was armed is due since then, by the number that orders the
 * timers. A periodic timer is due since its time.
 */
TEST(a_timer_is_due_since_its_time_or_since_it_was_armed)
{
	struct nap_batch ready = NAP_BATCH_INIT;
	bool more = false;

	begin_with_timers(_metadata);
	pool.watched = WATCH_MEASURE;
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at + LATER), 0);
	expect_due(_metadata, clock_at + LATER, 0);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at + LATER), 0);
	expect_due(_metadata, clock_at + LATER, 7);
	/* later than the checks above */
	clock_at += 2 * LATER;
	timers->order = clock_at + 3;
	ASSERT_EQ(nap_schedule_at(&pool, &timer, 1), 0);
	expect_due(_metadata, clock_at + 3, 5);
	ASSERT_EQ(nap_schedule_every(&pool, &timer, 0, 1), 0);
	expect_due(_metadata, clock_at, 5);
	/* Nothing is due, though it looked so. */
	timers->first = 1;
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at, &more), NULL);
	EXPECT_EQ(nr_due, 4u);
	/* Tasks that are ready are due from now on. */
	nap_task_init(&tasks[0], run_nothing);
	nap_batch_push(&ready, &tasks[0]);
	nap__timers_ready(&pool, timers, clock_at + 1, &ready);
	EXPECT_EQ(nr_due, 5u);
	EXPECT_EQ(due_since, clock_at + 1);
	EXPECT_EQ(nap__timers_fire(worker_at(0), timers, clock_at + 2, &more), &tasks[0]);
	EXPECT_EQ(nr_due, 5u);
	pool.watched = 0;
}
#endif

TEST_HARNESS_MAIN
