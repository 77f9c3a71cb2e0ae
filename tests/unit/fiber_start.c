/* SPDX-License-Identifier: MIT */
/*
 * Fibers that take their stack when they begin: how few stacks they need, what happens while none
 * is free, and what a drain and a stop do to fibers that wait for a stack.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <nap/end.h>
#include <nap/fiber.h>
#include <nap/nap.h>

#include "arch/atomic.h"
#include "fiber_fixture.h"
#include "harness.h"

#define NR	8

static struct nap_group all;		/* fibers that have begun and not ended */
static struct nap_fiber_start starts[NR];
static uint32_t nr_run;
static int order[NR];

static void begin_with(uint32_t workers, uint32_t most)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers }) ||
	    nap_fibers_init(&pool,
			    &(struct nap_fibers_config){ .stack_size = 32768, .most = most }))
		abort();
	begin_waiting(&pool);
	nap_group_init(&all, &pool);
	nap_store_relaxed(&nr_run, 0);
	nap_store_relaxed(&nr_waiting, 0);
}

static void start(struct nap_fiber_start *one, nap_fiber_fn fn, void *arg)
{
	if (nap_fiber_start_init(one, &pool, fn, arg) || nap_schedule(&pool, &one->task))
		abort();
}

static uint64_t nr_queued(void)
{
	struct nap_remaining left;

	nap_pool_remaining(&pool, &left);
	return left.queued;
}

static struct nap_fiber_stats stats(void)
{
	struct nap_fiber_stats now;

	nap_fiber_get_stats(&pool, &now);
	return now;
}

static intptr_t notes(void *arg)
{
	uint32_t nth = nap_fetch_add_relaxed(&nr_run, 1);

	if (arg)
		order[nth] = (int)((struct nap_fiber_start *)arg - starts);
	return 0;
}

/* ---- a fiber begins in order */

static uint32_t many;

static intptr_t frees_and_waits(void *arg)
{
	free(arg);
	nap_yield();
	nap_fetch_add_relaxed(&nr_run, 1);
	nap_group_done(&all);
	return 0;
}

TEST(many_begin_on_few_stacks_and_the_memory_is_theirs)
{
	many = 200 + (uint32_t)nap_test_count(1800);
	begin_with(2, 4);
	nap_group_add(&all, many);
	for (uint32_t i = 0; i < many; i++) {
		struct nap_fiber_start *one = malloc(sizeof(*one));

		if (!one)
			abort();
		start(one, frees_and_waits, one);
	}
	EXPECT_EQ(nap_group_wait(&all), 0);
	EXPECT_EQ(nr_run, many);
	EXPECT_EQ(stats().spawned, many);
	EXPECT_LE(stats().stacks, 4);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t goes_on(void *arg)
{
	struct nap_fiber_start *own = arg;

	if (nap_fetch_add_relaxed(&nr_run, 1) + 1 < many)
		nap_schedule(&pool, &own->task);
	else
		nap_group_done(&all);
	return 0;
}

TEST(one_that_has_begun_may_be_scheduled_again)
{
	many = 200 + (uint32_t)nap_test_count(1800);
	begin_with(2, 2);
	nap_group_add(&all, 1);
	start(&starts[0], goes_on, &starts[0]);
	EXPECT_EQ(nap_group_wait(&all), 0);
	EXPECT_EQ(nr_run, many);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(what_is_refused)
{
	begin_with(1, 1);
	EXPECT_EQ(nap_fiber_start_init(NULL, &pool, number, NULL), -EINVAL);
	EXPECT_EQ(nap_fiber_start_init(&starts[0], NULL, number, NULL), -EINVAL);
	EXPECT_EQ(nap_fiber_start_init(&starts[0], &pool, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_fiber_start_init(&starts[0], &pool, number, NULL), 0);
	EXPECT_EQ(nap_fiber_start_of(&starts[0].task), &starts[0]);
	EXPECT_EQ(nap_fiber_start_of(NULL), NULL);
	EXPECT_EQ(nap_fiber_start_of(&(struct nap_task)NAP_TASK_INIT(NULL)), NULL);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_schedule(&pool, &starts[0].task), -ESHUTDOWN);
	EXPECT_EQ(nap_fiber_start_init(&starts[0], &pool, number, NULL), -ESHUTDOWN);
}

TEST(the_stacks_are_mapped_beforehand)
{
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	ASSERT_EQ(nap_fiber_start_init(&starts[0], &pool, number, NULL), 0);
	EXPECT_EQ(nap_fibers_init(&pool, &(struct nap_fibers_config){ 0 }), -EBUSY);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- no stack is free */

/* A waiting fiber has the pool's only stack, and NR other fibers are queued. */
static void all_wait(void)
{
	begin_with(1, 1);
	if (nap_spawn(&pool, NULL, waits, NULL))
		abort();
	until_waiting(1);
	for (int i = 0; i < NR; i++)
		start(&starts[i], notes, &starts[i]);
}

static void signals(struct nap_task *task)
{
	(void)task;
	nap_group_done(&all);
}

TEST(they_wait_in_order_and_the_worker_does_not)
{
	struct nap_task task = NAP_TASK_INIT(signals);

	all_wait();
	nap_group_add(&all, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_group_wait(&all), 0);
	/* The task was queued after all starts. The worker has run it, and no start has begun. */
	EXPECT_EQ(nr_run, 0);
	EXPECT_EQ(nr_queued(), NR);
	EXPECT_EQ(stats().live, 1);
	EXPECT_EQ(nap_spawn(&pool, NULL, number, NULL), -EAGAIN);
	nap_group_done(&never);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, NR);
	for (int i = 0; i < NR; i++)
		EXPECT_EQ(order[i], i);
	EXPECT_EQ(nr_queued(), 0);
	EXPECT_EQ(stats().spawned, NR + 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* The stack that one has waited for is another fiber's when that one is scheduled again. */
TEST(who_has_waited_for_a_stack_may_have_to_wait_again)
{
	struct nap_task task = NAP_TASK_INIT(signals);

	all_wait();
	nap_group_done(&never);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	ASSERT_EQ(nr_run, NR);
	nap_store_relaxed(&nr_run, 0);
	begin_waiting(&pool);
	ASSERT_EQ(nap_spawn(&pool, NULL, waits, NULL), 0);
	until_waiting(2);
	nap_group_add(&all, 1);
	ASSERT_EQ(nap_schedule(&pool, &starts[0].task), 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_group_wait(&all), 0);
	ASSERT_EQ(nap_load_relaxed(&nr_run), 0);
	EXPECT_EQ(nr_queued(), 1);
	nap_group_done(&never);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, 1);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Returns a fiber that has ended and keeps the only stack until it is awaited. */
static struct nap_fiber *ended_and_kept(void)
{
	struct nap_fiber *kept;

	begin_with(1, 1);
	if (nap_spawn(&pool, &kept, number, NULL))
		abort();
	nap_pool_quiesce(&pool);
	for (int i = 0; i < NR; i++)
		start(&starts[i], notes, &starts[i]);
	nap_pool_quiesce(&pool);	/* this does not wait for queued fibers */
	if (nr_run || nr_queued() != NR)
		abort();
	return kept;
}

TEST(a_stack_that_an_awaiter_gives_back_is_theirs)
{
	struct nap_fiber *kept = ended_and_kept();

	EXPECT_EQ(nap_await(kept, NULL), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, NR);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(one_that_is_detached_gives_its_stack_back)
{
	struct nap_fiber *kept = ended_and_kept();

	EXPECT_EQ(nap_detach(kept), 0);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nr_run, NR);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the pool's end */

/* Returns how many starts @left has, in order; -1: @left has other tasks, too. */
static int nr_left(struct nap_batch *left)
{
	struct nap_task *task;
	int n = 0;

	while ((task = nap_batch_pop(left)))
		if (n == NR || nap_fiber_start_of(task) != &starts[n++])
			return -1;
	return n;
}

TEST(a_drain_does_not_wait_for_a_stack_that_never_comes)
{
	struct nap_batch left;

	ended_and_kept();
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nr_run, 0);
	EXPECT_EQ(nr_left(&left), NR);
}

static struct nap_pool others = NAP_POOL_INIT(.max_workers = 1);
static uint32_t others_busy, others_free;	/* atomic */

static void keeps_others_busy(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&others_busy, 1);
	while (!nap_load_relaxed(&others_free))
		usleep(100);
}

static intptr_t awaits(void *fiber)
{
	return nap_await(fiber, NULL);
}

/* The awaiter has been notified, but its worker is busy until the drain is over. */
TEST(a_drain_runs_those_behind_one_that_is_awaited)
{
	struct nap_task busy = NAP_TASK_INIT(keeps_others_busy);
	struct nap_fiber *awaited, *awaiter;
	struct nap_batch left;
	intptr_t result = 1;

	begin_with(1, 1);
	ASSERT_EQ(nap_spawn(&pool, &awaited, waits, NULL), 0);
	until_waiting(1);
	for (int i = 0; i < NR; i++)
		start(&starts[i], notes, &starts[i]);
	ASSERT_EQ(nap_spawn(&others, &awaiter, awaits, awaited), 0);
	ASSERT_EQ(nap_schedule(&others, &busy), 0);
	while (!nap_load_relaxed(&others_busy))
		usleep(100);
	nap_group_done(&never);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nr_run, NR);
	EXPECT_EQ(left.head, NULL);
	nap_store_relaxed(&others_free, 1);
	EXPECT_EQ(nap_await(awaiter, &result), 0);
	EXPECT_EQ(result, 0);
	EXPECT_EQ(nap_pool_join(&others, NULL), 0);
}

static intptr_t sleeps_and_notes(void *arg)
{
	(void)arg;
	nap_sleep(MS);
	return notes(NULL);
}

TEST(a_drain_runs_those_that_wait_for_a_stack)
{
	struct nap_batch left;

	begin_with(2, 2);
	for (int i = 0; i < NR; i++)
		start(&starts[i], sleeps_and_notes, NULL);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nr_run, NR);
	EXPECT_EQ(left.head, NULL);
}

TEST(a_stop_hands_out_those_that_wait)
{
	struct nap_task task = NAP_TASK_INIT(signals);
	struct nap_batch left;

	all_wait();
	nap_group_add(&all, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	ASSERT_EQ(nap_group_wait(&all), 0);
	nap_pool_shutdown(&pool, NAP_STOP);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nr_run, 0);
	EXPECT_EQ(nr_ended, 1);
	EXPECT_EQ(nr_left(&left), NR);
}

static uint32_t inside, go_on;

static void holds_worker(struct nap_task *task)
{
	(void)task;
	nap_store_release(&inside, 1);
	while (!nap_load_acquire(&go_on))
		usleep(100);
}

TEST(a_stop_hands_out_one_that_has_its_stack_and_has_not_begun)
{
	struct nap_fiber *kept = ended_and_kept();
	struct nap_task task = NAP_TASK_INIT(holds_worker);
	struct nap_fiber_start *one;
	struct nap_batch left;
	int n = 0;

	nap_store_relaxed(&inside, 0);
	nap_store_relaxed(&go_on, 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	while (!nap_load_acquire(&inside))
		usleep(100);
	EXPECT_EQ(nap_await(kept, NULL), 0);
	EXPECT_EQ(stats().live, 1);
	EXPECT_EQ(nr_queued(), NR);
	nap_pool_shutdown(&pool, NAP_STOP);
	nap_store_release(&go_on, 1);
	EXPECT_EQ(nap_pool_join(&pool, &left), 0);
	EXPECT_EQ(nr_run, 0);
	while ((one = nap_fiber_start_of(nap_batch_pop(&left)))) {
		EXPECT_EQ(one->stack, NULL);
		n++;
	}
	EXPECT_EQ(n, NR);
}

/*
 * The pool's end has begun, and its worker is busy, when a thread from outside gives back the only
 * stack. @how: NAP_DRAIN or NAP_STOP. Returns how many starts are left.
 */
static int left_at_an_end(uint32_t how)
{
	struct nap_fiber *kept = ended_and_kept();
	struct nap_task task = NAP_TASK_INIT(holds_worker);
	struct nap_batch left;

	nap_store_relaxed(&inside, 0);
	nap_store_relaxed(&go_on, 0);
	if (nap_schedule(&pool, &task))
		abort();
	while (!nap_load_acquire(&inside))
		usleep(100);
	if (nap_pool_shutdown(&pool, how) || nap_await(kept, NULL))
		abort();
	nap_store_release(&go_on, 1);
	if (nap_pool_join(&pool, &left))
		abort();
	return nr_left(&left);
}

TEST(a_stack_that_comes_in_a_drain_is_theirs)
{
	EXPECT_EQ(left_at_an_end(NAP_DRAIN), 0);
	EXPECT_EQ(nr_run, NR);
}

TEST(a_stack_that_comes_behind_a_stop_loses_none)
{
	EXPECT_EQ(left_at_an_end(NAP_STOP), NR);
	EXPECT_EQ(nr_run, 0);
}

/* ---- many at once */

static intptr_t yields_and_notes(void *arg)
{
	for (uintptr_t i = 0; i < (uintptr_t)arg % 3; i++)
		nap_yield();
	return notes(NULL);
}

TEST(none_is_forgotten_whoever_gives_the_stacks_back)
{
	uint32_t rounds = (uint32_t)nap_test_count(500), due = 0;

	begin_with(2, 2);
	for (uint32_t round = 0; round < rounds; round++) {
		struct nap_fiber *fiber = NULL;

		for (uint32_t i = 0; i < NR; i++)
			start(&starts[i], yields_and_notes, (void *)(uintptr_t)(i + round));
		due += NR;
		if (!nap_spawn(&pool, &fiber, yields_and_notes, NULL))
			due++;
		if (round % 3 == 0)
			nap_fibers_trim(&pool);
		if (fiber)
			nap_await(fiber, NULL);
		ASSERT_EQ(nap_pool_quiesce(&pool), 0);
		ASSERT_EQ(nr_run, due);
	}
	EXPECT_EQ(stats().live, 0);
	EXPECT_EQ(stats().free, stats().stacks);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
