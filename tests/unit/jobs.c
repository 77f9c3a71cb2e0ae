/* SPDX-License-Identifier: MIT */
/* Fork and join on one worker and on several: results, order, steals, and sleeping joiners. */
#include <errno.h>

#include "fib.h"
#include "fork/ask.h"
#include "forked.h"
#include "jobs_fixture.h"
#include "sync/event.h"
#include "queue/deque.h"
#include "worker/worker.h"

static struct nap_pool pool;

static void new_pool(uint32_t workers)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }))
		abort();
}

/* ---- results */

static long fib_of_20_is;

static void fib_of_20(struct nap_worker *worker)
{
	fib_of_20_is = fib(worker, nap_top(worker), 20);
}

TEST(a_recursion_has_its_result)
{
	unsigned long rounds = nap_test_count(300);

	for (uint32_t workers = 1; workers <= 8; workers *= 2) {
		new_pool(workers);
		for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
			fib_of_20_is = 0;
			ASSERT_EQ(run_on_worker(&pool, fib_of_20), 0);
			ASSERT_EQ(fib_of_20_is, 6765);
		}
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* ---- more jobs than there are frames */

enum { MANY = 3 * NAP_DEQUE_SIZE };
static struct counted { struct nap_frame *frame; unsigned long runs; } many[MANY];

static void count_job(struct nap_worker *worker, struct nap_frame *top, struct counted *counted)
{
	(void)worker;
	(void)top;
	counted->runs++;
}

NAP_JOB_VOID(count_job, struct counted *)

static void fork_counted(struct nap_worker *worker, struct counted *counted, nap_job_fn run)
{
	counted->runs = 0;
	counted->frame = fork_run(worker, run, counted);
}

static void fork_many(struct nap_worker *worker)
{
	for (int i = 0; i < MANY; i++)
		fork_counted(worker, &many[i], count_job_run);
	for (int i = MANY; i--;)
		count_job_join(worker, many[i].frame, &many[i]);
}

static unsigned long wrong_runs(void)
{
	unsigned long wrong = 0;

	for (int i = 0; i < MANY; i++)
		wrong += many[i].runs != 1;
	return wrong;
}

TEST(more_jobs_than_frames_run_once_each)
{
	unsigned long rounds = nap_test_count(200);

	for (uint32_t workers = 1; workers <= 3; workers++) {
		new_pool(workers);
		for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
			ASSERT_EQ(run_on_worker(&pool, fork_many), 0);
			ASSERT_EQ(wrong_runs(), 0);
		}
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/*
 * The recursion is deeper than there are frames: jobs share the last frame, and none writes past
 * it.
 */
static long same(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(same, long, long)

static long same(struct nap_worker *worker, struct nap_frame *top, long n)
{
	(void)worker;
	(void)top;
	return n;
}

static long sum_to(struct nap_worker *worker, struct nap_frame *top, long n)
{
	struct nap_frame *next;
	long sum;

	if (!n)
		return 0;
	if (top > deque_full(&worker->deque))
		abort();
	next = same_fork(worker, top, n);
	sum = sum_to(worker, next, n - 1);
	return sum + same_join(worker, top, n);
}

static long sum;

static void sum_many(struct nap_worker *worker)
{
	sum = sum_to(worker, nap_top(worker), MANY);
	if (nap_top(worker) != worker->frames)
		abort();
}

TEST(a_recursion_that_is_deeper_than_the_frames_has_its_result)
{
	unsigned long rounds = nap_test_count(200);

	for (uint32_t workers = 1; workers <= 3; workers++) {
		new_pool(workers);
		for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
			sum = 0;
			ASSERT_EQ(run_on_worker(&pool, sum_many), 0);
			ASSERT_EQ(sum, MANY * (MANY + 1l) / 2);
		}
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

/* One worker forks and joins by itself: no worker is asked, and none is notified. */
TEST(one_worker_alone_steals_nothing)
{
	struct nap_pool_stats stats;

	new_pool(1);
	ASSERT_EQ(run_on_worker(&pool, fork_many), 0);
	EXPECT_EQ(wrong_runs(), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.workers.jobs_stolen, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * At first a worker counts as asked for jobs. Its first fork answers, and publishes the job. Until
 * the next request a fork is private, and takes the fast path. Without membarrier every fork counts
 * as asked.
 */
static bool answered[2], is_split;

static void fork_twice(struct nap_worker *worker)
{
	for (int i = 0; i < 2; i++) {
		fork_counted(worker, &many[i], count_job_run);
		answered[i] = nap_load_relaxed(&worker->deque.forks.limit) ==
			      deque_full(&worker->deque);
	}
	is_split = forks_are_split(worker);
	for (int i = 2; i--;)
		count_job_join(worker, many[i].frame, &many[i]);
}

TEST(a_request_for_jobs_is_answered_by_one_fork)
{
	new_pool(1);
	ASSERT_EQ(run_on_worker(&pool, fork_twice), 0);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(many[i].runs, 1);
		EXPECT_EQ(answered[i], is_split);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- other workers take private jobs even if the forker neither forks nor joins again */

static uint32_t let_all_go, nr_blocked;

static void block_job(struct nap_worker *worker, struct nap_frame *top, struct counted *counted)
{
	nap_fetch_add_relaxed(&nr_blocked, 1);
	flag_wait(&let_all_go);
	count_job(worker, top, counted);
}

NAP_JOB_VOID(block_job, struct counted *)

static void fork_and_look_on(struct nap_worker *worker)
{
	for (int i = 0; i < 3; i++)
		fork_counted(worker, &many[i], block_job_run);
	/* The worker neither forks nor joins until each worker is inside its job. */
	while (nap_load_relaxed(&nr_blocked) < 3)
		sched_yield();
	flag_set(&let_all_go);
	for (int i = 3; i--;)
		if (nap_join(worker, many[i].frame))
			abort();
}

TEST(private_jobs_are_taken_from_a_forker_that_goes_on_for_long)
{
	struct nap_pool_stats stats;

	watchdog(&pool, 0);
	new_pool(4);
	EXPECT_EQ(nap_pool_prewarm(&pool, 4), 0);
	EXPECT_EQ(run_on_worker(&pool, fork_and_look_on), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(many[i].runs, 1);
	}
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.workers.jobs_stolen, 3);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a joiner whose job was stolen */

/*
 * The thief forks when the joiner sleeps, goes on when the joiner has begun the new job, and ends
 * when the joiner sleeps again.
 */
static uint32_t inner_begun;
static struct nap_worker *outer_worker, *inner_worker;

static void inner_job(struct nap_worker *worker, struct nap_frame *top, struct counted *counted)
{
	inner_worker = worker;
	flag_set(&inner_begun);
	count_job(worker, top, counted);
}

NAP_JOB_VOID(inner_job, struct counted *)

static void until_joiner_sleeps(void)
{
	while (!(nap_load_relaxed(&outer_worker->event) & EVENT_PARKED))
		usleep(100);
}

static void fork_in_job(struct nap_worker *worker, struct nap_frame *top, struct counted *counted)
{
	flag_set(&let_all_go);
	until_joiner_sleeps();
	inner_job_fork(worker, top, &many[1]);
	flag_wait(&inner_begun);
	if (nap_join(worker, top))
		abort();
	until_joiner_sleeps();
	count_job(worker, top, counted);
}

NAP_JOB_VOID(fork_in_job, struct counted *)

static void join_forker(struct nap_worker *worker)
{
	outer_worker = worker;
	many[0].runs = many[1].runs = 0;
	fork_in_job_fork(worker, nap_top(worker), &many[0]);
	flag_wait(&let_all_go);
	if (nap_join(worker, worker->frames))
		abort();
}

TEST(a_sleeping_joiner_is_called_back_by_its_thief)
{
	watchdog(&pool, 0);
	new_pool(2);
	EXPECT_EQ(run_on_worker(&pool, join_forker), 0);
	EXPECT_EQ(many[0].runs, 1);
	EXPECT_EQ(many[1].runs, 1);
	EXPECT_EQ(inner_worker, outer_worker);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a pool is shut down in the middle: jobs that were forked are completed */

static enum nap_shutdown how;

static void shut_down_and_join(struct nap_worker *worker)
{
	nr_blocked = let_all_go = 0;
	fork_counted(worker, &many[0], block_job_run);
	while (!nap_load_relaxed(&nr_blocked))
		sched_yield();
	fork_counted(worker, &many[1], count_job_run);
	if (nap_pool_shutdown(&pool, how))
		abort();
	flag_set(&let_all_go);
	for (int i = 2; i--;)
		count_job_join(worker, many[i].frame, &many[i]);
	fib_of_20(worker);
}

/*
 * A joiner waits for its thief, which waits for a job that it has forked. The third worker is kept
 * busy.
 */
static struct nap_task behind;
static uint32_t thief_waits, helped_out, behind_saw, joiner_has_ended;

static void look_for_help(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&behind_saw, 1 + nap_load_acquire(&helped_out));
}

static void help_out(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)worker;
	(void)top;
	(void)frame;
	nap_store_release(&helped_out, 1);
}

/* The forks are public. */
static struct nap_frame *fork_openly(struct nap_worker *worker, struct nap_frame *top,
				     nap_job_fn run)
{
	struct nap_frame *next;

	ask_oneself(worker);
	next = nap_fork(worker, top, run);
	ask_oneself(worker);
	return next;
}

static void wait_for_help(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	(void)frame;
	fork_openly(worker, top, help_out);
	nap_store_release(&thief_waits, 1);
	flag_wait(&helped_out);
	nap_join(worker, top);
}

static void join_and_help(struct nap_worker *worker)
{
	struct nap_frame *top = nap_top(worker);

	fork_openly(worker, top, wait_for_help);
	flag_wait(&thief_waits);
	nap_schedule(&pool, &behind);
	nap_join(worker, top);
	nap_store_release(&joiner_has_ended, 1);
}

static void stay_until_the_join(struct nap_task *task)
{
	(void)task;
	flag_wait(&joiner_has_ended);
}

/* What its thief has forked a joiner takes before a task, though the task is in its own ring. */
TEST(a_joiner_helps_its_thief_first)
{
	struct nap_task busy = NAP_TASK_INIT(stay_until_the_join);

	new_pool(3);
	ASSERT_EQ(nap_pool_prewarm(&pool, 3), 0);
	nap_task_init(&behind, look_for_help);
	ASSERT_EQ(nap_schedule(&pool, &busy), 0);
	ASSERT_EQ(run_on_worker(&pool, join_and_help), 0);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(behind_saw, 2);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(jobs_complete_in_a_pool_that_is_shut_down)
{
	static const enum nap_shutdown modes[] = { NAP_DRAIN, NAP_STOP };
	unsigned long rounds = nap_test_count(50);

	watchdog(&pool, 0);
	for (unsigned long i = 0; i < 2 * rounds; i++) {
		int err;

		how = modes[i % 2];
		fib_of_20_is = 0;
		new_pool(2 + i % 3);
		/* The group may be complete before the waiter has seen the stop. */
		err = run_on_worker(&pool, shut_down_and_join);
		EXPECT_TRUE(err == 0 || (err == -ECANCELED && how == NAP_STOP));
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(many[0].runs, 1);
		EXPECT_EQ(many[1].runs, 1);
		EXPECT_EQ(fib_of_20_is, 6765);
	}
}

TEST_HARNESS_MAIN
