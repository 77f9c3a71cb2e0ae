/* SPDX-License-Identifier: MIT */
/* nap/order.h: the order in which tasks begin, how many slow tasks run, and what a stop leaves. */
#include <errno.h>
#include <pthread.h>

#include "pool_fixture.h"
#include "watchdog.h"

#define WORKERS	4
#define JOBS	200

static struct nap_pool pool;
static struct nap_order order;

/* A task that stays inside until the test lets it go. */
struct staying {
	struct nap_task task;
	uint32_t begun, door;		/* atomic */
};

static struct staying staying[WORKERS + 1];
static struct nap_task quick[JOBS];
static uint32_t nr_quick;		/* atomic */

static void stay(struct nap_task *task)
{
	struct staying *s = nap_container_of(task, struct staying, task);

	flag_set(&s->begun);
	flag_wait(&s->door);
}

static void note_quick(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_release(&nr_quick, 1);
}

static void begin(uint32_t workers, uint32_t most_slow)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }) ||
	    nap_order_init(&order, &pool, most_slow))
		abort();
	for (int i = 0; i <= WORKERS; i++)
		nap_task_init(&staying[i].task, stay);
	for (int i = 0; i < JOBS; i++)
		nap_task_init(&quick[i], note_quick);
}

static void put(enum nap_order_kind kind, struct nap_task *task)
{
	if (nap_order_schedule(&order, kind, task))
		abort();
}

static void wait_for_quick(uint32_t n)
{
	while (nap_load_acquire(&nr_quick) < n)
		sched_yield();
}

TEST(what_is_refused)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin(1, 0);
	EXPECT_EQ(nap_order_init(NULL, &pool, 0), -EINVAL);
	EXPECT_EQ(nap_order_init(&order, NULL, 0), -EINVAL);
	EXPECT_EQ(nap_order_init((struct nap_order *)((char *)&order + 1), &pool, 0), -EINVAL);
	EXPECT_EQ(nap_order_schedule(NULL, NAP_ORDER_FAST, &quick[0]), -EINVAL);
	EXPECT_EQ(nap_order_schedule(&order, NAP_ORDER_FAST, NULL), -EINVAL);
	EXPECT_EQ(nap_order_schedule(&order, (enum nap_order_kind)2, &quick[0]), -EINVAL);
	EXPECT_EQ(nap_order_work(&order, NAP_ORDER_SLOW, NULL), -EINVAL);
	EXPECT_EQ(nap_order_close(NULL, &left), -EINVAL);
	EXPECT_EQ(nap_order_close(&order, NULL), -EINVAL);
	EXPECT_EQ(nap_order_depth(NULL), 0u);
	EXPECT_TRUE(!nap_order_of(NULL) && !nap_order_of(&quick[0]));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_order_schedule(&order, NAP_ORDER_FAST, &quick[0]), -ESHUTDOWN);
	EXPECT_EQ(nap_order_close(&order, &left), 0);
	EXPECT_EQ(left.count, 0u);
}

/*
 * The first tasks stay inside, one on each worker. So no worker is left, and no other task can have
 * begun.
 */
TEST(none_overtakes_those_that_begin)
{
	for (int round = 0; round < 50; round++) {
		begin(WORKERS, 0);
		nr_quick = 0;
		for (int i = 0; i < WORKERS; i++) {
			staying[i].begun = staying[i].door = 0;
			put(NAP_ORDER_FAST, &staying[i].task);
		}
		for (int i = 0; i < JOBS; i++)
			put(NAP_ORDER_FAST, &quick[i]);
		for (int i = 0; i < WORKERS; i++)
			flag_wait(&staying[i].begun);
		ASSERT_EQ(nap_load_relaxed(&nr_quick), 0u);
		EXPECT_EQ(nap_order_depth(&order), (uint32_t)JOBS);
		for (int i = 0; i < WORKERS; i++)
			flag_set(&staying[i].door);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
		ASSERT_EQ(nr_quick, (uint32_t)JOBS);
	}
}

/* ---- on one worker tasks also end in their order */

static uint32_t ended[JOBS], nr_ended;	/* not atomic: one task at a time */

static void note_end(struct nap_task *task)
{
	ended[nr_ended++] = (uint32_t)(task - quick);
}

TEST(one_worker_runs_them_in_order)
{
	begin(1, 1);
	put(NAP_ORDER_FAST, &staying[0].task);
	flag_wait(&staying[0].begun);
	for (int i = 0; i < JOBS; i++) {
		nap_task_init(&quick[i], note_end);
		put(i % 3 ? NAP_ORDER_FAST : NAP_ORDER_SLOW, &quick[i]);
	}
	flag_set(&staying[0].door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nr_ended, (uint32_t)JOBS);
	for (uint32_t i = 0; i < JOBS; i++)
		EXPECT_EQ(ended[i], i);
}

/* ---- slow tasks */

TEST(a_slow_one_is_passed_over_and_keeps_its_place)
{
	begin(WORKERS, 1);
	put(NAP_ORDER_SLOW, &staying[0].task);
	put(NAP_ORDER_SLOW, &staying[1].task);
	put(NAP_ORDER_SLOW, &staying[2].task);
	for (int i = 0; i < JOBS; i++)
		put(NAP_ORDER_FAST, &quick[i]);
	wait_for_quick(JOBS);
	flag_wait(&staying[0].begun);
	EXPECT_TRUE(!staying[1].begun && !staying[2].begun);
	EXPECT_EQ(nap_order_depth(&order), 2u);
	flag_set(&staying[0].door);
	flag_wait(&staying[1].begun);
	EXPECT_TRUE(!nap_load_relaxed(&staying[2].begun));
	flag_set(&staying[1].door);
	flag_wait(&staying[2].begun);
	flag_set(&staying[2].door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static uint32_t nr_inside, most_inside, nr_slow;	/* atomic */

static void slow(struct nap_task *task)
{
	uint32_t n = nap_fetch_add_relaxed(&nr_inside, 1) + 1;
	uint32_t most = nap_load_relaxed(&most_inside);

	(void)task;
	while (n > most && !nap_try_cmpxchg_relaxed(&most_inside, &most, n))
		;
	sched_yield();
	nap_fetch_sub_relaxed(&nr_inside, 1);
	nap_fetch_add_relaxed(&nr_slow, 1);
}

TEST(the_bound_holds_and_nothing_is_lost)
{
	begin(WORKERS, 2);
	for (int i = 0; i < JOBS; i++) {
		if (i % 2)
			nap_task_init(&quick[i], slow);
		put(i % 2 ? NAP_ORDER_SLOW : NAP_ORDER_FAST, &quick[i]);
	}
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_quick + nr_slow, (uint32_t)JOBS);
	EXPECT_TRUE(most_inside <= 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Tasks that wait for a slot are part of the pool's work as long as another task has a slot. */
TEST(a_drain_runs_those_that_are_held)
{
	begin(WORKERS, 1);
	for (int i = 0; i < WORKERS; i++)
		put(NAP_ORDER_SLOW, &staying[i].task);
	flag_wait(&staying[0].begun);
	put(NAP_ORDER_FAST, &quick[0]);
	wait_for_quick(1);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_order_schedule(&order, NAP_ORDER_FAST, &quick[1]), -ESHUTDOWN);
	for (int i = 0; i < WORKERS; i++)
		flag_set(&staying[i].door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	for (int i = 0; i < WORKERS; i++)
		EXPECT_TRUE(staying[i].begun);
}

/* ---- the tasks that a stop leaves */

TEST(a_stop_leaves_them_in_order)
{
	struct nap_batch left = NAP_BATCH_INIT, in_queue = NAP_BATCH_INIT;

	begin(1, 1);
	put(NAP_ORDER_SLOW, &staying[0].task);
	flag_wait(&staying[0].begun);
	for (int i = 0; i < JOBS; i++)
		put(i % 2 ? NAP_ORDER_SLOW : NAP_ORDER_FAST, &quick[i]);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&staying[0].door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_TRUE(left.count == 1 && nap_order_of(left.head) == &order);
	EXPECT_TRUE(!nap_serial_of(left.head));
	EXPECT_EQ(nap_order_close(&order, &in_queue), 0);
	ASSERT_EQ(in_queue.count, (size_t)JOBS);
	for (int i = 0; i < JOBS; i++)
		EXPECT_TRUE(nap_batch_pop(&in_queue) == &quick[i]);
	EXPECT_EQ(nap_order_depth(&order), 0u);
	EXPECT_EQ(nr_quick, 0u);
}

/* After the stop only the worker in the slow task runs the queue. */
TEST(a_stop_leaves_those_that_are_held)
{
	struct nap_batch left = NAP_BATCH_INIT, in_queue = NAP_BATCH_INIT;

	begin(2, 1);
	for (int i = 0; i < 3; i++)
		put(NAP_ORDER_SLOW, &staying[i].task);
	put(NAP_ORDER_FAST, &quick[0]);
	wait_for_quick(1);
	flag_wait(&staying[0].begun);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&staying[0].door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_TRUE(left.count == 1 && nap_order_of(left.head) == &order);
	EXPECT_EQ(nap_order_close(&order, &in_queue), 0);
	ASSERT_EQ(in_queue.count, 2u);
	EXPECT_TRUE(nap_batch_pop(&in_queue) == &staying[1].task);
	EXPECT_TRUE(nap_batch_pop(&in_queue) == &staying[2].task);
}

/* ---- the memory of a queue */

/* A round of slow tasks and others, each of which needs a count of the queue to be right. */
static bool order_works(void)
{
	nr_quick = nr_slow = 0;
	if (nap_order_init(&order, &pool, 1))
		abort();
	for (int i = 0; i < JOBS; i++) {
		nap_task_init(&quick[i], i % 2 ? slow : note_quick);
		put(i % 2 ? NAP_ORDER_SLOW : NAP_ORDER_FAST, &quick[i]);
	}
	return !nap_pool_quiesce(&pool) && nr_quick == JOBS / 2 && nr_slow == JOBS / 2 &&
	       !nap_order_depth(&order);
}

TEST(new_memory_may_hold_anything)
{
	static const unsigned char with[] = { 0xff, 0xa5, 0x01 };

	begin(WORKERS, 1);
	for (size_t i = 0; i < 2 * sizeof(with); i++) {
		/* In the second half no two words are equal. */
		for (size_t at = 0; at < sizeof(order); at++)
			((unsigned char *)&order)[at] = (unsigned char)
				(with[i % sizeof(with)] + (i < sizeof(with) ? 0 : at / 4));
		EXPECT_TRUE(order_works());
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Closed while slow tasks are held, and while the queue is to learn that one has returned. */
TEST(a_closed_queue_may_be_opened_again)
{
	struct nap_batch left = NAP_BATCH_INIT, in_queue = NAP_BATCH_INIT;

	begin(1, 1);
	put(NAP_ORDER_SLOW, &staying[0].task);
	put(NAP_ORDER_SLOW, &staying[1].task);
	flag_wait(&staying[0].begun);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&staying[0].door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_order_close(&order, &in_queue), 0);
	EXPECT_EQ(in_queue.count, 1u);
	/* The queue has given its tasks back, and accepts none. */
	EXPECT_EQ(nap_order_close(&order, &in_queue), 0);
	EXPECT_EQ(in_queue.count, 1u);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = WORKERS }), 0);
	EXPECT_EQ(nap_order_schedule(&order, NAP_ORDER_FAST, &quick[0]), -ESHUTDOWN);
	EXPECT_EQ(nap_order_depth(&order), 0u);
	EXPECT_TRUE(order_works());
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- works */

static struct nap_work works[3];
static int results[3], nr_results;	/* not atomic: used in nap_work_finish() only */

static int work(struct nap_work *w)
{
	(void)w;
	return 1;
}

static void done(struct nap_work *w, int result)
{
	results[w - works] = result;
	nr_results++;
}

TEST(works_end_as_canceled)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin(1, 1);
	put(NAP_ORDER_SLOW, &staying[0].task);
	flag_wait(&staying[0].begun);
	for (int i = 0; i < 3; i++) {
		nap_work_init(&works[i], work, done, NULL);
		EXPECT_EQ(nap_order_work(&order, (enum nap_order_kind)(i % 2), &works[i]), 0);
	}
	EXPECT_EQ(nap_order_work(&order, NAP_ORDER_FAST, &works[0]), -EBUSY);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&staying[0].door);
	EXPECT_EQ(nap_work_finish(&pool, NULL, &left), 0);
	EXPECT_EQ(left.count, 0u);
	EXPECT_EQ(nr_results, 3);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(results[i], -ECANCELED);
}

/* ---- schedules from several threads, and from the queue's own tasks */

static void again(struct nap_task *task)
{
	if (nap_fetch_add_relaxed(&nr_slow, 1) < 4 * JOBS)
		put(NAP_ORDER_SLOW, task);
}

static void *put_quarter(void *first)
{
	for (int i = 0; i < JOBS / 4; i++)
		put(i % 2 ? NAP_ORDER_SLOW : NAP_ORDER_FAST, (struct nap_task *)first + i);
	return NULL;
}

TEST(many_schedule)
{
	pthread_t threads[4];
	struct nap_task own[2] = { NAP_TASK_INIT(again), NAP_TASK_INIT(again) };

	begin(WORKERS, 2);
	put(NAP_ORDER_SLOW, &own[0]);
	put(NAP_ORDER_SLOW, &own[1]);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, put_quarter, &quick[i * JOBS / 4]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_quick, (uint32_t)JOBS);
	EXPECT_EQ(nr_slow, 4u * JOBS + 2);
}

/* Without a worker the waiting thread runs the tasks. */
TEST(no_worker)
{
	begin(1, 1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .flags = NAP_NO_WORKERS }), 0);
	ASSERT_EQ(nap_order_init(&order, &pool, 1), 0);
	for (int i = 0; i < JOBS; i++) {
		nap_task_init(&quick[i], note_end);
		put(i % 2 ? NAP_ORDER_SLOW : NAP_ORDER_FAST, &quick[i]);
	}
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	for (uint32_t i = 0; i < JOBS; i++)
		EXPECT_EQ(ended[i], i);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
