/* SPDX-License-Identifier: MIT */
/*
 * Traces of what becomes runnable without a queue: timers and files that are due, waits that are
 * over too early or too late, fibers that wait for a stack, fibers that a stop has interrupted.
 * Each of them has a SCHEDULE event, as has everything that comes out of a queue
 * (tests/trace_causes.h).
 */
#include <fcntl.h>

#include <nap/io.h>

#include "traced.h"
#include "wrap.h"

#define MS 1000000u

enum { TIMERS = 20, PERIODS = 5, MESSAGES = 50, TURNS = 5000, STARTS = 20 };

static uint32_t begun, over;

/* ---- timers */

static struct nap_timer timers[TIMERS], periodic, canceled;

static uint32_t nr_periods;

static void count_period(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&nr_periods, 1);
}

static void arm_all(void)
{
	for (int i = 0; i < TIMERS; i++) {
		nap_timer_init(&timers[i], count_run);
		nap_schedule_after(&pool, &timers[i], (uint64_t)i * MS / 10);
	}
	nap_timer_init(&periodic, count_period);
	nap_schedule_every(&pool, &periodic, 0, MS / 10);
	nap_timer_init(&canceled, count_run);
	nap_schedule_after(&pool, &canceled, NAP_FOREVER);
}

/* Waits until all timers have run, the periodic one several times, and disarms the rest. */
static void until_fired(void)
{
	while (nap_load_acquire(&nr_run) < TIMERS || nap_load_acquire(&nr_periods) < PERIODS)
		usleep(100);
	if (nap_timer_cancel_wait(&periodic, NAP_FOREVER) || nap_timer_cancel(&canceled))
		abort();
}

TEST(timers_beside_idle_workers)
{
	traced((struct nap_config){ .max_workers = 2 });
	arm_all();
	until_fired();
	judge(_metadata);
	EXPECT_EQ(seen.inner, nr_run + nr_periods);
	EXPECT_EQ(seen.at_once, nr_run + nr_periods);
	EXPECT_EQ(seen.kinds[NAP_TRACE_TIMER], nr_run + nr_periods);
}

/* Computes, so that the ring has room for all events until the test is over. */
static void again_until_over(struct nap_task *task)
{
	uint64_t end = nap_deadline(MS / 10);

	while (nap_deadline(0) < end)
		;
	if (nap_load_relaxed(&over) || nap_schedule(&pool, task))
		free(task);
}

TEST(timers_beside_tasks)
{
	traced((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, new_task(again_until_over));
	arm_all();
	until_fired();
	nap_store_relaxed(&over, 1);
	judge_causes(_metadata);
	EXPECT_EQ(seen.kinds[NAP_TRACE_TIMER], nr_run + nr_periods);
}

/* A timer whose time passed long ago, before it was armed, is late since it was armed. */
TEST(a_time_that_has_passed_long_ago)
{
	uint64_t before = nap_deadline(0);

	traced((struct nap_config){ .max_workers = 1 });
	nap_timer_init(&timers[0], count_run);
	ASSERT_EQ(nap_schedule_at(&pool, &timers[0], 0), 0);
	while (!nap_load_acquire(&nr_run)) {
		usleep(100);
	}
	judge(_metadata);
	EXPECT_EQ(seen.kinds[NAP_TRACE_TIMER], 1);
	EXPECT_LE(seen.latest, nap_deadline(0) - before);
}

/* ---- waits with a deadline, and canceled ones */

static struct nap_event event;

static intptr_t wait_in_vain(void *arg)
{
	for (int i = 0; i < 10; i++)
		nap_event_wait_for(&event, (uint64_t)(i + (intptr_t)arg % 3) * MS / 20);
	return 0;
}

static intptr_t wait_for_ever(void *arg)
{
	(void)arg;
	flag_set(&begun);
	return nap_sleep_until(NAP_FOREVER);
}

TEST(deadlines_and_a_cancellation)
{
	struct nap_fiber *fibers[5], *sleeper;
	intptr_t result = 0;

	traced((struct nap_config){ .max_workers = 2 });
	ASSERT_EQ(nap_spawn(&pool, &sleeper, wait_for_ever, NULL), 0);
	for (intptr_t i = 0; i < 5; i++) {
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], wait_in_vain, (void *)i), 0);
	}
	flag_wait(&begun);
	EXPECT_EQ(nap_fiber_cancel(sleeper), 0);
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(nap_await(fibers[i], &result), 0);
	}
	EXPECT_EQ(nap_await(sleeper, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	judge(_metadata);
	EXPECT_GT(seen.at_once, 0);
}

/* ---- files */

static int pipes[2][2];

/* Answers on the second pipe what comes on the first one. */
static intptr_t answer(void *arg)
{
	char byte;

	for (int i = 0; i < MESSAGES; i++) {
		while (read(pipes[0][0], &byte, 1) != 1)
			nap_io_wait(pipes[0][0], NAP_IO_READ, NAP_FOREVER);
		if (write(pipes[1][1], &byte, 1) != 1)
			abort();
	}
	nap_store_relaxed(&over, 1);
	return (intptr_t)arg;
}

static void ask_all(void)
{
	char byte = 'x';

	for (int i = 0; i < MESSAGES; i++) {
		/*
		 * During the pause the fiber has to wait for the byte, even if both threads share a
		 * CPU.
		 */
		usleep(1000);
		if (write(pipes[0][1], &byte, 1) != 1 || read(pipes[1][0], &byte, 1) != 1)
			abort();
	}
}

static void open_pipes(void)
{
	if (pipe2(pipes[0], O_CLOEXEC) || pipe2(pipes[1], O_CLOEXEC) ||
	    fcntl(pipes[0][0], F_SETFL, O_NONBLOCK))
		abort();
}

TEST(a_file_beside_an_idle_worker)
{
	open_pipes();
	traced((struct nap_config){ .max_workers = 1 });
	ASSERT_EQ(nap_spawn(&pool, NULL, answer, NULL), 0);
	ask_all();
	judge(_metadata);
	EXPECT_GT(seen.kinds[NAP_TRACE_FILE], 0);
}

TEST(a_file_beside_a_busy_worker)
{
	open_pipes();
	traced((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, new_task(again_until_over));
	ASSERT_EQ(nap_spawn(&pool, NULL, answer, NULL), 0);
	ask_all();
	judge_causes(_metadata);
	EXPECT_GT(seen.at_once, 0);
}

/* ---- waits that are over before the fiber has left its stack */

static bool sets_event;

/*
 * Sets the event that the fiber waits for when the trace says that the fiber is about to leave its
 * stack.
 */
WRAP(void, nap__trace_event,
     (struct nap_pool *of, uint32_t kind, uint32_t other, uint64_t a, uint64_t b))
{
	__real_nap__trace_event(of, kind, other, a, b);
	if (sets_event && kind == (NAP_TRACE_FIBER_SUSPEND | NAP_TRACE_ON_EVENT << 16))
		nap_event_set(&event);
}

static intptr_t wait_for_events(void *arg)
{
	for (int i = 0; i < 10; i++) {
		nap_event_reset(&event);
		nap_event_wait(&event);
	}
	return (intptr_t)arg;
}

TEST(waits_that_are_over_too_early)
{
	sets_event = true;
	traced((struct nap_config){ .max_workers = 1 });
	ASSERT_EQ(nap_spawn(&pool, NULL, wait_for_events, NULL), 0);
	judge(_metadata);
	EXPECT_EQ(seen.suspended[NAP_TRACE_ON_EVENT], 10);
	EXPECT_EQ(seen.at_once, 10);
}

/* ---- fibers that end each other's wait */

static struct nap_sem sems[2];

static intptr_t take_turns(void *arg)
{
	intptr_t me = (intptr_t)arg;

	for (uint32_t i = 0; i < TURNS; i++) {
		nap_sem_release(&sems[!me], 1);
		nap_sem_acquire(&sems[me]);
	}
	return 0;
}

TEST(fibers_in_turn)
{
	nap_sem_init(&sems[0], 0);
	nap_sem_init(&sems[1], 0);
	traced((struct nap_config){ .max_workers = 2 });
	for (intptr_t i = 0; i < 2; i++) {
		ASSERT_EQ(nap_spawn(&pool, NULL, take_turns, (void *)i), 0);
	}
	judge(_metadata);
}

/* ---- more fibers than stacks */

static struct nap_fiber_start starts[STARTS];

static intptr_t sleep_a_little(void *arg)
{
	nap_sleep(MS / 10);
	return (intptr_t)arg;
}

TEST(fibers_that_wait_for_a_stack)
{
	struct nap_fibers_config config = { .most = 2 };

	traced((struct nap_config){ .max_workers = 2 });
	ASSERT_EQ(nap_fibers_init(&pool, &config), 0);
	for (int i = 0; i < STARTS; i++) {
		ASSERT_EQ(nap_fiber_start_init(&starts[i], &pool, sleep_a_little, NULL), 0);
		ASSERT_EQ(nap_schedule(&pool, &starts[i].task), 0);
	}
	judge(_metadata);
	EXPECT_EQ(seen.kinds[NAP_TRACE_FIBER_END], STARTS);
}

/* ---- a stop */

static intptr_t never_gives_up(void *arg)
{
	flag_set(&begun);
	for (int i = 0; i < 3; i++)
		nap_sleep_until(NAP_FOREVER);
	nap_yield();
	return (intptr_t)arg;
}

TEST(a_stop_that_interrupts_fibers)
{
	traced((struct nap_config){ .max_workers = 1 });
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(nap_spawn(&pool, NULL, never_gives_up, NULL), 0);
	}
	flag_wait(&begun);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	judge_causes(_metadata);
	EXPECT_GT(seen.kinds_outside[NAP_TRACE_FIBER_RESUME], 0);
}

/* The first of three starts has the only stack, and has not begun, when the pool is stopped. */
TEST(a_stop_that_hands_out_starts)
{
	struct nap_fibers_config config = { .most = 1 };
	struct blocker blocker = BLOCKER_INIT;
	struct nap_fiber *kept;

	traced((struct nap_config){ .max_workers = 1 });
	ASSERT_EQ(nap_fibers_init(&pool, &config), 0);
	ASSERT_EQ(nap_spawn(&pool, &kept, sleep_a_little, NULL), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(nap_fiber_start_init(&starts[i], &pool, sleep_a_little, NULL), 0);
		ASSERT_EQ(nap_schedule(&pool, &starts[i].task), 0);
	}
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_await(kept, NULL), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&blocker.let_go);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	judge_joined(_metadata);
	/* A start without a stack is no fiber. */
	EXPECT_EQ(seen.kinds_outside[NAP_TRACE_FIBER_SPAWN], 2);
	EXPECT_EQ(seen.kinds[NAP_TRACE_FIBER_END], 1);
	EXPECT_EQ(seen.kinds_outside[NAP_TRACE_FIBER_END], 1);
}

TEST_HARNESS_MAIN
