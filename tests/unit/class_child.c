/* SPDX-License-Identifier: MIT */
/*
 * Classes (nap/class.h) in the child of a fork: nap_pool_init_child() makes them as new. The child
 * does not count the permits that the thread held in the parent.
 */
#include <errno.h>
#include <sys/wait.h>

#include "child_threads.h"
#include "pool_fixture.h"
#include "under.h"
#include "watchdog.h"

static struct nap_pool pool;
static struct nap_classes classes;

static void begin_pool(enum nap_idle idle)
{
	const struct nap_config config = { .max_workers = 1, .idle = idle, .classes = &classes };

	watchdog(&pool, 0);
	for (uint32_t i = 0; i < NAP_CLASSES; i++)
		classes.of[i] = (struct nap_class){ .weight = 1u << (NAP_CLASSES - i), .limit = 1 };
	if (nap_pool_init(&pool, &config))
		abort();
}

FIXTURE_SETUP(under)
{
	self->idle = variant->idle;
}

static void expect_in_child(int line, bool right)
{
	if (!right)
		_exit(line % 251 + 1);
}

#define CHECK(cond) expect_in_child(__LINE__, cond)

static void use_as_child(void)
{
	struct nap_task task = NAP_TASK_INIT(count_run);
	unsigned long before = nap_load_relaxed(&nr_run);

	in_child = true;
	CHECK(nap_class_schedule(&pool, NAP_CLASS_BATCH, &task) == -ESHUTDOWN);
	CHECK(nap_pool_init_child(&pool) == 0);
	CHECK(classes.of[NAP_CLASS_BATCH].limit == 1 && classes.of[NAP_CLASS_BATCH].weight == 4);
	CHECK(nap_class_schedule(&pool, NAP_CLASS_BATCH, &task) == 0);
	CHECK(nap_pool_quiesce(&pool) == 0);
	CHECK(nap_load_acquire(&nr_run) == before + 1);
	CHECK(nap_pool_join(&pool, NULL) == 0);
	_exit(0);
}

static pid_t child;

/*
 * Forks inside a class. The child's thread is still inside the task, until the task has returned.
 */
static void fork_inside(struct nap_task *task)
{
	static struct nap_task other = NAP_TASK_INIT(count_run);

	child = fork();
	if (child == 0) {
		CHECK(nap_class_schedule(&pool, NAP_CLASS_BATCH, &other) == -ESHUTDOWN);
		CHECK(nap_pool_init_child(&pool) == -EDEADLK);
		return;
	}
	count_run(task);
}

TEST_F(under, a_child_has_the_classes_as_new)
{
	struct blocker blocker = BLOCKER_INIT;
	struct nap_task task = NAP_TASK_INIT(fork_inside);
	static struct nap_task queued;	/* static: the child never runs it */
	int status = -1;

	begin_pool(self->idle);
	ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &blocker.task), 0);
	flag_wait(&blocker.running);
	nap_task_init(&queued, count_run);
	ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &queued), 0);
	child = fork();
	if (child == 0)
		use_as_child();
	ASSERT_GT(child, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	flag_set(&blocker.let_go);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_load_acquire(&nr_run), 2);
	ASSERT_EQ(nap_class_schedule(&pool, NAP_CLASS_BATCH, &task), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_acquire(&nr_run), 3);
	ASSERT_GT(child, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
}

TEST_HARNESS_MAIN
