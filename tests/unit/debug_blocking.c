/* SPDX-License-Identifier: MIT */
/* Misuse of blocking sections that a debug build catches: one line, then abort. */
#include "pool_fixture.h"
#include "unit/debug_dies.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .most_blocked = 1);

MISUSES void end_only(struct nap_task *task)
{
	(void)task;
	nap_blocking_end();
}

MISUSES void begin_only(struct nap_task *task)
{
	(void)task;
	nap_blocking_begin();
}

static void do_both(struct nap_task *task)
{
	nap_blocking_begin();
	nap_blocking_end();
	count_and_free(task);
}

static void run(nap_task_fn fn)
{
	if (nap_schedule(&pool, new_task(fn)) || nap_pool_join(&pool, NULL))
		abort();
}

static void end_what_was_not_begun(void)
{
	run(end_only);
}

static void return_inside(void)
{
	run(begin_only);
}

TEST(an_end_without_a_beginning)
{
	EXPECT_DIES(end_what_was_not_begun, "nap_blocking_end: no section was begun");
}

TEST(a_task_that_returns_inside)
{
	EXPECT_DIES(return_inside, "a task has returned inside a blocking section");
}

TEST(right_use_says_nothing)
{
	run(do_both);
	EXPECT_EQ(nr_run, 1);
}

TEST_HARNESS_MAIN
