/* SPDX-License-Identifier: MIT */
/* The layers below the pool, with another thread's step between any two accesses (tests/race/). */
#include <errno.h>

#include "idle/set.h"
#include "queue/vyukov.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "worker/phase.h"
#include "worker/registry.h"
#include "pool_fixture.h"
#include "race.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_worker records[2];

/* ---- the phase ---- */

static void raise_to_stop(void)
{
	phase_raise(&pool, PHASE_STOP);
}

static void raise_to_drain(void)
{
	phase_raise(&pool, PHASE_DRAIN);
}

TEST(a_phase_only_grows)
{
	EACH_RACE(raise_to_stop) {
		bool risen;

		pool.phase = PHASE_RUNNING;
		race_begin();
		risen = phase_raise(&pool, PHASE_DRAIN);
		race_end();
		ASSERT_EQ(risen, !raced);
		ASSERT_EQ(pool.phase, raced ? PHASE_STOP : PHASE_DRAIN);
	}
	EXPECT_GT(race_turn, 3);
	EACH_RACE(raise_to_drain) {
		pool.phase = PHASE_RUNNING;
		race_begin();
		ASSERT_TRUE(phase_raise(&pool, PHASE_STOP));
		race_end();
		ASSERT_EQ(pool.phase, PHASE_STOP);
	}
	EXPECT_GT(race_turn, 3);
}

/* ---- the registry ---- */

static void register_other(void)
{
	registry_push(&pool, &records[1]);
}

TEST(two_workers_register_at_once)
{
	EACH_RACE(register_other) {
		struct nap_worker *first, *second;

		pool.registry = NULL;
		race_begin();
		registry_push(&pool, &records[0]);
		race_end();
		first = registry_first(&pool);
		ASSERT_EQ(first, &records[0]);
		second = first->next;
		ASSERT_EQ(second, raced ? &records[1] : NULL);
		ASSERT_TRUE(!second || !second->next);
	}
	EXPECT_GT(race_turn, 3);
}

/* ---- waitlists ---- */

#define REASON	EVENT_POOL

static uint32_t events[3];
static struct nap__waiter nodes[3] = {
	{ .event = &events[0] }, { .event = &events[1] }, { .event = &events[2] } };
static uintptr_t list;

static bool is_listed(struct nap__waiter *wanted)
{
	struct nap__waiter *node = waitlist_closed(&list) ? NULL : (struct nap__waiter *)list;

	while (node && node != wanted)
		node = node->next;
	return node;
}

/* Whether the node is either listed or notified, not both. */
static bool is_listed_or_told(int i)
{
	return is_listed(&nodes[i]) != !!(events[i] & REASON);
}

static void reset_list(void)
{
	list = 0;
	memset(events, 0, sizeof(events));
}

static void add_other(void)
{
	waitlist_add(&list, &nodes[1]);
}

static void wake_all(void)
{
	waitlist_wake(&list, REASON);
}

static void close_list(void)
{
	waitlist_close(&list, REASON);
}

TEST(a_waiter_is_listed_while_others_come_and_are_woken)
{
	EACH_RACE(add_other) {
		reset_list();
		race_begin();
		ASSERT_TRUE(waitlist_add(&list, &nodes[0]));
		race_end();
		ASSERT_TRUE(is_listed(&nodes[0]));
		ASSERT_EQ(is_listed(&nodes[1]), raced);
	}
	EXPECT_GT(race_turn, 3);
	EACH_RACE(wake_all) {
		reset_list();
		waitlist_add(&list, &nodes[2]);
		race_begin();
		ASSERT_TRUE(waitlist_add(&list, &nodes[0]));
		race_end();
		ASSERT_TRUE(is_listed(&nodes[0]) && is_listed_or_told(2));
		ASSERT_EQ(is_listed(&nodes[2]), !raced);
	}
	EXPECT_GT(race_turn, 3);
}

TEST(a_list_that_closes_refuses_a_waiter)
{
	EACH_RACE(close_list) {
		bool listed;

		reset_list();
		race_begin();
		listed = waitlist_add(&list, &nodes[0]);
		race_end();
		ASSERT_EQ(listed, !raced);
		ASSERT_EQ(waitlist_closed(&list), raced);
		ASSERT_EQ(events[0], 0);
	}
	EXPECT_GT(race_turn, 3);
}

TEST(a_waiter_that_comes_while_all_are_woken_is_listed_or_told)
{
	EACH_RACE(add_other) {
		reset_list();
		waitlist_add(&list, &nodes[0]);
		race_begin();
		wake_all();
		race_end();
		ASSERT_TRUE(events[0] & REASON);
		ASSERT_TRUE(!raced || is_listed_or_told(1));
	}
	EXPECT_GT(race_turn, 3);
}

/*
 * The waiter that leaves is out of the list, whichever thread took it out. Each other waiter is
 * listed, or checks again.
 */
TEST(a_waiter_leaves_while_others_come_and_are_woken)
{
	EACH_RACE(add_other) {
		reset_list();
		waitlist_add(&list, &nodes[2]);
		waitlist_add(&list, &nodes[0]);
		race_begin();
		waitlist_remove(&list, &nodes[0], REASON);
		race_end();
		ASSERT_TRUE(!is_listed(&nodes[0]) && !events[0] && is_listed_or_told(2));
		ASSERT_TRUE(!raced || is_listed_or_told(1));
	}
	EXPECT_GT(race_turn, 3);
	EACH_RACE(wake_all) {
		reset_list();
		waitlist_add(&list, &nodes[2]);
		waitlist_add(&list, &nodes[0]);
		race_begin();
		waitlist_remove(&list, &nodes[0], REASON);
		race_end();
		ASSERT_TRUE(!is_listed(&nodes[0]) && !events[0] && is_listed_or_told(2));
	}
	EXPECT_GT(race_turn, 3);
}

/* ---- the idle set ---- */

static void pop_idle(void)
{
	struct nap_worker *worker = set_pop(&pool);

	if (worker)
		event_set(&worker->event, EVENT_WORK);
}

static void reset_set(struct nap_worker *worker)
{
	pool.records = records;
	pool.idle_set = 0;
	memset(worker, 0, sizeof(*worker));
	worker->pool = &pool;
}

TEST(a_worker_enters_again_while_its_stale_entry_is_popped)
{
	EACH_RACE(pop_idle) {
		reset_set(&records[0]);
		set_enter(&pool, &records[0]);
		ASSERT_TRUE(set_withdraw(&records[0]));
		race_begin();
		set_enter(&pool, &records[0]);
		race_end();
		/* Either the worker is in the set, once; or it was notified, and so taken out. */
		if (!(records[0].event & EVENT_WORK)) {
			ASSERT_EQ(set_pop(&pool), &records[0]);
		}
		ASSERT_EQ(set_pop(&pool), NULL);
		ASSERT_EQ(records[0].idle_state, SET_OUT);
	}
	EXPECT_GT(race_turn, 3);
}

/* ---- a producer that is stopped between its exchange and its link ---- */

static struct nap__queue queue;
static struct nap_task tasks[2];
static struct nap_task *unlinked;

static void exchange_only(void)
{
	uintptr_t last = nap_xchg_acq_rel(&queue.push, (uintptr_t)&tasks[1]);

	unlinked = last ? (struct nap_task *)last : &queue.stub;
}

TEST(a_task_behind_which_a_producer_is_stopped_comes_out_once)
{
	EACH_RACE(exchange_only) {
		struct nap_task *out[3] = { NULL, NULL, NULL };
		struct nap__consumer c;
		int n = 0;

		memset(&queue, 0, sizeof(queue));
		memset(tasks, 0, sizeof(tasks));
		vyukov_push(&queue, &tasks[0], &tasks[0]);
		race_begin();
		ASSERT_TRUE(vyukov_lock(&queue, &c));
		if ((out[n] = vyukov_pop(&c)))
			n++;
		race_end();
		if (raced)
			nap_store_release(&unlinked->next, &tasks[1]);
		while (n < 3 && (out[n] = vyukov_pop(&c)))
			n++;
		EXPECT_FALSE(vyukov_unlock(&c));
		ASSERT_EQ(n, raced ? 2 : 1);
		ASSERT_TRUE(out[0] == &tasks[0] && (!raced || out[1] == &tasks[1]));
	}
	EXPECT_GT(race_turn, 5);
}

TEST_HARNESS_MAIN
