/* SPDX-License-Identifier: MIT */
/* nap/scope.h: fibers that end together. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "os/linux/file.h"
#include "sync/lock.h"
#include "worker/nest.h"
#include "fiber_fixture.h"
#include "harness.h"
#include "wrap.h"

#define NR 32

static uint32_t nr_canceled;

static void count_up(uint32_t *n)
{
	nap_fetch_add_relaxed(n, 1);
}

static intptr_t adds(void *n)
{
	nap_yield();
	count_up(n);
	return 0;
}

/* ---- all members */

static uint32_t slow;

/* Delays a worker that gives back the stack of a fiber that has ended. */
WRAP(void, nap__stack_give, (struct nap__fibers *fibers, struct nap_worker *worker,
			     struct nap_fiber *fiber))
{
	if (nap_load_relaxed(&slow))
		usleep(20000);
	__real_nap__stack_give(fibers, worker, fiber);
}

TEST(behind_its_end_there_are_stacks_again)
{
	struct nap_fibers_config config = { .most = 2 };

	ASSERT_EQ(nap_fibers_init(&pool, &config), 0);
	nap_store_relaxed(&slow, true);
	for (int i = 0; i < 3; i++) {
		struct nap_scope scope;
		uint32_t n = 0;

		ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
		EXPECT_EQ(nap_scope_spawn(&scope, adds, &n), 0);
		EXPECT_EQ(nap_scope_spawn(&scope, adds, &n), 0);
		ASSERT_EQ(nap_scope_end(&scope), 0);
		EXPECT_EQ(n, 2);
	}
	nap_store_relaxed(&slow, false);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(its_end_is_behind_those_of_all)
{
	for (int i = 0; i < 100; i++) {
		struct nap_scope scope;
		uint32_t n = 0;

		ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
		for (int k = 0; k < NR; k++)
			ASSERT_EQ(nap_scope_spawn(&scope, adds, &n), 0);
		ASSERT_EQ(nap_scope_end(&scope), 0);
		ASSERT_EQ(n, NR);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(an_empty_scope_ends_at_once)
{
	struct nap_scope scope;

	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_end(&scope), 0);
	EXPECT_EQ(nap_scope_begin(NULL, &pool), -EINVAL);
	EXPECT_EQ(nap_scope_begin(&scope, NULL), -EINVAL);
	EXPECT_EQ(nap_scope_spawn(NULL, adds, NULL), -EINVAL);
	EXPECT_EQ(nap_scope_spawn(&scope, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_scope_cancel(NULL), -EINVAL);
	EXPECT_EQ(nap_scope_end(NULL), -EINVAL);
}

struct tree {
	struct nap_scope *scope;
	uint32_t depth;
	uint32_t *n;
};

/* Spawns one fiber into the caller's own scope, and one into a scope that the caller opens. */
static intptr_t grows(void *arg)
{
	struct tree *tree = arg, inner;
	struct nap_scope own;
	intptr_t err;

	count_up(tree->n);
	if (!tree->depth)
		return 0;
	err = nap_scope_begin(&own, &pool);
	if (err)
		return err;
	inner = (struct tree){ &own, tree->depth - 1, tree->n };
	for (int i = 0; i < 2; i++)
		err = err ? err : nap_scope_spawn(&own, grows, &inner);
	err = err ? err : nap_scope_spawn(tree->scope, adds, tree->n);
	return nap_scope_end(&own) ? -ENOMEM : err;
}

TEST(scopes_are_nested)
{
	struct nap_scope scope;
	uint32_t n = 0;
	struct tree tree = { &scope, 6, &n };

	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, grows, &tree), 0);
	ASSERT_EQ(nap_scope_end(&scope), 0);
	/* 2^7 - 1 nodes, and one more for each node that is no leaf. */
	EXPECT_EQ(n, 127 + 63);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the list of members: each may leave from its place */

static struct nap_event may_leave[3];

static intptr_t waits_for_event(void *event)
{
	return nap_event_wait(event);
}

static uint32_t nr_members(struct nap_scope *scope)
{
	uint32_t n = 0;

	lock_take(&scope->lock);
	for (struct nap_fiber *f = scope->members; f && n < 4; f = f->in_scope)
		n++;
	lock_give(&scope->lock);
	return n;
}

static void until_live(uint64_t n)
{
	struct nap_fiber_stats stats;

	do {
		usleep(100);
		nap_fiber_get_stats(&pool, &stats);
	} while (stats.live != n);
}

TEST(who_leaves_takes_no_other_along)
{
	static const int orders[6][2] = { { 0, 1 }, { 0, 2 }, { 1, 0 },
					  { 1, 2 }, { 2, 0 }, { 2, 1 } };
	struct nap_scope scope;

	for (int i = 0; i < 6; i++) {
		ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
		for (int k = 0; k < 3; k++) {
			may_leave[k] = (struct nap_event)NAP_EVENT_INIT;
			ASSERT_EQ(nap_scope_spawn(&scope, waits_for_event, &may_leave[k]), 0);
		}
		for (uint32_t k = 0; k < 2; k++) {
			nap_event_set(&may_leave[orders[i][k]]);
			until_live(2 - k);
			EXPECT_EQ(nr_members(&scope), 2 - k);
		}
		/* the last one is still listed: a cancellation finds it */
		ASSERT_EQ(nap_scope_cancel(&scope), 0);
		EXPECT_EQ(nap_scope_end(&scope), -ECANCELED);
		EXPECT_EQ(nr_members(&scope), 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- failing and canceled scopes */

static intptr_t is_canceled(void *arg)
{
	intptr_t err = waits(arg);

	if (err == -ECANCELED)
		count_up(&nr_canceled);
	return err;
}

static intptr_t fails(void *arg)
{
	return (intptr_t)arg;
}

TEST(who_fails_has_the_others_canceled)
{
	struct nap_scope scope;

	begin_waiting(NULL);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	for (int k = 0; k < NR; k++)
		ASSERT_EQ(nap_scope_spawn(&scope, is_canceled, NULL), 0);
	until_waiting(NR / 2);
	ASSERT_EQ(nap_scope_spawn(&scope, fails, (void *)-ENOMEM), 0);
	EXPECT_EQ(nap_scope_end(&scope), -ENOMEM);
	EXPECT_EQ(nap_load_relaxed(&nr_canceled), NR);
	/* A positive result of a member is no failure. */
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, fails, (void *)7), 0);
	EXPECT_EQ(nap_scope_end(&scope), 0);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_canceled_scope_takes_no_more)
{
	struct nap_scope scope;

	begin_waiting(NULL);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, is_canceled, NULL), 0);
	ASSERT_EQ(nap_scope_cancel(&scope), 0);
	EXPECT_EQ(nap_scope_spawn(&scope, is_canceled, NULL), -ECANCELED);
	ASSERT_EQ(nap_scope_cancel(&scope), 0);
	EXPECT_EQ(nap_scope_end(&scope), -ECANCELED);
	EXPECT_EQ(nap_load_relaxed(&nr_canceled), 1);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t opens_one(void *arg)
{
	struct nap_scope scope;
	int on_this_stack[NR];

	(void)arg;
	if (nap_scope_begin(&scope, &pool))
		return 1;
	for (int k = 0; k < NR; k++) {
		on_this_stack[k] = k;
		if (nap_scope_spawn(&scope, is_canceled, &on_this_stack[k]))
			return 2;
	}
	return nap_scope_end(&scope);
}

/* The cancellation meets the waits of the scope's fibers and of its owner at any place. */
TEST(who_waits_for_its_end_is_canceled)
{
	for (unsigned int i = 0; i < 100; i++) {
		struct nap_fiber *fiber;
		intptr_t result = 0;

		nap_store_relaxed(&nr_canceled, 0);
		begin_waiting(NULL);
		ASSERT_EQ(nap_spawn(&pool, &fiber, opens_one, NULL), 0);
		usleep(i % 50 * 4);
		ASSERT_EQ(nap_fiber_cancel(fiber), 0);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		ASSERT_EQ(result, -ECANCELED);
		ASSERT_EQ(nap_load_relaxed(&nr_canceled), NR);
		ASSERT_EQ(nap_group_done(&never), 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/*
 * A member is canceled while its wait for a regular file, which is always ready, has already begun.
 * Then the member waits for a mutex, shielded: only the unlock may end this second wait. With many
 * other members the cancellation claims the first wait long before it makes the member ready.
 */
static struct nap_mutex held = NAP_MUTEX_INIT;
static uint32_t is_held, nr_passed, nr_stolen;

static int file;	/* a regular file: always ready */

static intptr_t waits_until_canceled(void *passes)
{
	while (nap_io_wait(file, NAP_IO_READ, NAP_FOREVER) != -ECANCELED)
		nap_store_relaxed((uint32_t *)passes, true);
	nap_fiber_shield(true);
	count_up(&nr_passed);
	if (nap_mutex_lock(&held))
		return -EINVAL;
	if (nap_load_relaxed(&is_held))
		count_up(&nr_stolen);
	nap_mutex_unlock(&held);
	return -ECANCELED;
}

static void until(const uint32_t *flag)
{
	while (!nap_load_acquire(flag))
		sched_yield();
}

TEST(a_canceled_wait_is_no_later_one)
{
	file = file_open("/proc/self/exe");
	ASSERT_GE(file, 0);
	for (unsigned int i = 0; i < (nap_test_slow() ? 4 : 40); i++) {
		struct nap_scope scope;
		uint32_t waits = 0;

		nap_store_relaxed(&nr_passed, 0);
		begin_waiting(NULL);
		ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
		for (int k = 0; k < 500; k++)
			ASSERT_EQ(nap_scope_spawn(&scope, is_canceled, NULL), 0);
		until_waiting(500);
		ASSERT_EQ(nap_mutex_lock(&held), 0);
		nap_store_relaxed(&is_held, true);
		ASSERT_EQ(nap_scope_spawn(&scope, waits_until_canceled, &waits), 0);
		until(&waits);
		ASSERT_EQ(nap_scope_cancel(&scope), 0);
		until(&nr_passed);
		usleep(1000);
		nap_store_relaxed(&is_held, false);
		nap_mutex_unlock(&held);
		ASSERT_EQ(nap_scope_end(&scope), -ECANCELED);
		ASSERT_EQ(nap_load_relaxed(&nr_stolen), 0);
		ASSERT_EQ(nap_group_done(&never), 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the fiber that has opened the scope */

static struct nap_channel nothing_comes = NAP_CHANNEL_INIT(NULL, sizeof(int), 0);

/* Whether the fiber is not canceled: a scope that has ended no longer cancels it. */
static bool goes_on(void)
{
	return !nap_fiber_canceled() && nap_sleep(0) == 0 && nap_sleep(1) == 0;
}

static intptr_t waits_in_its_body(void *fails_at_once)
{
	struct nap_scope scope;
	int value, err;

	if (nap_scope_begin(&scope, &pool) || nap_scope_spawn(&scope, is_canceled, NULL) ||
	    nap_scope_spawn(&scope, fails, (void *)-EPIPE))
		return 1;
	while (fails_at_once && !nap_fiber_canceled())
		nap_yield();
	err = nap_channel_recv(&nothing_comes, &value);
	if (err != -ECANCELED || !nap_fiber_canceled())
		return 2;
	nap_fiber_shield(true);
	if (nap_sleep(1) || nap_fiber_shield(false) != true)
		return 3;
	if (nap_scope_end(&scope) != -EPIPE || !goes_on())
		return 4;
	return 0;
}

TEST(its_owner_is_told_of_who_fails)
{
	for (unsigned int i = 0; i < 100; i++) {
		struct nap_fiber *fiber;
		intptr_t result = 1;

		begin_waiting(NULL);
		ASSERT_EQ(nap_spawn(&pool, &fiber, waits_in_its_body, (void *)(intptr_t)(i & 1)),
			  0);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		ASSERT_EQ(result, 0);
		ASSERT_EQ(nap_group_done(&never), 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Opens two scopes and cancels one. The owner of both is canceled until the canceled scope ends. */
static intptr_t has_two_open(void *which)
{
	struct nap_scope scopes[2];
	bool outer = which == NULL;

	if (nap_scope_begin(&scopes[0], &pool) || nap_scope_begin(&scopes[1], &pool) || !goes_on())
		return 1;
	nap_scope_cancel(&scopes[outer ? 0 : 1]);
	if (!nap_fiber_canceled() || nap_sleep(MS) != -ECANCELED)
		return 2;
	/*
	 * If the outer scope was canceled, the owner is canceled until that scope's end. No fiber
	 * of the inner scope has failed.
	 */
	if (nap_scope_end(&scopes[1]) != 0 || nap_fiber_canceled() != outer)
		return 3;
	if (nap_scope_end(&scopes[0]) != 0 || !goes_on())
		return 4;
	return 0;
}

TEST(its_owner_is_told_until_its_end)
{
	struct nap_fiber *fiber;
	intptr_t result;

	for (intptr_t which = 0; which < 2; which++) {
		ASSERT_EQ(nap_spawn(&pool, &fiber, has_two_open, (void *)which), 0);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		EXPECT_EQ(result, 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a stop */

static void *opens_one_too(void *result)
{
	*(intptr_t *)result = opens_one(NULL);
	return NULL;
}

TEST(a_stop_ends_whole_scopes)
{
	intptr_t of_thread = 0;
	struct nap_fiber *fiber;
	pthread_t thread;

	begin_waiting(NULL);
	ASSERT_EQ(pthread_create(&thread, NULL, opens_one_too, &of_thread), 0);
	ASSERT_EQ(nap_spawn(&pool, &fiber, opens_one, NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, NULL, opens_one, NULL), 0);
	until_waiting(3 * NR);
	ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(of_thread, -ECANCELED);
	EXPECT_EQ(nap_load_relaxed(&nr_canceled), 3 * NR);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 3 * NR);
}

/* ---- a stop, after which the scope's waiter joins the pool */

static struct nap_pool second = NAP_POOL_INIT(.max_workers = 1);

static void *stops(void *of)
{
	until_waiting(NR);
	nap_pool_shutdown(of, NAP_STOP);
	return NULL;
}

static void not_run(struct nap_task *task)
{
	(void)task;
}

TEST(who_is_to_join_ends_a_scope_of_a_stopped_pool)
{
	struct nap_task task = NAP_TASK_INIT(not_run);
	struct nap_batch left;
	pthread_t thread;

	begin_waiting(NULL);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, stops, &pool), 0);
	EXPECT_EQ(opens_one(NULL), -ECANCELED);
	pthread_join(thread, NULL);
	EXPECT_EQ(nap_load_relaxed(&nr_canceled), NR);
	EXPECT_EQ(nap_schedule(&pool, &task), -ESHUTDOWN);
	ASSERT_EQ(nap_pool_join(&pool, &left), 0);
	ASSERT_EQ(nap_pool_join(&pool, &left), -EALREADY);
}

/* Both pools are stopped, and one thread joins them, in both orders. */
TEST(a_fiber_ends_a_scope_of_another_stopped_pool)
{
	struct nap_pool *orders[2][2] = { { &second, &pool }, { &pool, &second } };

	for (int i = 0; i < 2; i++) {
		nap_store_relaxed(&nr_waiting, 0);
		nap_store_relaxed(&nr_ended, 0);
		begin_waiting(NULL);
		/* opens a scope of @pool */
		ASSERT_EQ(nap_spawn(&second, NULL, opens_one, NULL), 0);
		until_waiting(NR);
		for (int k = 0; k < 2; k++)
			ASSERT_EQ(nap_pool_shutdown(orders[i][k], NAP_STOP), 0);
		for (int k = 0; k < 2; k++)
			ASSERT_EQ(nap_pool_join(orders[i][k], NULL), 0);
		EXPECT_EQ(nap_load_relaxed(&nr_ended), NR);
		ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 }), 0);
		ASSERT_EQ(nap_pool_init(&second, &(struct nap_config){ .max_workers = 1 }), 0);
	}
}

/* ---- ends with a deadline */

TEST(a_scope_stays_open_at_a_deadline)
{
	struct nap_scope scope;
	intptr_t result = 1;

	begin_waiting(NULL);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	EXPECT_EQ(nap_scope_end_until(&scope, 0, &result), 0);	/* the scope is empty */
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	EXPECT_EQ(nap_scope_end_until(&scope, NAP_FOREVER, NULL), 0);
	result = 5;
	ASSERT_EQ(nap_scope_begin(&scope, &pool), 0);
	ASSERT_EQ(nap_scope_spawn(&scope, is_canceled, NULL), 0);
	EXPECT_EQ(nap_scope_end_until(&scope, 0, &result), -ETIMEDOUT);
	EXPECT_EQ(nap_scope_end_until(&scope, 1, NULL), -ETIMEDOUT);
	EXPECT_EQ(nap_scope_end_until(&scope, nap_deadline(MS), &result), -ETIMEDOUT);
	EXPECT_EQ(result, 5);
	ASSERT_EQ(nap_scope_spawn(&scope, is_canceled, NULL), 0);
	ASSERT_EQ(nap_scope_cancel(&scope), 0);
	ASSERT_EQ(nap_scope_end_until(&scope, NAP_FOREVER, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	EXPECT_EQ(nap_load_relaxed(&nr_canceled), 2);
	EXPECT_EQ(nap_scope_end_until(NULL, 0, NULL), -EINVAL);
	ASSERT_EQ(nap_group_done(&never), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t shielded(void *arg)
{
	nap_fiber_shield(true);
	return waits(arg);
}

/* Lets the scope's member end, but not before the end of the scope waits for this member. */
static intptr_t lets_go(void *arg)
{
	struct nap_scope *scope = arg;

	while (!nap_load_relaxed(&scope->group.waiters))
		nap_yield();
	return nap_group_done(&never);
}

static intptr_t ends_until(void *arg)
{
	struct nap_scope scope;
	intptr_t result = 1;
	int err;

	(void)arg;
	if (nap_scope_begin(&scope, &pool) || nap_scope_spawn(&scope, shielded, NULL))
		return 1;
	nap_fiber_cancel(nap_fiber_self());
	err = nap_scope_end_until(&scope, nap_deadline(MS), &result);
	if (err != -ETIMEDOUT || !nap_fiber_canceled())
		return 2;
	if (nap_spawn(&pool, NULL, lets_go, &scope))
		return 3;
	err = nap_scope_end_until(&scope, NAP_FOREVER, &result);
	return err ? err : result;
}

TEST(who_is_canceled_is_told_of_the_deadline)
{
	struct nap_fiber *fiber;
	intptr_t result = 1;

	begin_waiting(NULL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, ends_until, NULL), 0);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- where no thread runs the fibers */

static struct nap_pool others = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
static uint32_t gave_up, nr_added;
static intptr_t scope_result = 1;

WRAP(int, nap_group_wait_until, (struct nap_group *group, uint64_t deadline))
{
	int err = __real_nap_group_wait_until(group, deadline);

	if (err == -EDEADLK)
		nap_store_release(&gave_up, true);
	return err;
}

/* Waits as a thread that has no stack left for other tasks. */
static void opens_one_at_the_limit(struct nap_task *task)
{
	static struct nap_scope scope;	/* so that a fiber that does outlive it touches no stack */
	uintptr_t half = nesting_off();

	(void)task;
	if (!nap_scope_begin(&scope, &others) && !nap_scope_spawn(&scope, adds, &nr_added))
		scope_result = nap_scope_end(&scope);
	nesting_back(half);
}

TEST(no_fiber_outlives_a_scope_at_the_nesting_limit)
{
	struct nap_task task = NAP_TASK_INIT(opens_one_at_the_limit);

	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	while (!nap_load_acquire(&gave_up))
		usleep(100);
	while (nap_pool_help(&others, 0) == 0)
		usleep(100);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(scope_result, 0);
	EXPECT_EQ(nr_added, 1);
	ASSERT_EQ(nap_pool_join(&others, NULL), 0);
}

/* ---- refused calls */

static int in_task = 1;

static void tries(struct nap_task *task)
{
	struct nap_scope scope;

	(void)task;
	nap_store_release(&in_task, nap_scope_begin(&scope, &pool));
}

TEST(a_task_opens_none)
{
	struct nap_task task = NAP_TASK_INIT(tries);

	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_load_acquire(&in_task), -EDEADLK);
}

TEST_HARNESS_MAIN
