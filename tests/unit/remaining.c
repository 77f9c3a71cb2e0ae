/* SPDX-License-Identifier: MIT */
/*
 * nap_pool_remaining(), and the counts of queued tasks in nap_pool_get_stats(): both are exact when
 * nothing moves, whichever queue the tasks are in.
 */
#include <errno.h>

#include <nap/order.h>

#include "queue/ring.h"
#include "sched/schedule.h"
#include "worker/self.h"
#include "call_fixture.h"

#define MANY (4 * NAP_RING_SIZE)

static struct nap_task many[MANY];
static struct blocker filler;

static void expect_left(struct __test_metadata *_metadata, uint64_t queued, uint32_t workers,
			uint32_t guests_in)
{
	struct nap_remaining left;

	/* A worker that still searches counts as inside, so this waits until it sleeps. */
	do {
		sched_yield();
		memset(&left, 0xff, sizeof(left));
		ASSERT_EQ(nap_pool_remaining(&pool, &left), 0);
	} while (left.workers > workers);
	EXPECT_EQ(left.queued, queued);
	EXPECT_EQ(left.workers, workers);
	EXPECT_EQ(left.guests, guests_in);
}

/* Begins with the only worker inside the task of @b. */
static void block_one(enum nap_idle idle, struct blocker *b)
{
	begin_pool(&pool, idle, 1);
	if (nap_schedule(&pool, &b->task))
		abort();
	flag_wait(&b->running);
}

/* While the counts change, there may seem to be fewer tasks in serial queues than none. */
TEST_F(under, never_fewer_than_none)
{
	struct blocker b = BLOCKER_INIT;

	block_one(self->idle, &b);
	pool.serial_waiting = UINT64_MAX;
	expect_left(_metadata, 0, 1, 0);
	pool.serial_waiting = 0;
	flag_set(&b.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void wait_for_all(unsigned long n)
{
	while (nap_load_acquire(&nr_run) < n)
		sched_yield();
	if (nap_pool_quiesce(&pool))
		abort();
}

TEST_F(under, nothing)
{
	struct nap_remaining left = { 1, 1, 1 };

	begin_pool(&pool, self->idle, 1);
	EXPECT_EQ(nap_pool_remaining(NULL, &left), -EINVAL);
	EXPECT_EQ(nap_pool_remaining(&pool, NULL), -EINVAL);
	expect_left(_metadata, 0, 0, 0);
	EXPECT_EQ(pool.limit, 0);	/* asking does not count as a first use of the pool */
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	expect_left(_metadata, 0, 0, 0);
}

/* Tasks come one by one, from the second on by a producer slot; and in batches. */
TEST_F(under, scheduled_from_outside)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch batch = new_batch(10, count_and_free);
	struct nap_pool_stats stats;

	block_one(self->idle, &blocker);
	expect_left(_metadata, 0, 1, 0);
	for (int i = 0; i < MANY; i++) {
		nap_task_init(&many[i], count_run);
		ASSERT_EQ(nap_schedule(&pool, &many[i]), 0);
		expect_left(_metadata, i + 1u, 1, 0);
	}
	ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
	expect_left(_metadata, MANY + 10, 1, 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.queued_injected, MANY + 10);
	EXPECT_EQ(stats.queued_rings + stats.queued_overflow + stats.queued_calls, 0);
	EXPECT_EQ(stats.running, 1);
	flag_set(&blocker.let_go);
	wait_for_all(MANY + 11);
	expect_left(_metadata, 0, 0, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.queued_injected + stats.running, 0);
	EXPECT_EQ(stats.most_queued, MANY + 10);
	EXPECT_EQ(stats.most_running, 1);
}

static void fill(struct nap_task *task)
{
	for (int i = 0; i < MANY; i++) {
		nap_task_init(&many[i], count_run);
		if (nap_schedule(&pool, &many[i]))
			abort();
	}
	block(task);
}

/* More tasks than the ring holds: the rest is in the overflow. */
TEST_F(under, scheduled_by_a_worker)
{
	struct nap_pool_stats stats;

	filler.task = (struct nap_task)NAP_TASK_INIT(fill);
	block_one(self->idle, &filler);
	expect_left(_metadata, MANY, 1, 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.queued_rings + stats.queued_overflow, MANY);
	EXPECT_GT(stats.queued_rings, 0);
	EXPECT_GT(stats.queued_overflow, 2u * NAP_RING_SIZE);
	EXPECT_EQ(stats.most_queued, MANY);
	flag_set(&filler.let_go);
	wait_for_all(MANY + 1);
	expect_left(_metadata, 0, 0, 0);
	/*
	 * At an overflow the worker has noted the queue's length, the longest so far. The join
	 * keeps this number.
	 */
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.most_queued, MANY);
	EXPECT_GT(stats.workers.most_queued, MANY - NAP_RING_SIZE);
}

/* Other threads take the tasks: thieves take several at once, helpers one by one. */
TEST_F(under, taken_by_others)
{
	filler.task = (struct nap_task)NAP_TASK_INIT(fill);
	begin_pool(&pool, self->idle, 2);
	ASSERT_EQ(nap_schedule(&pool, &filler.task), 0);
	flag_wait(&filler.running);
	EXPECT_GE(nap_pool_help(&pool, 3), 0);
	flag_set(&filler.let_go);
	wait_for_all(MANY + 1);
	expect_left(_metadata, 0, 0, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_F(under, calls)
{
	struct caller caller;
	struct nap_pool_stats stats;
	struct blocker blocker = BLOCKER_INIT;

	block_one(self->idle, &blocker);
	take_all_places(&pool);
	expect_left(_metadata, 0, 1, NAP_GUESTS);
	caller_start(&caller, &pool, NULL);
	await_listed(&pool);
	expect_left(_metadata, 1, 1, NAP_GUESTS);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.queued_calls, 1);
	EXPECT_EQ(stats.helping, NAP_GUESTS);
	EXPECT_EQ(stats.most_running, NAP_GUESTS + 1);
	open_door();
	flag_set(&blocker.let_go);
	pthread_join(caller.thread, NULL);
	join_guests(_metadata);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	expect_left(_metadata, 0, 0, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- classes */

static struct nap_classes classes = { .of = { [NAP_CLASS_IDLE] = { .limit = 1 } } };

/* Begins with the only worker inside a task, and MANY tasks in classes: one by one, and a batch. */
static void wait_in_classes(enum nap_idle idle, struct blocker *b)
{
	const struct nap_config config = { .max_workers = 1, .idle = idle, .classes = &classes };
	struct nap_batch batch = NAP_BATCH_INIT;

	if (nap_pool_init(&pool, &config) || nap_class_schedule(&pool, NAP_CLASS_IDLE, &b->task))
		abort();
	flag_wait(&b->running);
	for (int i = 0; i < MANY; i++) {
		nap_task_init(&many[i], count_run);
		if (i % 3)
			nap_batch_push(&batch, &many[i]);
		else if (nap_class_schedule(&pool, (uint32_t)i % NAP_CLASSES, &many[i]))
			abort();
	}
	if (nap_class_schedule_batch(&pool, NAP_CLASS_IDLE, &batch))
		abort();
}

TEST_F(under, scheduled_in_classes)
{
	struct nap_batch refused = new_batch(3, count_and_free);
	struct blocker blocker = BLOCKER_INIT;
	struct nap_pool_stats stats;

	wait_in_classes(self->idle, &blocker);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.queued_classes, MANY);
	EXPECT_EQ(stats.queued_injected + stats.queued_rings + stats.queued_overflow, 0);
	expect_left(_metadata, MANY, 1, 0);
	flag_set(&blocker.let_go);
	wait_for_all(MANY + 1);
	expect_left(_metadata, 0, 0, 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_class_schedule_batch(&pool, 0, &refused), -ESHUTDOWN);
	EXPECT_EQ(nap_class_schedule(&pool, 0, refused.head), -ESHUTDOWN);
	EXPECT_EQ(free_batch(&refused), 3);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.queued_classes, 0);
	EXPECT_EQ(stats.most_queued, MANY);
	EXPECT_EQ(stats.tasks_refused, 4);
}

TEST_F(under, stopped_with_classes)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_remaining left;

	wait_in_classes(self->idle, &blocker);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&blocker.let_go);
	do {
		ASSERT_EQ(nap_pool_remaining(&pool, &left), 0);
		sched_yield();
	} while (left.workers);
	EXPECT_EQ(left.queued, MANY);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	/* A new init of the pool resets the counts to 0. */
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1,
							     .classes = &classes }), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	expect_left(_metadata, 0, 0, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a stop: nothing runs after it, and the tasks stay queued */

TEST_F(under, stopped)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_remaining left;

	block_one(self->idle, &blocker);
	for (int i = 0; i < 5; i++) {
		nap_task_init(&many[i], count_run);
		ASSERT_EQ(nap_schedule(&pool, &many[i]), 0);
	}
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&blocker.let_go);
	/* Until its thread has ended, the worker may still count as inside. */
	while (listed_workers() > 0)
		sched_yield();
	ASSERT_EQ(nap_pool_remaining(&pool, &left), 0);
	EXPECT_EQ(left.workers, 0);
	EXPECT_EQ(left.queued, 5);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A stop that comes when a worker has taken a serial queue's own task, and has begun none of the
 * queue's tasks. The worker's task plays the worker.
 */
struct stop_between {
	struct nap_task task;
	struct nap_serial *serial;
	uint32_t ended;
};

static void stop_before_the_first(struct nap_task *task)
{
	struct stop_between *stop = nap_container_of(task, struct stop_between, task);
	struct nap_task *own = nap__dequeue(nap__self()->worker);

	if (own != &stop->serial->task || nap_pool_shutdown(&pool, NAP_STOP))
		abort();
	own->run(own);
	flag_set(&stop->ended);
}

static void expect_left_by_stop(struct __test_metadata *_metadata, struct nap_serial *serial,
				int (*schedule)(struct nap_serial *serial, struct nap_task *task))
{
	struct stop_between stop = { .task = NAP_TASK_INIT(stop_before_the_first),
				     .serial = serial };
	struct blocker blocker = BLOCKER_INIT;
	struct nap_remaining left;

	block_one(NAP_IDLE_SYNC, &blocker);
	ASSERT_EQ(nap_schedule(&pool, &stop.task), 0);
	for (int i = 0; i < 3; i++) {
		nap_task_init(&many[i], count_run);
		ASSERT_EQ(schedule(serial, &many[i]), 0);
	}
	flag_set(&blocker.let_go);
	flag_wait(&stop.ended);
	while (listed_workers() > 0)
		sched_yield();
	ASSERT_EQ(nap_pool_remaining(&pool, &left), 0);
	EXPECT_EQ(left.queued, 3);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static int schedule_fast(struct nap_serial *serial, struct nap_task *task)
{
	return nap_order_schedule(nap_container_of(serial, struct nap_order, serial),
				  NAP_ORDER_FAST, task);
}

TEST(a_serial_queue_stopped_before_its_first_task)
{
	struct nap_serial serial;

	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	expect_left_by_stop(_metadata, &serial, nap_serial_schedule);
}

TEST(an_order_stopped_before_its_first_task)
{
	struct nap_order order;

	ASSERT_EQ(nap_order_init(&order, &pool, 1), 0);
	expect_left_by_stop(_metadata, &order.serial, schedule_fast);
}

/* ---- counters of works that were not run */

static int work_run(struct nap_work *work)
{
	(void)work;
	return -ECANCELED;	/* looks like a cancelation, but is none */
}

TEST_F(under, canceled_late_and_refused)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_pool_stats stats;
	struct nap_work works[4];

	block_one(self->idle, &blocker);
	for (int i = 0; i < 4; i++) {
		nap_work_init(&works[i], work_run, NULL, NULL);
		works[i].deadline = i == 3;
		ASSERT_EQ(nap_work_schedule(&pool, &works[i]), 0);
	}
	EXPECT_TRUE(nap_cancel(&works[0]) && nap_cancel(&works[1]));
	flag_set(&blocker.let_go);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	for (int i = 0; i < 3; i++) {
		nap_task_init(&many[i], count_run);
		nap_batch_push(&batch, &many[i]);
	}
	EXPECT_EQ(nap_schedule_batch(&pool, &batch), -ESHUTDOWN);
	nap_task_init(&many[3], count_run);
	EXPECT_EQ(nap_schedule(&pool, &many[3]), -ESHUTDOWN);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_EQ(stats.workers.canceled, 2);
	EXPECT_EQ(stats.workers.timed_out, 1);
	EXPECT_EQ(stats.tasks_refused, 4);
}

TEST_HARNESS_MAIN
