/* SPDX-License-Identifier: MIT */
/*
 * Memory that a race detector is told of when the program gets it back, or its own function may
 * use it: timers, waits for files, serial and ordered queues, and completion queues.
 */
#include <errno.h>
#include <pthread.h>

#include <nap/async.h>

#include "async/io/io.h"
#include "async/timer/timer.h"
#include "given.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool;
static struct blocker blocker;

static void begin(void)
{
	watchdog(&pool, 0);
	blocker = (struct blocker)BLOCKER_INIT;
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }))
		abort();
}

/* Stops the pool, whose only worker is in the blocker's task. */
static void stop(struct nap_batch *left)
{
	if (nap_pool_shutdown(&pool, NAP_STOP))
		abort();
	flag_set(&blocker.let_go);
	if (nap_pool_join(&pool, left))
		abort();
}

/* ---- timers */

static struct nap_timer timer;
static uint32_t given_to_task;
static struct blocker inside;

static void note_timer(struct nap_task *unused)
{
	given_to_task = COUNT_GIVEN(timer);
	block(&inside.task);
	(void)unused;
}

TEST(a_timer_is_its_tasks_and_who_cancels_has_it_back)
{
	begin();
	flag_set(&inside.let_go);
	nap_timer_init(&timer, note_timer);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 0), 0);
	flag_wait(&inside.running);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(given_to_task, 1u);
	EXPECT_EQ(COUNT_GIVEN(timer), 1u);
	EXPECT_EQ(count_given(NULL, sizeof(struct nap__timer_run)), 1u);
	EXPECT_EQ(nap_timer_cancel(&timer), -EALREADY);
	EXPECT_EQ(COUNT_GIVEN(timer), 2u);
	EXPECT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
	EXPECT_EQ(COUNT_GIVEN(timer), 3u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void *let_go(void *unused)
{
	flag_set(&inside.let_go);
	return unused;
}

TEST(not_before_its_task_has_ended)
{
	pthread_t thread;

	begin();
	nap_timer_init(&timer, note_timer);
	ASSERT_EQ(nap_schedule_after(&pool, &timer, 0), 0);
	flag_wait(&inside.running);
	EXPECT_EQ(nap_timer_cancel(&timer), -EINPROGRESS);
	EXPECT_EQ(nap_timer_cancel_wait(&timer, 0), -ETIMEDOUT);
	EXPECT_EQ(COUNT_GIVEN(timer), 1u);
	ASSERT_EQ(pthread_create(&thread, NULL, let_go, NULL), 0);
	EXPECT_EQ(nap_timer_cancel_wait(&timer, NAP_FOREVER), 0);
	EXPECT_EQ(COUNT_GIVEN(timer), 2u);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- files */

TEST(a_wait_for_a_file_lies_on_the_callers_stack)
{
	int fds[2];

	ASSERT_EQ(pipe(fds), 0);
	EXPECT_EQ(nap_io_wait(fds[1], NAP_IO_WRITE, NAP_FOREVER), NAP_IO_WRITE);
	EXPECT_EQ(count_given(NULL, sizeof(struct nap__io_waiter)), 1u);
}

/* ---- completion queues */

TEST(the_loop_gets_tasks_and_a_closed_queue)
{
	struct nap_task tasks[2] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_cq cq;

	ASSERT_EQ(nap_cq_init(&cq), 0);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_cq_push(&cq, &tasks[i]), 0);
	EXPECT_TRUE(nap_cq_pop(&cq) == &tasks[0]);
	EXPECT_TRUE(COUNT_GIVEN(tasks[0]) == 1 && COUNT_GIVEN(tasks[1]) == 1);
	EXPECT_EQ(COUNT_GIVEN(cq), 0u);
	EXPECT_EQ(nap_cq_close(&cq, &left), 0);
	EXPECT_EQ(COUNT_GIVEN(cq), 1u);
}

/* ---- serial queues */

static struct nap_serial serial;
static uint32_t given_to_last;

static void note_serial(struct nap_task *unused)
{
	(void)unused;
	given_to_last = COUNT_GIVEN(serial);
}

static struct nap_task last = NAP_TASK_INIT(note_serial);

TEST(the_last_task_gets_the_queue)
{
	begin();
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	ASSERT_EQ(nap_serial_schedule(&serial, &blocker.task), 0);
	flag_wait(&blocker.running);
	ASSERT_EQ(nap_serial_end(&serial, &last), 0);
	EXPECT_EQ(COUNT_GIVEN(serial), 0u);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(given_to_last, 1u);
	EXPECT_EQ(COUNT_GIVEN(serial), 1u);
}

TEST(also_where_the_caller_runs_it)
{
	begin();
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_serial_end(&serial, &last), 0);
	EXPECT_EQ(given_to_last, 1u);
	EXPECT_EQ(COUNT_GIVEN(serial), 1u);
}

TEST(a_queue_that_has_ended_without_one_is_given_when_it_is_idle)
{
	begin();
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	ASSERT_EQ(nap_serial_schedule(&serial, &blocker.task), 0);
	flag_wait(&blocker.running);
	EXPECT_EQ(nap_serial_end(&serial, NULL), -EINPROGRESS);
	EXPECT_EQ(COUNT_GIVEN(serial), 0u);
	flag_set(&blocker.let_go);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_serial_end(&serial, NULL), 0);
	EXPECT_EQ(COUNT_GIVEN(serial), 1u);
}

static void expect_tasks_given(struct __test_metadata *_metadata, const struct nap_task *tasks)
{
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(count_given(&tasks[i], sizeof(*tasks)), 1u);
}

TEST(a_closed_queue_is_given_with_its_tasks)
{
	struct nap_task tasks[2] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };
	struct nap_batch left = NAP_BATCH_INIT, of_queue = NAP_BATCH_INIT;

	begin();
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	ASSERT_EQ(nap_serial_schedule(&serial, &blocker.task), 0);
	flag_wait(&blocker.running);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_serial_schedule(&serial, &tasks[i]), 0);
	stop(&left);
	EXPECT_EQ(COUNT_GIVEN(serial), 0u);
	EXPECT_EQ(nap_serial_close(&serial, &of_queue), 0);
	expect_tasks_given(_metadata, tasks);
	EXPECT_EQ(COUNT_GIVEN(serial), 1u);
}

/* One task is held back, because it is slow, and another one is in the queue. */
TEST(so_is_an_ordered_one)
{
	struct nap_task tasks[2] = { NAP_TASK_INIT(count_run), NAP_TASK_INIT(count_run) };
	struct nap_batch left = NAP_BATCH_INIT, of_queue = NAP_BATCH_INIT;
	struct nap_order order;

	begin();
	ASSERT_EQ(nap_order_init(&order, &pool, 1), 0);
	ASSERT_EQ(nap_order_schedule(&order, NAP_ORDER_SLOW, &blocker.task), 0);
	flag_wait(&blocker.running);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_order_schedule(&order, (enum nap_order_kind)i, &tasks[i]), 0);
	stop(&left);
	EXPECT_EQ(COUNT_GIVEN(order), 0u);
	EXPECT_EQ(nap_order_close(&order, &of_queue), 0);
	expect_tasks_given(_metadata, tasks);
	EXPECT_EQ(COUNT_GIVEN(order), 1u);
}

TEST_HARNESS_MAIN
