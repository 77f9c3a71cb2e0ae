/* SPDX-License-Identifier: MIT */
/*
 * The main thread, and tasks of another pool, fork a hundred children, one after another and
 * several at once, while the parent uses its pools. Each child initialises the pool anew and uses
 * it again and again: tasks, forks and a completion queue. No child hangs, and no child leaks a
 * mapping.
 */
#include <sys/wait.h>

#include "call_fixture.h"
#include "child_threads.h"
#include "scale.h"

#define CHILDREN	100
#define FROM_TASKS	30
#define TASKS		200
#define LEAKS		6

#define CHECK(cond) \
	do { \
		if (!(cond)) \
			_exit(__LINE__ % 251 + 1); \
	} while (0)

static int nr_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int c, n = 0;

	while (maps && (c = fgetc(maps)) != EOF)
		n += c == '\n';
	if (maps)
		fclose(maps);
	return n;
}

static struct nap_cq cq;
static struct nap_task tasks[TASKS];
static uint32_t nr_back;

static void come_back(struct nap_task *task)
{
	(void)task;
	nr_back++;
}

static void hand_over(struct nap_task *task)
{
	nap_task_init(task, come_back);
	if (nap_cq_push(&cq, task))
		abort();
}

static void use(struct nap_pool *p)
{
	struct nap_batch left = NAP_BATCH_INIT;
	long result = 0;

	nr_back = 0;
	CHECK(nap_cq_init(&cq) == 0);
	for (int i = 0; i < TASKS; i++) {
		nap_task_init(&tasks[i], hand_over);
		CHECK(nap_schedule(p, &tasks[i]) == 0);
	}
	CHECK(nap_call(p, call_fib, &result) == 0 && result == FIB_15);
	CHECK(nap_pool_quiesce(p) == 0);
	nap_cq_run(&cq, 0);
	CHECK(nr_back == TASKS);
	CHECK(nap_cq_close(&cq, &left) == 0 && left.count == 0);
}

static void use_again(int times)
{
	for (int i = 0; i < times; i++) {
		CHECK(nap_pool_init(&pool, &pool.config) == 0);
		use(&pool);
		CHECK(nap_pool_join(&pool, NULL) == 0);
	}
}

/*
 * Uses the pool until the libc keeps all that it will keep for later threads; from then on the
 * number of mappings must not grow. @workers: 1 if a worker has forked, because the child's thread
 * still has that worker's name.
 */
static void be_child(int workers)
{
	int before;

	in_child = true;
	alarm(watchdog_seconds());
	CHECK(nap_pool_init_child(&pool) == 0);
	use(&pool);
	CHECK(nap_pool_join(&pool, NULL) == 0);
	use_again(3);
	before = nr_mappings();
	use_again(LEAKS);
	/* A leak of one stack or record in each round would add LEAKS mappings. */
	CHECK(before > 0 && nr_mappings() < before + LEAKS);
#ifndef NAP_TEST_EMULATED	/* an emulator names its threads in its own way */
	CHECK(listed_workers() == workers);
#endif
	(void)workers;
	_exit(0);
}

static pid_t children[CHILDREN];

struct forker {
	struct nap_task task;
	pid_t *child;
};

static void fork_one(struct nap_task *task)
{
	pid_t *child = nap_container_of(task, struct forker, task)->child;

	*child = fork();
	if (*child == 0)
		be_child(1);
}

static void expect_success(struct __test_metadata *_metadata, pid_t child)
{
	int status = -1;

	ASSERT_GT(child, 0);
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(under, a_hundred_children_make_it_new)
{
	struct forker forkers[FROM_TASKS];
	int n = nap_test_count(CHILDREN), from_tasks = nap_test_count(FROM_TASKS);

	begin_pool(&pool, self->idle, 2);
	begin_pool(&other, self->idle, 2);
	use(&pool);
	for (int i = 0; i < from_tasks; i++) {
		forkers[i] = (struct forker){ NAP_TASK_INIT(fork_one), &children[i] };
		ASSERT_EQ(nap_schedule(&other, &forkers[i].task), 0);
	}
	ASSERT_EQ(nap_pool_quiesce(&other), 0);
	for (int i = 0; i < n; i++) {
		if (i >= from_tasks) {
			children[i] = fork();
			if (children[i] == 0)
				be_child(0);
		}
		expect_success(_metadata, children[i]);
	}
	/* The parent's pool is as it was. */
	use(&pool);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

TEST_HARNESS_MAIN
