/* SPDX-License-Identifier: MIT */
/*
 * nap/complete.h: which tasks come out of a queue, and in which order; when the fd is readable,
 * and when it is written.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "arch/syscall.h"
#include "os/os.h"
#include "queue/inbox.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

static uint32_t nr_writes, nr_failures, nr_by_workers;
/* If writes_late is set, a write waits for may_write, which a loop sets that waits for the fd. */
static uint32_t writes_late, is_about_to_write, may_write;
WRAP(bool, nap__os_eventfd_wait, (int fd, uint64_t ns))
{
	flag_set(&may_write);
	return __real_nap__os_eventfd_wait(fd, ns);
}

WRAP(int, nap__os_eventfd_write, (int fd))
{
	nap_fetch_add_relaxed(&nr_writes, 1);
	if (nap_load_relaxed(&writes_late)) {
		flag_set(&is_about_to_write);
		flag_wait(&may_write);
	}
	if (nap_worker_self())
		nap_fetch_add_relaxed(&nr_by_workers, 1);
	if (nr_failures && nr_failures--)
		return -EAGAIN;
	return __real_nap__os_eventfd_write(fd);
}

/*
 * If set, two pushes come when the loop has seen that the queue is empty, before the loop arms the
 * fd.
 */
static bool push_before_arming;
static bool push(size_t i);
WRAP(uint64_t, nap__os_eventfd_read, (int fd))
{
	if (push_before_arming && !(push(4) && push(5)))
		abort();
	push_before_arming = false;
	return __real_nap__os_eventfd_read(fd);
}

static int open_error;
WRAP(int, nap__os_eventfd_open, (void))
{
	return open_error ? open_error : __real_nap__os_eventfd_open();
}

/* Whether @fd becomes readable within @seconds; ppoll(2) is there without a libc, too. */
static bool fd_is_readable(int fd, int64_t seconds)
{
	struct { int32_t fd; int16_t events, revents; } poll = { fd, 1, 0 };
	int64_t time[2] = { seconds, 0 };

	return nap__syscall5(NAP__NR_ppoll, (long)&poll, 1, (long)time, 0, 0) == 1;
}

static bool is_readable(struct nap_cq *cq)
{
	return fd_is_readable(nap_cq_fd(cq), 0);
}

#define JOBS 6

static struct nap_cq queue;
static struct nap_task tasks[JOBS];
static size_t ran[64], nr_ran;

static void note(struct nap_task *task)
{
	ran[nr_ran++] = (size_t)(task - tasks);
}

static bool push(size_t i)
{
	nap_task_init(&tasks[i], note);
	return nap_cq_push(&queue, &tasks[i]) == 0;
}

/* Whether the first @n tasks were run, in order. */
static bool ran_in_order(size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ran[i] != i)
			return false;
	return nr_ran == n;
}

static void begin(void)
{
	if (nap_cq_init(&queue))
		abort();
}

static size_t close_it(void)
{
	struct nap_batch left = NAP_BATCH_INIT;

	if (nap_cq_close(&queue, &left))
		abort();
	return left.count;
}

TEST(a_zeroed_queue_is_closed)
{
	struct nap_batch left = NAP_BATCH_INIT;

	EXPECT_FALSE(push(0));
	EXPECT_EQ(nap_cq_fd(&queue), -EBADF);
	EXPECT_TRUE(!nap_cq_pop(&queue));
	EXPECT_EQ(nap_cq_run(&queue, 0), 0u);
	EXPECT_EQ(nap_cq_pop_all(&queue, &left), 0u);
	EXPECT_EQ(nap_cq_close(&queue, &left), -EALREADY);
	EXPECT_EQ(nr_writes, 0u);
}

TEST(bad_arguments_change_nothing)
{
	struct nap_batch left = NAP_BATCH_INIT;

	EXPECT_EQ(nap_cq_init(NULL), -EINVAL);
	EXPECT_EQ(nap_cq_init((struct nap_cq *)((char *)&queue + 4)), -EINVAL);
	EXPECT_EQ(nap_cq_fd(NULL), -EINVAL);
	EXPECT_TRUE(!nap_cq_pop(NULL));
	EXPECT_EQ(nap_cq_run(NULL, 0), 0u);
	EXPECT_EQ(nap_cq_pop_all(NULL, &left), 0u);
	EXPECT_EQ(nap_cq_close(NULL, &left), -EINVAL);
	begin();
	EXPECT_TRUE(push(0));
	EXPECT_EQ(nap_cq_pop_all(&queue, NULL), 0u);
	EXPECT_EQ(nap_cq_close(&queue, NULL), -EINVAL);
	EXPECT_EQ(close_it(), 1u);
}

TEST(what_the_system_refuses_is_returned)
{
	open_error = -EMFILE;
	EXPECT_EQ(nap_cq_init(&queue), -EMFILE);
	EXPECT_FALSE(push(0));
	open_error = 0;
	begin();
	EXPECT_TRUE(push(0));
	close_it();
}

TEST(closed_it_can_be_opened_again)
{
	int fd;

	begin();
	fd = nap_cq_fd(&queue);
	EXPECT_EQ(close_it(), 0u);
	EXPECT_FALSE(push(0));
	begin();
	EXPECT_EQ(nap_cq_fd(&queue), fd);
	EXPECT_TRUE(push(0));
	EXPECT_EQ(close_it(), 1u);
}

/* A program that has closed stdin gets the number 0 for the next file. */
TEST(its_fd_may_be_0_and_its_memory_hold_anything)
{
	nap__syscall1(NAP__NR_close, 0);
	memset(&queue, 0xa5, sizeof(queue));
	begin();
	EXPECT_EQ(nap_cq_fd(&queue), 0);
	EXPECT_EQ(nap_cq_depth(&queue), 0u);
	EXPECT_TRUE(!nap_cq_pop(&queue));
	for (int i = 0; i < 2; i++) {
		nr_ran = 0;
		EXPECT_FALSE(is_readable(&queue));
		EXPECT_TRUE(push(0) && push(1));
		EXPECT_TRUE(is_readable(&queue));
		EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
		EXPECT_TRUE(ran_in_order(2));
		EXPECT_TRUE(!nap_cq_pop(&queue));
	}
	EXPECT_EQ(close_it(), 0u);
	EXPECT_EQ(nap__os_eventfd_open(), 0);
}

TEST(the_oldest_comes_out_first)
{
	begin();
	for (size_t i = 0; i < 3; i++)
		EXPECT_TRUE(push(i));
	nap_cq_pop(&queue)->run(&tasks[0]);
	for (size_t i = 3; i < JOBS; i++)
		EXPECT_TRUE(push(i));
	EXPECT_EQ(nap_cq_run(&queue, 1), 1u);
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_EQ(nap_cq_run(&queue, 2), 2u);
	EXPECT_EQ(nap_cq_run(&queue, 7), 1u);
	EXPECT_EQ(nap_cq_run(&queue, 0), 0u);
	EXPECT_TRUE(ran_in_order(JOBS));
	close_it();
}

TEST(the_fd_is_readable_until_the_loop_knows_that_there_is_nothing)
{
	begin();
	EXPECT_FALSE(is_readable(&queue));
	for (size_t i = 0; i < 3; i++)
		EXPECT_TRUE(push(i));
	for (size_t i = 0; i < 3; i++) {
		EXPECT_TRUE(is_readable(&queue));
		EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[i]);
	}
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_TRUE(!nap_cq_pop(&queue));
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_EQ(nr_writes, 1u);
	/* When a call has run everything, no second call is needed. */
	EXPECT_TRUE(push(0) && push(1));
	EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_EQ(nr_writes, 2u);
	close_it();
}

/* Pushes its own task again. nap_cq_run() returns all the same, and the fd stays readable. */
static void push_again(struct nap_task *task)
{
	if (++nr_ran < 10000 && nap_cq_push(&queue, task))
		abort();
}

TEST(what_pushes_itself_has_one_turn_a_call)
{
	begin();
	nap_task_init(&tasks[0], push_again);
	nap_cq_push(&queue, &tasks[0]);
	for (size_t i = 1; i <= 3; i++) {
		EXPECT_TRUE(is_readable(&queue));
		EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
		EXPECT_EQ(nr_ran, i);
	}
	EXPECT_EQ(close_it(), 1u);
}

static size_t left_by_function;

static void close_inside(struct nap_task *task)
{
	note(task);
	left_by_function = close_it();
}

TEST(a_function_may_close_the_queue)
{
	begin();
	push(0);
	nap_task_init(&tasks[1], close_inside);
	nap_cq_push(&queue, &tasks[1]);
	push(2);
	EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
	EXPECT_EQ(left_by_function, 1u);
	EXPECT_TRUE(ran_in_order(2));
}

static void take_the_others(struct nap_task *task)
{
	note(task);
	while (nr_ran < 3)
		note(nap_cq_pop(&queue));
	push(3);
}

TEST(what_a_function_takes_out_leaves_no_turn_for_what_it_pushes)
{
	begin();
	nap_task_init(&tasks[0], take_the_others);
	nap_cq_push(&queue, &tasks[0]);
	EXPECT_TRUE(push(1) && push(2));
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_TRUE(ran_in_order(3));
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_TRUE(ran_in_order(4));
	close_it();
}

/* Pushes tasks 2 and later. Takes out task 1, which was queued before, and task 2. */
static void push_and_take_out(struct nap_task *task)
{
	note(task);
	for (size_t i = 2; i < JOBS; i++)
		push(i);
	note(nap_cq_pop(&queue));
	note(nap_cq_pop(&queue));
}

TEST(what_is_pushed_meanwhile_has_no_turn_though_others_were_taken_out)
{
	begin();
	nap_task_init(&tasks[0], push_and_take_out);
	nap_cq_push(&queue, &tasks[0]);
	EXPECT_TRUE(push(1));
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_TRUE(ran_in_order(3));
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(nap_cq_run(&queue, 0), JOBS - 3u);
	EXPECT_TRUE(ran_in_order(JOBS));
	close_it();
}

/* Pushes two tasks, and runs the queue inside a task: only the task that was queued before runs. */
static void push_and_run(struct nap_task *task)
{
	note(task);
	push(2);
	push(3);
	if (nap_cq_run(&queue, 0) != 1 || nr_ran != 2)
		abort();
}

TEST(nor_where_a_function_runs_the_others)
{
	begin();
	nap_task_init(&tasks[0], push_and_run);
	nap_cq_push(&queue, &tasks[0]);
	EXPECT_TRUE(push(1));
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_TRUE(ran_in_order(2));
	EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
	EXPECT_TRUE(ran_in_order(4));
	close_it();
}

/*
 * Opens a second queue at the address of the first: it counts as another queue, whatever is in the
 * memory.
 */
static void open_another(struct nap_task *task)
{
	note(task);
	close_it();
	queue.round -= 2;	/* so the next one would be that of this function */
	begin();
	for (size_t i = 1; i <= 3; i++)
		push(i);
	note(nap_cq_pop(&queue));
}

TEST(nor_where_a_function_opens_the_queue_again)
{
	begin();
	nap_task_init(&tasks[0], open_another);
	nap_cq_push(&queue, &tasks[0]);
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_TRUE(ran_in_order(2));
	EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
	EXPECT_TRUE(ran_in_order(4));
	close_it();
}

/* The rounds of a queue from which a loop takes for months are not counted in the next queue's. */
TEST(nor_where_2_to_the_32_takes_came_before)
{
	begin();
	queue.round |= UINT32_MAX;	/* as after 2^32 - 1 takes */
	EXPECT_TRUE(push(0));
	note(nap_cq_pop(&queue));
	nap_task_init(&tasks[0], open_another);
	nap_cq_push(&queue, &tasks[0]);
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
	EXPECT_EQ(nr_ran, 5u);
	close_it();
}

TEST(nor_where_2_to_the_31_takes_came_before)
{
	begin();
	queue.round |= (uint64_t)1 << 31;
	nap_task_init(&tasks[0], open_another);
	nap_cq_push(&queue, &tasks[0]);
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
	EXPECT_TRUE(ran_in_order(4));
	close_it();
}

/*
 * Each of 40 tasks pushes itself again when it runs. A new task, pushed at any time, still runs
 * within two calls of nap_cq_run().
 */
static size_t nr_new;

static void count_new(struct nap_task *task)
{
	(void)task;
	nr_new++;
}

TEST(the_second_call_has_run_whatever_was_pushed_before_it)
{
	static struct nap_task again[40];

	begin();
	for (size_t i = 0; i < 40; i++) {
		nap_task_init(&again[i], push_again);
		nap_cq_push(&queue, &again[i]);
	}
	for (size_t times = 1; times <= 5; times++) {
		size_t before = nr_ran;

		nap_task_init(&tasks[0], count_new);
		nap_cq_push(&queue, &tasks[0]);
		nap_cq_run(&queue, 0);
		nap_cq_run(&queue, 0);
		EXPECT_EQ(nr_new, times);
		/* Each of the 40 tasks has run at most twice. */
		EXPECT_LE(nr_ran - before, 2 * 40u);
	}
	EXPECT_EQ(close_it(), 40u);
}

TEST(its_depth_is_what_was_pushed_and_not_taken_out)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	uint64_t pushed;

	EXPECT_TRUE(nap_cq_depth(NULL) == 0 && nap_cq_depth(&queue) == 0);
	for (int i = 0; i < 2; i++) {
		begin();
		EXPECT_EQ(nap_cq_depth(&queue), 0u);
		EXPECT_TRUE(push(0) && push(1) && push(2));
		EXPECT_EQ(nap_cq_depth(&queue), 3u);
		nap_cq_pop(&queue);
		EXPECT_TRUE(push(3));
		EXPECT_EQ(nap_cq_depth(&queue), 3u);
		EXPECT_EQ(nap_cq_run(&queue, 1), 1u);
		EXPECT_EQ(nap_cq_depth(&queue), 2u);
		EXPECT_EQ(nap_cq_pop_all(&queue, &batch), 1u);
		EXPECT_EQ(nap_cq_depth(&queue), 1u);
		/* A closed queue is empty, refuses pushes, and does not count them. */
		EXPECT_EQ(close_it(), 1u);
		pushed = queue.nr_pushed;
		EXPECT_FALSE(push(4));
		EXPECT_EQ(queue.nr_pushed, pushed);
		EXPECT_EQ(nap_cq_depth(&queue), 0u);
	}
}

/* The memory may have held an earlier queue, whose pushes and takes come late. */
TEST(its_depth_is_not_negative)
{
	static const struct { uint64_t pushed, out, depth; } counts[] = {
		{ 1, 0, 1 }, { 5, 3, 2 }, { 7, 7, 0 }, { 3, 5, 0 }, { 0, 1, 0 },
		{ 1, UINT64_MAX, 2 },
	};

	begin();
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		queue.nr_pushed = counts[i].pushed;
		queue.nr_out = counts[i].out;
		EXPECT_EQ(nap_cq_depth(&queue), counts[i].depth);
	}
	EXPECT_EQ(close_it(), 0u);
}

TEST(a_batch_is_filled_behind_what_it_has)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	begin();
	nap_task_init(&tasks[0], note);
	nap_batch_push(&batch, &tasks[0]);
	for (size_t i = 1; i < JOBS; i++)
		EXPECT_TRUE(push(i));
	EXPECT_EQ(nap_cq_pop_all(&queue, &batch), JOBS - 1u);
	EXPECT_EQ(batch.count, (size_t)JOBS);
	for (struct nap_task *task; (task = nap_batch_pop(&batch)); )
		task->run(task);
	EXPECT_TRUE(ran_in_order(JOBS));
	EXPECT_FALSE(is_readable(&queue));
	close_it();
}

TEST(a_write_that_fails_is_tried_again)
{
	begin();
	nr_failures = 2;
	EXPECT_TRUE(push(0));
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(nap_cq_run(&queue, 0), 1u);
	close_it();
}

TEST(where_none_succeeds_the_next_push_tells)
{
	begin();
	nr_failures = 3;
	EXPECT_TRUE(push(0));
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_TRUE(push(1));
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(nap_cq_run(&queue, 0), 2u);
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_TRUE(push(2));
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(close_it(), 1u);
}

/*
 * When every write of a push has failed, the loop still finds the task, and then writes to the fd
 * itself.
 */
TEST(where_none_succeeds_the_loop_finds_it)
{
	begin();
	nr_failures = 3;
	EXPECT_TRUE(push(0));
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[0]);
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_TRUE(!nap_cq_pop(&queue));
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_TRUE(push(1));
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(close_it(), 1u);
}

TEST(what_the_loop_tells_itself_is_tried_again)
{
	begin();
	nr_failures = 5;
	EXPECT_TRUE(push(0));
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[0]);
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(close_it(), 0u);
}

/*
 * When the loop's own writes fail, too, its call takes every task, because no later write would
 * tell the loop of the others.
 */
TEST(where_the_loop_cannot_tell_itself_it_leaves_nothing)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int all = 0; all < 2; all++) {
		begin();
		EXPECT_TRUE(push(0));
		push_before_arming = true;
		nr_failures = all ? 3 : 6;
		EXPECT_EQ(all ? nap_cq_pop_all(&queue, &batch) : nap_cq_run(&queue, 1), 3u);
		EXPECT_FALSE(is_readable(&queue));
		EXPECT_EQ(nr_failures, 0u);
		EXPECT_TRUE(push(1));
		EXPECT_TRUE(is_readable(&queue));
		EXPECT_EQ(close_it(), 1u);
	}
}

/*
 * Does the last step of a push of which all writes have failed. Here the loop has taken the task
 * before this step.
 */
static void note_and_fail_to_tell(struct nap_task *task)
{
	note(task);
	inbox_untold(&queue.pushed);
}

TEST(where_none_succeeds_late_the_loop_finds_it)
{
	begin();
	EXPECT_TRUE(push(0));
	EXPECT_TRUE(push(1));
	tasks[0].run = note_and_fail_to_tell;
	EXPECT_EQ(__real_nap__os_eventfd_read(nap_cq_fd(&queue)), 1u);
	EXPECT_EQ(nap_cq_run(&queue, 1), 1u);
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_EQ(nap_cq_run(&queue, 1), 1u);
	EXPECT_TRUE(ran_in_order(2));
	EXPECT_EQ(close_it(), 0u);
}

/* Each pop takes one task, and tries again to write while tasks are left. */
TEST(where_the_loop_cannot_tell_itself_it_tries_again)
{
	begin();
	EXPECT_TRUE(push(0));
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[0]);
	push_before_arming = true;
	nr_failures = 3;
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[4]);
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[5]);
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_TRUE(!nap_cq_pop(&queue));
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_EQ(close_it(), 0u);
}

/* From then on a push makes the fd readable, and the loop makes it unreadable, as before. */
TEST(where_the_loop_could_not_tell_itself_the_next_push_does)
{
	begin();
	nr_failures = 6;
	EXPECT_TRUE(push(0));
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[0]);
	EXPECT_TRUE(!nap_cq_pop(&queue));
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_EQ(nr_failures, 0u);
	EXPECT_TRUE(push(1));
	EXPECT_TRUE(is_readable(&queue));
	EXPECT_TRUE(nap_cq_pop(&queue) == &tasks[1]);
	EXPECT_TRUE(!nap_cq_pop(&queue));
	EXPECT_FALSE(is_readable(&queue));
	EXPECT_EQ(close_it(), 0u);
}

TEST(where_none_succeeds_it_can_be_closed)
{
	begin();
	nr_failures = 3;
	EXPECT_TRUE(push(0));
	EXPECT_EQ(close_it(), 1u);
}

#ifndef NAP_TEST_BARE
static void push_in_handler(int signal)
{
	(void)signal;
	if (!push(1))
		abort();
}

TEST(a_signal_handler_may_push)
{
	begin();
	signal(SIGUSR1, push_in_handler);
	EXPECT_TRUE(push(0));
	raise(SIGUSR1);
	EXPECT_TRUE(push(2));
	EXPECT_EQ(nap_cq_run(&queue, 0), 3u);
	EXPECT_TRUE(ran_in_order(3));
	close_it();
}
#endif

static void *push_late(void *unused)
{
	(void)unused;
	return (void *)(uintptr_t)push(0);
}

/* A push has been accepted, and is about to write. The queue is not closed before that write. */
TEST(closed_it_is_written_to_no_longer)
{
	pthread_t thread;
	void *accepted;

	begin();
	nap_store_relaxed(&writes_late, 1);
	ASSERT_EQ(pthread_create(&thread, NULL, push_late, NULL), 0);
	flag_wait(&is_about_to_write);
	EXPECT_EQ(close_it(), 1u);
	EXPECT_EQ(nap_load_acquire(&may_write), 1u);
	flag_set(&may_write);
	pthread_join(thread, &accepted);
	EXPECT_NE(accepted, NULL);
}

/* ---- from workers */

#define MANY		20000u

static struct nap_pool pool;
static struct many {
	struct nap_task task;
	uint32_t result;
	bool out;
} many[MANY];
static uint32_t nr_refused, is_opened_again;

static void work_and_push(struct nap_task *task)
{
	struct many *m = nap_container_of(task, struct many, task);

	m->result = (uint32_t)(m - many) + 1;
	nap_task_init(task, note);
	while (nap_cq_push(&queue, task)) {
		nap_fetch_add_relaxed(&nr_refused, 1);
		if (!nap_load_relaxed(&is_opened_again))
			break;
		nap__os_yield();
	}
}

static void schedule_many(void)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 3 }))
		abort();
	for (size_t i = 0; i < MANY; i++) {
		nap_task_init(&many[i].task, work_and_push);
		nap_batch_push(&batch, &many[i].task);
	}
	if (nap_schedule_batch(&pool, &batch))
		abort();
}

/* Whether @task has what its worker wrote, and comes out for the first time. */
static bool is_right(struct nap_task *task)
{
	struct many *m = nap_container_of(task, struct many, task);
	bool right = !m->out && m->result == (uint32_t)(m - many) + 1;

	m->out = true;
	return right;
}

TEST(workers_hand_back_and_the_loop_sleeps)
{
	uint32_t nr_out = 0, nr_wrong = 0, nr_found_empty = 0;
	struct nap_task *task;

	begin();
	schedule_many();
	while (nr_out < MANY) {
		if (fd_is_readable(nap_cq_fd(&queue), 3600))
			while ((task = nap_cq_pop(&queue))) {
				nr_wrong += !is_right(task);
				nr_out++;
			}
		nr_found_empty++;
	}
	EXPECT_EQ(nr_wrong, 0u);
	EXPECT_EQ(nr_refused, 0u);
	/* Workers write at most once for each time that the loop found the queue empty. */
	EXPECT_LE(nap_load_relaxed(&nr_by_workers), nr_found_empty + 1);
	EXPECT_EQ(nap_cq_depth(&queue), 0u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(close_it(), 0u);
}

TEST(closed_meanwhile_it_hands_out_what_it_has_accepted)
{
	struct nap_batch left = NAP_BATCH_INIT;
	uint32_t nr_out = 0, nr_wrong = 0;
	struct nap_task *task;

	begin();
	schedule_many();
	while (nr_out < MANY / 10) {
		task = nap_cq_pop(&queue);
		if (task) {
			nr_wrong += !is_right(task);
			nr_out++;
		}
	}
	EXPECT_EQ(nap_cq_close(&queue, &left), 0);
	while ((task = nap_batch_pop(&left))) {
		nr_wrong += !is_right(task);
		nr_out++;
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_wrong, 0u);
	EXPECT_EQ(nr_out + nr_refused, MANY);
	EXPECT_EQ(nap_cq_depth(&queue), 0u);
}

/* A thread pushes while the queue is closed, and while it is open with another fd. */
TEST(opened_again_meanwhile_it_has_what_it_accepts)
{
	struct nap_batch left = NAP_BATCH_INIT;
	uint32_t nr_out = 0, nr_wrong = 0;
	struct nap_task *task;

	begin();
	nap_store_relaxed(&is_opened_again, 1);
	schedule_many();
	while (nr_out < MANY) {
		fd_is_readable(nap_cq_fd(&queue), 3600);
		for (int i = 0; i < 50 && (task = nap_cq_pop(&queue)); i++) {
			nr_wrong += !is_right(task);
			nr_out++;
		}
		EXPECT_EQ(nap_cq_close(&queue, &left), 0);
		while ((task = nap_batch_pop(&left))) {
			nr_wrong += !is_right(task);
			nr_out++;
		}
		begin();
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_wrong, 0u);
	EXPECT_EQ(close_it(), 0u);
}

TEST_HARNESS_MAIN
