/* SPDX-License-Identifier: MIT */
/*
 * The parts of a worker's dequeues between two checks for due work (src/async/timer/due.c), step by
 * step: the main thread plays the worker, with a clock that stands still.
 */
#include "async/async.h"
#include "sched/fair.h"
#include "worker/tick.h"
#include "idle_steps.h"

/* As in src/async/timer/due.c. */
enum { PART_NS = 20000, DUE_AT_ONCE = 32 };

static uint64_t clock_at;

WRAP(uint64_t, nap__os_now, (void))
{
	return clock_at ? clock_at : __real_nap__os_now();
}

static struct nap_worker *worker;
static bool more;

FIXTURE(due) { int unused; };
FIXTURE_TEARDOWN(due)
{
}

/* A pool that has had a timer. Its clock stands still from now on. */
FIXTURE_SETUP(due)
{
	struct nap_timer timer;

	begin(_metadata, NAP_IDLE_SYNC, 1);
	nap_timer_init(&timer, run_nothing);
	ASSERT_EQ(nap_schedule_at(&pool, &timer, NAP_FOREVER), 0);
	ASSERT_EQ(nap_timer_cancel(&timer), 0);
	worker = worker_at(0);
	clock_at = nap__os_now();
	self->unused = 0;
}

/* The worker's last check was @ago ns ago, and found a part of @part dequeues too long or short. */
static void last_check(uint64_t ago, uint32_t part)
{
	worker->due_by = clock_at - ago;
	worker->part = part;
	worker->due_left = 0;
	worker->since = 7;
}

/* ---- the length of a part */

static uint32_t next_part(uint64_t ago, uint32_t part)
{
	last_check(ago, part);
	if (nap__take_due(worker, &more) || worker->due_left)
		abort();
	return worker->due_by == clock_at ? worker->part : UINT32_MAX;
}

TEST_F(due, a_part_is_doubled_unless_it_took_long)
{
	EXPECT_EQ(next_part(0, 1), 2u);
	EXPECT_EQ(next_part(0, 4), 8u);
	EXPECT_EQ(next_part(PART_NS, 4), 8u);
	EXPECT_EQ(next_part(PART_NS + 1, 4), 1u);
	EXPECT_EQ(next_part(0, 0), 1u);
	EXPECT_EQ(next_part(PART_NS + 1, 0), 1u);
	EXPECT_EQ(next_part(0, (FAIR_GAP - 1) / 2), (FAIR_GAP - 1) / 2 * 2);
	EXPECT_EQ(next_part(0, FAIR_GAP / 2 + 1), FAIR_GAP);
	EXPECT_EQ(next_part(0, FAIR_GAP), FAIR_GAP);
}

/* ---- how many due tasks run first */

TEST_F(due, a_check_runs_so_many_and_then_the_queues_have_a_turn)
{
	static struct nap_timer timers[2 * DUE_AT_ONCE];

	for (int i = 0; i < 2 * DUE_AT_ONCE; i++) {
		nap_timer_init(&timers[i], run_nothing);
		ASSERT_EQ(nap_schedule_at(&pool, &timers[i], clock_at - 1), 0);
	}
	last_check(0, 4);
	for (int check = 0; check < 2; check++) {
		for (int i = 0; i < DUE_AT_ONCE; i++)
			EXPECT_EQ(nap__take_due(worker, &more),
				  &timers[check * DUE_AT_ONCE + i].task);
		EXPECT_EQ(nap__take_due(worker, &more), NULL);
		EXPECT_EQ(worker->due_left, 0u);
	}
	/* One check for each of these, and none is left. */
	EXPECT_EQ(worker->part, 16u);
	EXPECT_EQ(nap__take_due(worker, &more), NULL);
	EXPECT_EQ(worker->due_left, 0u);
}

/* ---- parts before a tick */

/* The next part, of @part dequeues, begins. In it and in later parts are @behind dequeues. */
static void expect_part(struct __test_metadata *_metadata, uint32_t part, uint32_t behind)
{
	uint32_t n = part < behind ? part : behind;

	last_check(0, part / 2);
	worker->behind = behind;
	worker->tick = FAIR_GAP - 1;
	EXPECT_EQ(nap__take_turn(worker, &more), NULL);
	EXPECT_EQ(worker->part, part);
	EXPECT_EQ(worker->behind, behind - n);
	EXPECT_EQ(worker->tick, FAIR_GAP - 1 - n);
	EXPECT_EQ(worker->since, 0u);
}

TEST_F(due, a_part_ends_at_the_tick_at_the_latest)
{
	expect_part(_metadata, 4, 12);
	expect_part(_metadata, 8, 8);
	expect_part(_metadata, 8, 7);
	expect_part(_metadata, 2, 1);
}

/* ---- a tick */

/* Serves the queue of injected tasks; the tick after it is a dequeue nearer. */
static struct nap_task *serve_tick(uint64_t ago, uint32_t part)
{
	last_check(ago, part);
	worker->turn = TURN_INJECT;
	worker->behind = 0;
	worker->tick = FAIR_GAP - 1;
	return nap__take_turn(worker, &more);
}

TEST_F(due, the_dequeues_from_a_tick_on_are_divided_into_parts)
{
	enum { REST = FAIR_GAP - 1 - (NAP_FAIR_PERIOD < NAP__TURNS * FAIR_GAP) };

	EXPECT_EQ(serve_tick(0, 2), NULL);
	EXPECT_EQ(worker->behind, REST - 4u);
	EXPECT_EQ(worker->tick, FAIR_GAP - 1 - 4);
	EXPECT_EQ(serve_tick(PART_NS + 1, 2), NULL);
	EXPECT_EQ(worker->behind, REST - 1u);
	EXPECT_EQ(worker->tick, FAIR_GAP - 2);
	inject_silently(0);
	EXPECT_EQ(serve_tick(0, 1), &tasks[0]);
	EXPECT_EQ(worker->behind, REST - 2u);
	EXPECT_EQ(worker->tick, FAIR_GAP - 1 - 2);
	/* The task that the tick serves is a part of one dequeue. */
	inject_silently(1);
	EXPECT_EQ(serve_tick(PART_NS + 1, 2), &tasks[1]);
	EXPECT_EQ(worker->behind, (uint32_t)REST);
	EXPECT_EQ(worker->tick, FAIR_GAP - 1);
}

/* ---- a tick that waits for tasks that were moved in bulk */

static void move_in_bulk(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct nap_task *task = &tasks[i];

		nap_task_init(task, run_nothing);
		ring_push(&worker->ring, &task, task);
	}
	worker->bulk = worker->bulk_older = true;
	worker->bulk_end = worker->ring.tail;
}

TEST_F(due, a_bulk_is_run_in_parts_too)
{
	struct nap_timer timer;

	nap_timer_init(&timer, run_nothing);
	move_in_bulk(3);
	inject_silently(10);
	serve_tick(0, 4);
	EXPECT_EQ(worker->since, 0u);
	EXPECT_EQ(worker->part, 8u);
	/* The tick is still due. */
	EXPECT_EQ(worker->tick, FAIR_GAP - 1);
	EXPECT_EQ(worker->behind, 0u);
	/* A part of two dequeues ends before the second one, which takes the timer that is due. */
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at - 1), 0);
	worker->part = 2;
	EXPECT_EQ(nap__take_turn(worker, &more), &tasks[1]);
	EXPECT_EQ(worker->since, 1u);
	EXPECT_EQ(nap__take_turn(worker, &more), &timer.task);
	EXPECT_EQ(worker->since, 0u);
	/* A due task may follow this one at once. */
	EXPECT_EQ(worker->due_left, (uint32_t)DUE_AT_ONCE);
	ASSERT_EQ(nap_timer_cancel(&timer), -EINPROGRESS);
	EXPECT_EQ(nap__take_turn(worker, &more), &tasks[2]);
	EXPECT_EQ(worker->due_left, 0u);
	/* Nothing of the bulk is left: the tick serves the injected task. */
	EXPECT_EQ(worker->tick, FAIR_GAP - 1);
	EXPECT_EQ(nap__take_turn(worker, &more), &tasks[10]);
	EXPECT_NE(worker->tick, FAIR_GAP - 1);
}

/* ---- a worker that has nothing to do */

TEST_F(due, who_finds_nothing_begins_with_a_short_part)
{
	struct nap_timer timer;

	nap_timer_init(&timer, run_nothing);
	worker->part = 9;
	EXPECT_EQ(async_ops(&pool)->find(worker, &more), NULL);
	EXPECT_EQ(worker->part, 1u);
	/* A time that is exactly now has come; the next nanosecond has not. */
	ASSERT_EQ(nap_schedule_at(&pool, &timer, clock_at + 1), 0);
	EXPECT_EQ(async_ops(&pool)->find(worker, &more), NULL);
	clock_at++;
	EXPECT_EQ(async_ops(&pool)->find(worker, &more), &timer.task);
}

TEST_HARNESS_MAIN
