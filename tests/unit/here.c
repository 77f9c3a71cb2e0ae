/* SPDX-License-Identifier: MIT */
/* nap_run(), and pools that never start a thread: nap/here.h. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "harness.h"
#include "watchdog.h"

#define ROUNDS	1000
#define MS	1000000u

FIXTURE(here)
{
	struct nap_pool pool;
	struct nap_channel there, back;
	uint32_t elsewhere, failures;
	uint32_t came;		/* atomic: how many tasks and timers have run */
};

static pthread_t program;
static FIXTURE_DATA(here) *now;

FIXTURE_VARIANT(here)
{
	uint32_t idle;
};

#define HERE(NAME, name) FIXTURE_VARIANT_ADD(here, name) { .idle = NAP_IDLE_##NAME };
IDLE_PROTOCOLS(HERE, HERE)

static void on_failure(struct nap_pool *pool, int err, void *failures)
{
	(void)pool;
	(void)err;
	++*(uint32_t *)failures;
}

FIXTURE_SETUP(here)
{
	const struct nap_config config = { .idle = variant->idle, .flags = NAP_NO_WORKERS,
					   .spawn_failed = on_failure, .arg = &self->failures };

	program = pthread_self();
	now = self;
	ASSERT_EQ(nap_pool_init(&self->pool, &config), 0);
	watchdog(&self->pool, 0);
	nap_channel_init(&self->there, NULL, sizeof(int), 0);
	nap_channel_init(&self->back, NULL, sizeof(int), 0);
}

/* No thread was ever started, and no start has failed. */
FIXTURE_TEARDOWN(here)
{
	struct nap_pool_stats stats;

	ASSERT_EQ(nap_pool_get_stats(&self->pool, &stats), 0);
	EXPECT_EQ(stats.spawned, 0);
	EXPECT_EQ(stats.spawn_failures, 0);
	EXPECT_EQ(self->failures, 0);
	EXPECT_EQ(self->elsewhere, 0);
	nap_pool_join(&self->pool, NULL);
	watchdog_forget(&self->pool);
}

static void is_here(void)
{
	now->elsewhere += !pthread_equal(program, pthread_self());
}

static intptr_t echo(void *arg)
{
	int value;

	(void)arg;
	while (!nap_channel_recv(&now->there, &value)) {
		is_here();
		nap_channel_send(&now->back, &value);
	}
	return 0;
}

static intptr_t ping(void *arg)
{
	struct nap_fiber *other;
	int value;

	(void)arg;
	if (nap_spawn(&now->pool, &other, echo, NULL))
		return -1;
	for (int i = 0; i < ROUNDS; i++) {
		nap_channel_send(&now->there, &i);
		if (nap_channel_recv(&now->back, &value) || value != i)
			return -2;
		is_here();
	}
	nap_channel_close(&now->there);
	return nap_await(other, NULL) ? -3 : 7;
}

TEST_F(here, a_fiber_and_all_others_on_one_thread)
{
	intptr_t result = 0;

	ASSERT_EQ(nap_run(&self->pool, ping, NULL, &result), 0);
	EXPECT_EQ(result, 7);
	/* The pool runs a second fiber. */
	nap_channel_init(&self->there, NULL, sizeof(int), 0);
	ASSERT_EQ(nap_run(&self->pool, ping, NULL, NULL), 0);
}

static void task_here(struct nap_task *task)
{
	(void)task;
	is_here();
	nap_fetch_add_relaxed(&now->came, 1);
}

struct timed {
	struct nap_timer timer;
	struct nap_task task;
	int fds[2];
};

static intptr_t waits_for_everything(void *arg)
{
	struct timed *timed = arg;
	int err;

	nap_timer_init(&timed->timer, task_here);
	nap_task_init(&timed->task, task_here);
	if (nap_schedule_after(&now->pool, &timed->timer, 2 * MS) ||
	    nap_schedule(&now->pool, &timed->task))
		return -1;
	while (nap_load_relaxed(&now->came) < 2)
		if (nap_sleep(MS / 2))
			return -2;
	err = nap_io_wait(timed->fds[0], NAP_IO_READ, nap_deadline(MS));
	if (err != -ETIMEDOUT || write(timed->fds[1], "x", 1) != 1)
		return -3;
	is_here();
	return nap_io_wait(timed->fds[0], NAP_IO_READ, NAP_FOREVER) == NAP_IO_READ ? 0 : -4;
}

TEST_F(here, timers_files_and_tasks_as_well)
{
	struct timed timed;
	intptr_t result = -5;

	ASSERT_EQ(pipe(timed.fds), 0);
	ASSERT_EQ(nap_run(&self->pool, waits_for_everything, &timed, &result), 0);
	EXPECT_EQ(result, 0);
	close(timed.fds[0]);
	close(timed.fds[1]);
}

static intptr_t ends(void *arg)
{
	return (intptr_t)arg;
}

static intptr_t leaves_another(void *arg)
{
	return nap_spawn(&now->pool, NULL, ping, arg);
}

TEST_F(here, what_is_left_is_run_by_the_join)
{
	ASSERT_EQ(nap_run(&self->pool, leaves_another, NULL, NULL), 0);
	ASSERT_EQ(nap_pool_join(&self->pool, NULL), 0);
	EXPECT_EQ(nap_run(&self->pool, ping, NULL, NULL), -ESHUTDOWN);
}

static intptr_t stops(void *arg)
{
	(void)arg;
	nap_pool_shutdown(&now->pool, NAP_STOP);
	return nap_sleep(MS);
}

/* A fiber that stops its own pool runs to its end, and its waits end at once. */
TEST_F(here, a_stop_by_itself)
{
	intptr_t result = 0;

	EXPECT_EQ(nap_run(&self->pool, stops, NULL, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	EXPECT_EQ(nap_pool_join(&self->pool, NULL), 0);
}

static intptr_t waits_for_ever(void *arg)
{
	int value;

	nap_fetch_add_relaxed(&now->came, 1);
	*(int *)arg = nap_channel_recv(&now->there, &value);
	return 0;
}

/* Stops the pool when the fiber has begun. In most runs the fiber waits by then. */
static void *stops_later(void *arg)
{
	(void)arg;
	while (!nap_load_relaxed(&now->came))
		usleep(100);
	usleep(20000);
	return (void *)(intptr_t)nap_pool_shutdown(&now->pool, NAP_STOP);
}

TEST_F(here, a_stop_by_another)
{
	pthread_t other;
	int err = 0;

	ASSERT_EQ(pthread_create(&other, NULL, stops_later, NULL), 0);
	EXPECT_EQ(nap_run(&self->pool, waits_for_ever, &err, NULL), -ECANCELED);
	ASSERT_EQ(pthread_join(other, NULL), 0);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(nap_pool_join(&self->pool, NULL), 0);
	EXPECT_EQ(err, -ECANCELED);
}

static struct nap_event may_end = NAP_EVENT_INIT;

static intptr_t waits_for_event(void *arg)
{
	nap_fetch_add_relaxed(&now->came, 1);
	return nap_event_wait(arg);
}

static intptr_t runs_inside(void *arg)
{
	return nap_run(&now->pool, waits_for_event, arg, NULL);
}

/* Cancels a fiber that runs another one, and then lets the other one end. */
static intptr_t cancels_runner(void *arg)
{
	struct nap_fiber *runner;
	intptr_t result = 0;

	if (nap_spawn(&now->pool, &runner, runs_inside, arg))
		return -1;
	while (!nap_load_relaxed(&now->came))
		nap_yield();
	nap_fiber_cancel(runner);
	nap_event_set(arg);
	return nap_await(runner, &result) ? -1 : result;
}

TEST_F(here, a_fiber_waits_as_in_an_await)
{
	struct nap_fiber_stats stats;
	intptr_t result = 0;

	ASSERT_EQ(nap_run(&self->pool, cancels_runner, &may_end, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	/* The fiber that the canceled one ran has ended too, and gives its stack back. */
	ASSERT_EQ(nap_pool_quiesce(&self->pool), 0);
	ASSERT_EQ(nap_fiber_get_stats(&self->pool, &stats), 0);
	EXPECT_EQ(stats.live, 0);
	EXPECT_EQ(stats.free, stats.stacks);
}

static void *sends(void *arg)
{
	int value = 3;

	(void)arg;
	usleep(20000);
	return (void *)(intptr_t)nap_channel_send(&now->there, &value);
}

static intptr_t receives(void *arg)
{
	int value = 0;

	(void)arg;
	is_here();
	return nap_channel_recv(&now->there, &value) ? -1 : value;
}

/* The thread sleeps as a worker: another thread that brings work wakes it. */
TEST_F(here, another_thread_wakes_it)
{
	pthread_t other;
	intptr_t result = 0;
	void *err;

	ASSERT_EQ(pthread_create(&other, NULL, sends, NULL), 0);
	ASSERT_EQ(nap_run(&self->pool, receives, NULL, &result), 0);
	EXPECT_EQ(result, 3);
	ASSERT_EQ(pthread_join(other, &err), 0);
	EXPECT_EQ((intptr_t)err, 0);
}

static void *schedules(void *task)
{
	usleep(20000);
	return (void *)(intptr_t)nap_schedule(&now->pool, task);
}

static struct nap_group group;

static void done_here(struct nap_task *task)
{
	(void)task;
	is_here();
	nap_group_done(&group);
}

/*
 * There is no worker, and none can be started: a thread that waits outside runs what another thread
 * schedules later.
 */
TEST_F(here, a_wait_runs_what_comes_later)
{
	struct nap_task task = NAP_TASK_INIT(done_here);
	pthread_t other;
	void *err;

	nap_group_init(&group, &self->pool);
	nap_group_add(&group, 1);
	ASSERT_EQ(pthread_create(&other, NULL, schedules, &task), 0);
	EXPECT_EQ(nap_group_wait(&group), 0);
	ASSERT_EQ(pthread_join(other, &err), 0);
	EXPECT_EQ((intptr_t)err, 0);
	EXPECT_EQ(nap_pool_prewarm(&self->pool, 1), -ENOSYS);
	EXPECT_EQ(nap_pool_quiesce(&self->pool), 0);
}

TEST(with_workers_and_wrong_arguments)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	intptr_t result;

	EXPECT_EQ(nap_run(NULL, ping, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_run(&pool, NULL, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_run(&pool, ends, (void *)5, &result), 0);
	EXPECT_EQ(result, 5);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
