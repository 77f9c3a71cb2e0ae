/* SPDX-License-Identifier: MIT */
/*
 * Traces of programs of each kind. A trace has as many events as the pool has counted, each end has
 * its begin, whatever begins was made runnable before, and the events name the objects that fibers
 * wait for. Each pool is traced from before its first task until its join, so no event is missing.
 */
#include <errno.h>

#include "fib.h"
#include "queue/ring.h"
#include "traced.h"
#include "works_fixture.h"

enum { TASKS = 300 };

static uint64_t scheduled(void)
{
	return seen.kinds[NAP_TRACE_SCHEDULE] + seen.kinds_outside[NAP_TRACE_SCHEDULE];
}

TEST(tasks_from_outside)
{
	traced((struct nap_config){ .max_workers = 2 });
	for (int i = 0; i < TASKS; i++) {
		nap_schedule(&pool, new_task(count_and_free));
	}
	judge(_metadata);
	EXPECT_EQ(seen.begun, TASKS);
	EXPECT_EQ(scheduled(), TASKS);
	EXPECT_TRUE(seen.has_maps);
	EXPECT_TRUE(seen.has_exe);
}

static void spread(struct nap_task *task)
{
	for (int i = 0; i < TASKS; i++)
		nap_schedule(&pool, new_task(count_and_free));
	count_and_free(task);
}

TEST(tasks_that_overflow_and_are_stolen)
{
	traced((struct nap_config){ .max_workers = 4 });
	for (int i = 0; i < 8; i++) {
		nap_schedule(&pool, new_task(spread));
	}
	judge(_metadata);
	EXPECT_EQ(seen.begun, 8 * (TASKS + 1));
	EXPECT_EQ(scheduled(), 8 * (TASKS + 1));
	EXPECT_GT(seen.overflowed, 0);
}

static uint32_t nr_spread, nr_stolen, thief_is_held, is_spread;

static void count_stolen_and_free(struct nap_task *task)
{
	nap_fetch_add_relaxed(&nr_stolen, 1);
	count_and_free(task);
}

/* Keeps a worker from stealing until all tasks are spread. */
static void hold_thief(struct nap_task *task)
{
	nap_store_release(&thief_is_held, 1);
	while (!nap_load_acquire(&is_spread))
		sched_yield();
	count_and_free(task);
}

/* Returns only when the thief has run one of the tasks. */
static void spread_and_hold(struct nap_task *task)
{
	for (uint32_t i = 0; i < nr_spread; i++)
		nap_schedule(&pool, new_task(count_stolen_and_free));
	nap_store_release(&is_spread, 1);
	while (!nap_load_relaxed(&nr_stolen))
		sched_yield();
	count_and_free(task);
}

static void steal_some(struct __test_metadata *_metadata, uint32_t n)
{
	nr_spread = n;
	nap_store_relaxed(&nr_stolen, 0);
	nap_store_relaxed(&thief_is_held, 0);
	nap_store_relaxed(&is_spread, 0);
	traced((struct nap_config){ .max_workers = 2 });
	nap_schedule(&pool, new_task(hold_thief));
	while (!nap_load_acquire(&thief_is_held))
		sched_yield();
	nap_schedule(&pool, new_task(spread_and_hold));
	judge(_metadata);
	EXPECT_GT(seen.stolen, 0);
}

TEST(a_steal_says_from_which_queue)
{
	steal_some(_metadata, 4 < NAP_RING_SIZE ? 4 : NAP_RING_SIZE);
	EXPECT_EQ(seen.overflowed, 0);
	EXPECT_EQ(seen.stolen_overflow, 0);
	/* A thief empties the overflow before it steals from the ring. */
	steal_some(_metadata, 2 * NAP_RING_SIZE);
	EXPECT_GT(seen.overflowed, 0);
	EXPECT_GT(seen.stolen_overflow, 0);
}

static void spread_batch(struct nap_task *task)
{
	struct nap_batch batch = new_batch(TASKS, count_and_free);

	nap_schedule_batch(&pool, &batch);
	count_and_free(task);
}

TEST(batches)
{
	struct nap_batch batch = new_batch(5, spread_batch);

	traced((struct nap_config){ .max_workers = 3 });
	nap_schedule_batch(&pool, &batch);
	judge(_metadata);
	EXPECT_EQ(scheduled(), 5 * (TASKS + 1));
}

static void fork_all(struct nap_worker *worker, void *result)
{
	*(long *)result = fib(worker, nap_top(worker), 16);
}

TEST(forks_and_joins)
{
	long result = 0;

	traced((struct nap_config){ .max_workers = 3 });
	ASSERT_EQ(nap_pool_prewarm(&pool, 3), 0);
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(nap_call(&pool, fork_all, &result), 0);
	}
	judge(_metadata);
	EXPECT_EQ(result, 987);
	EXPECT_GT(seen.kinds_outside[NAP_TRACE_FORK_PUBLISH] + seen.kinds[NAP_TRACE_FORK_PUBLISH],
		  0);
}

static int nothing_in(size_t begin, size_t end, void *arg)
{
	(void)begin;
	(void)end;
	(void)arg;
	return 0;
}

static void loop_all(struct nap_task *task)
{
	nap_for(&pool, 0, 100000, nothing_in, NULL);
	count_and_free(task);
}

TEST(loops)
{
	traced((struct nap_config){ .max_workers = 3 });
	nap_schedule(&pool, new_task(loop_all));
	judge(_metadata);
	EXPECT_GT(seen.kinds[NAP_TRACE_RANGE], 0);
	EXPECT_EQ(seen.indices, 100000);
}

/* ---- fibers */

static struct nap_channel channel;
static void *slots[4];
static struct nap_mutex mutex;

static intptr_t send_all(void *arg)
{
	for (int i = 0; i < 50; i++)
		nap_channel_send(&channel, &arg);
	return 0;
}

static intptr_t receive_all(void *arg)
{
	void *value;

	for (int i = 0; i < 50; i++) {
		nap_channel_recv(&channel, &value);
		nap_mutex_lock(&mutex);
		nap_yield();
		nap_mutex_unlock(&mutex);
	}
	nap_sleep(1000000);
	(void)arg;
	return 0;
}

static void spawn_all(struct nap_task *task)
{
	for (int i = 0; i < 10; i++) {
		nap_spawn(&pool, NULL, send_all, NULL);
		nap_spawn(&pool, NULL, receive_all, NULL);
	}
	count_and_free(task);
}

TEST(fibers)
{
	nap_channel_init(&channel, slots, sizeof(*slots), 4);
	traced((struct nap_config){ .max_workers = 2 });
	nap_schedule(&pool, new_task(spawn_all));
	judge(_metadata);
	EXPECT_EQ(seen.kinds[NAP_TRACE_FIBER_END], 20);
	EXPECT_EQ(seen.kinds[NAP_TRACE_SEND], 500);
	EXPECT_EQ(seen.kinds[NAP_TRACE_RECEIVE], 500);
	/* A sleep of no length suspends no fiber. */
	EXPECT_GT(seen.suspended[NAP_TRACE_ON_TIME], 0);
	EXPECT_LE(seen.suspended[NAP_TRACE_ON_TIME], 10);
	EXPECT_GT(seen.suspended[NAP_TRACE_ON_CHANNEL], 0);
	EXPECT_GT(seen.suspended[NAP_TRACE_ON_MUTEX], 0);
	EXPECT_GT(seen.suspended[NAP_TRACE_ON_YIELD], 0);
	EXPECT_EQ(seen.suspended[NAP_TRACE_ON_UNKNOWN], 0);
	EXPECT_GT(seen.kinds[NAP_TRACE_TIMER], 0);
	EXPECT_LE(seen.kinds[NAP_TRACE_TIMER], 10);
}

/* ---- classes, queues, works */

static struct nap_classes classes;

TEST(two_classes)
{
	classes.count = 2;
	classes.of[1].limit = 1;
	traced((struct nap_config){ .max_workers = 3, .classes = &classes });
	for (uint32_t i = 0; i < TASKS; i++) {
		nap_class_schedule(&pool, i % 2, new_task(count_and_free));
	}
	judge(_metadata);
	EXPECT_EQ(seen.begun, TASKS);
	EXPECT_EQ(scheduled(), TASKS);
	EXPECT_EQ(seen.nr_classes, 2);
	EXPECT_EQ(seen.kinds[NAP_TRACE_CLASS_TAKE], TASKS / 2);
	EXPECT_EQ(seen.kinds[NAP_TRACE_CLASS_GIVE], TASKS / 2);
	/* Only the class with a limit has permits. */
	EXPECT_EQ(seen.permits[1], TASKS / 2);
	EXPECT_EQ(seen.given[1], TASKS / 2);
	EXPECT_EQ(seen.scheduled_in[0], TASKS / 2);
	EXPECT_EQ(seen.scheduled_in[1], TASKS / 2);
}

static struct nap_serial serial;
static struct nap_order order;

TEST(a_serial_queue)
{
	traced((struct nap_config){ .max_workers = 3 });
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	for (int i = 0; i < TASKS; i++) {
		nap_serial_schedule(&serial, new_task(count_and_free));
	}
	judge(_metadata);
	EXPECT_EQ(seen.begun, TASKS);
	EXPECT_EQ(seen.scheduled_in_order, TASKS);
}

TEST(an_order)
{
	traced((struct nap_config){ .max_workers = 3 });
	ASSERT_EQ(nap_order_init(&order, &pool, 1), 0);
	for (int i = 0; i < TASKS; i++) {
		nap_order_schedule(&order, i % 3 ? NAP_ORDER_FAST : NAP_ORDER_SLOW,
				   new_task(count_and_free));
	}
	judge(_metadata);
	EXPECT_EQ(seen.inner, TASKS);
	EXPECT_EQ(seen.scheduled_in_order, TASKS);
}

static struct nap_work works[TASKS];
static struct nap_cq cq;

TEST(works_that_are_canceled_and_late)
{
	ASSERT_EQ(nap_cq_init(&cq), 0);
	traced((struct nap_config){ .max_workers = 1 });
	for (int i = 0; i < TASKS; i++) {
		nap_work_init(&works[i], work_nothing, count_done, &cq);
		works[i].deadline = i % 3 ? 0 : 1;
		ASSERT_EQ(nap_work_schedule(&pool, &works[i]), 0);
		if (i % 5 == 0) {
			nap_cancel(&works[i]);
		}
	}
	while (nr_done < TASKS) {
		nap_cq_run(&cq, 0);
	}
	judge(_metadata);
	EXPECT_GT(seen.kinds[NAP_TRACE_CANCEL], TASKS / 4);
	EXPECT_GT(seen.late_works, 0);
	EXPECT_EQ(seen.kinds[NAP_TRACE_PUSH], TASKS);
	EXPECT_EQ(seen.inner, TASKS - seen.kinds[NAP_TRACE_CANCEL]);
}

static void push_and_pop(struct nap_task *task)
{
	struct nap_task pushed = NAP_TASK_INIT(count_run);

	if (nap_cq_push(&cq, &pushed) || nap_cq_pop(&cq) != &pushed || nap_cq_pop(&cq))
		abort();
	count_and_free(task);
}

TEST(a_loop_on_a_worker)
{
	ASSERT_EQ(nap_cq_init(&cq), 0);
	traced((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, new_task(push_and_pop));
	judge(_metadata);
	EXPECT_EQ(seen.kinds[NAP_TRACE_PUSH], 1);
	EXPECT_EQ(seen.kinds[NAP_TRACE_POP], 1);
}

static struct nap_group group;

static void done_and_free(struct nap_task *task)
{
	count_and_free(task);
	nap_group_done(&group);
}

static void wait_for_them(struct nap_task *task)
{
	nap_group_add(&group, TASKS);
	for (int i = 0; i < TASKS; i++)
		nap_schedule(&pool, new_task(done_and_free));
	nap_group_wait(&group);
	nap_blocking_begin();
	nap_blocking_end();
	count_and_free(task);
}

TEST(a_group_and_a_blocking_section)
{
	traced((struct nap_config){ .max_workers = 1 });
	group = (struct nap_group)NAP_GROUP_INIT(&pool);
	nap_schedule(&pool, new_task(wait_for_them));
	/* The only worker runs all tasks in its wait. This thread does not help. */
	while (nap_load_acquire(&nr_run) <= TASKS)
		sched_yield();
	judge(_metadata);
	EXPECT_EQ(seen.kinds[NAP_TRACE_WAIT_BEGIN], 1);
	EXPECT_EQ(seen.kinds[NAP_TRACE_BLOCK_BEGIN], 1);
	EXPECT_EQ(seen.kinds[NAP_TRACE_BLOCK_END], 1);
}

static uint32_t begun, may_go;

static void stay_here(struct nap_task *task)
{
	flag_set(&begun);
	flag_wait(&may_go);
	count_and_free(task);
}

TEST(a_stop_with_tasks_left)
{
	traced((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, new_task(stay_here));
	flag_wait(&begun);
	for (int i = 0; i < TASKS; i++) {
		nap_schedule(&pool, new_task(count_and_free));
	}
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&may_go);
	judge(_metadata);
	EXPECT_EQ(seen.begun, 1);
	EXPECT_EQ(scheduled(), TASKS + 1);
	EXPECT_EQ(seen.file.flags & NAP_TRACE_STOPPED, NAP_TRACE_STOPPED);
}

TEST_HARNESS_MAIN
