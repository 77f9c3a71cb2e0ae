/* SPDX-License-Identifier: MIT */
/*
 * Works with a @gone (nap/work.h). The loop calls @done in its next iteration, however many tasks
 * are queued before the work. It calls @gone when nap no longer uses the work: once, after @done,
 * whatever else happens.
 */
#include <errno.h>

#include "os/os.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool;
static struct nap_cq loop;
static uint32_t door, inside;

static struct job {
	struct nap_work work;
	uint32_t runs, ends, goes;
	int result;
	bool on_worker;		/* @gone ran on a worker */
} job, first;

static struct job *job_of(struct nap_work *work)
{
	return nap_container_of(work, struct job, work);
}

static int run_job(struct nap_work *work)
{
	job_of(work)->runs++;
	return 7;
}

static int wait_at_door(struct nap_work *work)
{
	flag_set(&inside);
	flag_wait(&door);
	return run_job(work);
}

static void job_done(struct nap_work *work, int result)
{
	struct job *j = job_of(work);

	if (nap_work_is_idle(work) || j->goes)
		abort();
	j->result = result;
	j->ends++;
}

static void job_gone(struct nap_work *work)
{
	struct job *j = job_of(work);

	if (!nap_work_is_idle(work))
		abort();
	j->on_worker = nap_worker_self();
	j->goes++;
}

static void begin(void)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) || nap_cq_init(&loop))
		abort();
	nap_work_init(&job.work, run_job, job_done, &loop);
	job.work.gone = job_gone;
}

/* Begins with the only worker inside another work. */
static void begin_busy(void)
{
	begin();
	nap_work_init(&first.work, wait_at_door, NULL, NULL);
	if (nap_work_schedule(&pool, &first.work))
		abort();
	flag_wait(&inside);
}

static bool is(uint32_t ends, uint32_t goes)
{
	return job.ends == ends && job.goes == goes && nap_work_is_idle(&job.work) == (goes > 0);
}

static void run_loop_once(void)
{
	nap__os_eventfd_wait(nap_cq_fd(&loop), UINT64_MAX >> 1);
	nap_cq_run(&loop, 0);
}

static void end(struct __test_metadata *_metadata)
{
	struct nap_batch left = NAP_BATCH_INIT;

	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_EQ(left.count, 0u);
	EXPECT_TRUE(job.ends == 1 && job.goes == 1 && nap_work_is_idle(&job.work));
}

TEST(one_that_runs_is_gone_behind_its_end)
{
	begin();
	for (uint32_t i = 0; i < 3; i++) {
		job.ends = job.goes = 0;
		EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
		while (!job.goes)
			run_loop_once();
		EXPECT_TRUE(job.runs == i + 1 && job.result == 7 && !job.on_worker);
	}
	end(_metadata);
}

TEST(canceled_it_is_told_of_at_once_and_gone_at_its_place)
{
	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	EXPECT_TRUE(is(1, 0) && job.result == -ECANCELED);
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), -EBUSY);
	EXPECT_EQ(nap_cq_run(&loop, 0), 0u);
	flag_set(&door);
	while (!job.goes)
		run_loop_once();
	EXPECT_TRUE(is(1, 1) && !job.runs && !job.on_worker);
	end(_metadata);
}

TEST(where_its_place_comes_first_both_come_together)
{
	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(is(0, 0));
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	EXPECT_TRUE(is(1, 1) && !job.on_worker && job.result == -ECANCELED);
	EXPECT_EQ(nap_cq_run(&loop, 0), 0u);
	end(_metadata);
}

TEST(canceled_while_it_runs_it_is_told_of_behind_that)
{
	begin();
	nap_work_init(&job.work, wait_at_door, job_done, &loop);
	job.work.gone = job_gone;
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	flag_wait(&inside);
	EXPECT_FALSE(nap_cancel(&job.work));
	flag_set(&door);
	while (!job.goes)
		run_loop_once();
	EXPECT_TRUE(is(1, 1) && job.result == 7);
	end(_metadata);
}

TEST(without_a_loop_both_come_at_its_place)
{
	begin_busy();
	job.work.cq = NULL;
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_TRUE(is(0, 0));
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(is(1, 1) && job.on_worker && job.result == -ECANCELED);
	end(_metadata);
}

TEST(so_they_do_where_the_loop_is_gone)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy();
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_TRUE(is(0, 0));
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(is(1, 1) && job.on_worker && job.result == -ECANCELED);
	end(_metadata);
}

/* The loop is closed between @done and @gone. */
TEST(where_the_loop_goes_meanwhile_the_worker_says_that_it_is_gone)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
	EXPECT_EQ(left.count, 0u);
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(is(1, 1) && job.on_worker);
	end(_metadata);
}

TEST(what_a_loop_has_left_is_told_of_by_who_ends_it)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
	EXPECT_EQ(left.count, 1u);
	EXPECT_EQ(nap_work_of(left.head), &job.work);
	EXPECT_EQ(nap_work_end_left(&left), 1u);
	EXPECT_TRUE(is(1, 0));
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(is(1, 1) && job.on_worker);
	end(_metadata);
}

/* ---- stops */

static void stop(void)
{
	if (nap_pool_shutdown(&pool, NAP_STOP))
		abort();
	flag_set(&door);
}

TEST(a_stop_before_it_was_told_of)
{
	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	stop();
	end(_metadata);
	EXPECT_EQ(job.result, -ECANCELED);
}

TEST(a_stop_behind_that)
{
	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	stop();
	end(_metadata);
}

TEST(a_stop_without_a_cancel)
{
	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	stop();
	end(_metadata);
	EXPECT_TRUE(job.result == -ECANCELED && !job.runs);
}

/*
 * The loop has called the @done of a canceled work, whose entry is still in the pool's queue. A
 * stop hands the entry back, which is no second end; the close of the loop's queue calls @gone.
 */
TEST(its_place_is_no_second_end)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy();
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	stop();
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_work_of(left.head), &job.work);
	EXPECT_EQ(nap_work_end_left(&left), 0u);
	EXPECT_TRUE(is(1, 0));
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
	EXPECT_EQ(nap_work_of(left.head), &job.work);
	EXPECT_EQ(nap_work_end_left(&left), 0u);
	EXPECT_TRUE(is(1, 1));
	end(_metadata);
}

/* ---- a work that waits for other works */

TEST(one_that_waits_for_others_is_told_of_before_these_are_done)
{
	static struct nap_after after;

	begin();
	EXPECT_EQ(nap_work_after(&after, &pool, &job.work, 1), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	EXPECT_TRUE(is(1, 0));
	EXPECT_EQ(nap_after_done(&after), 1);
	while (!job.goes)
		run_loop_once();
	EXPECT_TRUE(is(1, 1) && !job.runs);
	end(_metadata);
}

TEST(also_when_its_pool_refuses_it_then)
{
	static struct nap_after after;

	begin();
	EXPECT_EQ(nap_work_after(&after, &pool, &job.work, 1), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap_after_done(&after), 1);
	EXPECT_TRUE(is(0, 0));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	EXPECT_TRUE(is(1, 1));
	end(_metadata);
}

static struct nap_serial *serial;

static void free_serial(struct nap_work *work)
{
	free(serial);
	job_gone(work);
}

TEST(the_last_one_of_a_serial_queue_frees_that_when_it_is_gone)
{
	begin_busy();
	serial = malloc(sizeof(*serial));
	ASSERT_EQ(nap_serial_init(serial, &pool), 0);
	job.work.gone = free_serial;
	EXPECT_EQ(nap_serial_end_work(serial, &job.work), 0);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_EQ(nap_cq_run(&loop, 0), 1u);
	EXPECT_TRUE(is(1, 0));
	flag_set(&door);
	while (!job.goes)
		run_loop_once();
	end(_metadata);
}

/* ---- many works, canceled at any time, and freed when they are gone */

#define MANY 3000u

static uint32_t nr_done, nr_gone, nr_canceled;

static void many_done(struct nap_work *work, int result)
{
	if (job_of(work)->ends++ || job_of(work)->runs != (result == 7))
		abort();
	nr_canceled += result == -ECANCELED;
	nr_done++;
}

static void free_many(struct nap_work *work)
{
	if (job_of(work)->ends != 1)
		abort();
	free(job_of(work));
	nr_gone++;
}

TEST(canceled_by_the_loop_at_any_time)
{
	struct nap_batch left = NAP_BATCH_INIT;
	uint32_t nr_told = 0;

	watchdog(&pool, 0);
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 3 }), 0);
	ASSERT_EQ(nap_cq_init(&loop), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		struct job *j = calloc(1, sizeof(*j));

		nap_work_init(&j->work, run_job, many_done, &loop);
		j->work.gone = free_many;
		if (nap_work_schedule(&pool, &j->work))
			abort();
		/* The loop has not run since the schedule, so the work has not been freed. */
		nr_told += i % 2 && nap_cancel(&j->work);
		if (i % 16 == 0)
			nap_cq_run(&loop, 0);
	}
	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_EQ(left.count, 0u);
	EXPECT_TRUE(nr_done == MANY && nr_gone == MANY);
	EXPECT_GE(nr_canceled, nr_told);
}

TEST_HARNESS_MAIN
