/* SPDX-License-Identifier: MIT */
/* Waiting for a group and for a pool, with another thread between any two accesses. */
#include "race_pool.h"

static struct nap_task tasks[2];

/* ---- groups ---- */

static struct nap_group group;

static void add_one(void)
{
	nap_group_add(&group, 1);
}

static int finish_err;

static void finish_one(void)
{
	finish_err = nap_group_done(&group);
}

TEST(a_group_counts_what_two_threads_add)
{
	EACH_RACE(add_one) {
		nap_group_init(&group, NULL);
		race_begin();
		ASSERT_EQ(nap_group_add(&group, 2), 0);
		race_end();
		ASSERT_EQ(group_count(group.state), raced ? 3 : 2);
		ASSERT_EQ(nap_group_wait_for(&group, 0), -ETIMEDOUT);
	}
	EXPECT_GT(race_turn, 3);
	EACH_RACE(add_one) {
		int err;

		nap_group_init(&group, NULL);
		nap_group_add(&group, INT32_MAX - 1);
		race_begin();
		err = nap_group_add(&group, 1);
		race_end();
		ASSERT_EQ(err, raced ? -EOVERFLOW : 0);
		ASSERT_EQ(group_count(group.state), INT32_MAX);
	}
	EXPECT_GT(race_turn, 3);
}

TEST(a_group_is_finished_by_the_last_of_two_threads)
{
	for (uint32_t n = 1; n <= 2; n++) {
		EACH_RACE(finish_one) {
			int err;

			nap_group_init(&group, NULL);
			nap_group_add(&group, n);
			race_begin();
			err = nap_group_done(&group);
			race_end();
			/* Whichever was first. */
			ASSERT_EQ(err + (raced ? finish_err : 0), raced && n == 1 ? -EINVAL : 0);
			ASSERT_EQ(group_count(group.state), raced || n == 1 ? 0 : 1);
			ASSERT_EQ(nap_group_wait_for(&group, 0), group_count(group.state) ? -ETIMEDOUT : 0);
		}
		EXPECT_GT(race_turn, 2);
	}
}

/* ---- waiting for a group, which lives in a pool and not ---- */

static struct member member = { .task = NAP_TASK_INIT(member_done), .group = &group };

static void schedule_member(void)
{
	nap_task_init(&member.task, member_done);
	if (nap_schedule(&pool, &member.task))
		abort();
}

static void stop_pool(void)
{
	nap_pool_shutdown(&pool, NAP_STOP);
}

/* What the joiner does when all workers have left; a waiter outside has to leave the pool. */
static void send_visitors_away(void)
{
	gate_close(&pool.visits);
	nap_fence_seq_cst();
	waitlist_wake(&pool.waiters, EVENT_POOL);
}

static int wait_raced(struct nap_pool *counts)
{
	int err;

	new_pool();
	nap_group_init(&group, counts);
	nap_group_add(&group, 1);
	race_begin();
	err = nap_group_wait(&group);
	race_end();
	return err;
}

TEST(a_wait_ends_with_its_group)
{
	EACH_RACE(finish_one) {
		ASSERT_EQ(wait_raced(NULL), 0);
	}
	EXPECT_GT(race_turn, 4);
	EACH_RACE(finish_one) {
		ASSERT_EQ(wait_raced(&pool), 0);
		ASSERT_EQ(pool.waiters, 0);
		ASSERT_EQ(pool.visits, 0);
	}
	EXPECT_GT(race_turn, 6);
}

TEST(a_wait_runs_what_is_scheduled_where_no_worker_can_be_started)
{
	EACH_RACE(schedule_member) {
		ASSERT_EQ(wait_raced(&pool), 0);
		ASSERT_EQ(nr_run, 1);
		ASSERT_EQ(pool.visits, 0);
	}
	EXPECT_GT(race_turn, 6);
}

TEST(a_wait_is_canceled_by_a_stop)
{
	EACH_RACE(stop_pool) {
		ASSERT_EQ(wait_raced(&pool), -ECANCELED);
		ASSERT_EQ(pool.waiters, 0);
		ASSERT_EQ(pool.visits, 0);
	}
	EXPECT_GT(race_turn, 6);
}

static uint32_t visitors;

/* The joiner waits for visitors to go, so nobody may sleep as one now. */
static void finish_and_count_visitors(void)
{
	visitors = pool.visits;
	finish_one();
}

TEST(a_wait_leaves_a_pool_that_ends_and_goes_on)
{
	EACH_RACE(send_visitors_away) {
		visitors = 0;
		last_step = finish_and_count_visitors;
		ASSERT_EQ(wait_raced(&pool), 0);
		ASSERT_EQ(group_count(group.state), 0);
		ASSERT_EQ(visitors, GATE_CLOSED);
		ASSERT_EQ(pool.visits, GATE_CLOSED);
	}
	EXPECT_GT(race_turn, 6);
}

/* ---- quiesce, while a helper is inside a task ---- */

static void end_help(void)
{
	nap_fetch_sub_release(&pool.helpers, 1);
	nap_fence_seq_cst();
	nap__idle_wake_watchers(&pool);
}

static int quiesce_raced(void)
{
	int err;

	new_pool();
	pool.helpers = ((uint64_t)1 << 32) + 1;
	race_begin();
	err = nap_pool_quiesce(&pool);
	race_end();
	return err;
}

TEST(quiesce_waits_for_the_helper)
{
	EACH_RACE(end_help) {
		ASSERT_EQ(quiesce_raced(), 0);
		ASSERT_EQ((uint32_t)pool.helpers, 0);
		ASSERT_EQ(pool.waiters, 0);
	}
	EXPECT_GT(race_turn, 6);
}

TEST(quiesce_runs_what_comes_meanwhile)
{
	EACH_RACE(schedule_member) {
		nap_group_init(&group, NULL);
		nap_group_add(&group, 1);
		last_step = end_help;
		ASSERT_EQ(quiesce_raced(), 0);
		ASSERT_EQ(nr_run, 1);
		ASSERT_EQ((uint32_t)pool.helpers, 0);
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

/* ---- a worker that wakes while somebody looks whether the pool is at rest ---- */

static void wake_up_with_a_task(void)
{
	nap_store_relaxed(&worker.rest, worker.rest + 1);
	nap_store_relaxed(&pool.sync, SYNC_SPAWNED_ONE);
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

TEST(a_pool_is_not_at_rest_when_a_worker_wakes_meanwhile)
{
	EACH_RACE(wake_up_with_a_task) {
		bool at_rest;

		new_pool_at_rest();
		race_begin();
		at_rest = pool_at_rest(&pool);
		race_end();
		ASSERT_EQ(at_rest, !raced);
	}
	EXPECT_GT(race_turn, 6);
	EACH_RACE(wake_up_and_overflow) {
		bool at_rest;

		new_pool_at_rest();
		race_begin();
		at_rest = pool_at_rest(&pool);
		race_end();
		ASSERT_EQ(at_rest, !raced);
	}
	EXPECT_GT(race_turn, 6);
}

/* Whoever was awake between the two readings may have moved a task past the eye that looked. */
TEST(a_pool_is_not_at_rest_when_a_worker_was_awake_meanwhile)
{
	int refused = 0;

	EACH_RACE(wake_up_and_sleep_again) {
		new_pool_at_rest();
		race_begin();
		refused += !pool_at_rest(&pool);
		race_end();
	}
	/* Accepted only where it was over before the first reading, or not begun. */
	EXPECT_GT(refused, 4);
	EXPECT_LE((unsigned int)refused, race_turn - 3);
}

TEST_HARNESS_MAIN
