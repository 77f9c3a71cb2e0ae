/* SPDX-License-Identifier: MIT */
/* Waiting for a group, with a step of another thread between any two accesses. */
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
			/* Either call may have come first. */
			ASSERT_EQ(err + (raced ? finish_err : 0), raced && n == 1 ? -EINVAL : 0);
			ASSERT_EQ(group_count(group.state), raced || n == 1 ? 0 : 1);
			ASSERT_EQ(nap_group_wait_for(&group, 0),
				  group_count(group.state) ? -ETIMEDOUT : 0);
		}
		EXPECT_GT(race_turn, 2);
	}
}

/* ---- waiting for a group, with a pool and without ---- */

static struct member member = { .task = NAP_TASK_INIT(member_done), .group = &group };

static void schedule_member(void)
{
	nap_task_init(&member.task, member_done);
	if (nap_schedule(&pool, &member.task))
		abort();
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

/* The joiner waits for visitors, so no thread may sleep as a visitor now. */
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

/* ---- a worker that waits, and the worker to which it passes a notification on */

/* One of three workers schedules, one waits, and one has found nothing and is about to sleep. */
static void schedule_two_and_finish(void)
{
	self_is(nap__self(), &crew[0]);
	for (int i = 0; i < 2; i++) {
		nap_task_init(&tasks[i], count_run);
		if (nap_schedule(&pool, &tasks[i]))
			abort();
	}
	self_is(nap__self(), &crew[1]);
	finish_one();
}

TEST(a_wait_that_took_a_notification_passes_it_on_when_it_ends)
{
	EACH_RACE(schedule_two_and_finish) {
		int err;

		new_crew(3);
		nap_group_init(&group, &pool);
		nap_group_add(&group, 1);
		self_is(nap__self(), &crew[1]);
		race_begin();
		err = nap_group_wait(&group);
		race_end();
		self_is(nap__self(), NULL);
		ASSERT_EQ(err, 0);
		/*
		 * At least one task is left. The worker that is about to sleep checks again, and
		 * finds it.
		 */
		ASSERT_LE(nr_run, 1);
		ASSERT_EQ(nap__idle_prepare(&crew[2]), NAP_SEARCH);
		ASSERT_NE(nap__dequeue(&crew[2]), NULL);
	}
	EXPECT_GT(race_turn, 6);
}

TEST_HARNESS_MAIN
