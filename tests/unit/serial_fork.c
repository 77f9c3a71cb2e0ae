/* SPDX-License-Identifier: MIT */
/*
 * A task of a serial queue, a function that ends a work, or a submitted function forks, and returns
 * in both processes. Only the parent does what comes next; the child does not do it a second time.
 */
#include <errno.h>
#include <sys/wait.h>

#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool;
static pid_t parent;
static int child_status = -2;
static uint32_t nr_here;	/* atomic */

/* Forks, and returns in both processes. A child that comes here a second time ends with 3. */
static void fork_here(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		return;
	waitpid(child, &status, 0);
	child_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void count_here(void)
{
	if (getpid() != parent)
		quick_exit(3);
	nap_fetch_add_relaxed(&nr_here, 1);
}

static void begin(void)
{
	watchdog(&pool, 0);
	parent = getpid();
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) ||
	    nap_pool_prewarm(&pool, 1) < 0)
		abort();
}

/* ---- a queue */

static void fork_and_return(struct nap_task *task)
{
	(void)task;
	fork_here();
}

static void count_task(struct nap_task *task)
{
	(void)task;
	count_here();
}

TEST(a_child_has_none_of_the_queues_other_tasks)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_task tasks[3] = { NAP_TASK_INIT(fork_and_return), NAP_TASK_INIT(count_task),
				     NAP_TASK_INIT(count_task) };
	struct nap_serial serial;

	begin();
	ASSERT_EQ(nap_serial_init(&serial, &pool), 0);
	ASSERT_EQ(nap_schedule(&pool, &blocker.task), 0);
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(nap_serial_schedule(&serial, &tasks[i]), 0);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(child_status, 0);
	EXPECT_EQ(nr_here, 2u);
}

/* ---- works that a stop leaves */

static int never_runs(struct nap_work *work)
{
	(void)work;
	return 0;
}

static void fork_in_done(struct nap_work *work, int result)
{
	(void)work;
	if (result == -ECANCELED)
		fork_here();
}

static void count_done(struct nap_work *work, int result)
{
	(void)work;
	if (result == -ECANCELED)
		count_here();
}

TEST(a_child_ends_no_works_of_its_parent)
{
	struct nap_work works[2] = { NAP_WORK_INIT(never_runs, fork_in_done, NULL),
				     NAP_WORK_INIT(never_runs, count_done, NULL) };
	struct nap_batch left = NAP_BATCH_INIT;

	begin();
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(nap_work_batch(&left, &works[i]), 0);
	nap_work_end_left(&left);
	if (getpid() != parent)
		quick_exit(0);
	EXPECT_EQ(child_status, 0);
	EXPECT_EQ(nr_here, 1u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A work waits for another work, on a pool that refuses both: it ends after the other's @done. */
static struct nap_work behind = NAP_WORK_INIT(never_runs, count_done, NULL);
static struct nap_after after;

static void fork_and_go_on(struct nap_work *work, int result)
{
	if (nap_after_done(&after) != 1)
		abort();
	fork_in_done(work, result);
}

TEST(nor_what_one_of_them_has_ended)
{
	struct nap_work work = NAP_WORK_INIT(never_runs, fork_and_go_on, NULL);
	struct nap_batch left = NAP_BATCH_INIT;

	begin();
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_work_after(&after, &pool, &behind, 1), 0);
	ASSERT_EQ(nap_work_batch(&left, &work), 0);
	nap_work_end_left(&left);
	if (getpid() != parent)
		quick_exit(0);
	EXPECT_EQ(child_status, 0);
	EXPECT_EQ(nr_here, 1u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- slots */

static void fork_in_slot(void *unused)
{
	(void)unused;
	fork_here();
}

/* Counts the calls of @mark: one when the slot is taken, and one when the slot is free again. */
static void count_mark(struct nap_submitter *submit)
{
	(void)submit;
	count_here();
}

TEST(a_child_passes_no_mark_of_its_parent)
{
	struct nap_slot slot;
	struct nap_submitter submit;

	begin();
	ASSERT_EQ(nap_submit_init(&submit, &pool, &slot, 1, 1, 0, count_mark, NULL), 0);
	ASSERT_EQ(nap_submit(&submit, fork_in_slot, NULL), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(child_status, 0);
	EXPECT_EQ(nr_here, 2u);
}

TEST_HARNESS_MAIN
