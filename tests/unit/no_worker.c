/* SPDX-License-Identifier: MIT */
/* Waits on a pool without a worker, where the waiting thread cannot simply run the tasks. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "queue/kind.h"
#include "os/futex.h"
#include "os/os.h"
#include "sync/deadline.h"
#include "sync/gate.h"
#include "wait/help.h"
#include "worker/worker.h"
#include "fib.h"
#include "pool_fixture.h"
#include "wrap.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);

/* No worker of @pool is ever started. */
WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	return worker->pool == &pool ? -EAGAIN :
				       __real_nap__os_thread_start(worker, stack_size);
}

/* What a sleep of the calling thread does. */
static __thread void (*at_sleep)(void);
/* If not 0: the calling thread's clock stands still at this time, and its sleeps end at once. */
static __thread uint64_t stopped_at;
static uint64_t sleep_ns[8];	/* how long the thread wanted to sleep, each time */
static uint32_t nr_sleeps;

WRAP(uint64_t, nap__os_now, (void))
{
	return stopped_at ? stopped_at : __real_nap__os_now();
}

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	if (stopped_at && nr_sleeps < 8)
		sleep_ns[nr_sleeps++] = deadline - stopped_at;
	if (at_sleep)
		at_sleep();
	return stopped_at ? -ETIMEDOUT : __real_nap__futex_wait(word, expected, deadline);
}

/*
 * A chain of tasks, each of which schedules the next one and waits for it. Only the waiting thread
 * can run the tasks, nested, until it is at the nesting limit; there a wait returns an error.
 */
#define LINKS 2000
/* ThreadSanitizer keeps its data of a thread above the thread's stack, in the same memory. */
#ifdef NAP_TEST_TSAN
#define STACK	((size_t)2 << 20)
#else
#define STACK	((size_t)256 << 10)
#endif

#define FIB_12 144

static struct link {
	struct nap_task task;
	struct nap_group group;		/* counts the next link */
} links[LINKS];
static unsigned long deadlocks, completed;

static void run_link(struct nap_task *task)
{
	struct link *link = nap_container_of(task, struct link, task);

	if (link + 1 < links + LINKS) {
		nap_group_init(&link->group, &pool);
		nap_group_add(&link->group, 1);
		nap_task_init(&link[1].task, run_link);
		if (nap_schedule(&pool, &link[1].task))
			abort();
		switch (nap_group_wait(&link->group)) {
		case 0:
			completed++;
			break;
		case -EDEADLK:
			deadlocks++;
			break;
		default:
			abort();
		}
	}
	if (link > links)
		nap_group_done(&link[-1].group);
	nr_run++;
}

static void *run_chain(void *arg)
{
	nap_task_init(&links[0].task, run_link);
	if (nap_schedule(&pool, &links[0].task))
		abort();
	*(int *)arg = nap_pool_quiesce(&pool);
	return NULL;
}

TEST(a_wait_that_may_not_nest_deeper_and_has_no_worker_says_so)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err = 1;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	ASSERT_EQ(pthread_create(&thread, &attr, run_chain, &err), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(err, 0);
	/* The tasks that did not run at the nesting limit ran later, when there was room again. */
	EXPECT_EQ(nr_run, LINKS);
	EXPECT_GT(deadlocks, 0);
	EXPECT_EQ(completed + deadlocks, LINKS - 1);
	TH_LOG("%lu links, %lu times at the bound", nr_run, deadlocks);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Forks through nap_worker_self(), whichever thread runs the task. */
static void fork_in_task(struct nap_task *task)
{
	struct nap_worker *self = nap_worker_self();

	if (nap_worker_pool(self) != &pool || fib(self, nap_top(self), 12) != FIB_12)
		abort();
	member_done(task);
}

TEST(a_task_finds_itself_on_a_worker)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member member = { NAP_TASK_INIT(fork_in_task), &group, &pool, 0 };

	nap_group_add(&group, 1);
	nap_schedule(&pool, &member.task);
	EXPECT_EQ(nap_group_wait(&group), 0);
	nap_schedule(&pool, &member.task);
	nap_group_add(&group, 1);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	nap_schedule(&pool, &member.task);
	nap_group_add(&group, 1);
	EXPECT_EQ(nap_pool_help(&pool, 0), 1);
	nap_schedule(&pool, &member.task);
	nap_group_add(&group, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 4);
	EXPECT_EQ(nap_worker_self(), NULL);
}

/*
 * A worker of one pool waits for a task of another pool, and runs this task itself, as any thread
 * would.
 */
static int waited = 1;
static uint32_t spawned;	/* workers of the waiting worker's pool, after the wait */

static void wait_for_task_of_pool(struct nap_task *task)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member member = { NAP_TASK_INIT(member_done), &group, &pool, 0 };
	struct nap_pool_stats stats;

	(void)task;
	nap_group_add(&group, 1);
	if (nap_schedule(&pool, &member.task))
		abort();
	waited = nap_group_wait(&group);
	nap_pool_get_stats(nap_worker_pool(nap_worker_self()), &stats);
	spawned = stats.spawned;
}

TEST(a_worker_runs_the_task_of_another_pool_that_it_waits_for)
{
	static struct nap_pool of_two = NAP_POOL_INIT(.max_workers = 2);
	struct nap_task task = NAP_TASK_INIT(wait_for_task_of_pool);
	struct nap_pool_stats stats;

	nap_schedule(&of_two, &task);
	EXPECT_EQ(nap_pool_join(&of_two, NULL), 0);
	EXPECT_EQ(waited, 0);
	/*
	 * A task in the queue of the worker's own pool would have started a second worker, but the
	 * worker has left no task there.
	 */
	EXPECT_EQ(spawned, 1);
	EXPECT_EQ(nr_run, 1);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.helped, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * This test holds the lock of the queue, as a thread that was stopped in the middle would. No task
 * can be taken, and no notification comes when the lock is free.
 */
TEST(a_wait_for_what_another_thread_holds_is_bounded)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member member = { NAP_TASK_INIT(member_done), &group, &pool, 0 };
	struct nap__consumer holder;

	nap_group_add(&group, 1);
	nap_schedule(&pool, &member.task);
	ASSERT_TRUE(inject_lock(&pool.inject, &holder));
	EXPECT_EQ(nap_pool_help(&pool, 0), 0);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 3000000), -ETIMEDOUT);
	EXPECT_EQ(nap_group_wait_for(&group, 3000000), -ETIMEDOUT);
	EXPECT_EQ(nr_run, 0);
	inject_unlock(&holder);
	EXPECT_EQ(nap_group_wait(&group), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static void *let_go_later(void *holder)
{
	usleep(20000);
	inject_unlock(holder);
	return NULL;
}

TEST(a_wait_looks_again_when_another_thread_held_the_queue)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct member member = { NAP_TASK_INIT(member_done), &group, &pool, 0 };

	for (int i = 0; i < 2; i++) {
		struct nap__consumer holder;
		pthread_t thread;

		nap_group_add(&group, 1);
		nap_schedule(&pool, &member.task);
		ASSERT_TRUE(inject_lock(&pool.inject, &holder));
		pthread_create(&thread, NULL, let_go_later, &holder);
		EXPECT_EQ(i ? nap_pool_quiesce(&pool) : nap_group_wait(&group), 0);
		pthread_join(thread, NULL);
		EXPECT_EQ(nr_run, (unsigned long)i + 1);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static struct nap__consumer held;

static void holds_queue(struct nap_task *task)
{
	if (!inject_lock(&pool.inject, &held))
		abort();
	count_run(task);
}

/* The queue is held for three sleeps, and, when a task was run, for one more. */
static void let_queue_go(void)
{
	if (nr_sleeps == 3 || nr_sleeps == 4)
		inject_unlock(&held);
}

TEST(pauses_grow_until_a_task_was_run)
{
	struct nap_task tasks[2] = { NAP_TASK_INIT(holds_queue), NAP_TASK_INIT(count_run) };

	nap_schedule(&pool, &tasks[0]);
	nap_schedule(&pool, &tasks[1]);
	ASSERT_TRUE(inject_lock(&pool.inject, &held));
	at_sleep = let_queue_go;
	stopped_at = nap__os_now();
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	stopped_at = 0;
	at_sleep = NULL;
	EXPECT_EQ(nr_sleeps, 4);
	for (uint32_t i = 0; i < 4; i++) {
		EXPECT_EQ(sleep_ns[i], (uint64_t)PAUSE_FIRST_NS << i % 3);
	}
	EXPECT_EQ(nr_run, 2);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A timeout beyond the end of time means for ever. */
TEST(the_longest_timeout_is_not_over)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	nap_schedule(&pool, &task);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, NAP_FOREVER - 1), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * nap_pool_quiesce_for() runs the task, whatever its time limit is. In many of these calls the time
 * limit passes between two reads of the clock.
 */
TEST(a_caller_that_only_polls_gets_somewhere)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	for (unsigned long i = 0; i < 20000; i++) {
		nap_schedule(&pool, &task);
		EXPECT_EQ(nap_pool_quiesce_for(&pool, i % 1000), 0);
		ASSERT_EQ(nr_run, i + 1);
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The joiner has closed the pool to visitors. The tasks that are queued belong to the joiner. */
TEST(nobody_helps_a_pool_that_is_being_ended)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	nap_schedule(&pool, &task);
	gate_close(&pool.visits);
	EXPECT_TRUE(nap__needs_help(&pool));
	EXPECT_FALSE(nap__help_one(&pool));
	EXPECT_EQ(nap_pool_help(&pool, 0), -ESHUTDOWN);
	EXPECT_EQ(nr_run, 0);
}

/*
 * ---- fibers, timers and files: a thread that waits or helps polls for them, because no other
 * thread does
 */

static intptr_t sleeps(void *arg)
{
	(void)arg;
	return nap_sleep(3000000);
}

static intptr_t reads(void *fds)
{
	return nap_io_wait(((int *)fds)[0], NAP_IO_READ, NAP_FOREVER);
}

static void *writes_soon(void *fds)
{
	usleep(20000);
	return write(((int *)fds)[1], "x", 1) == 1 ? NULL : fds;
}

TEST(who_awaits_a_fiber_looks_at_the_clock_and_at_files)
{
	struct nap_fiber *fiber;
	pthread_t writer;
	intptr_t result;
	int fds[2];

	ASSERT_EQ(nap_spawn(&pool, &fiber, sleeps, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(pipe(fds), 0);
	ASSERT_EQ(nap_spawn(&pool, &fiber, reads, fds), 0);
	ASSERT_EQ(pthread_create(&writer, NULL, writes_soon, fds), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, NAP_IO_READ);
	ASSERT_EQ(pthread_join(writer, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(who_joins_looks_too)
{
	pthread_t writer;
	int fds[2];

	ASSERT_EQ(pipe(fds), 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, sleeps, NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, reads, fds), 0);
	ASSERT_EQ(pthread_create(&writer, NULL, writes_soon, fds), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	ASSERT_EQ(pthread_join(writer, NULL), 0);
}

static struct blocker busy = BLOCKER_INIT;
static void *runner;	/* a thread-local word of the thread that ran the task */

static void let_worker_go(void)
{
	flag_set(&busy.let_go);
}

static void note_runner(struct nap_task *task)
{
	runner = &at_sleep;
	member_done(task);
}

/* The only worker is busy, and does not poll for the timer. But the worker will run the task. */
TEST(a_waiter_in_a_pool_with_a_worker_leaves_the_task_to_it)
{
	static struct nap_pool of_one = NAP_POOL_INIT(.max_workers = 1);
	struct nap_group group = NAP_GROUP_INIT(&of_one);
	struct member member = { NAP_TASK_INIT(note_runner), &group, &of_one, 0 };
	struct nap_timer timer;

	nap_schedule(&of_one, &busy.task);
	flag_wait(&busy.running);
	nap_timer_init(&timer, count_run);
	ASSERT_EQ(nap_schedule_after(&of_one, &timer, NAP_FOREVER / 2), 0);
	nap_group_add(&group, 1);
	nap_schedule(&of_one, &member.task);
	at_sleep = let_worker_go;
	EXPECT_EQ(nap_group_wait(&group), 0);
	at_sleep = NULL;
	EXPECT_NE(runner, &at_sleep);
	let_worker_go();
	EXPECT_EQ(nap_timer_cancel(&timer), 0);
	EXPECT_EQ(nap_pool_join(&of_one, NULL), 0);
}

/* A program that waits without nap can ask whether a worker runs. */
TEST(a_schedule_is_accepted_and_prewarm_says_that_nobody_runs_it)
{
	struct nap_task task = NAP_TASK_INIT(count_run);

	EXPECT_EQ(nap_pool_prewarm(&pool, 1), -EAGAIN);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), -EAGAIN);
	EXPECT_EQ(nr_run, 0ul);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 1ul);
}

/* A thread that only waits for a slot still runs queued tasks, because no worker does. */
static uint32_t nr_submitted;

static void count_submitted(void *arg)
{
	(void)arg;
	nr_submitted++;
}

TEST(who_waits_only_for_a_slot_runs_what_nobody_else_would)
{
	static struct nap_slot slots[2];
	static struct nap_submitter submit = NAP_SUBMIT_INIT(&pool, slots, 2);

	for (int i = 0; i < 20; i++)
		EXPECT_EQ(nap_submit_wait_only(&submit, count_submitted, NULL, NAP_FOREVER), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_submitted, 20u);
}

TEST_HARNESS_MAIN
