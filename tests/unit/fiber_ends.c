/* SPDX-License-Identifier: MIT */
/* Fibers at the end of pools: drains, stops, other pools. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/fiber.h>
#include <nap/local.h>
#include <nap/nap.h>
#include <nap/scope.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "os/os.h"
/* comes after the library's headers, whose functions have parameters named pool */
#include "fiber_fixture.h"
#include "harness.h"

static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);

/* ---- drains */

static void *done_later(void *arg)
{
	(void)arg;
	usleep(20000);
	nap_group_done(&never);
	return NULL;
}

TEST(a_drain_waits_for_those_who_wait)
{
	pthread_t thread;

	begin_waiting(NULL);
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	until_waiting(8);
	EXPECT_EQ(nap_pool_quiesce_for(&pool, 5 * MS), -ETIMEDOUT);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 5 * MS), -ETIMEDOUT);
	ASSERT_EQ(pthread_create(&thread, NULL, done_later, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 8);
	pthread_join(thread, NULL);
}

static intptr_t spawns_behind(void *arg)
{
	waits(arg);
	return nap_spawn(&pool, NULL, waits, NULL);
}

TEST(in_a_drain_fibers_spawn_others)
{
	struct nap_fiber *fiber;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, NULL, spawns_behind, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_spawn(&pool, &fiber, waits, NULL), -ESHUTDOWN);
	EXPECT_EQ(fiber, NULL);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 2);
}

/* ---- stops */

static void task_run(struct nap_task *task)
{
	(void)task;
}

static uint32_t go, holding;

static void holds_a_worker(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_relaxed(&holding, 1);
	while (!nap_load_acquire(&go))
		usleep(100);
}

TEST(a_stop_gives_tasks_back_and_ends_fibers)
{
	struct nap_task holders[2] = { NAP_TASK_INIT(holds_a_worker),
				       NAP_TASK_INIT(holds_a_worker) };
	struct nap_task task = NAP_TASK_INIT(task_run);
	struct nap_batch left;

	begin_waiting(NULL);
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	until_waiting(100);
	ASSERT_EQ(nap_schedule(&pool, &holders[0]), 0);
	ASSERT_EQ(nap_schedule(&pool, &holders[1]), 0);
	while (nap_load_relaxed(&holding) < 2)
		usleep(100);
	/* Both workers are busy, so the task and the fiber are queued and have not begun. */
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	/* The awaited group is complete: the waiting fiber is ready, and in a queue as well. */
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	nap_store_release(&go, 1);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(left.count, 1);
	EXPECT_EQ(left.head, &task);
	EXPECT_EQ(nap_load_relaxed(&nr_waiting), 100);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 100);
}

static intptr_t shields(void *arg)
{
	int err = waits(arg);

	nap_fiber_shield(true);
	/* In a stopped pool even a shielded wait ends at once. */
	return err == -ECANCELED && nap_group_wait(&never) == -ECANCELED ? 0 : 1;
}

TEST(a_stop_is_for_the_shielded_too)
{
	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, NULL, shields, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
}

/* A stop hands back fibers that have not begun, whichever thread awaits them. */
static uint32_t holding, let_go, nr_back, nr_begun;
static intptr_t sum_back;

static void hold(struct nap_task *task)
{
	(void)task;
	nap_store_release(&holding, true);
	while (!nap_load_acquire(&let_go))
		nap_cpu_relax();
}

static intptr_t begins(void *arg)
{
	(void)arg;
	nap_fetch_add_relaxed(&nr_begun, 1);
	return 0;
}

static void is_back(nap_fiber_fn fn, void *arg)
{
	nr_back += fn == begins && !nap_fiber_self();
	sum_back += (intptr_t)arg;
}

/* Whether the calling thread may be cancelled. */
static bool is_cancelable(void)
{
#ifndef NAP_TEST_BARE
	int state;

	if (pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state))
		abort();
	return state == PTHREAD_CANCEL_ENABLE;
#else
	return true;
#endif
}

/* The end of the scope ends the pool. The join that follows is the first, and changes no count. */
TEST(a_stop_hands_back_what_has_not_begun)
{
	struct nap_pool_stats stats;
	struct nap_fibers_config config = { .most = 16, .unbegun = is_back };
	struct nap_task task = NAP_TASK_INIT(hold);
	struct nap_batch left;
	struct nap_scope scope;
	struct nap_fiber *fiber;

	ASSERT_EQ(nap_fibers_init(&other, &config), 0);
	ASSERT_EQ(nap_schedule(&other, &task), 0);
	while (!nap_load_acquire(&holding))
		usleep(100);
	for (intptr_t i = 0; i < 8; i++)
		ASSERT_EQ(nap_spawn(&other, NULL, begins, (void *)i), 0);
	ASSERT_EQ(nap_spawn(&other, &fiber, begins, (void *)8), 0);
	ASSERT_EQ(nap_scope_begin(&scope, &other), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, begins, (void *)9), 0);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	nap_store_release(&let_go, true);
	EXPECT_EQ(nap_scope_end(&scope), -ECANCELED);
	EXPECT_TRUE(is_cancelable());
	ASSERT_EQ(nap_pool_join(&other, &left), 0);
	EXPECT_EQ(left.count, 0);
	ASSERT_EQ(nap_pool_get_stats(&other, &stats), 0);
	EXPECT_EQ(stats.workers.run, 1);
	EXPECT_EQ(nr_back, 10);
	EXPECT_EQ(sum_back, 45);
	EXPECT_EQ(nr_begun, 0);
}

/* The scope is ended only when the pool is joined: the fiber that has not begun has failed. */
TEST(who_has_not_begun_has_failed)
{
	struct nap_task task = NAP_TASK_INIT(hold);
	struct nap_scope scope;

	ASSERT_EQ(nap_schedule(&other, &task), 0);
	while (!nap_load_acquire(&holding))
		usleep(100);
	ASSERT_EQ(nap_scope_begin(&scope, &other), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, begins, NULL), 0);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	nap_store_release(&let_go, true);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nap_scope_end(&scope), -ECANCELED);
	EXPECT_EQ(nr_begun, 0);
}

static intptr_t ends_late(void *arg)
{
	waits(arg);
	for (int i = 0; i < 3; i++)
		nap_yield();
	return 0;
}

/* The joiner goes round the fibers several times, because the first one gives way. */
TEST(a_stop_ends_a_fiber_that_has_not_begun_once)
{
	struct nap_task task = NAP_TASK_INIT(hold);
	struct nap_fiber *fiber;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&other, NULL, ends_late, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_schedule(&other, &task), 0);
	while (!nap_load_acquire(&holding))
		usleep(100);
	ASSERT_EQ(nap_spawn(&other, &fiber, begins, NULL), 0);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	nap_store_release(&let_go, true);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nr_begun, 0);
	EXPECT_EQ(nr_ended, 1);
}

/* ---- what the joiner touches */

#define ALL	6000	/* so many that their notes are longer than a stack of 64 KiB */

static uint32_t *wait_above;

static intptr_t looks_above(void *arg)
{
	waits(arg);
	return -(intptr_t)nap_load_relaxed(wait_above);
}

/*
 * All stacks are used. The memory above them looks like a fiber that has not begun. The joiner
 * leaves it as it is.
 */
TEST(a_stop_looks_at_no_more_than_the_stacks)
{
	struct nap_fibers_config config = { .stack_size = 16384, .most = ALL, .unbegun = is_back,
					    .flags = NAP_FIBER_NO_GUARD };
	struct nap__fibers *fibers;
	struct nap_fiber *above;
	struct nap_scope scope;

	begin_waiting(NULL);
	ASSERT_EQ(nap_fibers_init(&other, &config), 0);
	ASSERT_EQ(nap_scope_begin(&scope, &other), 0);
	for (int i = 0; i < ALL - 1; i++)
		ASSERT_EQ(nap_spawn(&other, NULL, waits, NULL), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, looks_above, NULL), 0);
	until_waiting(ALL);
	fibers = nap__fibers_of(&other);
	above = nap__fiber_at(fibers, ALL);
	ASSERT_EQ(fibers->used, ALL);
	ASSERT_LT((char *)(above + 1) - fibers->stacks, nap__stacks_size(fibers));
	nap_store_relaxed(&above->life, FIBER_SPAWNED);
	nap_store_relaxed(&above->wait.state, 0);
	above->fn = begins;
	wait_above = &above->wait.state;
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nap_scope_end(&scope), 0);
	EXPECT_EQ(nr_back, 0);
	EXPECT_EQ(nr_ended, ALL);
}

static uint32_t nr_made, nr_given_back;

static void *make(struct nap_worker *worker, void *arg)
{
	(void)worker;
	++*(uint32_t *)arg;
	return arg;
}

static void give_back(void *data, void *arg)
{
	(void)data;
	(void)arg;
	nr_given_back++;
}

static struct nap_local local = NAP_LOCAL_INIT(make, give_back, &nr_made);

static intptr_t uses_local(void *arg)
{
	waits(arg);
	return !nap_local_get(nap_worker_self(), &local);
}

/* The joiner runs the fiber as a worker, with values of its own, which are given back. */
TEST(what_the_joiner_has_made_is_given_back)
{
	begin_waiting(NULL);
	ASSERT_EQ(nap_local_add(&other, &local), 0);
	ASSERT_EQ(nap_spawn(&other, NULL, uses_local, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nr_made, 1);
	EXPECT_EQ(nr_given_back, 1);
}

static uint32_t nr_stopped;

static intptr_t stops_when_ready(void *fd)
{
	nap_fetch_add_relaxed(&nr_waiting, 1);
	nap_io_wait((int)(intptr_t)fd, NAP_IO_READ, NAP_FOREVER);
	nap_fetch_add_relaxed(&nr_stopped, 1);
	return nap_pool_shutdown(&other, NAP_STOP);
}

static void is_always_there(struct nap_task *task)
{
	nap_schedule(&other, task);
}

/*
 * A worker that is always busy finds both files ready at once. The first fiber that it runs then
 * stops the pool, and the joiner finds the other.
 */
TEST(a_stop_ends_a_fiber_whose_file_is_ready)
{
	struct nap_task tasks[] = { NAP_TASK_INIT(hold), NAP_TASK_INIT(is_always_there) };
	struct nap_fiber *fibers[2];
	int fds[2];

	for (int i = 0; i < 2; i++) {
		fds[i] = nap__os_eventfd_open();
		ASSERT_EQ(nap_spawn(&other, &fibers[i], stops_when_ready, (void *)(intptr_t)fds[i]),
			  0);
		while (!(nap_load_relaxed(&fibers[i]->wait.state) & WAIT_OFF))
			usleep(100);
	}
	ASSERT_EQ(nap_schedule(&other, &tasks[0]), 0);
	while (!nap_load_acquire(&holding))
		usleep(100);
	for (int i = 0; i < 2; i++)
		nap__os_eventfd_write(fds[i]);
	ASSERT_EQ(nap_schedule(&other, &tasks[1]), 0);
	nap_store_release(&let_go, true);
	while (!nap_load_relaxed(&nr_stopped))
		usleep(100);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nr_stopped, 2);
	for (int i = 0; i < 2; i++)
		nap__os_eventfd_close(fds[i]);
}

/*
 * Two fibers that do not wait: computes() polls whether it is canceled, yields() yields until a
 * third fiber has set @flag.
 */
static uint32_t flag;

static intptr_t computes(void *arg)
{
	(void)arg;
	nap_fetch_add_relaxed(&nr_waiting, 1);
	while (!nap_fiber_canceled())
		nap_cpu_relax();
	nap_fetch_add_relaxed(&nr_ended, 1);
	return 0;
}

static intptr_t yields(void *arg)
{
	(void)arg;
	nap_fetch_add_relaxed(&nr_waiting, 1);
	while (!nap_load_relaxed(&flag))
		nap_yield();
	nap_fetch_add_relaxed(&nr_ended, 1);
	return 0;
}

static intptr_t waits_and_sets(void *arg)
{
	intptr_t err = waits(arg);

	nap_store_relaxed(&flag, true);
	return err;
}

TEST(a_stop_is_seen_by_who_computes_or_yields)
{
	struct nap_pool *of[2] = { &pool, &other };

	begin_waiting(NULL);
	for (int i = 0; i < 2; i++) {
		nap_store_relaxed(&nr_waiting, 0);
		nap_store_relaxed(&nr_ended, 0);
		nap_store_relaxed(&flag, false);
		ASSERT_EQ(nap_spawn(of[i], NULL, yields, NULL), 0);
		ASSERT_EQ(nap_spawn(of[i], NULL, waits_and_sets, NULL), 0);
		until_waiting(2);
		ASSERT_EQ(nap_spawn(of[i], NULL, computes, NULL), 0);
		until_waiting(3);
		ASSERT_EQ(nap_pool_shutdown(of[i], NAP_STOP), 0);
		ASSERT_EQ(nap_pool_join(of[i], NULL), 0);
		EXPECT_EQ(nap_load_relaxed(&nr_ended), 3);
	}
}

/* When all workers have left, only the joiner can resume the fiber that a task waits for. */
static struct nap_mutex mutex = NAP_MUTEX_INIT;
static int locked = 1;

static intptr_t holds(void *arg)
{
	int err = nap_mutex_lock(&mutex);

	return err ? err : (waits(arg), nap_mutex_unlock(&mutex), 0);
}

static void locks(struct nap_task *task)
{
	(void)task;
	nap_fetch_add_relaxed(&nr_waiting, 1);
	locked = nap_mutex_lock(&mutex);
}

TEST(a_stop_ends_the_wait_of_a_task_for_a_fiber)
{
	struct nap_task task = NAP_TASK_INIT(locks);

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, NULL, holds, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	until_waiting(2);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(locked, -ECANCELED);
	EXPECT_TRUE(nap_mutex_trylock(&mutex));
}

/* ---- other pools */

TEST(a_stop_of_the_groups_pool_ends_the_wait)
{
	struct nap_fiber *fiber;
	intptr_t result = 0;

	begin_waiting(&other);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(both_pools_are_stopped_and_joined)
{
	for (int i = 0; i < 4; i++) {
		struct nap_pool *first = i & 1 ? &pool : &other, *second = i & 1 ? &other : &pool;

		nap_store_relaxed(&nr_waiting, 0);
		begin_waiting(&other);
		for (int n = 0; n < 20; n++)
			ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
		until_waiting(20);
		ASSERT_EQ(nap_pool_shutdown(i & 2 ? first : second, NAP_STOP), 0);
		ASSERT_EQ(nap_pool_shutdown(i & 2 ? second : first, NAP_STOP), 0);
		ASSERT_EQ(nap_pool_join(first, NULL), 0);
		ASSERT_EQ(nap_pool_join(second, NULL), 0);
		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
		ASSERT_EQ(nap_pool_init(&other, &(struct nap_config){ .max_workers = 1 }), 0);
	}
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 80);
}

TEST(a_group_outlives_its_pool)
{
	struct nap_fiber *fiber;
	intptr_t result = 1;

	begin_waiting(&other);
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits, NULL), 0);
	until_waiting(1);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_await_for(fiber, &result, 5 * MS), -ETIMEDOUT);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * Awaits @fiber; returns its result, or the error of the await. Waits in vain with deadlines before
 * that.
 */
static intptr_t awaits(void *fiber)
{
	intptr_t result = 0;
	int err = nap_await_until(fiber, &result, nap_deadline(MS));

	if (err == -ETIMEDOUT)
		err = nap_await_until(fiber, &result, 0);
	if (err == -ETIMEDOUT)
		err = nap_await_for(fiber, &result, MS);

	if (err != -ETIMEDOUT)
		return 1;
	nap_fetch_add_relaxed(&nr_waiting, 1);
	err = nap_await(fiber, &result);
	return err ? err : result;
}

static struct nap_fiber *await_in_another_pool(void)
{
	struct nap_fiber *of_other, *fiber;

	begin_waiting(NULL);
	if (nap_spawn(&other, &of_other, waits, NULL) || nap_spawn(&pool, &fiber, awaits, of_other))
		return NULL;
	until_waiting(2);
	return fiber;
}

TEST(a_stop_of_the_awaited_ones_pool_ends_the_await)
{
	struct nap_fiber *fiber = await_in_another_pool();
	intptr_t result = 0;

	ASSERT_NE(fiber, NULL);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The awaiting fiber runs only in the second join; the first join does not wait for it. */
TEST(the_awaited_ones_pool_is_joined_before_a_stopped_one)
{
	ASSERT_NE(await_in_another_pool(), NULL);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
}

TEST(a_drain_loses_no_result)
{
	for (int i = 0; i < 50; i++) {
		struct nap_fiber *fiber = await_in_another_pool();
		intptr_t result = 1;

		ASSERT_NE(fiber, NULL);
		ASSERT_EQ(nap_group_done(&never), 0);
		ASSERT_EQ(nap_pool_join(&other, NULL), 0);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		ASSERT_EQ(result, 0);
		nap_store_relaxed(&nr_waiting, 0);
		ASSERT_EQ(nap_pool_init(&other, &(struct nap_config){ .max_workers = 1 }), 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
