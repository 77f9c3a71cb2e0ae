/* SPDX-License-Identifier: MIT */
/*
 * nap/work.h: each work ends once, with the right result and on the right thread, and a thread that
 * cancels it gets an answer.
 */
#include <errno.h>

#include "os/os.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

static struct nap_pool pool;
static struct nap_cq loop;

/* A work, and the counts of its runs and ends. */
struct job {
	struct nap_work work;
	uint32_t runs, ends;
	int result;
	bool on_worker;		/* the work ended on a worker */
	bool was_asked;
};

static struct job *job_of(struct nap_work *work)
{
	return nap_container_of(work, struct job, work);
}

static int run_job(struct nap_work *work)
{
	nap_fetch_add_relaxed(&job_of(work)->runs, 1);
	return 7;
}

static uint32_t nr_ended;

static void job_done(struct nap_work *work, int result)
{
	struct job *job = job_of(work);

	if (!nap_work_is_idle(work))
		abort();
	job->result = result;
	job->on_worker = nap_worker_self();
	nap_fetch_add_relaxed(&job->ends, 1);
	nap_fetch_add_release(&nr_ended, 1);
}

static uint32_t door, inside;

static int wait_at_door(struct nap_work *work)
{
	flag_set(&inside);
	flag_wait(&door);
	job_of(work)->was_asked = nap_work_is_canceled(work);
	return run_job(work);
}

static void begin_pool(uint32_t workers)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }))
		abort();
}

/* Begins with the only worker in @job, where it stays. */
static void begin_busy(struct job *job)
{
	begin_pool(1);
	nap_work_init(&job->work, wait_at_door, job_done, NULL);
	if (nap_work_schedule(&pool, &job->work))
		abort();
	flag_wait(&inside);
}

static void run_loop(uint32_t until)
{
	while (nap_load_acquire(&nr_ended) < until) {
		nap__os_eventfd_wait(nap_cq_fd(&loop), UINT64_MAX >> 1);
		nap_cq_run(&loop, 0);
	}
}

static bool has_ended(const struct job *job, int result)
{
	return job->ends == 1 && job->result == result && job->runs == (result == 7) &&
	       nap_work_is_idle(&job->work);
}

TEST(bad_arguments_change_nothing)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct job job = { .work = NAP_WORK_INIT(NULL, NULL, NULL) };
	struct nap_task task = NAP_TASK_INIT(count_run);

	EXPECT_EQ(nap_work_schedule(&pool, NULL), -EINVAL);
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), -EINVAL);
	EXPECT_EQ(nap_work_batch(&batch, NULL), -EINVAL);
	EXPECT_EQ(nap_work_batch(&batch, &job.work), -EINVAL);
	EXPECT_EQ(batch.count, 0u);
	job.work.fn = run_job;
	EXPECT_EQ(nap_work_schedule(NULL, &job.work), -EINVAL);
	EXPECT_EQ(nap_work_batch(NULL, &job.work), -EINVAL);
	EXPECT_FALSE(nap_cancel(NULL));
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_TRUE(nap_work_is_idle(&job.work));
	EXPECT_TRUE(!nap_work_of(NULL) && !nap_work_of(&task) && !nap_work_of(&job.work.task));
	EXPECT_EQ(nap_work_end_left(NULL), 0u);
}

TEST(the_worker_that_ran_it_says_so)
{
	struct job job = { .work = NAP_WORK_INIT(run_job, job_done, NULL) };

	begin_pool(2);
	for (uint32_t i = 1; i <= 3; i++) {
		EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
		EXPECT_EQ(nap_pool_quiesce(&pool), 0);
		EXPECT_TRUE(job.runs == i && job.ends == i && job.result == 7 && job.on_worker);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(or_the_loop)
{
	struct job jobs[5];

	begin_pool(2);
	ASSERT_EQ(nap_cq_init(&loop), 0);
	for (int i = 0; i < 5; i++) {
		jobs[i] = (struct job){ .work = NAP_WORK_INIT(run_job, job_done, &loop) };
		EXPECT_EQ(nap_work_schedule(&pool, &jobs[i].work), 0);
	}
	run_loop(5);
	for (int i = 0; i < 5; i++)
		EXPECT_TRUE(has_ended(&jobs[i], 7) && !jobs[i].on_worker);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * The loop's queue is closed. If it is closed before the work's end, the work ends on its worker;
 * otherwise the close hands the work back.
 */
TEST(or_the_worker_where_the_loop_is_gone)
{
	struct job first = { .runs = 0 }, job = { .work = NAP_WORK_INIT(run_job, job_done, &loop) };
	struct nap_batch left = NAP_BATCH_INIT;

	ASSERT_EQ(nap_cq_init(&loop), 0);
	begin_busy(&first);
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(has_ended(&job, 7) && job.on_worker);

	ASSERT_EQ(nap_cq_init(&loop), 0);
	job.runs = job.ends = 0;
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	/* The work has run: a cancel comes too late. */
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_FALSE(nap_work_is_canceled(&job.work));
	EXPECT_EQ(nap_cq_close(&loop, &left), 0);
	EXPECT_EQ(left.count, 1u);
	EXPECT_FALSE(nap_work_is_idle(&job.work));
	EXPECT_EQ(job.ends, 0u);
	EXPECT_EQ(nap_work_of(left.head), &job.work);
	EXPECT_EQ(nap_work_end_left(&left), 1u);
	EXPECT_TRUE(!left.head && has_ended(&job, 7) && !job.on_worker);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(without_done_it_is_found_idle)
{
	struct job job = { .work = NAP_WORK_INIT(run_job, NULL, NULL) };

	begin_pool(1);
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	while (!nap_work_is_idle(&job.work))
		sched_yield();
	EXPECT_EQ(job.runs, 1u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(canceled_while_it_is_queued_it_does_not_run)
{
	struct job first = { .runs = 0 }, job = { .work = NAP_WORK_INIT(run_job, job_done, NULL) };

	begin_busy(&first);
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), -EBUSY);
	EXPECT_TRUE(nap_cancel(&job.work));
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), -EBUSY);
	EXPECT_EQ(job.ends, 0u);
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(has_ended(&job, -ECANCELED));
	EXPECT_TRUE(has_ended(&first, 7) && !first.was_asked);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(canceled_while_it_runs_it_can_find_out)
{
	struct job job = { .runs = 0 };

	begin_busy(&job);
	EXPECT_FALSE(nap_work_is_canceled(&job.work));
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_FALSE(nap_cancel(&job.work));
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(has_ended(&job, 7) && job.was_asked);
	EXPECT_FALSE(nap_cancel(&job.work));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(too_late_it_does_not_run)
{
	struct job jobs[3], first = { .runs = 0 };
	const uint64_t deadlines[] = { 1, UINT64_MAX, 0 };

	begin_busy(&first);
	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ .work = NAP_WORK_INIT(run_job, job_done, NULL) };
		jobs[i].work.deadline = deadlines[i];
		EXPECT_EQ(nap_work_schedule(&pool, &jobs[i].work), 0);
	}
	flag_set(&door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_TRUE(has_ended(&jobs[0], -ETIMEDOUT));
	EXPECT_TRUE(has_ended(&jobs[1], 7));
	EXPECT_TRUE(has_ended(&jobs[2], 7));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The time, as the calling thread reads it; 0: the system's. */
static __thread uint64_t at;

WRAP(uint64_t, nap__os_now, (void))
{
	return at ? at : __real_nap__os_now();
}

/* Runs @job on this thread, at the time @now. */
static void run_at(struct job *job, uint64_t now)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	job->runs = job->ends = 0;
	if (nap_work_batch(&batch, &job->work))
		abort();
	at = now;
	job->work.task.run(&job->work.task);
	at = 0;
}

TEST(at_its_deadline_it_is_not_yet_too_late)
{
	struct job job = { .work = NAP_WORK_INIT(run_job, job_done, NULL) };

	job.work.deadline = 1000;
	run_at(&job, 999);
	EXPECT_TRUE(has_ended(&job, 7));
	run_at(&job, 1000);
	EXPECT_TRUE(has_ended(&job, 7));
	run_at(&job, 1001);
	EXPECT_TRUE(has_ended(&job, -ETIMEDOUT));
}

TEST(a_batch_of_them)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct job jobs[4];

	begin_pool(2);
	for (int i = 0; i < 4; i++) {
		jobs[i] = (struct job){ .work = NAP_WORK_INIT(run_job, job_done, NULL) };
		EXPECT_EQ(nap_work_batch(&batch, &jobs[i].work), 0);
		EXPECT_EQ(nap_work_batch(&batch, &jobs[i].work), -EBUSY);
	}
	EXPECT_EQ(batch.count, 4u);
	EXPECT_TRUE(nap_cancel(&jobs[2].work));
	EXPECT_EQ(nap_schedule_batch(&pool, &batch), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	for (int i = 0; i < 4; i++)
		EXPECT_TRUE(has_ended(&jobs[i], i == 2 ? -ECANCELED : 7));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(refused_it_is_idle_and_a_batch_can_be_ended)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct job one = { .work = NAP_WORK_INIT(run_job, job_done, NULL) }, many = one;

	begin_pool(1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_work_schedule(&pool, &one.work), -ESHUTDOWN);
	EXPECT_TRUE(nap_work_is_idle(&one.work));
	EXPECT_EQ(one.ends, 0u);
	EXPECT_EQ(nap_work_batch(&batch, &many.work), 0);
	EXPECT_EQ(nap_schedule_batch(&pool, &batch), -ESHUTDOWN);
	EXPECT_EQ(nap_work_end_left(&batch), 1u);
	EXPECT_TRUE(has_ended(&many, -ECANCELED));
}

/* Another thread cancels the work @crossed just before its pool refuses it. */
static struct nap_work *crossed;

WRAP(int, nap_schedule, (struct nap_pool *where, struct nap_task *task))
{
	if (!crossed || task != &crossed->task)
		return __real_nap_schedule(where, task);
	if (!nap_cancel(crossed))
		abort();
	return -ESHUTDOWN;
}

/* The thread that cancels the work relies on its end, so the work counts as accepted. */
TEST(refused_and_canceled_meanwhile_it_ends)
{
	struct job job = { .work = NAP_WORK_INIT(run_job, job_done, NULL) };

	crossed = &job.work;
	EXPECT_EQ(nap_work_schedule(&pool, &job.work), 0);
	EXPECT_TRUE(has_ended(&job, -ECANCELED));
	EXPECT_FALSE(job.on_worker);
}

TEST(what_a_stopped_pool_has_left_is_ended)
{
	struct job first = { .runs = 0 }, jobs[3];
	struct nap_task other = NAP_TASK_INIT(count_run);
	struct nap_batch left = NAP_BATCH_INIT;

	begin_busy(&first);
	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ .work = NAP_WORK_INIT(run_job, job_done, NULL) };
		EXPECT_EQ(nap_work_schedule(&pool, &jobs[i].work), 0);
		if (i == 1)
			EXPECT_EQ(nap_schedule(&pool, &other), 0);
	}
	EXPECT_TRUE(nap_cancel(&jobs[0].work));
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	flag_set(&door);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nap_work_end_left(&left), 3u);
	EXPECT_TRUE(left.count == 1 && left.head == &other);
	for (int i = 0; i < 3; i++)
		EXPECT_TRUE(has_ended(&jobs[i], -ECANCELED));
	EXPECT_EQ(nr_run, 0u);
}

/* ---- many works: the loop's thread frees them, and cancels some */

#define MANY 3000u

static uint32_t nr_done_canceled, nr_done_run;

static void count_done_and_free(struct nap_work *work, int result)
{
	nap_fetch_add_relaxed(result == -ECANCELED ? &nr_done_canceled : &nr_done_run, 1);
	if (job_of(work)->runs != (result == 7))
		abort();
	free(job_of(work));
	nap_fetch_add_release(&nr_ended, 1);
}

TEST(canceled_by_the_loop_at_any_time)
{
	static struct job *jobs[MANY];
	uint32_t nr_told = 0;

	begin_pool(2);
	ASSERT_EQ(nap_cq_init(&loop), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		jobs[i] = malloc(sizeof(*jobs[i]));
		*jobs[i] = (struct job){ .runs = 0 };
		nap_work_init(&jobs[i]->work, run_job, count_done_and_free, &loop);
		if (nap_work_schedule(&pool, &jobs[i]->work))
			abort();
		/* The loop has not run yet, so no work has ended and been freed. */
		nr_told += i >= 3 && nap_cancel(&jobs[i - i % 4]->work);
	}
	run_loop(MANY);
	EXPECT_EQ(nr_done_canceled, nr_told);
	EXPECT_EQ(nr_done_canceled + nr_done_run, MANY);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
