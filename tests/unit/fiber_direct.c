/* SPDX-License-Identifier: MIT */
/*
 * Fibers that switch to each other (src/async/fiber/direct.h), on one worker. A queued task does
 * not wait longer beside them than beside other tasks. No task that a fiber dequeues is lost. A
 * wait that runs tasks nested goes on after each of them.
 */
#include <nap/nap.h>

#include <nap/async.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "worker/self.h"
/* comes after the library's headers, whose functions have parameters named pool */
#include "harness.h"

/*
 * A task from outside, alone in its queue, runs within SOON turns; after GIVE_UP turns the test
 * fails.
 */
#define SOON NAP_FAIR_DEQUEUES
#define GIVE_UP (100 * NAP_FAIR_DEQUEUES)

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static uint32_t turns, task_ran, is_over;
static uint32_t waited;		/* turns before the task ran */

static void notes_turns(struct nap_task *task)
{
	(void)task;
	waited = turns;
	nap_store_relaxed(&task_ran, 1);
}

static bool goes_on(void)
{
	return !nap_load_relaxed(&task_ran) && ++turns < GIVE_UP;
}

/* Schedules a task from outside. */
static intptr_t schedules_outside(void *arg)
{
	static struct nap_task task;

	(void)arg;
	turns = 0;
	nap_store_relaxed(&task_ran, 0);
	nap_task_init(&task, notes_turns);
	return nap_schedule(&pool, &task);
}

/* Runs @fn in a fiber; when the fiber has begun, this thread schedules. */
static void beside(struct __test_metadata *_metadata, nap_fiber_fn fn)
{
	struct nap_fiber *fiber;
	intptr_t failed = 1;

	is_over = turns = 0;
	ASSERT_EQ(nap_spawn(&pool, &fiber, fn, NULL), 0);
	while (!nap_load_relaxed(&is_over))
		nap_cpu_relax();
	ASSERT_EQ(schedules_outside(NULL), 0);
	nap_store_release(&is_over, 2);
	ASSERT_EQ(nap_await(fiber, &failed), 0);
	EXPECT_EQ(failed, 0);
	EXPECT_EQ(task_ran, 1);
	EXPECT_LE(waited, 2 * SOON);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Holds the worker until a task is queued from outside. */
static void until_queued(void)
{
	nap_store_relaxed(&is_over, 1);
	while (nap_load_acquire(&is_over) != 2)
		nap_cpu_relax();
}

/* ---- two fibers that yield to each other; one alone */

static intptr_t gives_way(void *arg)
{
	(void)arg;
	while (goes_on())
		nap_yield();
	return 0;
}

static intptr_t two_give_way(void *arg)
{
	struct nap_fiber *other;

	if (nap_spawn(&pool, &other, gives_way, NULL))
		return 1;
	until_queued();
	gives_way(arg);
	return nap_await(other, NULL);
}

TEST(a_task_runs_beside_two_that_give_way)
{
	beside(_metadata, two_give_way);
}

static intptr_t one_gives_way(void *arg)
{
	until_queued();
	return gives_way(arg);
}

TEST(a_task_runs_beside_one_that_gives_way)
{
	beside(_metadata, one_gives_way);
}

/* ---- two fibers that wait for each other */

static struct nap_channel there = NAP_CHANNEL_INIT(NULL, 8, 0);

static intptr_t receives(void *arg)
{
	uint64_t value = 0;

	(void)arg;
	while (!nap_channel_recv(&there, &value))
		turns++;
	return 0;
}

static intptr_t two_wait(void *arg)
{
	struct nap_fiber *other;
	uint64_t value = 0;

	(void)arg;
	there = (struct nap_channel)NAP_CHANNEL_INIT(NULL, 8, 0);
	if (nap_spawn(&pool, &other, receives, NULL))
		return 1;
	until_queued();
	while (goes_on())
		if (nap_channel_send(&there, &value))
			return 1;
	nap_channel_close(&there);
	return nap_await(other, NULL);
}

TEST(a_task_runs_beside_two_that_wait_for_each_other)
{
	beside(_metadata, two_wait);
}

/* ---- a fiber that awaits other fibers: each of them ends, and switches to the awaiter */

static intptr_t ends(void *arg)
{
	return (intptr_t)arg;
}

static intptr_t awaits_others(void *arg)
{
	struct nap_fiber *other;
	intptr_t result;

	(void)arg;
	until_queued();
	while (goes_on())
		if (nap_spawn(&pool, &other, ends, (void *)(intptr_t)turns) ||
		    nap_await(other, &result) || result != (intptr_t)turns)
			return 1;
	return 0;
}

TEST(a_task_runs_beside_fibers_that_end)
{
	beside(_metadata, awaits_others);
}

/* ---- fibers beside tasks */

static intptr_t schedules_and_yields(void *arg)
{
	static struct nap_task tasks[3 * NAP_FAIR_DEQUEUES];

	(void)arg;
	for (uint32_t i = 0; i < 3 * NAP_FAIR_DEQUEUES; i++) {
		task_ran = 0;
		nap_task_init(&tasks[i], notes_turns);
		if (nap_schedule(&pool, &tasks[i]))
			return 1;
		nap_yield();
		if (!task_ran)
			return 2;
	}
	return 0;
}

TEST(a_task_in_the_ring_runs_when_a_fiber_gives_way)
{
	struct nap_fiber *fiber;
	intptr_t failed = 1;

	ASSERT_EQ(nap_spawn(&pool, &fiber, schedules_and_yields, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &failed), 0);
	EXPECT_EQ(failed, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_fiber_start starts[64];
static uint32_t started;

static intptr_t schedules_one_and_yields(void *arg)
{
	static struct nap_task task;

	(void)arg;
	nap_task_init(&task, notes_turns);
	if (!nap_schedule(&pool, &task))
		nap_yield();
	nap_store_relaxed(&is_over, 1);
	return 0;
}

/* A fiber that takes its stack when it begins dequeues the task in its first turn. */
TEST(a_task_in_the_ring_runs_when_a_fiber_that_was_started_gives_way)
{
	for (uint32_t i = 0; i < 3 * NAP_FAIR_DEQUEUES; i++) {
		task_ran = is_over = 0;
		ASSERT_EQ(nap_fiber_start_init(&starts[0], &pool, schedules_one_and_yields, NULL),
			  0);
		ASSERT_EQ(nap_schedule(&pool, &starts[0].task), 0);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
		ASSERT_EQ(is_over, 1);
		ASSERT_EQ(task_ran, 1);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t starts_and_yields(void *arg)
{
	(void)arg;
	started++;
	nap_yield();
	return 0;
}

static intptr_t schedules_starts(void *arg)
{
	(void)arg;
	started = 0;
	for (int i = 0; i < 64; i++)
		if (nap_fiber_start_init(&starts[i], &pool, starts_and_yields, NULL) ||
		    nap_schedule(&pool, &starts[i].task))
			return 1;
	while (started < 64 && turns++ < GIVE_UP)
		nap_yield();
	return started < 64;
}

TEST(fibers_begin_when_a_fiber_gives_way)
{
	struct nap_fiber *fiber;
	intptr_t failed = 1;

	turns = 0;
	ASSERT_EQ(nap_spawn(&pool, &fiber, schedules_starts, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &failed), 0);
	EXPECT_EQ(failed, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- fibers that run nested in a task */

static uint32_t first, second;
static long helped;

static intptr_t counts_turns(void *count)
{
	for (int i = 0; i < 10; i++) {
		++*(uint32_t *)count;
		nap_yield();
	}
	return 0;
}

static void helps_once(struct nap_task *task)
{
	(void)task;
	if (nap_spawn(&pool, NULL, counts_turns, &first) ||
	    nap_spawn(&pool, NULL, counts_turns, &second))
		return;
	helped = nap_pool_help(&pool, 1);
	waited = first + second;
}

TEST(a_wait_goes_on_after_each_fiber)
{
	struct nap_task task = NAP_TASK_INIT(helps_once);

	first = second = 0;
	helped = 0;
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(helped, 1);
	EXPECT_EQ(waited, 1);
	EXPECT_EQ(first, 10);
	EXPECT_EQ(second, 10);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t went_on;

static intptr_t awaits_one(void *arg)
{
	struct nap_fiber *other;

	if (nap_spawn(&pool, &other, ends, arg) || nap_await(other, NULL))
		return 1;
	went_on++;
	return 0;
}

/* Runs one fiber up to its wait, and then the awaited one. */
static void helps_twice(struct nap_task *task)
{
	(void)task;
	if (nap_spawn(&pool, NULL, awaits_one, NULL))
		return;
	helped = nap_pool_help(&pool, 1);
	helped += nap_pool_help(&pool, 1);
	waited = went_on;
}

TEST(a_wait_goes_on_after_a_fiber_that_is_awaited)
{
	struct nap_task task = NAP_TASK_INIT(helps_twice);

	went_on = 0;
	waited = 1;
	helped = 0;
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(helped, 2);
	EXPECT_EQ(waited, 0);
	EXPECT_EQ(went_on, 1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the limit of nested waits is the half of the stack on which a fiber runs */

static intptr_t has_its_half(void *arg)
{
	uint32_t wrong = 0;

	(void)arg;
	for (int i = 0; i < 10; i++) {
		wrong += nap__self()->stack_half != nap_fiber_self()->half;
		nap_yield();
	}
	return wrong;
}

TEST(each_fiber_has_the_half_of_its_own_stack)
{
	struct nap_fiber *fibers[3];
	intptr_t wrong;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], has_its_half, NULL), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(nap_await(fibers[i], &wrong), 0);
		EXPECT_EQ(wrong, 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a fiber that goes on counts as a task that runs, however the worker has come to it */

#define ROUNDS	1000

static intptr_t awaits_many(void *arg)
{
	struct nap_fiber *other;

	for (int i = 0; i < ROUNDS; i++)
		if (nap_spawn(&pool, &other, ends, arg) || nap_await(other, NULL))
			return 1;
	return 0;
}

static intptr_t yields_often(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++)
		nap_yield();
	return 0;
}

static uint64_t nr_run(void)
{
	struct nap_pool_stats stats;

	if (nap_pool_quiesce(&pool) || nap_pool_get_stats(&pool, &stats))
		abort();
	return stats.workers.run + stats.helped;
}

TEST(each_turn_counts)
{
	uint64_t before;

	ASSERT_EQ(nap_spawn(&pool, NULL, awaits_many, NULL), 0);
	EXPECT_EQ(nr_run(), 1 + 2 * ROUNDS);
	before = nr_run();
	ASSERT_EQ(nap_spawn(&pool, NULL, yields_often, NULL), 0);
	EXPECT_EQ(nr_run() - before, 1 + ROUNDS);
	before = nr_run();
	ASSERT_EQ(nap_spawn(&pool, NULL, yields_often, NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, yields_often, NULL), 0);
	EXPECT_EQ(nr_run() - before, 2 * (1 + ROUNDS));
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
