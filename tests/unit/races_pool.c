/* SPDX-License-Identifier: MIT */
/*
 * Calls on a pool with another thread between any two of their accesses (tests/race.h). For that
 * src/ is compiled into this file. The pool cannot start workers, so the test's own thread is the
 * only one; where it is about to sleep, what has not happened by then does.
 */
#include <errno.h>

#include "pool_fixture.h"
#include "race.h"

#include "../../src/group.c"
#include "../../src/idle/sync.c"
#include "../../src/quiesce.c"
#include "../../src/schedule.c"
#include "../../src/worker.c"

static struct nap_pool pool;
static struct nap_task tasks[NAP_RING_SIZE + 1];

/* Linked with --wrap. */
int __wrap_nap__os_thread_start(struct nap_worker *worker, size_t stack_size, const char *name);
int __wrap_nap__os_thread_start(struct nap_worker *worker, size_t stack_size, const char *name)
{
	(void)worker;
	(void)stack_size;
	(void)name;
	return -EAGAIN;
}

static void (*last_step)(void);		/* what wakes a thread that sleeps after the race */

int __real_nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);
int __wrap_nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline);
int __wrap_nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	void (*step)(void) = race_at ? race_step : last_step;

	/* The last turn: nothing was left to do it before. */
	if (race_at) {
		race_at = 0;
		race_slept = true;
	} else {
		last_step = NULL;
	}
	if (step)
		step();
	return __real_nap__futex_wait(word, expected, deadline);
}

static void new_pool(void)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }))
		abort();
	nr_run = 0;
}

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
		ASSERT_EQ(group.count, raced ? 3 : 2);
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
		ASSERT_EQ(group.count, INT32_MAX);
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
			ASSERT_EQ(group.count, raced || n == 1 ? 0 : 1);
			ASSERT_EQ(nap_group_wait_for(&group, 0), group.count ? -ETIMEDOUT : 0);
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

TEST(a_wait_leaves_a_pool_that_ends_and_goes_on)
{
	EACH_RACE(send_visitors_away) {
		last_step = finish_one;
		ASSERT_EQ(wait_raced(&pool), 0);
		ASSERT_EQ(group.count, 0);
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

/* ---- a worker that is read or served here ---- */

static struct nap_worker worker;

/* A pool whose one worker sleeps with no task on its stack. */
static void new_pool_at_rest(void)
{
	new_pool();
	memset(&worker, 0, sizeof(worker));
	worker.pool = &pool;
	worker.record = RECORD_STARTED;
	worker.rest = 1;
	ring_init(&worker.ring);
	pool.limit = 1;
	pool.records = pool.registry = &worker;
	pool.sync = SYNC_SPAWNED_ONE + SYNC_IDLE_ONE;
}

static void wake_up_with_two_tasks(void)
{
	nap_store_relaxed(&worker.rest, worker.rest + 1);
	nap_store_relaxed(&pool.sync, SYNC_SPAWNED_ONE);
	ring_put(&worker.ring, 0, &tasks[0]);
	ring_commit(&worker.ring, 1);
}

static void wake_up_and_overflow(void)
{
	wake_up_with_two_tasks();
	overflow_push(&worker.overflow, &tasks[1], &tasks[1]);
}

static void wake_up_and_sleep_again(void)
{
	nap_store_relaxed(&worker.rest, worker.rest + 2);
}

TEST(a_pool_is_not_at_rest_when_a_worker_wakes_meanwhile)
{
	EACH_RACE(wake_up_with_two_tasks) {
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

/* ---- a full ring, whose owner schedules one more, and a thief ---- */

static struct nap_task *stolen[NAP_RING_SIZE];
static int nr_stolen;

static void steal_one(void)
{
	stolen[nr_stolen] = ring_steal_one(&worker.ring);
	nr_stolen += stolen[nr_stolen] != NULL;
}

static void steal_all(void)
{
	while (nr_stolen < NAP_RING_SIZE && (stolen[nr_stolen] = ring_steal_one(&worker.ring)))
		nr_stolen++;
}

/* Every task is in one place; @order: in the order in which they were scheduled, too. */
static bool all_there(void)
{
	bool seen[NAP_RING_SIZE + 1] = { false }, more = false;
	struct nap_task *task;
	int n = 0;

	for (; n < nr_stolen; n++)
		seen[stolen[n] - tasks] = true;
	while ((task = ring_pop(&worker.ring)) || (task = overflow_take(&worker.overflow, &more))) {
		if (seen[task - tasks])
			return false;
		seen[task - tasks] = true;
		n++;
	}
	return n == NAP_RING_SIZE + 1;
}

static void schedule_on_full_ring(void)
{
	new_pool_at_rest();
	pool.sync = SYNC_SPAWNED_ONE;
	nr_stolen = 0;
	nap__self()->worker = &worker;
	for (int i = 0; i <= NAP_RING_SIZE; i++) {
		nap_task_init(&tasks[i], count_run);
		if (i == NAP_RING_SIZE)
			race_begin();
		nap_schedule(&pool, &tasks[i]);
	}
	race_end();
	nap__self()->worker = NULL;
}

TEST(a_full_ring_loses_nothing_to_a_thief)
{
	EACH_RACE(steal_one) {
		schedule_on_full_ring();
		ASSERT_EQ(nr_stolen, raced);
		ASSERT_TRUE(all_there());
	}
	EXPECT_GT(race_turn, 5);
	EACH_RACE(steal_all) {
		schedule_on_full_ring();
		ASSERT_TRUE(all_there());
	}
	EXPECT_GT(race_turn, 5);
}

/* ---- a worker that finds nothing, and has turned somebody away meanwhile ---- */

static void be_turned_away(void)
{
	struct nap__consumer c;

	if (vyukov_lock(&pool.inject, &c))
		vyukov_unlock(&c);
}

#define NAME_OF_(name)	#name
#define NAME_OF(name)	NAME_OF_(name)

TEST(who_was_turned_away_for_nothing_is_made_up_for)
{
	struct nap_task *task;
	int told = 0;

	/* Only there does a lock find a task that cannot be taken. */
	if (strcmp(NAME_OF(NAP_INJECT), "vyukov"))
		SKIP(return, "the injection queue is of another kind");
	EACH_RACE(be_turned_away) {
		new_pool_at_rest();
		pool.sync = SYNC_SPAWNED_ONE;
		worker.tick = 5;
		/* A producer that is stopped between its exchange and its link. */
		nap_xchg_acq_rel(&pool.inject.push, (uintptr_t)&tasks[0]);
		tasks[0].next = NULL;
		race_begin();
		task = nap__dequeue(&worker);
		race_end();
		ASSERT_EQ(task, NULL);
		told += (pool.sync & SYNC_NOTIFIED) != 0;
		/* The producer goes on. */
		nap_store_release(&pool.inject.stub.next, &tasks[0]);
		ASSERT_EQ(nap__dequeue(&worker), &tasks[0]);
	}
	/* At every access between the lock and the unlock. */
	EXPECT_GE(told, 1);
}

/* ---- starting a worker while the pool ends ---- */

static void end_idle(void)
{
	nap__idle_shutdown(&pool);
}

TEST(a_start_is_refused_or_taken_back_when_the_pool_ends)
{
	int refused = 0, failed = 0;

	EACH_RACE(end_idle) {
		int err;

		new_pool();
		nap__pool_start(&pool);
		race_begin();
		err = nap__idle_spawn(&pool, 1);
		race_end();
		refused += err == -ESHUTDOWN;
		failed += err == -EAGAIN;
		ASSERT_EQ(sync_spawned(pool.sync), 0);
		ASSERT_EQ(sync_state(pool.sync) == SYNC_SHUTDOWN, raced);
		nap_pool_join(&pool, NULL);
	}
	EXPECT_EQ(refused, 2);
	EXPECT_GE(failed, 3);
}

TEST_HARNESS_MAIN
