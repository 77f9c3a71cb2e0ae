/* SPDX-License-Identifier: MIT */
/*
 * Asking workers for jobs (src/fork/ask.h) step by step: the test's thread plays all workers. Which
 * jobs are found, which workers are asked, and when a membarrier is needed.
 */
#include <nap/nap.h>

#include "fork/ask.h"
#include "fork/jobs.h"
#include "queue/deque.h"
#include "sync/debug.h"
#include "worker/source.h"
#include "forked.h"
#include "idle_steps.h"

static uint32_t nr_barriers, nr_marked;

WRAP(bool, nap__os_membarrier, (void))
{
	nr_barriers++;
	return __real_nap__os_membarrier();
}

static void mark(struct nap_worker *worker, struct nap_frame *top, void *unused)
{
	(void)worker;
	(void)top;
	(void)unused;
	nr_marked++;
}

NAP_JOB_VOID(mark, void *)

/* No worker has been asked. In this build, and on this machine, a worker can be asked. */
#define BEGIN() do {									\
	begin(_metadata, NAP_IDLE_FIRST, WORKERS);					\
	SKIP_WITHOUT_PRIVATE_FORKS();							\
	source_link(&pool, KIND_JOBS);							\
	nap_store_relaxed(&pool.forks, FORKS_SPLIT);					\
	for (uint32_t i = 0; i < WORKERS; i++)						\
		ask_nothing_of(i);							\
	nr_barriers = 0;								\
} while (0)

static void ask_nothing_of(uint32_t i)
{
	struct nap__deque *d = &worker_at(i)->deque;

	nap_store_relaxed(&d->forks.limit, deque_full(d));
}

static bool was_asked(uint32_t i)
{
	return !nap_load_relaxed(&worker_at(i)->deque.forks.limit);
}

static bool has_public(uint32_t i)
{
	return deque_has_public(&worker_at(i)->deque);
}

static void fork_as(uint32_t i)
{
	self_is(nap__self(), worker_at(i));
	fork_run(worker_at(i), mark_run, NULL);
	self_is(nap__self(), NULL);
}

/* ---- all workers are asked */

TEST(who_asks_all_needs_one_barrier_and_the_next_one_none)
{
	struct nap_worker *w;

	BEGIN();
	w = worker_at(0);
	EXPECT_EQ(nap__ask_for_jobs(w), 0);
	EXPECT_EQ(nr_barriers, 1);
	EXPECT_EQ(w->stats.asked, 1);
	for (uint32_t i = 0; i < WORKERS; i++)
		EXPECT_TRUE(was_asked(i));
	EXPECT_EQ(nap__ask_for_jobs(w), 0);
	EXPECT_EQ(nr_barriers, 1);
	EXPECT_EQ(w->stats.asked, 1);
	ask_nothing_of(2);
	EXPECT_EQ(nap__ask_for_jobs(w), 0);
	EXPECT_EQ(nr_barriers, 2);
	EXPECT_EQ(w->stats.asked, 2);
	EXPECT_TRUE(was_asked(2));
}

/* One job is made public, and the others are only counted. */
TEST(of_the_private_jobs_of_several_one_is_made_public)
{
	BEGIN();
	fork_as(1);
	fork_as(2);
	ASSERT_FALSE(has_public(1) || has_public(2));
	EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 2);
	EXPECT_EQ(has_public(1) + has_public(2), 1);
	EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 2);
}

TEST(where_every_fork_is_public_no_worker_is_asked)
{
	BEGIN();
	fork_as(1);
	nap_store_relaxed(&pool.forks, FORKS_FENCED);
	EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 0);
	EXPECT_FALSE(nap__ask_one(worker_at(1)));
	EXPECT_FALSE(was_asked(1) || has_public(1));
	EXPECT_EQ(nr_barriers, 0);
	deque_publish(&worker_at(1)->deque, false);
	EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 1);
	EXPECT_TRUE(nap__ask_one(worker_at(1)));
}

TEST(before_the_first_fork_and_behind_a_stop_there_are_no_jobs)
{
	BEGIN();
	fork_as(1);
	nap_store_relaxed(&pool.forks, FORKS_NONE);
	EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 0);
	EXPECT_FALSE(nap__jobs_wait(&pool));
	nap_store_relaxed(&pool.forks, FORKS_SPLIT);
	EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 0);
}

/* ---- one worker is asked */

TEST(who_is_asked_has_a_private_job_made_public)
{
	BEGIN();
	EXPECT_FALSE(nap__ask_one(worker_at(1)));
	EXPECT_TRUE(was_asked(1));
	EXPECT_FALSE(was_asked(2));
	ask_nothing_of(1);
	fork_as(1);
	EXPECT_TRUE(nap__ask_one(worker_at(1)));
	EXPECT_TRUE(was_asked(1) && has_public(1));
}

/* ---- whether there are jobs */

TEST(jobs_wait_also_if_they_are_private)
{
	BEGIN();
	EXPECT_FALSE(nap__jobs_wait(&pool));
	for (uint32_t i = 0; i < WORKERS; i++)
		EXPECT_TRUE(was_asked(i));
	ask_nothing_of(0);
	ask_nothing_of(3);
	fork_as(3);
	EXPECT_TRUE(nap__jobs_wait(&pool));
	EXPECT_TRUE(was_asked(0) && was_asked(3));
	EXPECT_FALSE(has_public(3));
}

/* ---- the owner */

TEST(a_worker_without_other_work_runs_its_private_jobs)
{
	BEGIN();
	nr_marked = 0;
	fork_as(0);
	EXPECT_EQ(nap__dequeue(worker_at(0)), &worker_at(0)->stand_in);
	nap__run(worker_at(0), &worker_at(0)->stand_in);
	EXPECT_EQ(nr_marked, 1);
	EXPECT_EQ(worker_at(0)->stats.jobs_stolen, 0);
	EXPECT_EQ(nap__dequeue(worker_at(0)), NULL);
}

/* ---- a loop, which asks its own worker, so that its halves are public and wake another worker */

static int look_at_half(size_t begin, size_t end, void *arg)
{
	bool *is_right = arg;

	if (!begin)
		*is_right = end == 1 && how_many_woken() == 1 && has_public(0) && was_asked(0);
	return 0;
}

TEST(a_loop_wakes_a_worker_for_its_half_though_none_has_asked)
{
	bool is_right = false;

	BEGIN();
	nap__idle_stop_search(worker_at(0), false);
	for (uint32_t i = 1; i < WORKERS; i++)
		ASSERT_GE(settle(i), 0);
	ask_nothing_of(0);
	self_is(nap__self(), worker_at(0));
	EXPECT_EQ(nap_for_as(&pool, &(struct nap_loop){ .grain = 1 }, 0, 2, look_at_half,
			     &is_right), 0);
	self_is(nap__self(), NULL);
	EXPECT_TRUE(is_right);
}

/* ---- the first fork */

TEST(the_first_fork_decides_how_forks_are_published)
{
	BEGIN();
	nap_store_relaxed(&pool.forks, FORKS_NONE);
	EXPECT_EQ(nap__fork_mode(&pool), FORKS_SPLIT);
	EXPECT_EQ(pool.forks, FORKS_SPLIT);
	nap_store_relaxed(&pool.forks, FORKS_FENCED);
	EXPECT_EQ(nap__fork_mode(&pool), FORKS_FENCED);
	EXPECT_EQ(pool.forks, FORKS_FENCED);
}

TEST_HARNESS_MAIN
