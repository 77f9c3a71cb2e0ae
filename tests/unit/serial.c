/* SPDX-License-Identifier: MIT */
/* nap/serial.h: one task at a time, in order; ends, refusals, and tasks that a stop leaves. */
#include <errno.h>
#include <pthread.h>

#include "sync/gate.h"
#include "pool_fixture.h"
#include "watchdog.h"

#define JOBS 40

static struct nap_pool pool;
static struct nap_serial serial;

struct job {
	struct nap_task task;
	struct nap_serial *serial;
};

static struct job jobs[JOBS];
static size_t ran[JOBS + 1], nr_jobs_run;	/* not atomic: one task at a time */

static void note(struct nap_task *task)
{
	ran[nr_jobs_run++] = (size_t)(nap_container_of(task, struct job, task) - jobs);
}

static struct nap_task *job(size_t i)
{
	nap_task_init(&jobs[i].task, note);
	return &jobs[i].task;
}

static bool ran_in_order(size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ran[i] != i)
			return false;
	return nr_jobs_run == n;
}

static void begin(uint32_t workers)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }) ||
	    nap_serial_init(&serial, &pool))
		abort();
}

static uint32_t door, inside;

static void wait_at_door(struct nap_task *task)
{
	(void)task;
	flag_set(&inside);
	flag_wait(&door);
}

static struct nap_task blocker = NAP_TASK_INIT(wait_at_door);

static void begin_busy(void)
{
	begin(1);
	if (nap_schedule(&pool, &blocker))
		abort();
	flag_wait(&inside);
}

TEST(bad_arguments_change_nothing)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_serial zero = { .pool = NULL };
	struct nap_work work = NAP_WORK_INIT(NULL, NULL, NULL);

	EXPECT_EQ(nap_serial_init(NULL, &pool), -EINVAL);
	EXPECT_EQ(nap_serial_init(&serial, NULL), -EINVAL);
	EXPECT_EQ(nap_serial_init((struct nap_serial *)((char *)&serial + 4), &pool), -EINVAL);
	EXPECT_EQ(nap_serial_schedule(NULL, job(0)), -EINVAL);
	EXPECT_EQ(nap_serial_schedule(&zero, job(0)), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_schedule(&serial, NULL), -EINVAL);
	EXPECT_EQ(nap_serial_end(NULL, job(0)), -EINVAL);
	EXPECT_EQ(nap_serial_end(NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_serial_end(&zero, NULL), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_end_work(&serial, NULL), -EINVAL);
	EXPECT_EQ(nap_serial_depth(NULL), 0u);
	EXPECT_EQ(nap_serial_work(NULL, &work), -EINVAL);
	EXPECT_EQ(nap_serial_work(&serial, &work), -EINVAL);
	EXPECT_EQ(nap_serial_work(&serial, NULL), -EINVAL);
	EXPECT_EQ(nap_serial_close(NULL, &left), -EINVAL);
	EXPECT_EQ(nap_serial_close(&serial, NULL), -EINVAL);
	EXPECT_TRUE(!nap_serial_of(NULL) && !nap_serial_of(job(0)));
}

TEST(tasks_run_in_order)
{
	begin_busy();
	for (size_t i = 0; i < JOBS; i++)
		EXPECT_EQ(nap_serial_schedule(&serial, job(i)), 0);
	EXPECT_EQ(nr_jobs_run, 0u);
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(ran_in_order(JOBS));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Other tasks of the pool run after a quantum. */
static size_t run_before_other;

static void look(struct nap_task *task)
{
	(void)task;
	run_before_other = nr_jobs_run;
}

TEST(others_have_their_turn)
{
	struct nap_task other = NAP_TASK_INIT(look);

	begin_busy();
	for (size_t i = 0; i < JOBS; i++)
		EXPECT_EQ(nap_serial_schedule(&serial, job(i)), 0);
	EXPECT_EQ(nap_schedule(&pool, &other), 0);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(run_before_other, (size_t)NAP_SERIAL_QUANTUM);
	EXPECT_TRUE(ran_in_order(JOBS));
}

static void schedule_next(struct nap_task *task)
{
	size_t i = (size_t)(nap_container_of(task, struct job, task) - jobs);

	note(task);
	if (i + 1 == JOBS)
		return;
	nap_task_init(&jobs[i + 1].task, schedule_next);
	if (nap_serial_schedule(&serial, &jobs[i + 1].task))
		abort();
}

TEST(a_task_may_schedule_the_next_one_also_in_a_drain)
{
	begin(2);
	nap_task_init(&jobs[0].task, schedule_next);
	EXPECT_EQ(nap_serial_schedule(&serial, &jobs[0].task), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(ran_in_order(JOBS));
	EXPECT_EQ(nap_serial_schedule(&serial, job(0)), -ESHUTDOWN);
	/* No thread is counted in a gate any longer. */
	EXPECT_EQ(pool.intake & ~GATE_CLOSED, 0u);
	EXPECT_EQ(pool.visits & ~GATE_CLOSED, 0u);
}

/* The counts wrap. A task may have begun in the reader's eyes before it was pushed. */
TEST(a_depth_is_a_difference_of_counts_and_not_negative)
{
	static const struct { uint32_t pushed, begun, depth; } counts[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 5, 3, 2 }, { 7, 7, 0 }, { 3, 5, 0 }, { 0, 1, 0 },
		{ 1, UINT32_MAX, 2 }, { UINT32_MAX, 1, 0 },
	};

	begin(1);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		serial.nr_pushed = counts[i].pushed;
		serial.nr_begun = counts[i].begun;
		EXPECT_EQ(nap_serial_depth(&serial), counts[i].depth);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- works */

static uint32_t nr_works_run, nr_works_canceled;

static int run_work(struct nap_work *work)
{
	(void)work;
	nr_works_run++;
	return 0;
}

static void work_done(struct nap_work *work, int result)
{
	(void)work;
	nr_works_canceled += result == -ECANCELED;
}

/* ---- the end */

static bool is_freed;

static void free_queue(struct nap_task *task)
{
	struct job *last = nap_container_of(task, struct job, task);

	note(task);
	free(last->serial);
	is_freed = true;
}

TEST(the_last_task_may_free_the_queue)
{
	begin(2);
	for (int round = 0; round < 100; round++) {
		struct nap_serial *s = malloc(sizeof(*s));

		nr_jobs_run = 0;
		is_freed = false;
		ASSERT_EQ(nap_serial_init(s, &pool), 0);
		for (size_t i = 0; i < 3; i++)
			EXPECT_EQ(nap_serial_schedule(s, job(i)), 0);
		nap_task_init(&jobs[3].task, free_queue);
		jobs[3].serial = s;
		EXPECT_EQ(nap_serial_end(s, &jobs[3].task), 0);
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_TRUE(is_freed && ran_in_order(4));
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(behind_the_last_task_all_is_refused)
{
	struct nap_work work = NAP_WORK_INIT(NULL, NULL, NULL);

	begin_busy();
	EXPECT_EQ(nap_serial_schedule(&serial, job(0)), 0);
	EXPECT_EQ(nap_serial_end(&serial, job(1)), 0);
	EXPECT_EQ(nap_serial_schedule(&serial, job(2)), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_end(&serial, job(2)), -ESHUTDOWN);
	work.fn = run_work;
	EXPECT_EQ(nap_serial_work(&serial, &work), -ESHUTDOWN);
	EXPECT_TRUE(nap_work_is_idle(&work));
	EXPECT_EQ(nap_serial_depth(&serial), 2u);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(ran_in_order(2));
}

TEST(a_stopped_pool_leaves_the_queue_and_what_is_in_it)
{
	struct nap_batch left = NAP_BATCH_INIT, in_queue = NAP_BATCH_INIT;

	begin_busy();
	for (size_t i = 0; i < 3; i++)
		EXPECT_EQ(nap_serial_schedule(&serial, job(i)), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap_serial_schedule(&serial, job(3)), -ESHUTDOWN);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(left.count, 1u);
	EXPECT_TRUE(nap_serial_of(left.head) == &serial);
	EXPECT_EQ(nap_serial_close(&serial, &in_queue), 0);
	EXPECT_EQ(in_queue.count, 3u);
	EXPECT_TRUE(in_queue.head == &jobs[0].task && in_queue.tail == &jobs[2].task);
	EXPECT_EQ(nr_jobs_run, 0u);
}

/* ---- many queues, and many threads that schedule */

#define QUEUES	5
#define THREADS	3
#define EACH	2000u

static struct {
	struct nap_serial serial;
	uint32_t last[THREADS];		/* not atomic: one task at a time */
	uint32_t nr, nr_wrong;
} queues[QUEUES];

struct many {
	struct nap_task task;
	uint32_t queue, thread, number;
};

static void in_its_order(struct nap_task *task)
{
	struct many *m = nap_container_of(task, struct many, task);

	queues[m->queue].nr++;
	queues[m->queue].nr_wrong += m->number != ++queues[m->queue].last[m->thread];
	free(m);
}

static void *schedule_many(void *thread)
{
	for (uint32_t i = 0; i < EACH * QUEUES; i++) {
		struct many *m = malloc(sizeof(*m));

		*m = (struct many){ NAP_TASK_INIT(in_its_order), i % QUEUES,
				    (uint32_t)(uintptr_t)thread, i / QUEUES + 1 };
		if (nap_serial_schedule(&queues[m->queue].serial, &m->task))
			abort();
	}
	return NULL;
}

/* Stops the pool. The queue must notice this before its next task, not only after a quantum. */
static void stop_pool(struct nap_task *task)
{
	note(task);
	if (nap_pool_shutdown(&pool, NAP_STOP))
		abort();
}

TEST(a_stop_comes_between_two_tasks)
{
	struct nap_batch left = NAP_BATCH_INIT, of_queue = NAP_BATCH_INIT;

	begin_busy();
	job(0)->run = stop_pool;
	EXPECT_EQ(nap_serial_schedule(&serial, &jobs[0].task), 0);
	for (size_t i = 1; i < 5; i++)
		EXPECT_EQ(nap_serial_schedule(&serial, job(i)), 0);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_TRUE(ran_in_order(1));
	EXPECT_EQ(left.count, 1u);
	EXPECT_TRUE(nap_serial_of(left.head) == &serial);
	EXPECT_EQ(nap_serial_close(&serial, &of_queue), 0);
	EXPECT_EQ(of_queue.count, 4u);
	EXPECT_EQ(nap_batch_pop(&of_queue), &jobs[1].task);
	/* Another call finds no task, and a pool that is begun again gets none. */
	EXPECT_EQ(nap_serial_close(&serial, &of_queue), 0);
	EXPECT_EQ(of_queue.count, 3u);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	EXPECT_EQ(nap_serial_schedule(&serial, job(0)), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_depth(&serial), 0u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * The pool of a closed queue may be freed. In this test the queue has a pool's address that cannot
 * be accessed.
 */
TEST(a_closed_queue_refuses_without_its_pool)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin(1);
	EXPECT_EQ(nap_serial_schedule(&serial, job(0)), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_serial_close(&serial, &left), 0);
	serial.pool = (struct nap_pool *)NAP__CACHE_LINE;
	EXPECT_EQ(nap_serial_schedule(&serial, job(1)), -ESHUTDOWN);
	EXPECT_EQ(nap_serial_end(&serial, job(1)), -ESHUTDOWN);
	EXPECT_TRUE(ran_in_order(1));
}

TEST(many_queues)
{
	pthread_t threads[THREADS];

	begin(3);
	for (int i = 0; i < QUEUES; i++)
		ASSERT_EQ(nap_serial_init(&queues[i].serial, &pool), 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, schedule_many, (void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	for (int i = 0; i < QUEUES; i++)
		EXPECT_TRUE(queues[i].nr == THREADS * EACH && queues[i].nr_wrong == 0);
}

TEST(works_among_them_may_be_canceled)
{
	struct nap_work works[10];

	begin_busy();
	for (int i = 0; i < 10; i++) {
		nap_work_init(&works[i], run_work, work_done, NULL);
		EXPECT_EQ(nap_serial_work(&serial, &works[i]), 0);
		EXPECT_EQ(nap_serial_work(&serial, &works[i]), -EBUSY);
	}
	for (int i = 0; i < 10; i += 3)
		EXPECT_TRUE(nap_cancel(&works[i]));
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_works_run == 6 && nr_works_canceled == 4);
}

/* The last task may be a work, whether it runs or not. Its @done frees the queue's memory. */
struct owner {
	struct nap_work work;
	struct nap_serial *serial;
};

static void done_with_queue(struct nap_work *work, int result)
{
	work_done(work, result);
	free(nap_container_of(work, struct owner, work)->serial);
}

TEST(the_last_one_may_be_a_work_and_be_canceled)
{
	struct owner last[2];

	begin_busy();
	for (int i = 0; i < 2; i++) {
		last[i].serial = malloc(sizeof(struct nap_serial));
		nap_work_init(&last[i].work, run_work, done_with_queue, NULL);
		ASSERT_EQ(nap_serial_init(last[i].serial, &pool), 0);
		EXPECT_EQ(nap_serial_schedule(last[i].serial, job((size_t)i)), 0);
		EXPECT_EQ(nap_serial_end_work(last[i].serial, &last[i].work), 0);
		EXPECT_EQ(nap_serial_end_work(last[i].serial, &last[i].work), -EBUSY);
		EXPECT_EQ(nap_serial_schedule(last[i].serial, job(2)), -ESHUTDOWN);
	}
	EXPECT_EQ(nap_serial_end_work(NULL, &last[0].work), -EINVAL);
	EXPECT_TRUE(nap_cancel(&last[1].work));
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(nr_jobs_run == 2 && nr_works_run == 1 && nr_works_canceled == 1);
}

static uint32_t canceling, over;
static struct nap_work refused_work;

static void *cancels(void *unused)
{
	(void)unused;
	flag_set(&canceling);
	while (!nap_load_relaxed(&over))
		nap_cancel(&refused_work);
	return NULL;
}

/*
 * A caller whose last task is refused still owns the queue. No end comes that would free the queue,
 * whatever another thread cancels at that time.
 */
TEST(a_last_one_that_is_refused_has_no_end)
{
	pthread_t canceler;

	begin_busy();
	nap_work_init(&refused_work, run_work, work_done, NULL);
	EXPECT_EQ(nap_serial_schedule(&serial, job(0)), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(pthread_create(&canceler, NULL, cancels, NULL), 0);
	flag_wait(&canceling);
	for (unsigned long i = 0; nap_test_again(i, 2000000); i++)
		ASSERT_EQ(nap_serial_end_work(&serial, &refused_work), -ESHUTDOWN);
	nap_store_relaxed(&over, true);
	ASSERT_EQ(pthread_join(canceler, NULL), 0);
	EXPECT_EQ(nr_works_run + nr_works_canceled, 0);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_jobs_run, 0u);
}

TEST_HARNESS_MAIN
