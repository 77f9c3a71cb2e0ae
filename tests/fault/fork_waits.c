/* SPDX-License-Identifier: MIT */
/*
 * Forks inside waits. No worker can be started, so the thread that waits runs the pool's tasks. One
 * task forks, and returns in both processes. In the child the wait ends at once.
 */
#include "fault/fork.h"
#include "wrap.h"

/* No thread can be started in this test. */
WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	(void)worker;
	(void)stack_size;
	return -EAGAIN;
}

static struct nap_group outer;
static struct blocker helped = BLOCKER_INIT;

static int wait_for_group(void)
{
	return nap_group_wait(&outer);
}

static int wait_for_quiet(void)
{
	return nap_pool_quiesce(&pool);
}

static int wait_for_end(void)
{
	return nap_pool_join(&pool, NULL);
}

static void *help_one(void *unused)
{
	(void)unused;
	nap_pool_help(&pool, 1);
	return NULL;
}

static void *let_go_after_fork(void *unused)
{
	(void)unused;
	while (!nap_load_acquire(&told->children))
		usleep(1000);
	flag_set(&helped.let_go);
	return NULL;
}

/*
 * The thread in @wait runs the task that forks. A second thread that helps does not exist in the
 * child.
 */
static void fork_inside_of(struct __test_metadata *_metadata, int (*wait)(void), const char *fault)
{
	static struct nap_task forks = NAP_TASK_INIT(fork_and_return);
	static struct member last;
	pid_t parent = getpid();
	pthread_t threads[2];
	int err;

	watchdog(&pool, 0);
	begin_telling();
	nap_group_init(&outer, &pool);
	nap_group_add(&outer, 1);
	last = (struct member){ NAP_TASK_INIT(member_done), &outer, &pool, 0 };
	ASSERT_EQ(nap_schedule(&pool, &helped.task), 0);
	pthread_create(&threads[0], NULL, help_one, NULL);
	flag_wait(&helped.running);
	pthread_create(&threads[1], NULL, let_go_after_fork, NULL);
	ASSERT_EQ(nap_schedule(&pool, &forks), 0);
	ASSERT_EQ(nap_schedule(&pool, &last.task), 0);
	err = wait();
	if (getpid() != parent)
		_exit(err != -ESHUTDOWN);
	EXPECT_EQ(err, 0);
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
	EXPECT_EQ(told->line, 0);
	err = nap_pool_join(&pool, NULL);
	EXPECT_TRUE(err == 0 || err == -EALREADY);
	fault_report(fault, told->children, 3, nr_run);
}

TEST(from_inside_a_quiesce)
{
	fork_inside_of(_metadata, wait_for_quiet, "a fork by a task that a quiesce runs");
}

TEST(from_inside_a_group_wait)
{
	fork_inside_of(_metadata, wait_for_group, "a fork by a task that a wait runs");
}

TEST(from_inside_a_join)
{
	fork_inside_of(_metadata, wait_for_end, "a fork by a task that the joiner runs");
}

TEST_HARNESS_MAIN
