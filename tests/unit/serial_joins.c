/* SPDX-License-Identifier: MIT */
/*
 * Loops in a task of a serial queue. The task holds the queue until its loop is over, also while it
 * waits for a part on another worker. If this wait ran a task that waits for the queue, neither
 * would end. So the wait only runs parts of the same loop.
 */
#include <pthread.h>

#include "sync/event.h"
#include "worker/exclusive.h"
#include "worker/worker.h"
#include "pool_fixture.h"
#include "watchdog.h"

#include <nap/parallel.h>

static struct nap_pool pool, other;
static struct nap_pool *looped;		/* the pool on which these loops run */
static struct nap_serial queue;

/* ---- a task that waits until the serial queue has run its tasks */

static uint32_t flush_begun, nr_nested, nr_passed;
static __thread uint32_t nr_loops;	/* the number of loops that the thread is inside */
static struct nap_worker *joiners[2];
static struct nap_group passed;
static struct nap_task marker;

static void pass(struct nap_task *task)
{
	(void)task;
	nr_passed++;
	nap_group_done(&passed);
}

static void flush(struct nap_task *task)
{
	(void)task;
	nr_nested += nr_loops;
	flag_set(&flush_begun);
	nap_group_init(&passed, looped);
	nap_group_add(&passed, 1);
	nap_task_init(&marker, pass);
	if (nap_serial_schedule(&queue, &marker) || nap_group_wait(&passed))
		abort();
}

static struct nap_task flusher = NAP_TASK_INIT(flush);

/* ---- loops of two parts, each on a worker of its own */

static uint32_t begun[2][2];

/*
 * Waits until the worker that has run the first part joins the second part: the worker either
 * sleeps in this join, or has begun the flusher's task.
 */
static void until_joined(struct nap_worker **joiner)
{
	struct nap_worker *worker;

	do {
		sched_yield();
		worker = nap_load_acquire(joiner);
	} while (!nap_load_relaxed(&flush_begun) &&
		 !(worker && nap_load_relaxed(&worker->event) & EVENT_PARKED));
}

static int inner_part(size_t i, size_t stop, void *unused)
{
	(void)unused;
	(void)stop;
	flag_set(&begun[1][i]);
	flag_wait(&begun[1][!i]);
	if (i) {
		until_joined(&joiners[1]);
		return 0;
	}
	if (nap_schedule(looped, &flusher))
		abort();
	nap_store_release(&joiners[1], nap_worker_self());
	return 0;
}

static int loop_of_two(int (*body)(size_t i, size_t stop, void *arg), void *arg)
{
	int err;

	nr_loops++;
	err = nap_for_as(looped, &(struct nap_loop){ .grain = 1 }, 0, 2, body, arg);
	nr_loops--;
	return err;
}

static int part(size_t i, size_t stop, void *deep)
{
	(void)stop;
	flag_set(&begun[0][i]);
	flag_wait(&begun[0][!i]);
	if (!i) {
		if (!deep && nap_schedule(looped, &flusher))
			abort();
		nap_store_release(&joiners[0], nap_worker_self());
	} else if (deep) {
		return loop_of_two(inner_part, NULL);
	} else {
		until_joined(&joiners[0]);
	}
	return 0;
}

static void loop(struct nap_task *task)
{
	(void)task;
	if (loop_of_two(part, NULL))
		abort();
}

static void deep_loop(struct nap_task *task)
{
	(void)task;
	if (loop_of_two(part, looped))
		abort();
}

static void run(nap_task_fn request, uint32_t workers)
{
	struct nap_task task = NAP_TASK_INIT(request);

	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }) ||
	    nap_pool_prewarm(&pool, workers) || nap_serial_init(&queue, &pool) ||
	    nap_serial_schedule(&queue, &task) || nap_pool_quiesce(&pool) ||
	    nap_pool_quiesce(looped) || nap_pool_join(&pool, NULL))
		abort();
}

TEST(who_joins_runs_nothing_else)
{
	looped = &pool;
	run(loop, 2);
	EXPECT_EQ(nr_nested, 0u);
	EXPECT_EQ(nr_passed, 1u);
}

/* The joining worker has taken a part from the other worker, which joins this part. */
TEST(nor_does_who_has_stolen_a_part)
{
	looped = &pool;
	run(deep_loop, 2);
	EXPECT_EQ(nr_nested, 0u);
	EXPECT_EQ(nr_passed, 1u);
}

/* A worker of one pool is a guest of the other pool. */
TEST(nor_in_a_loop_of_another_pool)
{
	looped = &other;
	ASSERT_EQ(nap_pool_init(&other, &(struct nap_config){ .max_workers = 1 }), 0);
	ASSERT_EQ(nap_pool_prewarm(&other, 1), 0);
	run(loop, 1);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nr_nested, 0u);
	EXPECT_EQ(nr_passed, 1u);
}

/* ---- after the loop the task may run other tasks again */

static uint32_t met, nested_begun;

static void nested(struct nap_task *task)
{
	(void)task;
	flag_set(&nested_begun);
}

static int ordinary_part(size_t i, size_t stop, void *unused)
{
	static struct nap_task task = NAP_TASK_INIT(nested);

	(void)unused;
	(void)stop;
	if (i) {
		flag_set(&met);
		flag_wait(&nested_begun);
	} else {
		flag_wait(&met);
		if (nap_schedule(&pool, &task))
			abort();
	}
	return 0;
}

static void in_order(struct nap_task *task)
{
	(void)task;
	nr_passed++;
}

static void ordinary(struct nap_task *task)
{
	(void)task;
	if (loop_of_two(ordinary_part, NULL))
		abort();
}

static bool was_exclusive[2];

static void note_in_order(struct nap_task *task)
{
	(void)task;
	was_exclusive[0] = is_exclusive();
}

static void note_ordinary(struct nap_task *task)
{
	(void)task;
	was_exclusive[1] = is_exclusive();
}

TEST(only_the_tasks_of_the_queue_are_exclusive)
{
	struct nap_task tasks[2] = { NAP_TASK_INIT(note_in_order), NAP_TASK_INIT(note_ordinary) };

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	ASSERT_EQ(nap_serial_init(&queue, &pool), 0);
	ASSERT_EQ(nap_serial_schedule(&queue, &tasks[0]), 0);
	ASSERT_EQ(nap_schedule(&pool, &tasks[1]), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(was_exclusive[0]);
	EXPECT_FALSE(was_exclusive[1]);
}

TEST(an_ordinary_task_helps_again)
{
	struct nap_task before[20], task = NAP_TASK_INIT(ordinary);

	watchdog(&pool, 0);
	looped = &pool;
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	ASSERT_EQ(nap_serial_init(&queue, &pool), 0);
	for (int i = 0; i < 20; i++) {
		nap_task_init(&before[i], in_order);
		ASSERT_EQ(nap_serial_schedule(&queue, &before[i]), 0);
	}
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_passed == 20 && nested_begun);
}

TEST_HARNESS_MAIN
