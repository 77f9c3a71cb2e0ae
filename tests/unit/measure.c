/* SPDX-License-Identifier: MIT */
/*
 * The histograms of nap/histogram.h. Buckets and quantiles are right; each histogram has as many
 * values as the pool has counted, in programs of each kind, and the right values where the test
 * knows them. Also a full table, and the page for Prometheus.
 */
#include <errno.h>
#include <sys/wait.h>

#include <nap/histogram.h>
#include <nap/trace.h>

#include "child_threads.h"
#include "measure/histogram.h"
#include "pool_fixture.h"
#include "trace_fixture.h"
#include "works_fixture.h"

enum { TASKS = 300, LONG_NS = 3000000 };

static struct nap_pool pool;
static struct nap_histogram waited, ran, length, woken;
static struct nap_pool_stats stats;
static uint64_t nr_timed;	/* tasks that a timer has begun */
static uint64_t nr_slept;	/* upper bound: runs of fibers that came by no queue */

/* ---- buckets */

TEST(a_bound_belongs_to_the_bucket_below)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < NAP_HISTOGRAM_BUCKETS - 1; i++) {
		uint64_t bound = nap_histogram_bound(i);

		EXPECT_GT(bound, last);
		EXPECT_EQ(bucket_of(bound), i);
		EXPECT_EQ(bucket_of(last + 1), i);
		EXPECT_EQ(bucket_of(bound + 1), i + 1);
		/* A quantile is wrong by a sixteenth at most. */
		EXPECT_LE(bound - (last + 1), (last + 1) / 16);
		last = bound;
	}
	EXPECT_EQ(last, (uint64_t)1 << 40);
	EXPECT_EQ(bucket_of(0), 0);
	EXPECT_EQ(bucket_of(UINT64_MAX), NAP_HISTOGRAM_BUCKETS - 1);
	EXPECT_EQ(nap_histogram_bound(NAP_HISTOGRAM_BUCKETS - 1), UINT64_MAX);
	EXPECT_EQ(nap_histogram_bound(UINT32_MAX), UINT64_MAX);
}

TEST(quantiles)
{
	struct nap_histogram *h = &waited;
	static struct nap_histogram one = { .count = 1, .of = { [3] = 1 } };

	EXPECT_EQ(nap_histogram_quantile(&one, 0), 4);
	EXPECT_EQ(nap_histogram_quantile(&one, 1000000), 4);
	/* more values than the buckets have */
	one.count = 2;
	EXPECT_EQ(nap_histogram_quantile(&one, 1000000), UINT64_MAX);
	EXPECT_EQ(nap_histogram_quantile(h, 500000), 0);
	EXPECT_EQ(nap_histogram_quantile(NULL, 500000), 0);
	/* Each of the values 1 to 10, once. */
	h->count = 10;
	for (int i = 0; i < 10; i++) {
		h->of[i] = 1;
	}
	EXPECT_EQ(nap_histogram_quantile(h, 0), 1);
	EXPECT_EQ(nap_histogram_quantile(h, 100000), 1);
	EXPECT_EQ(nap_histogram_quantile(h, 100001), 2);
	EXPECT_EQ(nap_histogram_quantile(h, 500000), 5);
	EXPECT_EQ(nap_histogram_quantile(h, 900001), 10);
	EXPECT_EQ(nap_histogram_quantile(h, 1000000), 10);
	EXPECT_EQ(nap_histogram_quantile(h, UINT32_MAX), 10);
	/* 500001 of a million: the rank 1500003 of three millions. */
	h->count = 3000000;
	h->of[0] = 1500002;
	EXPECT_EQ(nap_histogram_quantile(h, 500000), 1);
	EXPECT_EQ(nap_histogram_quantile(h, 500001), 2);
	h->of[0] = 1500003;
	EXPECT_EQ(nap_histogram_quantile(h, 500001), 1);
	h->of[0] = 3;
	EXPECT_EQ(nap_histogram_quantile(h, 0), 1);
	EXPECT_EQ(nap_histogram_quantile(h, 1), 1);
	EXPECT_EQ(nap_histogram_quantile(h, 2), 4);
	h->count = h->of[NAP_HISTOGRAM_BUCKETS - 1] = (uint64_t)1 << 62;
	EXPECT_EQ(nap_histogram_quantile(h, 500000), UINT64_MAX);
}

/* ---- as many values as the pool has counted */

static void measured(struct nap_config config)
{
	config.measure = NAP_MEASURE;
	if (nap_pool_init(&pool, &config))
		abort();
}

static uint64_t count_of(enum nap_measured what, uint32_t which)
{
	static struct nap_histogram h;

	return nap_pool_histogram(&pool, what, which, &h) ? UINT64_MAX : h.count;
}

/* Whether the buckets' bounds are right for the sum of all values, and the counts add up. */
static bool is_sound(const struct nap_histogram *h)
{
	uint64_t count = 0, least = 0, most = 0;

	for (uint32_t i = 0; i < NAP_HISTOGRAM_BUCKETS; i++) {
		count += h->of[i];
		least += h->of[i] * (i ? nap_histogram_bound(i - 1) : 0);
		most += h->of[i] *
			(i < NAP_HISTOGRAM_BUCKETS - 1 ? nap_histogram_bound(i) : 1u << 31);
	}
	return h->count == count && h->sum >= least && h->sum <= most;
}

/* Reads all histograms when the pool is quiet. */
static void read_all(struct __test_metadata *_metadata)
{
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	ASSERT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &waited), 0);
	ASSERT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_RUN, NAP_ALL_CLASSES, &ran), 0);
	ASSERT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_QUEUE, NAP_ALL_CLASSES, &length), 0);
	/* A worker may still wake up, and be counted, although all tasks are done. */
	do {
		ASSERT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAKE, NAP_ALL_CLASSES, &woken), 0);
	} while (!is_sound(&woken));
	ASSERT_EQ(nap_pool_get_stats(&pool, &stats), 0);
	EXPECT_TRUE(is_sound(&waited) && is_sound(&ran) && is_sound(&length));
}

/* Compares histograms and counters, and joins. Every task was run and measured. */
static void judge(struct __test_metadata *_metadata)
{
	read_all(_metadata);
	EXPECT_EQ(waited.count, stats.workers.run + stats.helped);
	EXPECT_EQ(ran.count, waited.count);
	EXPECT_GE(waited.count, length.count + nr_timed);
	EXPECT_LE(waited.count, length.count + nr_timed + nr_slept);
	EXPECT_EQ(waited.missed + ran.missed + length.missed, 0);
	EXPECT_LE(woken.count, stats.workers.parked + stats.workers.spun + stats.workers.dozed);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &waited),
		  -ESHUTDOWN);
}

TEST(tasks_from_outside)
{
	measured((struct nap_config){ .max_workers = 2 });
	for (int i = 0; i < TASKS; i++) {
		nap_schedule(&pool, new_task(count_and_free));
	}
	judge(_metadata);
	EXPECT_EQ(ran.count, TASKS);
}

static void spread(struct nap_task *task)
{
	struct nap_batch batch = new_batch(TASKS, count_and_free);

	for (int i = 0; i < TASKS; i++)
		nap_schedule(&pool, new_task(count_and_free));
	nap_schedule_batch(&pool, &batch);
	count_and_free(task);
}

/* Tasks move from ring to ring, into the overflow, and out of it. */
TEST(tasks_that_overflow_and_are_stolen)
{
	struct nap_batch batch = new_batch(8, spread);

	measured((struct nap_config){ .max_workers = 4 });
	nap_schedule_batch(&pool, &batch);
	judge(_metadata);
	EXPECT_EQ(ran.count, 8 * (2 * TASKS + 1));
	EXPECT_GT(stats.workers.overflowed, 0);
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
	count_and_free(task);
}

/* One worker runs the other tasks nested in the first one, whose time includes theirs. */
TEST(tasks_inside_a_task)
{
	measured((struct nap_config){ .max_workers = 1 });
	group = (struct nap_group)NAP_GROUP_INIT(&pool);
	nap_schedule(&pool, new_task(wait_for_them));
	judge(_metadata);
	EXPECT_EQ(ran.count, TASKS + 1);
}

static struct nap_channel channel;
static struct nap_mutex mutex;

static intptr_t send_all(void *arg)
{
	for (int i = 0; i < 50; i++)
		nap_channel_send(&channel, &arg);
	nap_fetch_add_release(&nr_run, 1);
	return 0;
}

static intptr_t receive_all(void *arg)
{
	for (int i = 0; i < 50; i++) {
		nap_channel_recv(&channel, &arg);
		nap_mutex_lock(&mutex);
		nap_yield();
		nap_mutex_unlock(&mutex);
	}
	nap_sleep(1000);
	nap_fetch_add_release(&nr_run, 1);
	return 0;
}

/* Each run of a fiber, from one wait to the next, counts as a task. */
TEST(fibers)
{
	nap_channel_init(&channel, NULL, sizeof(void *), 0);
	measured((struct nap_config){ .max_workers = 2 });
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(nap_spawn(&pool, NULL, send_all, NULL), 0);
		ASSERT_EQ(nap_spawn(&pool, NULL, receive_all, NULL), 0);
	}
	while (nap_load_acquire(&nr_run) < 20) {
		sched_yield();
	}
	nr_slept = 10;
	judge(_metadata);
	EXPECT_GT(ran.count, 10u * 50);
}

static struct nap_timer timers[TASKS];

/*
 * The timers are due one after another, and come by no queue. A timer's task waits from the time at
 * which it is due.
 */
TEST(timers_run_tasks)
{
	measured((struct nap_config){ .max_workers = 2 });
	for (int i = 0; i < TASKS; i++) {
		nap_timer_init(&timers[i], count_run);
		ASSERT_EQ(nap_schedule_after(&pool, &timers[i], i * 10000), 0);
	}
	while (nap_load_acquire(&nr_run) < TASKS) {
		sched_yield();
	}
	nr_timed = TASKS;
	judge(_metadata);
	EXPECT_EQ(ran.count, TASKS);
}

static intptr_t sleep_until_1(void *arg)
{
	intptr_t err = nap_sleep_until(1);

	nap_fetch_add_release(&nr_run, 1);
	return err ? err : (intptr_t)arg;
}

/*
 * A task or fiber has waited since the call, not since the time that had passed long before: the
 * machine has been up for longer than this test.
 */
TEST(a_time_that_has_passed_long_ago)
{
	uint64_t begun = nap_deadline(0);

	measured((struct nap_config){ .max_workers = 1 });
	for (int i = 0; i < 10; i++) {
		nap_timer_init(&timers[i], count_run);
		ASSERT_EQ(nap_schedule_at(&pool, &timers[i], (uint64_t)i), 0);
		ASSERT_EQ(nap_spawn(&pool, NULL, sleep_until_1, NULL), 0);
	}
	while (nap_load_acquire(&nr_run) < 20) {
		sched_yield();
	}
	nr_timed = 10;
	nr_slept = 10;
	judge(_metadata);
	EXPECT_LE(nap_histogram_quantile(&waited, 1000000),
		  (nap_deadline(0) - begun) / 15 * 16);
}

/* A periodic timer's time that passes while its task runs is not later because of that. */
static void outlast(struct nap_task *task)
{
	(void)task;
	usleep(LONG_NS / 1000);
	nap_fetch_add_release(&nr_run, 1);
}

TEST(a_period_that_passes_while_the_task_runs)
{
	measured((struct nap_config){ .max_workers = 1 });
	nap_timer_init(&timers[0], outlast);
	ASSERT_EQ(nap_schedule_every(&pool, &timers[0], 0, LONG_NS / 10), 0);
	while (nap_load_acquire(&nr_run) < 3) {
		sched_yield();
	}
	EXPECT_EQ(nap_timer_cancel_wait(&timers[0], NAP_FOREVER), 0);
	nr_timed = nr_run;
	judge(_metadata);
	EXPECT_GE(nap_histogram_quantile(&waited, 1000000), LONG_NS / 10 * 9);
}

static struct nap_fiber_start starts[TASKS];

static intptr_t yield_and_count(void *arg)
{
	nap_yield();
	nap_fetch_add_release(&nr_run, 1);
	return (intptr_t)arg;
}

/* Most fibers wait for a stack first, and are queued a second time. */
TEST(starts_of_fibers)
{
	struct nap_fibers_config fibers = { .most = 2 };

	measured((struct nap_config){ .max_workers = 2 });
	ASSERT_EQ(nap_fibers_init(&pool, &fibers), 0);
	for (int i = 0; i < TASKS; i++) {
		ASSERT_EQ(nap_fiber_start_init(&starts[i], &pool, yield_and_count, NULL), 0);
		ASSERT_EQ(nap_schedule(&pool, &starts[i].task), 0);
	}
	read_all(_metadata);
	EXPECT_EQ(nr_run, TASKS);
	EXPECT_GE(ran.count, 2u * TASKS);
	EXPECT_EQ(waited.count, stats.workers.run + stats.helped);
	EXPECT_EQ(ran.count, waited.count);
	EXPECT_LE(length.count, waited.count);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static int pipes[10][2];

static intptr_t read_one(void *arg)
{
	int fd = *(int *)arg;
	char byte;

	for (int i = 0; i < 20; i++)
		if (nap_io_wait(fd, NAP_IO_READ, NAP_FOREVER) < 0 || read(fd, &byte, 1) != 1)
			return 1;
	nap_fetch_add_release(&nr_run, 1);
	return 0;
}

/* Most fibers are scheduled by the poller; some run without a queue. */
TEST(files)
{
	measured((struct nap_config){ .max_workers = 2 });
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(pipe(pipes[i]), 0);
		ASSERT_EQ(nap_spawn(&pool, NULL, read_one, &pipes[i][0]), 0);
	}
	for (int n = 0; n < 20; n++) {
		for (int i = 0; i < 10; i++) {
			ASSERT_EQ(write(pipes[i][1], "x", 1), 1);
			nap_schedule(&pool, new_task(count_and_free));
		}
	}
	while (nap_load_acquire(&nr_run) < 10 + 200) {
		sched_yield();
	}
	read_all(_metadata);
	EXPECT_EQ(waited.count, stats.workers.run + stats.helped);
	EXPECT_EQ(ran.count, waited.count);
	EXPECT_LE(length.count, waited.count);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap_classes classes;
static struct nap_serial serial;
static struct nap_order order;

TEST(classes_have_their_own)
{
	classes.count = 2;
	classes.of[1].limit = 1;
	measured((struct nap_config){ .max_workers = 3, .classes = &classes });
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	ASSERT_EQ(nap_serial_set_class(&serial, 1), 0);
	for (uint32_t i = 0; i < TASKS; i++) {
		nap_class_schedule(&pool, 0, new_task(count_and_free));
		if (i % 2) {
			nap_class_schedule(&pool, 1, new_task(count_and_free));
		} else {
			nap_serial_schedule(&serial, new_task(count_and_free));
		}
		if (i % 3 == 0) {
			nap_schedule(&pool, new_task(count_and_free));
		}
	}
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	for (enum nap_measured what = NAP_MEASURE_WAIT; what <= NAP_MEASURE_QUEUE; what++) {
		EXPECT_EQ(count_of(what, 0), TASKS);
		EXPECT_EQ(count_of(what, 1), TASKS);
		EXPECT_EQ(count_of(what, NAP_CLASSES), TASKS / 3);
		EXPECT_EQ(nap_pool_histogram(&pool, what, 2, &waited), -EINVAL);
	}
	judge(_metadata);
	EXPECT_EQ(ran.count, 2 * TASKS + TASKS / 3);
}

/* The task by which a serial queue itself is scheduled is not measured. */
TEST(a_serial_queue_and_an_ordered_one)
{
	measured((struct nap_config){ .max_workers = 3 });
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	ASSERT_EQ(nap_order_init(&order, &pool, 0), 0);
	for (int i = 0; i < TASKS; i++) {
		nap_serial_schedule(&serial, new_task(count_and_free));
	}
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(count_of(NAP_MEASURE_RUN, NAP_CLASSES), TASKS);
	for (int i = 0; i < TASKS; i++) {
		nap_order_schedule(&order, NAP_ORDER_FAST, new_task(count_and_free));
	}
	/* The task of an ordered queue may find nothing to run, and counts as a run. */
	read_all(_metadata);
	EXPECT_EQ(waited.count, 2 * TASKS);
	EXPECT_EQ(ran.count, 2 * TASKS);
	EXPECT_EQ(length.count, 2 * TASKS);
	EXPECT_LE(waited.count, stats.workers.run + stats.helped);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A queue of a pool that is traced, and not measured, has ended; later another task has the address
 * of the queue's own task.
 */
TEST(a_task_in_the_memory_of_a_traced_queue)
{
	static struct nap_pool traced = NAP_POOL_INIT(.max_workers = 1);
	static union {
		struct nap_serial serial;
		struct nap_task task;
	} memory;
	struct nap_task *own = &memory.serial.task, first = NAP_TASK_INIT(count_run);
	struct nap_batch batch = NAP_BATCH_INIT;

	ASSERT_EQ(nap_trace_begin(&traced, NULL), 0);
	ASSERT_EQ(nap_serial_init(&memory.serial, &traced), 0);
	ASSERT_EQ(nap_serial_schedule(&memory.serial, &first), 0);
	ASSERT_EQ(nap_pool_join(&traced, NULL), 0);
	measured((struct nap_config){ .max_workers = 1 });
	nap_task_init(own, count_run);
	nap_batch_push(&batch, own);
	for (int i = 1; i < TASKS; i++)
		nap_batch_push(&batch, new_task(count_and_free));
	ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
	judge(_metadata);
	EXPECT_EQ(waited.count, TASKS);
}

static struct nap_work works[TASKS];
static struct nap_cq cq;

TEST(works_that_are_canceled)
{
	ASSERT_EQ(nap_cq_init(&cq), 0);
	measured((struct nap_config){ .max_workers = 2 });
	for (int i = 0; i < TASKS; i++) {
		nap_work_init(&works[i], work_nothing, count_done, &cq);
		ASSERT_EQ(nap_work_schedule(&pool, &works[i]), 0);
		nap_cancel(&works[i]);
	}
	while (nr_done < TASKS) {
		nap_cq_run(&cq, 0);
	}
	judge(_metadata);
	EXPECT_EQ(ran.count, TASKS);
}

/* ---- the values */

static void linger(struct nap_task *task)
{
	usleep(LONG_NS / 1000);
	count_and_free(task);
}

/* Ten tasks wait behind a long one. Each finds one task more in the queue than the one before. */
TEST(what_is_queued_behind_a_long_one)
{
	struct blocker first = BLOCKER_INIT;
	uint64_t before;

	measured((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, &first.task);
	flag_wait(&first.running);
	ASSERT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_QUEUE, NAP_ALL_CLASSES, &length), 0);
	before = length.sum;
	EXPECT_EQ(before, 1);
	for (int i = 0; i < 10; i++) {
		nap_schedule(&pool, new_task(linger));
	}
	EXPECT_EQ(count_of(NAP_MEASURE_WAIT, NAP_ALL_CLASSES), 1);
	usleep(LONG_NS / 1000);
	flag_set(&first.let_go);
	judge(_metadata);
	EXPECT_EQ(length.sum - before, 10 * 11 / 2);
	EXPECT_EQ(length.of[9], 1);
	EXPECT_EQ(length.of[10], 0);
	/* The last task has waited for nine other tasks, too, and so on. */
	EXPECT_GE(waited.sum, (10 + 9 * 10 / 2) * (uint64_t)LONG_NS);
	EXPECT_GE(nap_histogram_quantile(&waited, 1000000), 10 * (uint64_t)LONG_NS);
	EXPECT_GE(ran.sum, 11 * (uint64_t)LONG_NS);
	/* All tasks except the blocker ran for LONG_NS. */
	EXPECT_GE(nap_histogram_quantile(&ran, 100000), LONG_NS);
}

static void in_ring(struct nap_task *task)
{
	for (int i = 0; i < 10; i++)
		nap_schedule(&pool, new_task(count_and_free));
	count_and_free(task);
}

/* One worker, so that no other worker steals: the lengths are those in a ring of the usual size. */
TEST(the_length_of_a_ring_and_of_a_serial_queue)
{
	struct blocker first = BLOCKER_INIT;

	measured((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, new_task(in_ring));
	read_all(_metadata);
	EXPECT_EQ(length.sum, 1 + 10 * 11 / 2);
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	nap_serial_schedule(&serial, &first.task);
	flag_wait(&first.running);
	for (int i = 0; i < 5; i++) {
		nap_serial_schedule(&serial, new_task(count_and_free));
	}
	flag_set(&first.let_go);
	judge(_metadata);
	EXPECT_EQ(length.sum, 1 + 10 * 11 / 2 + 1 + 5 * 6 / 2);
}

/* The histogram has as many wakes as the trace has workers that went on because of work. */
TEST(wakes)
{
	struct nap_trace_options options = { .flags = NAP_TRACE_AT_JOIN };
	static struct trace_read seen;

	options.fd = memfd_create("trace", MFD_CLOEXEC);
	measured((struct nap_config){ .max_workers = 2, .spin_us = NAP_NO_SPIN });
	ASSERT_EQ(nap_trace_begin(&pool, &options), 0);
	for (int i = 0; i < 100; i++) {
		nap_schedule(&pool, new_task(count_and_free));
		usleep(1000);	/* no quiesce: its caller would run the task */
	}
	judge(_metadata);
	ASSERT_TRUE(trace_read(&seen, options.fd));
	close(options.fd);
	EXPECT_EQ(woken.count, seen.woken);
	EXPECT_GT(woken.count, 0);
	EXPECT_GE(woken.sum, woken.count);
}

/* ---- without room for histograms, and without measuring */

TEST(a_table_that_is_full)
{
	struct blocker first = BLOCKER_INIT;
	struct nap_config config = { .max_workers = 1, .measure = 1 };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	nap_schedule(&pool, &first.task);
	flag_wait(&first.running);
	for (int i = 0; i < TASKS; i++) {
		nap_schedule(&pool, new_task(count_and_free));
	}
	flag_set(&first.let_go);
	read_all(_metadata);
	EXPECT_EQ(waited.count, 1 + 16);
	EXPECT_EQ(waited.missed, TASKS - 16);
	EXPECT_EQ(ran.count, 1 + 16);
	EXPECT_EQ(ran.missed, TASKS - 16);
	EXPECT_EQ(length.count, 1 + TASKS);
	/* There is room again. */
	for (int i = 0; i < 10; i++) {
		nap_schedule(&pool, new_task(count_and_free));
		read_all(_metadata);
	}
	EXPECT_EQ(waited.count, 1 + 16 + 10);
	EXPECT_EQ(waited.missed, TASKS - 16);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(errors)
{
	struct nap_config config = { .max_workers = 1, .measure = NAP_MEASURE_MAX + 1 };

	EXPECT_EQ(nap_pool_init(&pool, &config), -EINVAL);
	config.measure = 0;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	nap_schedule(&pool, new_task(count_and_free));
	EXPECT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &waited), -ENODATA);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	measured((struct nap_config){ .max_workers = 1 });
	EXPECT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &waited), -ENODATA);
	nap_schedule(&pool, new_task(count_and_free));
	EXPECT_EQ(nap_pool_histogram(NULL, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &waited), -EINVAL);
	EXPECT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, NULL), -EINVAL);
	EXPECT_EQ(nap_pool_histogram(&pool, (enum nap_measured)4, NAP_ALL_CLASSES, &waited),
		  -EINVAL);
	EXPECT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAIT, 0, &waited), -EINVAL);
	EXPECT_EQ(nap_pool_histogram(&pool, NAP_MEASURE_WAKE, 0, &waited), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The child's pool starts with empty histograms, in memory of its own. */
TEST(the_child_of_a_fork)
{
	int status = -1;
	pid_t child;

	measured((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, new_task(count_and_free));
	read_all(_metadata);
	child = fork();
	if (child == 0) {
		bool right = nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES,
						&waited) == -ESHUTDOWN;

		in_child = true;
		right &= !nap_pool_init_child(&pool) &&
			 !nap_schedule(&pool, new_task(count_and_free)) &&
			 !nap_schedule(&pool, new_task(count_and_free)) &&
			 !nap_pool_quiesce(&pool) &&
			 count_of(NAP_MEASURE_RUN, NAP_ALL_CLASSES) == 2 &&
			 !nap_pool_join(&pool, NULL);
		_exit(!right);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	judge(_metadata);
	EXPECT_EQ(ran.count, 1);
}

/* ---- the page */

static char page[65536];

/* Returns the value of @sample without its decimal point, as a whole number; or -1. */
static long value_of(const char *sample)
{
	const char *at = strstr(page, sample);
	char digits[32] = "";
	size_t n = 0;

	if (!at)
		return -1;
	for (at += strlen(sample) + 1; *at != '\n' && n < sizeof(digits) - 1; at++)
		if (*at != '.')
			digits[n++] = *at;
	return atol(digits);
}

TEST(the_page)
{
	struct nap_metrics_pool of = { &pool, "one" };
	size_t empty = nap_metrics_pools(&of, 1, page, sizeof(page));

	EXPECT_EQ(strstr(page, "histogram"), NULL);
	measured((struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, new_task(in_ring));
	nap_schedule(&pool, new_task(linger));
	read_all(_metadata);
	EXPECT_GT(nap_metrics_pools(&of, 1, page, sizeof(page)), empty);
	EXPECT_EQ(value_of("nap_task_run_seconds_count{pool=\"one\"}"), 12);
	EXPECT_EQ(value_of("nap_task_run_seconds_bucket{pool=\"one\",le=\"+Inf\"}"), 12);
	EXPECT_EQ(value_of("nap_task_run_seconds_bucket{pool=\"one\",le=\"68.719476736\"}"), 12);
	/* The long task is over this bound, 4^6 * 256 ns, which is about 1 ms. */
	EXPECT_LE(value_of("nap_task_run_seconds_bucket{pool=\"one\",le=\"0.001048576\"}"), 11);
	EXPECT_NE(value_of("nap_task_run_seconds_bucket{pool=\"one\",le=\"0.000000256\"}"), -1);
	EXPECT_EQ(value_of("nap_queue_length_count{pool=\"one\"}"), 12);
	EXPECT_EQ(value_of("nap_queue_length_sum{pool=\"one\"}"), (long)length.sum);
	EXPECT_EQ(value_of("nap_queue_length_bucket{pool=\"one\",le=\"1048576\"}"), 12);
	EXPECT_EQ(value_of("nap_tasks_unmeasured_total{pool=\"one\"}"), 0);
	EXPECT_EQ(strstr(page, "class="), NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
