/* SPDX-License-Identifier: MIT */
/* Waiting for a quiescent pool, with a step of another thread between any two accesses. */
#include "race_pool.h"

static struct nap_task tasks[2];

/* ---- quiesce, while a helper is inside a task ---- */

static void end_help(void)
{
	nap_fetch_sub_release(&pool.guests, 1);
	nap_fence_seq_cst();
	nap__idle_wake_watchers(&pool);
}

static int quiesce_raced(void)
{
	int err;

	new_pool();
	pool.guests = ((uint64_t)1 << 32) + 1;
	race_begin();
	err = nap_pool_quiesce(&pool);
	race_end();
	return err;
}

TEST(quiesce_waits_for_the_helper)
{
	EACH_RACE(end_help) {
		ASSERT_EQ(quiesce_raced(), 0);
		ASSERT_EQ((uint32_t)pool.guests, 0);
		ASSERT_EQ(pool.waiters, 0);
	}
	EXPECT_GT(race_turn, 6);
}

static void schedule_task(void)
{
	nap_task_init(&tasks[0], count_run);
	if (nap_schedule(&pool, &tasks[0]))
		abort();
}

static bool slept_beside_a_task;

static void look_and_end_help(void)
{
	slept_beside_a_task = !inject_empty(&pool.inject);
	end_help();
}

TEST(quiesce_runs_what_comes_meanwhile)
{
	EACH_RACE(schedule_task) {
		slept_beside_a_task = false;
		last_step = look_and_end_help;
		ASSERT_EQ(quiesce_raced(), 0);
		ASSERT_EQ(nr_run, 1);
		ASSERT_FALSE(slept_beside_a_task);
		ASSERT_EQ((uint32_t)pool.guests, 0);
		ASSERT_EQ(pool.waiters, 0);
	}
	EXPECT_GT(race_turn, 6);
}

TEST(quiesce_is_canceled_by_a_stop)
{
	EACH_RACE(stop_pool) {
		ASSERT_EQ(quiesce_raced(), -ECANCELED);
		ASSERT_EQ(pool.waiters, 0);
		ASSERT_EQ(pool.visits, 0);
	}
	EXPECT_GT(race_turn, 6);
}

static void stop_and_send_away(void)
{
	stop_pool();
	send_visitors_away();
}

TEST(quiesce_leaves_a_pool_that_ends)
{
	EACH_RACE(send_visitors_away) {
		ASSERT_EQ(quiesce_raced(), 0);
		ASSERT_EQ(pool.visits, GATE_CLOSED);
	}
	EXPECT_GT(race_turn, 6);
	EACH_RACE(stop_and_send_away) {
		ASSERT_EQ(quiesce_raced(), -ECANCELED);
		ASSERT_EQ(pool.visits, GATE_CLOSED);
	}
	EXPECT_GT(race_turn, 6);
}

/* ---- a worker wakes while a thread checks whether the pool is at rest ---- */

static void wake_up_with_a_task(void)
{
	nap_store_relaxed(&worker.rest, worker.rest + 1);
	idle_words(&pool)->set(&pool, 1, 0);
	ring_put(&worker.ring, 0, &tasks[0]);
	ring_commit(&worker.ring, 1);
}

static void wake_up_and_overflow(void)
{
	wake_up_with_a_task();
	overflow_push(&worker.overflow, &tasks[1], &tasks[1]);
}

static void wake_up_and_sleep_again(void)
{
	nap_store_relaxed(&worker.rest, worker.rest + 2);
}

static bool at_rest_raced(void)
{
	bool at_rest;

	new_pool_at_rest();
	race_begin();
	at_rest = nap__pool_at_rest(&pool);
	race_end();
	return at_rest;
}

TEST(a_pool_is_not_at_rest_when_a_worker_wakes_meanwhile)
{
	EACH_RACE(wake_up_with_a_task) {
		bool at_rest = at_rest_raced();

		ASSERT_EQ(at_rest, !raced);
	}
	EXPECT_GT(race_turn, 6);
	EACH_RACE(wake_up_and_overflow) {
		bool at_rest = at_rest_raced();

		ASSERT_EQ(at_rest, !raced);
	}
	EXPECT_GT(race_turn, 6);
}

/*
 * Between the reader's two readings a worker was awake. It may have moved a task to a queue that
 * the reader had already read.
 */
TEST(a_pool_is_not_at_rest_when_a_worker_was_awake_meanwhile)
{
	int refused = 0;

	EACH_RACE(wake_up_and_sleep_again) {
		refused += !at_rest_raced();
	}
	/*
	 * The pool counts as at rest only if the worker was awake before the first reading or after
	 * the last. Between the two readings the reader accesses the protocol's word or words, the
	 * guests and the registry.
	 */
	EXPECT_GE(refused, 4);
	EXPECT_LE((unsigned int)refused, race_turn - 3);
}

TEST_HARNESS_MAIN
