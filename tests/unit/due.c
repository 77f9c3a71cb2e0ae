/* SPDX-License-Identifier: MIT */
/*
 * NAP_DUE_DEQUEUES: timers, sleeps and files that are due beside a worker that is always busy.
 * The test counts the tasks that began between the due time and the run of what was due; it
 * checks no times.
 */
#include <errno.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "async/async.h"
#include "harness.h"
#include "watchdog.h"

#define US	1000u
#define LONG	(40 * US)	/* long, so that the worker checks the clock after each task */
#define MANY	150u
#define LOG	(1u << 16)

static struct nap_pool pool;
static struct nap_task tasks[MANY];
static struct nap_timer first;
static uint64_t began[LOG];
static uint32_t nr_began, ends, nr_ended, rounds;
static uint64_t length;
static uint32_t most;
static struct nap_classes classes = { .of = { { .weight = 255 }, { .weight = 1 } }, .count = 2 };
static bool in_class;	/* whether the busy tasks are in the first class */

static int busy_schedule(struct nap_task *task)
{
	return in_class ? nap_class_schedule(&pool, 0, task) : nap_schedule(&pool, task);
}

static void log_and_spin(void)
{
	uint64_t now = nap__os_now(), n = nap_load_relaxed(&nr_began);

	began[n % LOG] = now;
	nap_store_relaxed(&nr_began, (uint32_t)n + 1);
	while (nap__os_now() < now + length)
		nap_cpu_relax();
}

/* Returns how many tasks have begun since @when. Called on the worker. */
static uint32_t begun_since(uint64_t when)
{
	uint32_t n = 0, i = nap_load_relaxed(&nr_began);

	while (i && n < LOG / 2 && began[(i - 1) % LOG] > when) {
		i--;
		n++;
	}
	return n;
}

static void goes_on(struct nap_task *task)
{
	log_and_spin();
	if (nap_load_relaxed(&ends) || busy_schedule(task))
		nap_fetch_add_relaxed(&nr_ended, 1);
}

static void nothing(struct nap_task *task)
{
	(void)task;
}

static void begin(uint64_t ns)
{
	length = ns;
	most = 0;
	nap_store_relaxed(&nr_began, 0);
	nap_store_relaxed(&ends, 0);
	nap_store_relaxed(&rounds, 0);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1,
						   .classes = in_class ? &classes : NULL });
	/*
	 * Arms the pool's first timer now, because the worker may notice a first timer only at a
	 * tick.
	 */
	nap_timer_init(&first, nothing);
	nap_schedule_after(&pool, &first, NAP_FOREVER);
	nap_timer_cancel(&first);
}

static void keep_busy(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		nap_task_init(&tasks[i], goes_on);
		busy_schedule(&tasks[i]);
	}
}

static void end(void)
{
	nap_store_relaxed(&ends, 1);
	nap_pool_join(&pool, NULL);
}

/*
 * Notes that @n tasks have begun. The first round does not count: in it the worker measures its
 * tasks.
 */
static void note(uint32_t n)
{
	if (nap_load_relaxed(&rounds) && n > most)
		most = n;
	nap_fetch_add_release(&rounds, 1);
}

/* ---- timers and sleeps */

/*
 * atomic: when the call that armed the timer returned; 0: the thread may still be inside the call
 */
static uint64_t armed_at;

/* Notes the tasks that have begun since the timer was both armed and due. */
static void ring(struct nap_task *task)
{
	uint64_t when = nap_container_of(task, struct nap_timer, task)->node.when;
	uint64_t armed = nap_load_acquire(&armed_at);

	note(armed ? begun_since(when > armed ? when : armed) : 0);
}

static void arm_again_and_again(uint32_t n)
{
	struct nap_timer timer;

	nap_timer_init(&timer, ring);
	for (uint32_t i = 0; i < n; i++) {
		nap_store_relaxed(&armed_at, 0);
		nap_schedule_after(&pool, &timer, 300 * US);
		nap_store_release(&armed_at, nap__os_now());
		while (nap_load_acquire(&rounds) <= i)
			usleep(50);
	}
	nap_timer_cancel_wait(&timer, NAP_FOREVER);
}

/*
 * The timer's task runs after the task that the worker was in, or after the next one if the timer
 * became due in between.
 */
TEST(beside_long_tasks_a_timer_is_next)
{
	static const uint32_t several[] = { 1, 20, MANY };

	for (int i = 0; i < 3; i++) {
		begin(LONG);
		keep_busy(several[i]);
		arm_again_and_again(30);
		EXPECT_LE(most, 1u);
		end();
	}
}

TEST(beside_short_ones_it_is_not_far)
{
	begin(0);
	keep_busy(MANY);
	arm_again_and_again(100);
	EXPECT_LE(most, NAP_DUE_DEQUEUES);
	end();
}

/* The tasks of a class of the largest weight come one after the other, nearly always. */
TEST(beside_a_class_it_is_not_far)
{
	in_class = true;
	begin(0);
	keep_busy(MANY);
	arm_again_and_again(100);
	EXPECT_LE(most, NAP_DUE_DEQUEUES);
	end();
	begin(LONG);
	keep_busy(20);
	arm_again_and_again(30);
	EXPECT_LE(most, 1u);
	end();
}

#define MIDDLES 4000u

/*
 * Notes the tasks that have begun since the timer was due, if it became due in the middle of a
 * task. Then it is armed for a time in one of the next tasks.
 */
static void ring_in_the_middle(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);
	uint32_t n = begun_since(timer->node.when), round = nap_load_relaxed(&rounds);
	uint64_t into = timer->node.when - began[(nap_load_relaxed(&nr_began) - n - 1) % LOG];

	note(into > LONG / 4 && into < LONG * 3 / 4 ? n : 0);
	if (round < MIDDLES)
		nap_schedule_after(&pool, timer, LONG + round * 1009 % LONG);
}

/* Wherever the task stands between two ticks, also if it is the task that a tick serves. */
TEST(a_timer_that_was_due_in_the_middle_of_a_long_task_is_next)
{
	struct nap_timer timer;

	begin(LONG);
	keep_busy(3);
	nap_timer_init(&timer, ring_in_the_middle);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, LONG), 0);
	while (nap_load_acquire(&rounds) <= MIDDLES)
		usleep(1000);
	EXPECT_EQ(most, 0u);
	end();
}

static intptr_t sleeps(void *unused)
{
	(void)unused;
	for (int i = 0; i < 30; i++) {
		uint64_t until = nap_deadline(300 * US);

		nap_sleep_until(until);
		note(begun_since(until));
	}
	return 0;
}

TEST(so_is_a_fiber_whose_sleep_is_over)
{
	struct nap_fiber *fiber;

	begin(LONG);
	keep_busy(MANY);
	ASSERT_EQ(nap_spawn(&pool, &fiber, sleeps, NULL), 0);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	EXPECT_LE(most, 1u);
	end();
}

/* ---- tasks that were moved in bulk */

static void once(struct nap_task *task)
{
	(void)task;
	log_and_spin();
	nap_fetch_add_relaxed(&nr_ended, 1);
}

static uint32_t may_begin, is_held;

static void holds_the_worker(struct nap_task *task)
{
	(void)task;
	nap_store_release(&is_held, 1);
	while (!nap_load_acquire(&may_begin))
		usleep(50);
}

TEST(a_bulk_is_left_for_what_is_due)
{
	struct nap_task holder = NAP_TASK_INIT(holds_the_worker);
	struct nap_timer timers[2];

	begin(LONG);
	ASSERT_EQ(nap_schedule(&pool, &holder), 0);
	while (!nap_load_acquire(&is_held))
		usleep(50);
	for (uint32_t i = 0; i < MANY; i++) {
		nap_task_init(&tasks[i], once);
		ASSERT_EQ(nap_schedule(&pool, &tasks[i]), 0);
	}
	nap_store_relaxed(&armed_at, 1);
	/* The timers are due in the middle of the bulk: after a tenth, and after half. */
	for (int i = 0; i < 2; i++) {
		nap_timer_init(&timers[i], ring);
		ASSERT_EQ(nap_schedule_after(&pool, &timers[i], LONG * MANY / (i ? 2 : 10)), 0);
	}
	nap_store_release(&may_begin, 1);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	while (nap_load_acquire(&rounds) < 2)
		usleep(50);
	EXPECT_LE(most, 1u);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), MANY);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- files */

static int fds[2];
static uint64_t written_at;

static void writes(struct nap_task *task)
{
	(void)task;
	log_and_spin();
	written_at = nap__os_now();
	if (write(fds[1], "", 1) != 1)
		__builtin_trap();
}

static intptr_t reads(void *unused)
{
	struct nap_task writer;
	char c;

	(void)unused;
	for (int i = 0; i < 30; i++) {
		nap_task_init(&writer, writes);
		nap_schedule(&pool, &writer);
		if (nap_io_wait(fds[0], NAP_IO_READ, NAP_FOREVER) != NAP_IO_READ ||
		    read(fds[0], &c, 1) != 1)
			return -1;
		note(begun_since(written_at));
	}
	return 0;
}

static void expect_read(struct __test_metadata *_metadata, nap_fiber_fn reader)
{
	struct nap_fiber *fiber;
	intptr_t result = 1;

	begin(LONG);
	ASSERT_EQ(pipe(fds), 0);
	keep_busy(MANY);
	ASSERT_EQ(nap_spawn(&pool, &fiber, reader, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	EXPECT_LE(most, 1u);
	end();
}

/* The worker polls after the task that has written to the file. */
TEST(so_is_a_fiber_whose_file_is_ready)
{
	expect_read(_metadata, reads);
}

/*
 * Reads a file on the only worker. The poller's word says that another worker polls in passing, and
 * never ends.
 */
static intptr_t reads_beside_a_look(void *unused)
{
	uint32_t *seat = &pool_async(&pool)->timers.poller;
	intptr_t result;

	nap_fetch_sub_relaxed(seat, 1);
	result = reads(unused);
	nap_fetch_add_relaxed(seat, 1);
	return result;
}

/* The only worker polls all the same, and does not keep the stopped worker from polling. */
TEST(so_it_is_beside_a_look_that_was_stopped)
{
	expect_read(_metadata, reads_beside_a_look);
}

/* ---- timers that are always due */

#define ROUNDS 2000u

static uint32_t nr_rung, in_a_row;

static void rings_again(struct nap_task *task)
{
	uint32_t n = nap_load_relaxed(&rounds);

	(void)task;
	nap_fetch_add_relaxed(&nr_rung, 1);
	/* Only what runs between the first task and the last is counted. */
	if (n && n < ROUNDS && ++in_a_row > most)
		most = in_a_row;
}

static void counts(struct nap_task *task)
{
	in_a_row = 0;
	if (nap_fetch_add_relaxed(&rounds, 1) < ROUNDS)
		nap_schedule(&pool, task);
}

/* Each timer runs once in a poll, however soon it is due again; then a task runs. */
TEST(what_is_always_due_starves_nobody)
{
	struct nap_timer timers[5];
	struct nap_task task = NAP_TASK_INIT(counts);
	struct nap_batch left;

	begin(0);
	for (int i = 0; i < 5; i++) {
		nap_timer_init(&timers[i], rings_again);
		ASSERT_EQ(nap_schedule_every(&pool, &timers[i], 0, 1), 0);
	}
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	while (nap_load_relaxed(&rounds) < ROUNDS)
		usleep(100);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_GE(nap_load_relaxed(&nr_rung), 100u);
	EXPECT_LE(most, 5u);
	EXPECT_EQ(left.count, 5u);
}

static void goes_on_in_the_past(struct nap_task *task)
{
	if (!nap_load_relaxed(&ends))
		nap_schedule_at(&pool, nap_container_of(task, struct nap_timer, task),
				nap_load_relaxed(&rounds) % 2);
	nap_fetch_add_relaxed(&rounds, 1);
}

/* Sleeps at a rate that nothing can keep. */
static intptr_t falls_behind(void *unused)
{
	uint64_t next = nap__os_now();

	(void)unused;
	while (!nap_load_relaxed(&ends) && !nap_sleep_until(next))
		next++;
	return 0;
}

static intptr_t sleeps_and_gives_up(void *unused)
{
	struct nap_mutex mutex = NAP_MUTEX_INIT;

	(void)unused;
	nap_mutex_lock(&mutex);
	for (int i = 0; i < 20; i++)
		if (nap_sleep(US) || nap_mutex_lock_for(&mutex, US) != -ETIMEDOUT)
			return -1;
	return 0;
}

/* Tasks and a fiber come again and again with times that have passed. */
TEST(what_was_due_before_it_was_armed_starves_nobody)
{
	struct nap_timer timers[3], other;
	struct nap_fiber *fibers[2];
	intptr_t result = 1;

	begin(0);
	for (int i = 0; i < 3; i++) {
		nap_timer_init(&timers[i], goes_on_in_the_past);
		ASSERT_EQ(nap_schedule_at(&pool, &timers[i], 0), 0);
	}
	ASSERT_EQ(nap_spawn(&pool, &fibers[0], falls_behind, NULL), 0);
	while (!nap_load_relaxed(&rounds))
		usleep(100);
	nap_timer_init(&other, rings_again);
	ASSERT_EQ(nap_schedule_every(&pool, &other, US, US), 0);
	ASSERT_EQ(nap_spawn(&pool, &fibers[1], sleeps_and_gives_up, NULL), 0);
	ASSERT_EQ(nap_await(fibers[1], &result), 0);
	EXPECT_EQ(result, 0);
	while (nap_load_relaxed(&nr_rung) < 20)
		usleep(100);
	nap_store_relaxed(&ends, 1);
	ASSERT_EQ(nap_await(fibers[0], NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* More fibers than run before the next poll, and several for each file. */
#define READY 512u
#define FILES 8u

static intptr_t finds_ready(void *arg)
{
	int fd = (int)(intptr_t)arg;

	while (!nap_load_relaxed(&ends)) {
		if (nap_io_wait(fd, NAP_IO_WRITE, NAP_FOREVER) != NAP_IO_WRITE)
			return -1;
		nap_fetch_add_relaxed(&rounds, 1);
	}
	return 0;
}

TEST(files_that_are_always_ready_starve_nobody)
{
	struct nap_fiber *fibers[READY], *sleeper;
	struct nap_timer other;
	intptr_t result = 1;

	begin(0);
	for (uint32_t i = 0; i < READY; i++) {
		if (i % (READY / FILES) == 0) {
			ASSERT_EQ(pipe(fds), 0);
		}
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], finds_ready, (void *)(intptr_t)fds[1]), 0);
	}
	while (nap_load_relaxed(&rounds) < 10 * READY)
		usleep(100);
	nap_timer_init(&other, rings_again);
	ASSERT_EQ(nap_schedule_every(&pool, &other, US, US), 0);
	ASSERT_EQ(nap_spawn(&pool, &sleeper, sleeps_and_gives_up, NULL), 0);
	ASSERT_EQ(nap_await(sleeper, &result), 0);
	EXPECT_EQ(result, 0);
	while (nap_load_relaxed(&nr_rung) < 20)
		usleep(100);
	nap_store_relaxed(&ends, 1);
	for (uint32_t i = 0; i < READY; i++) {
		ASSERT_EQ(nap_await(fibers[i], &result), 0);
		EXPECT_EQ(result, 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- other queues */

/* As in src/async/timer/due.c: the most due tasks before a dequeue from the queues. */
enum { DUE_AT_ONCE = 32, PERIOD = 61, ALWAYS_DUE = 2 * DUE_AT_ONCE };

static uint32_t nr_dequeued, begun_at, has_begun;

static void rings_at_once(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&nr_dequeued, nap_load_relaxed(&nr_dequeued) + 1);
}

static void goes_on_and_counts(struct nap_task *task)
{
	nap_store_relaxed(&nr_dequeued, nap_load_relaxed(&nr_dequeued) + 1);
	goes_on(task);
}

static void notes_when(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&begun_at, nap_load_relaxed(&nr_dequeued));
	nap_store_release(&has_begun, true);
}

/*
 * nap/pool.h: beside tasks that are long, and timers that are always due, the injected task waits
 * for a tick, and each of the dequeues until then comes after all the due tasks of one check.
 */
TEST(what_is_always_due_puts_off_a_tick_so_far_only)
{
	static struct nap_timer timers[ALWAYS_DUE];
	struct nap_task injected = NAP_TASK_INIT(notes_when);

	begin(30 * US);
	for (int i = 0; i < ALWAYS_DUE; i++) {
		nap_timer_init(&timers[i], rings_at_once);
		ASSERT_EQ(nap_schedule_every(&pool, &timers[i], 0, 1), 0);
	}
	nap_task_init(&tasks[0], goes_on_and_counts);
	nap_schedule(&pool, &tasks[0]);
	/* Until it has begun, both tasks are injected, and the second one waits for two ticks. */
	while (!nap_load_relaxed(&nr_began))
		usleep(100);
	for (int i = 0; i < 20; i++) {
		uint32_t from;

		usleep(1000 + (unsigned int)i * 37);
		nap_store_relaxed(&has_begun, false);
		nap_schedule(&pool, &injected);
		from = nap_load_relaxed(&nr_dequeued);
		while (!nap_load_acquire(&has_begun))
			usleep(100);
		if ((int32_t)(begun_at - from) > (int32_t)most)
			most = begun_at - from;
	}
	end();
	TH_LOG("%u dequeues", most);
	EXPECT_LE(most, (DUE_AT_ONCE + 1) * (PERIOD + 1));
}

TEST_HARNESS_MAIN
