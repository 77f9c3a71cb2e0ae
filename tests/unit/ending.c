/* SPDX-License-Identifier: MIT */
/*
 * A chain of works on a stopped pool: the @done of each work makes the next work due (nap/after.h),
 * which the pool refuses. Every work ends, and a long chain needs no more stack than a chain of
 * two.
 */
#include <errno.h>
#include <sys/wait.h>

#include <nap/fiber.h>

#include "worker/exclusive.h"
#include "worker/self.h"
#include "pool_fixture.h"
#include "watchdog.h"

#define LINKS	20000u	/* nested, these ends would need far more than a stack of 64 KiB */

static struct nap_pool pool, other;
static struct nap_cq loop;
static uint32_t door, inside;

/* A chain of works, which end in this order. */
static struct link {
	struct nap_work work;
	struct nap_after after;
} links[LINKS];
static uint32_t nr_ended, nr_disordered;
static uintptr_t lowest, highest;

static int wait_at_door(struct nap_work *work)
{
	(void)work;
	flag_set(&inside);
	flag_wait(&door);
	return 0;
}

static void note_depth(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!lowest || here < lowest)
		lowest = here;
	if (here > highest)
		highest = here;
}

/* Ends a link, and schedules the next. The first link has run; all others are refused. */
static void end_next(struct nap_work *work, int result)
{
	struct link *link = nap_container_of(work, struct link, work);
	uint32_t index = (uint32_t)(link - links);

	note_depth();
	nr_disordered += index != nr_ended++ || result != (index ? -ECANCELED : 0);
	if (index + 1 < LINKS && nap_after_done(&link[1].after) != 1)
		abort();
}

static void begin_chain(struct nap_cq *cq)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1, .stack_size = 64 << 10 }))
		abort();
	for (uint32_t i = 0; i < LINKS; i++) {
		nap_work_init(&links[i].work, wait_at_door, end_next, cq);
		if (i && nap_work_after(&links[i].after, &pool, &links[i].work, 1))
			abort();
	}
	if (nap_work_schedule(&pool, &links[0].work))
		abort();
	flag_wait(&inside);
	if (nap_pool_shutdown(&pool, NAP_STOP))
		abort();
	flag_set(&door);
}

static void all_have_ended(struct __test_metadata *_metadata)
{
	struct nap_batch left = NAP_BATCH_INIT;

	EXPECT_EQ(nap_work_finish(&pool, &loop, &left), 0);
	EXPECT_EQ(nr_ended, LINKS);
	EXPECT_EQ(nr_disordered, 0u);
	EXPECT_LE(highest - lowest, 8192u);
	EXPECT_EQ(left.count, 0u);
}

TEST(a_chain_that_a_stop_ends_on_a_worker)
{
	begin_chain(NULL);
	all_have_ended(_metadata);
}

TEST(or_on_the_loop)
{
	ASSERT_EQ(nap_cq_init(&loop), 0);
	begin_chain(&loop);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	all_have_ended(_metadata);
}

/* The loop's queue is closed before the chain begins. */
TEST(or_on_the_worker_whose_loop_is_gone)
{
	struct nap_batch left = NAP_BATCH_INIT;

	ASSERT_EQ(nap_cq_init(&loop), 0);
	ASSERT_EQ(nap_cq_close(&loop, &left), 0);
	begin_chain(&loop);
	all_have_ended(_metadata);
}

/*
 * A work ends on a worker of another pool. Its @done waits for a task of that pool. The wait runs
 * the task, which schedules another work; this work is refused.
 */
static struct nap_group group;
static struct nap_after afters[2];
static struct nap_work refused[2];
static int waited = 1;
static bool is_inside_exclusive, is_behind_exclusive;

static void second_done(struct nap_work *work, int result)
{
	(void)work;
	nr_ended += result == -ECANCELED;
	nap_group_done(&group);
}

static void end_second(struct nap_task *task)
{
	(void)task;
	nap_after_done(&afters[1]);
}

static struct nap_task ends_second = NAP_TASK_INIT(end_second);

static void first_done(struct nap_work *work, int result)
{
	(void)work;
	nr_ended += result == -ECANCELED;
	is_inside_exclusive = is_exclusive();
	nap_group_init(&group, &other);
	nap_group_add(&group, 1);
	if (nap_schedule(&other, &ends_second))
		abort();
	waited = nap_group_wait(&group);
}

static void begin_refused(nap_done_fn first)
{
	watchdog(&other, 0);
	if (nap_pool_init(&other, &(struct nap_config){ .max_workers = 1 }))
		abort();
	nap_work_init(&refused[0], wait_at_door, first, NULL);
	nap_work_init(&refused[1], wait_at_door, second_done, NULL);
	for (int i = 0; i < 2; i++)
		if (nap_work_after(&afters[i], &pool, &refused[i], 1))
			abort();
	if (nap_pool_shutdown(&pool, NAP_STOP))
		abort();
}

static void end_first(struct nap_task *task)
{
	(void)task;
	nap_after_done(&afters[0]);
	/* The task's joins help again. */
	is_behind_exclusive = is_exclusive();
}

TEST(what_a_wait_inside_it_runs_does_not_wait_for_it)
{
	struct nap_task task = NAP_TASK_INIT(end_first);

	begin_refused(first_done);
	EXPECT_EQ(nap_schedule(&other, &task), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(waited, 0);
	EXPECT_EQ(nr_ended, 2u);
	EXPECT_TRUE(is_inside_exclusive);
	EXPECT_FALSE(is_behind_exclusive);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* Each call that ends works gives the list back, so that a later call begins its own. */
static bool is_outside_inside_done;

static void look_outside(struct nap_work *work, int result)
{
	(void)work;
	nr_ended += result == -ECANCELED;
	is_outside_inside_done = !nap__self()->outer;
}

TEST(the_list_ends_with_the_call)
{
	struct nap_batch left = NAP_BATCH_INIT;

	begin_refused(look_outside);
	EXPECT_EQ(nap_after_done(&afters[0]), 1);
	EXPECT_EQ(nr_ended, 1u);
	EXPECT_TRUE(is_outside_inside_done);
	EXPECT_EQ(nap__self()->ending, NULL);
	nap_work_init(&refused[0], wait_at_door, look_outside, NULL);
	EXPECT_EQ(nap_work_batch(&left, &refused[0]), 0);
	EXPECT_EQ(nap_work_end_left(&left), 1);
	EXPECT_EQ(nr_ended, 2u);
	EXPECT_EQ(nap__self()->ending, NULL);
	nap_group_init(&group, NULL);
	nap_group_add(&group, 1);
	EXPECT_EQ(nap_after_done(&afters[1]), 1);
	EXPECT_EQ(nr_ended, 3u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

/*
 * Ended works are listed on their thread, so a fiber does not leave the thread while its work is
 * listed.
 */
static struct nap_fiber *inside_done;
static bool was_fiber, is_fiber;

static void look_at_fiber(struct nap_work *work, int result)
{
	(void)work;
	nr_ended += result == -ECANCELED;
	inside_done = nap_fiber_self();
	nap_yield();
}

static intptr_t end_in_fiber(void *arg)
{
	was_fiber = nap_fiber_self();
	nap_after_done(&afters[0]);
	is_fiber = nap_fiber_self();
	return (intptr_t)arg;
}

TEST(a_fiber_stays_on_its_thread_meanwhile)
{
	begin_refused(look_at_fiber);
	EXPECT_EQ(nap_spawn(&other, NULL, end_in_fiber, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_TRUE(was_fiber && is_fiber && !inside_done);
	EXPECT_EQ(nr_ended, 1u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* In a fiber, too, a work that a @done ends is ended when this @done has returned. */
static uint32_t nr_ended_inside;

static void end_another(struct nap_work *work, int result)
{
	(void)work;
	nr_ended += result == -ECANCELED;
	nap_group_init(&group, NULL);
	nap_group_add(&group, 1);
	nap_after_done(&afters[1]);
	nr_ended_inside = nr_ended;
}

TEST(a_fiber_ends_one_work_after_another)
{
	begin_refused(end_another);
	EXPECT_EQ(nap_spawn(&other, NULL, end_in_fiber, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nr_ended_inside, 1u);
	EXPECT_EQ(nr_ended, 2u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A call that ends all works has ended them when it returns, even if a @done makes this call. */
static uint32_t nr_of_left;

static void end_the_left(struct nap_work *work, int result)
{
	struct nap_batch left = NAP_BATCH_INIT;

	(void)work;
	nap_group_init(&group, NULL);
	nap_group_add(&group, 1);
	nap_work_init(&refused[1], wait_at_door, second_done, NULL);
	nap_work_batch(&left, &refused[1]);
	nr_ended += result == -ECANCELED;
	nap_work_end_left(&left);
	nr_of_left = nr_ended;
}

TEST(what_is_ended_as_left_has_ended_then)
{
	begin_refused(end_the_left);
	end_first(NULL);
	EXPECT_EQ(nr_of_left, 2u);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

/* ---- a @done that forks: the list of ended works stays the parent's */

static struct link in_child;
static uint32_t nr_in_child;

static void count_in_child(struct nap_work *work, int result)
{
	(void)work;
	nr_in_child += result == -ECANCELED;
}

static int nothing(struct nap_work *work)
{
	(void)work;
	return 0;
}

static void fork_and_end(struct nap_work *work, int result)
{
	pid_t child = fork();
	int status = -1;

	(void)work;
	(void)result;
	if (child) {
		nr_disordered += waitpid(child, &status, 0) != child || status;
		return;
	}
	nap_pool_init(&other, NULL);
	nap_pool_shutdown(&other, NAP_DRAIN);
	nap_work_init(&in_child.work, nothing, count_in_child, NULL);
	nap_work_after(&in_child.after, &other, &in_child.work, 1);
	nap_after_done(&in_child.after);
	_exit(nr_in_child != 1);
}

TEST(what_a_done_ends_in_the_child_that_it_has_forked)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_work work;

	nap_work_init(&work, nothing, fork_and_end, NULL);
	ASSERT_EQ(nap_work_batch(&batch, &work), 0);
	EXPECT_EQ(nap_work_end_left(&batch), 1);
	EXPECT_EQ(nr_disordered, 0);
}

TEST_HARNESS_MAIN
