/* SPDX-License-Identifier: MIT */
/*
 * Odd tasks: tasks that free themselves, schedule themselves a million times, schedule a hundred
 * thousand others, or block in the kernel.
 */
#include "fault/odd.h"
#include "queue/ring.h"

TEST(tasks_that_free_themselves)
{
	unsigned long n = nap_test_count(100000);

	watchdog(&pool, 0);
	for (unsigned long i = 0; i < n; i++)
		schedule(new_task(free_oneself));
	end(_metadata, "tasks that free themselves", n);
}

/* ---- a task that reschedules itself very often */

static unsigned long times;

static void again(struct nap_task *task)
{
	nap_fetch_add_relaxed(&nr_run, 1);
	if (--times)
		schedule(task);
}

TEST(a_task_that_schedules_itself_a_million_times)
{
	unsigned long n = nap_test_count(1000000);
	struct nap_task task = NAP_TASK_INIT(again);

	watchdog(&pool, 0);
	times = n;
	schedule(&task);
	end(_metadata, "a task that schedules itself", n);
}

/* ---- a task that schedules many other tasks: singly, and as one batch */

static void schedule_many(struct nap_task *task)
{
	unsigned long n = nap_test_count(100000);
	struct nap_batch batch = new_batch(n, free_oneself);

	for (unsigned long i = 0; i < n; i++)
		schedule(new_task(free_oneself));
	nap_fetch_add_relaxed(&scheduled, n);
	if (nap_schedule_batch(&pool, &batch))
		abort();
	free_oneself(task);
}

TEST(a_task_that_schedules_a_hundred_thousand)
{
	struct nap_pool_stats stats;

	watchdog(&pool, 0);
	schedule(new_task(schedule_many));
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_GT(stats.workers.overflowed, 0);
	end(_metadata, "tasks out of one task", scheduled);
}

/* ---- a task that blocks in the kernel until a task that was scheduled later writes */

static int ends[2];
static uint32_t blocked;

static void read_byte(struct nap_task *task)
{
	char byte;

	(void)task;
	flag_set(&blocked);
	if (read(ends[0], &byte, 1) != 1)
		abort();
	nap_fetch_add_relaxed(&nr_run, 1);
}

static void write_byte(struct nap_task *task)
{
	(void)task;
	if (write(ends[1], "", 1) != 1)
		abort();
	nap_fetch_add_relaxed(&nr_run, 1);
}

TEST(a_task_that_blocks_on_a_pipe)
{
	struct nap_task reader = NAP_TASK_INIT(read_byte), writer = NAP_TASK_INIT(write_byte);
	unsigned long n = nap_test_count(20000);

	watchdog(&pool, 0);
	ASSERT_EQ(pipe(ends), 0);
	schedule(&reader);
	flag_wait(&blocked);
	/* The other tasks run, and after the last of them the writer ends the read. */
	for (unsigned long i = 0; i < n; i++)
		schedule(new_task(free_oneself));
	while (nap_load_relaxed(&nr_run) < n)
		sched_yield();
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 0), -ETIMEDOUT);
	schedule(&writer);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	end(_metadata, "a task that blocks on a pipe", 1);
}

/* Fills the worker's ring, and blocks in read(2): other workers steal the tasks. */
static void leave_work_and_read(struct nap_task *task)
{
	for (int i = 0; i < 2 * NAP_RING_SIZE; i++)
		schedule(new_task(free_oneself));
	read_byte(task);
}

TEST(a_task_that_blocks_on_a_pipe_with_work_behind_it)
{
	struct nap_task reader = NAP_TASK_INIT(leave_work_and_read);
	struct nap_task writer = NAP_TASK_INIT(write_byte);

	watchdog(&pool, 0);
	ASSERT_EQ(pipe(ends), 0);
	schedule(&reader);
	while (nap_load_relaxed(&nr_run) < 2 * NAP_RING_SIZE)
		sched_yield();
	schedule(&writer);
	end(_metadata, "a task that blocks on a pipe, work behind it", 1);
}

TEST_HARNESS_MAIN
