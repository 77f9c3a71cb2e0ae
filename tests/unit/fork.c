/* SPDX-License-Identifier: MIT */
/* Tasks that fork and go on in both processes. */
#include <errno.h>
#include <sys/wait.h>

#include "pool_fixture.h"

static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
static int child_status = -2;

static int exit_of(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * A task that forks, and in the child does nothing but return. The task's thread is the child's
 * only one. It begins no other task, and ends the child, without the worker's callback.
 */
static pid_t parent;

static void fork_and_return(struct nap_task *task)
{
	pid_t child = fork();

	(void)task;
	if (child)
		child_status = exit_of(child);
}

static void count_in_parent(struct nap_task *task)
{
	if (getpid() != parent)
		quick_exit(3);
	count_run(task);
}

static void stop_in_parent(struct nap_worker *worker, void *arg)
{
	(void)worker;
	if (getpid() != parent)
		quick_exit(4);
	nap_fetch_add_relaxed((uint32_t *)arg, 1);
}

TEST(a_child_ends_with_the_task_that_forked)
{
	struct nap_task task = NAP_TASK_INIT(fork_and_return);
	struct nap_task behind = NAP_TASK_INIT(count_in_parent);
	struct nap_batch batch = NAP_BATCH_INIT;
	uint32_t stops = 0;
	struct nap_config config = { .max_workers = 1, .worker_stop = stop_in_parent,
				     .arg = &stops };

	parent = getpid();
	ASSERT_EQ(nap_pool_init(&one, &config), 0);
	nap_batch_push(&batch, &task);
	nap_batch_push(&batch, &behind);
	nap_schedule_batch(&one, &batch);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(child_status, 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(stops, 1);
}

/*
 * A task forks, nested in a wait of another task. In the child the wait returns -ESHUTDOWN, because
 * the pool is the parent's.
 */
static struct nap_group until_forked = NAP_GROUP_INIT(&one);
static int waited;

static void wait_and_leave(struct nap_task *task)
{
	(void)task;
	waited = nap_group_wait(&until_forked);
	if (getpid() != parent)
		quick_exit(waited == -ESHUTDOWN ? 0 : 5);
}

static void fork_and_finish(struct nap_task *task)
{
	fork_and_return(task);
	if (getpid() == parent)
		nap_group_done(&until_forked);
}

TEST(a_wait_that_a_fork_has_torn_from_its_pool)
{
	struct nap_task outer = NAP_TASK_INIT(wait_and_leave);
	struct nap_task nested = NAP_TASK_INIT(fork_and_finish);
	struct nap_batch batch = NAP_BATCH_INIT;

	parent = getpid();
	nap_group_add(&until_forked, 1);
	nap_batch_push(&batch, &outer);
	nap_batch_push(&batch, &nested);
	nap_schedule_batch(&one, &batch);
	EXPECT_EQ(nap_pool_join(&one, NULL), 0);
	EXPECT_EQ(waited, 0);
	EXPECT_EQ(child_status, 0);
}

TEST_HARNESS_MAIN
