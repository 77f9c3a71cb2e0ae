/* SPDX-License-Identifier: MIT */
/*
 * Nested help: a thread helps inside a task that it runs while it helps. On a worker and on a
 * helper, this ends at half of the stack.
 */
#include <errno.h>
#include <pthread.h>

#include "os/os.h"
#include "pool_fixture.h"
#include "wrap.h"

static int start_err;	/* 0: threads can be started */

WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	return start_err ? start_err : __real_nap__os_thread_start(worker, stack_size);
}

#define TASKS 20000

/* ThreadSanitizer keeps its data of a thread above the thread's stack, in the same memory. */
#ifdef NAP_TEST_TSAN
#define STACK	((size_t)4 << 20)
#else
#define STACK	((size_t)1 << 20)
#endif

static struct nap_pool pool;
static struct nap_task tasks[TASKS];
static unsigned long depth, deepest, refused;

static void help_deeper(struct nap_task *task)
{
	(void)task;
	nr_run++;
	if (++depth > deepest)
		deepest = depth;
	if (nap_pool_help(&pool, 1) == 0)
		refused++;
	depth--;
}

static void *help_all(void *arg)
{
	*(long *)arg = nap_pool_help(&pool, 0);
	return NULL;
}

static struct nap_batch all_tasks(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int i = 0; i < TASKS; i++) {
		nap_task_init(&tasks[i], help_deeper);
		nap_batch_push(&batch, &tasks[i]);
	}
	return batch;
}

TEST(on_a_worker)
{
	struct nap_batch batch = all_tasks();

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1, .stack_size = STACK });
	nap_schedule_batch(&pool, &batch);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, TASKS);
	EXPECT_GT(deepest, 1);
	EXPECT_LT(deepest, TASKS);
	/* The last call found no task; all other refused calls were at the nesting limit. */
	EXPECT_GT(refused, 1);
	TH_LOG("%lu deep", deepest);
}

TEST(on_a_helper)
{
	struct nap_batch batch = all_tasks();
	struct blocker blocker = BLOCKER_INIT;
	pthread_attr_t attr;
	pthread_t thread;
	long n = -1;

	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
	nap_schedule(&pool, &blocker.task);
	flag_wait(&blocker.running);
	nap_schedule_batch(&pool, &batch);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	ASSERT_EQ(pthread_create(&thread, &attr, help_all, &n), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(nr_run, TASKS);
	/* The number that a call returns includes the tasks that ran nested in it. */
	EXPECT_GT(n, 1);
	EXPECT_LT(n, TASKS);
	EXPECT_GT(deepest, 1);
	EXPECT_LT(deepest, TASKS);
	EXPECT_GT(refused, 1);
	flag_set(&blocker.let_go);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A node of a tree, which waits for its two children. Neither child has run before this wait. */
struct node {
	struct nap_task task;
	struct nap_group *group;
	int levels;	/* below this node */
};

static void run_node(struct nap_task *task)
{
	struct node *node = nap_container_of(task, struct node, task);
	struct nap_group children = NAP_GROUP_INIT(&pool);
	struct node left = { NAP_TASK_INIT(run_node), &children, node->levels - 1 }, right = left;

	nr_run++;
	if (node->levels) {
		nap_group_add(&children, 2);
		if (nap_schedule(&pool, &left.task) || nap_schedule(&pool, &right.task) ||
		    nap_group_wait(&children))
			abort();
	}
	nap_group_done(node->group);
}

/* The tree runs on a worker's default stack; then, without workers, on the first thread's stack. */
TEST(a_tree_of_waits)
{
	for (int i = 0; i < 2; i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct node root = { NAP_TASK_INIT(run_node), &group, 8 };

		nr_run = 0;
		start_err = i ? -EAGAIN : 0;
		nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
		nap_group_add(&group, 1);
		EXPECT_EQ(nap_schedule(&pool, &root.task), 0);
		EXPECT_EQ(nap_group_wait(&group), 0);
		EXPECT_EQ(nr_run, 511);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

TEST_HARNESS_MAIN
