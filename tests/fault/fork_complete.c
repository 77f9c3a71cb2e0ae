/* SPDX-License-Identifier: MIT */
/*
 * A completion queue in the child of a fork belongs to the parent. Nothing hangs, no task of the
 * queue comes out in the child, and no child wakes the parent's loop: see nap/complete.h.
 */
#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pool_fixture.h"
#include "watchdog.h"

/* Ends a child whose check fails. */
#define CHECK(cond) \
	do { \
		if (!(cond)) \
			_exit(__LINE__ % 251 + 1); \
	} while (0)

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_cq queue;
static struct nap_task tasks[3];
static size_t nr_back;

static void come_back(struct nap_task *task)
{
	(void)task;
	nr_back++;
}

static bool is_readable(void)
{
	struct pollfd fd = { nap_cq_fd(&queue), POLLIN, 0 };

	return poll(&fd, 1, 0) == 1;
}

static void begin(size_t pushed)
{
	watchdog(&pool, 0);
	fflush(NULL);
	if (nap_cq_init(&queue))
		abort();
	for (size_t i = 0; i < 3; i++)
		nap_task_init(&tasks[i], come_back);
	for (size_t i = 0; i < pushed; i++)
		if (nap_cq_push(&queue, &tasks[i]))
			abort();
}

static int status_of(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether the fd is open in this process. */
static bool is_open(int fd)
{
	struct pollfd one = { fd, POLLIN, 0 };

	return poll(&one, 1, 0) >= 0 && !(one.revents & POLLNVAL);
}

static void nothing_of_the_parents(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_task mine = NAP_TASK_INIT(come_back);
	int fd = nap_cq_fd(&queue);

	alarm(WATCHDOG_SECONDS);
	CHECK(nap_cq_push(&queue, &mine) == -ESHUTDOWN);
	CHECK(!nap_cq_pop(&queue) && nap_cq_run(&queue, 0) == 0);
	CHECK(nap_cq_pop_all(&queue, &batch) == 0 && !batch.head);
	CHECK(nap_cq_depth(&queue) == 0);
	CHECK(fd >= 0 && is_open(fd));
	CHECK(nap_cq_close(&queue, &batch) == -ESHUTDOWN && !batch.head && !is_open(fd));
	CHECK(nap_cq_close(&queue, &batch) == -EALREADY && nap_cq_fd(&queue) == -EBADF);
}

static void a_queue_of_its_own(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_task mine = NAP_TASK_INIT(come_back);

	CHECK(nap_cq_init(&queue) == 0 && !is_readable());
	CHECK(nap_cq_push(&queue, &mine) == 0 && nap_cq_depth(&queue) == 1 && is_readable());
	CHECK(nap_cq_run(&queue, 0) == 1 && nap_cq_depth(&queue) == 0);
	CHECK(nap_cq_close(&queue, &batch) == 0 && !batch.head);
}

TEST(an_empty_one_tells_the_parent_nothing)
{
	pid_t child;

	begin(0);
	child = fork();
	if (!child) {
		nothing_of_the_parents();
		a_queue_of_its_own();
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT_FALSE(is_readable());
	EXPECT_EQ(nap_cq_push(&queue, &tasks[0]), 0);
	EXPECT_TRUE(is_readable());
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
}

/* One task was taken out of the inbox before the fork, another task was not. */
TEST(what_is_in_it_is_the_parents)
{
	pid_t child;

	begin(2);
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[0]);
	EXPECT_EQ(nap_cq_push(&queue, &tasks[2]), 0);
	EXPECT_EQ(nap_cq_depth(&queue), 2u);
	child = fork();
	if (!child) {
		nothing_of_the_parents();
		a_queue_of_its_own();
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT_TRUE(is_readable());
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_FALSE(is_readable());
}

/* A grandchild, whose parent has a queue of its own. */
TEST(and_so_for_a_childs_child)
{
	pid_t child;

	begin(1);
	child = fork();
	if (!child) {
		pid_t second;

		nothing_of_the_parents();
		CHECK(nap_cq_init(&queue) == 0 && nap_cq_push(&queue, &tasks[1]) == 0);
		second = fork();
		if (!second) {
			nothing_of_the_parents();
			a_queue_of_its_own();
			_exit(0);
		}
		CHECK(status_of(second) == 0);
		CHECK(is_readable() && nap_cq_run(&queue, 0) == 1);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
}

static pid_t forked = -1;

static void fork_there(struct nap_task *task)
{
	(void)task;
	nr_back++;
	forked = fork();
}

TEST(a_function_that_forks_is_the_last_one_in_the_child)
{
	size_t n;

	begin(0);
	tasks[0].run = fork_there;
	for (size_t i = 0; i < 3; i++)
		EXPECT_EQ(nap_cq_push(&queue, &tasks[i]), 0);
	n = nap_cq_run(&queue, 0);
	if (!forked)
		_exit(n == 1 && nr_back == 1 ? 0 : 1);
	EXPECT_EQ(status_of(forked), 0);
	EXPECT_TRUE(n == 3 && nr_back == 3);
}

/* ---- works whose function forks, and returns in both processes */

static int status_of_child = -1;
static uint32_t nr_done;

static int fork_and_return(struct nap_work *work)
{
	pid_t child = fork();

	(void)work;
	if (!child)
		return 0;
	status_of_child = status_of(child);
	return 7;
}

/* Only the parent may call the @done. If a child called it, the child would exit with 9. */
static pid_t parent;

static void done(struct nap_work *work, int result)
{
	(void)work;
	if (getpid() != parent)
		_exit(9);
	nr_done += result == 7;
}

static void fork_in_work(struct __test_metadata *_metadata, struct nap_cq *cq)
{
	struct nap_work work = NAP_WORK_INIT(fork_and_return, done, cq);
	struct nap_batch left = NAP_BATCH_INIT;

	begin(0);
	parent = getpid();
	EXPECT_EQ(nap_work_schedule(&pool, &work), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(status_of_child, 0);
	EXPECT_EQ(nap_work_finish(&pool, &queue, &left), 0);
	EXPECT_EQ(nr_done, 1u);
}

TEST(a_work_that_forks_ends_in_the_parent)
{
	fork_in_work(_metadata, &queue);
}

TEST(also_without_a_loop)
{
	fork_in_work(_metadata, NULL);
}

TEST_HARNESS_MAIN
