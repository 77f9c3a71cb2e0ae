/* SPDX-License-Identifier: MIT */
/*
 * Fibers of two pools. A fiber has a scope in the other pool, and one pool or both are stopped
 * (nap/scope.h). A fiber that runs on a thread of the other pool may not wait for that pool
 * (nap/pool.h).
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "harness.h"
#include "wrap.h"

#define MS 1000000u

static struct nap_pool runs = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool stops = NAP_POOL_INIT(.max_workers = 1);
static struct nap_event never = NAP_EVENT_INIT;
static uint32_t nr_inside, may_end, nr_ended;

static void inside(void)
{
	nap_fetch_add_release(&nr_inside, 1);
}

static void until_inside(uint32_t n)
{
	while (nap_load_acquire(&nr_inside) < n)
		usleep(100);
}

/* ---- one pool runs, the other is stopped */

/* A member of a scope: ends some time after the stop, and needs its pool's only worker for that. */
static intptr_t ends_later(void *unused)
{
	(void)unused;
	nap_fiber_shield(true);
	while (!nap_load_relaxed(&may_end))
		nap_sleep(MS);
	nap_fetch_add_relaxed(&nr_ended, 1);
	return 0;
}

/* A fiber of the stopped pool, whose scope is in the pool that runs. */
static intptr_t needs_who_runs(void *unused)
{
	struct nap_scope scope;
	intptr_t err;

	(void)unused;
	if (nap_scope_begin(&scope, &runs) || nap_scope_spawn(&scope, ends_later, NULL))
		return -EIO;
	inside();
	err = nap_scope_end(&scope);
	nap_fetch_add_relaxed(&nr_ended, 1);
	return err;
}

static intptr_t ends_scope_of_stopped(void)
{
	struct nap_scope scope;

	if (nap_scope_begin(&scope, &stops) || nap_scope_spawn(&scope, needs_who_runs, NULL))
		return -EIO;
	until_inside(1);
	inside();
	return nap_scope_end(&scope);
}

static intptr_t as_fiber(void *unused)
{
	(void)unused;
	return ends_scope_of_stopped();
}

static struct nap_group done = NAP_GROUP_INIT(NULL);
static intptr_t of_task;
static uint32_t nr_helped, nr_at_once;

/* A task that ends a scope looks at the scope's group again when it has run one other task. */
WRAP(long, nap_pool_help, (struct nap_pool *pool, unsigned long max))
{
	nr_helped++;
	nr_at_once += max != 1;
	return __real_nap_pool_help(pool, max);
}

static void as_task(struct nap_task *task)
{
	(void)task;
	of_task = ends_scope_of_stopped();
	nap_group_done(&done);
}

static void stop_it(void)
{
	until_inside(2);
	usleep(5000);	/* by now the scope's end waits */
	nap_pool_shutdown(&stops, NAP_STOP);
}

static void *lets_end(void *unused)
{
	(void)unused;
	usleep(30000);
	nap_store_relaxed(&may_end, true);
	return NULL;
}

static void check(struct __test_metadata *_metadata, pthread_t later)
{
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 2);
	pthread_join(later, NULL);
	ASSERT_EQ(nap_pool_join(&runs, NULL), 0);
}

/* The fiber ends the stopped pool, on the worker that the fibers of the stopped pool wait for. */
TEST(its_owner_ends_a_pool_that_needs_its_worker)
{
	struct nap_fiber *fiber;
	intptr_t result = 1;
	pthread_t later;

	ASSERT_EQ(nap_spawn(&runs, &fiber, as_fiber, NULL), 0);
	stop_it();
	ASSERT_EQ(pthread_create(&later, NULL, lets_end, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nap_pool_join(&stops, NULL), 0);
	check(_metadata, later);
}

TEST(a_task_ends_a_pool_that_needs_its_worker)
{
	struct nap_task task = NAP_TASK_INIT(as_task);
	pthread_t later;

	nap_group_add(&done, 1);
	ASSERT_EQ(nap_schedule(&runs, &task), 0);
	stop_it();
	ASSERT_EQ(pthread_create(&later, NULL, lets_end, NULL), 0);
	ASSERT_EQ(nap_group_wait(&done), 0);
	EXPECT_EQ(of_task, -ECANCELED);
	EXPECT_GE(nr_helped, 1);
	EXPECT_EQ(nr_at_once, 0);
	ASSERT_EQ(nap_pool_join(&stops, NULL), 0);
	check(_metadata, later);
}

/*
 * The owner finds that another thread already ends the pool. While the owner waits, it must not
 * keep the worker that this pool needs.
 */
TEST(another_thread_ends_a_pool_that_needs_the_owners_worker)
{
	struct nap_fiber *fiber;
	intptr_t result = 1;
	pthread_t later;

	ASSERT_EQ(nap_spawn(&runs, &fiber, as_fiber, NULL), 0);
	until_inside(2);
	ASSERT_EQ(nap_pool_shutdown(&stops, NAP_STOP), 0);
	ASSERT_EQ(pthread_create(&later, NULL, lets_end, NULL), 0);
	ASSERT_EQ(nap_pool_join(&stops, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	check(_metadata, later);
}

/* ---- both pools are stopped */

static intptr_t waits_for_ever(void *unused)
{
	int err;

	(void)unused;
	inside();
	err = nap_event_wait(&never);
	nap_yield();
	nap_fetch_add_relaxed(&nr_ended, 1);
	return err;
}

static intptr_t opens_one_in(void *pool)
{
	struct nap_scope scope;

	if (nap_scope_begin(&scope, pool) || nap_scope_spawn(&scope, waits_for_ever, NULL))
		return -EIO;
	inside();
	return nap_scope_end(&scope);
}

static void stop_both(struct __test_metadata *_metadata, struct nap_pool *first,
		      struct nap_pool *last)
{
	ASSERT_EQ(nap_spawn(&runs, NULL, opens_one_in, &stops), 0);
	ASSERT_EQ(nap_spawn(&stops, NULL, opens_one_in, &runs), 0);
	until_inside(4);
	usleep(5000);
	ASSERT_EQ(nap_pool_shutdown(first, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_shutdown(last, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(first, NULL), 0);
	ASSERT_EQ(nap_pool_join(last, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 2);
}

TEST(one_thread_joins_two_stopped_pools)
{
	stop_both(_metadata, &runs, &stops);
}

TEST(one_thread_joins_two_stopped_pools_the_other_way_round)
{
	stop_both(_metadata, &stops, &runs);
}

/* ---- a join that has too little time for the fibers that a stop has left */

TEST(a_join_gives_up_between_two_rounds_of_the_fibers)
{
	struct nap_batch left;

	ASSERT_EQ(nap_spawn(&stops, NULL, needs_who_runs, NULL), 0);
	until_inside(1);
	usleep(5000);
	ASSERT_EQ(nap_pool_shutdown(&stops, NAP_STOP), 0);
	EXPECT_EQ(nap_pool_join_for(&stops, &left, 5 * MS), -ETIMEDOUT);
	EXPECT_EQ(nap_pool_join_for(&stops, &left, 5 * MS), -ETIMEDOUT);
	nap_store_relaxed(&may_end, true);
	ASSERT_EQ(nap_pool_join(&stops, &left), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 2);
	ASSERT_EQ(nap_pool_join(&runs, NULL), 0);
}

static int at_deadline;

/* A fiber of the stopped pool. Its scope's fiber goes on in the pool that runs. */
static intptr_t gives_up(void *unused)
{
	struct nap_scope scope;

	(void)unused;
	if (nap_scope_begin(&scope, &runs) || nap_scope_spawn(&scope, ends_later, NULL))
		return -EIO;
	inside();
	nap_event_wait(&never);
	at_deadline = nap_scope_end_until(&scope, nap_deadline(5 * MS), NULL);
	nap_store_relaxed(&may_end, true);
	return nap_scope_end(&scope);
}

TEST(the_end_of_a_scope_has_its_deadline_in_a_stopped_pool)
{
	ASSERT_EQ(nap_spawn(&stops, NULL, gives_up, NULL), 0);
	until_inside(1);
	ASSERT_EQ(nap_pool_shutdown(&stops, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&stops, NULL), 0);
	EXPECT_EQ(at_deadline, -ETIMEDOUT);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
	ASSERT_EQ(nap_pool_join(&runs, NULL), 0);
}

/* ---- the owner of the scope may not end the stopped pool */

static intptr_t ends_in_a_section(void *unused)
{
	struct nap_scope scope;
	intptr_t err;

	(void)unused;
	if (nap_scope_begin(&scope, &stops) || nap_scope_spawn(&scope, waits_for_ever, NULL))
		return -EIO;
	while (nap_load_acquire(&nr_inside) < 1)
		nap_yield();
	nap_blocking_begin();
	err = nap_scope_end(&scope);
	nap_blocking_end();
	inside();
	return err == -EDEADLK ? nap_scope_end(&scope) : -EIO;
}

TEST(who_would_block_a_worker_ends_none)
{
	ASSERT_EQ(nap_spawn(&stops, NULL, ends_in_a_section, NULL), 0);
	until_inside(2);
	ASSERT_EQ(nap_pool_shutdown(&stops, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&stops, NULL), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
	ASSERT_EQ(nap_pool_join(&runs, NULL), 0);
}

/* ---- a wait for a pool, on a thread of this pool */

static struct nap_pool helped = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
static int of_quiesce, of_join;

static intptr_t waits_for_its_thread(void *unused)
{
	(void)unused;
	of_quiesce = nap_pool_quiesce(&runs);
	of_join = nap_pool_join(&runs, NULL);
	return 0;
}

/* The worker of @runs runs the fiber of @helped, in a task or nested in a fiber. */
static void helps(struct nap_task *task)
{
	(void)task;
	while (!nap_pool_help(&helped, 1))
		;
	nap_group_done(&done);
}

static intptr_t helps_as_fiber(void *unused)
{
	(void)unused;
	helps(NULL);
	return 0;
}

static void check_deadlock(struct __test_metadata *_metadata)
{
	ASSERT_EQ(nap_group_wait(&done), 0);
	EXPECT_EQ(of_quiesce, -EDEADLK);
	EXPECT_EQ(of_join, -EDEADLK);
	ASSERT_EQ(nap_pool_join(&runs, NULL), 0);
	ASSERT_EQ(nap_pool_join(&helped, NULL), 0);
}

TEST(who_runs_on_a_worker_does_not_wait_for_its_pool)
{
	struct nap_task task = NAP_TASK_INIT(helps);

	nap_group_add(&done, 1);
	ASSERT_EQ(nap_spawn(&helped, NULL, waits_for_its_thread, NULL), 0);
	ASSERT_EQ(nap_schedule(&runs, &task), 0);
	check_deadlock(_metadata);
}

TEST(who_runs_on_a_fiber_does_not_wait_for_its_pool)
{
	nap_group_add(&done, 1);
	ASSERT_EQ(nap_spawn(&helped, NULL, waits_for_its_thread, NULL), 0);
	ASSERT_EQ(nap_spawn(&runs, NULL, helps_as_fiber, NULL), 0);
	check_deadlock(_metadata);
}

TEST_HARNESS_MAIN
