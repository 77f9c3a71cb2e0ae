/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for a slot until they get -EDEADLK. The test sets the clock. No waiter gets
 * this error while a thread that is about to schedule holds the slot.
 */
#include <errno.h>

#include "kit/slots.h"
#include "os/futex.h"
#include "os/os.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

/* Each read of the clock moves it by @step. */
static uint64_t late, step;
static uint32_t nr_looks;
WRAP(uint64_t, nap__os_now, (void))
{
	nap_fetch_add_relaxed(&nr_looks, 1);
	return __real_nap__os_now() + nap_fetch_add_relaxed(&late, nap_load_relaxed(&step));
}

/* Ends within a millisecond, by the system's clock. */
WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	uint64_t soon = __real_nap__os_now() + 1000000;
	int err = __real_nap__futex_wait(word, expected, deadline < soon ? deadline : soon);

	/*
	 * A sleep without a deadline has no time that could have come. With -ETIMEDOUT the caller
	 * would take its node off its stack while another thread still has it.
	 */
	return err == -ETIMEDOUT && deadline == UINT64_MAX ? 0 : err;
}

static struct nap_pool pool;
static struct nap_slot slots[1];
static struct nap_submitter submit;
static uint32_t runs, returned;
static int waited = 1;

static void run(void *arg)
{
	(void)arg;
	nap_fetch_add_relaxed(&runs, 1);
}

static void wait_for_slot(struct nap_task *task)
{
	(void)task;
	waited = nap_submit_wait(&submit, run, NULL, NAP_FOREVER);
	nap_store_release(&returned, 1);
}

static void wait_in_slot(void *arg)
{
	(void)arg;
	wait_for_slot(NULL);
}

static void begin(void)
{
	watchdog(&pool, 0);
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) ||
	    nap_submit_init(&submit, &pool, slots, 1, 0, 0, NULL, NULL))
		abort();
}

/* Lets the worker see hours pass, unless its wait has ended while this thread had no CPU. */
static void pass_hours(void)
{
	uint32_t looks;

	while (!(uint32_t)nap_load_relaxed(&submit.stuck) && !nap_load_acquire(&returned))
		sched_yield();
	looks = nap_load_relaxed(&nr_looks);
	nap_store_relaxed(&step, UINT64_C(60) * 1000000000);
	/* The worker has slept some dozen times, or it has been notified. */
	while (nap_load_relaxed(&nr_looks) - looks < 100 &&
	       (uint32_t)nap_load_relaxed(&submit.stuck))
		sched_yield();
	nap_store_relaxed(&step, 0);
}

TEST(a_slot_in_somebodys_hand_will_be_free)
{
	struct nap_task task = NAP_TASK_INIT(wait_for_slot);
	bool passed;

	begin();
	ASSERT_TRUE(slots_count_up(&submit, &passed));
	slots_pop(&submit);
	EXPECT_EQ(nap_schedule(&pool, &task), 0);
	pass_hours();
	EXPECT_EQ((uint32_t)nap_load_relaxed(&submit.stuck), 1u);
	slots_push(&submit, &slots[0]);
	slots_count_down(&submit);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(waited, 0);
	EXPECT_EQ(runs, 1u);
}

TEST(the_own_one_will_not)
{
	begin();
	EXPECT_EQ(nap_submit(&submit, wait_in_slot, NULL), 0);
	pass_hours();
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(waited, -EDEADLK);
	EXPECT_EQ(runs, 0u);
}

TEST_HARNESS_MAIN
