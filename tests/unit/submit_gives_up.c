/* SPDX-License-Identifier: MIT */
/*
 * The rule by which a wait for a slot is given up (src/kit/submit_stuck.c), step by step: one
 * thread plays all workers, and sets the clock.
 */
#include "kit/submit_stuck.h"

#include "kit/slots.h"
#include "wait/deadlock.h"
#include "worker/registry.h"
#include "idle_steps.h"

enum { SLOTS = 3 };

static uint64_t now = 1000;

WRAP(uint64_t, nap__os_now, (void))
{
	(void)&__real_nap__os_now;
	return now;
}

static struct nap_pool other_pool;
static struct nap_slot slots[SLOTS];
static struct nap_submitter submit;
static struct nap__slot_wait waits[2];

static uint32_t nr_stuck(void)
{
	return (uint32_t)submit.stuck;
}

static void begin_wait(struct nap__slot_wait *w, struct nap_worker *worker)
{
	*w = (struct nap__slot_wait){ .submit = &submit,
				      .wait = { .worker = worker, .deadline = NAP_FOREVER,
						.runs = WAIT_RUNS_ANYTHING } };
}

/*
 * Two of three workers wait for slots, and the third one is at rest. The slots of two functions
 * that run are all that may be taken.
 */
static void prepare(struct __test_metadata *_metadata)
{
	bool passed;

	begin(_metadata, NAP_IDLE_SYNC, 3);
	ASSERT_EQ(nap__idle_spawned(&pool), 3);
	for (uint32_t i = 0; i < 3; i++)
		nap_store_relaxed(&worker_at(i)->record, RECORD_STARTED);
	nap_store_relaxed(&worker_at(2)->rest, 1);
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 0, 0, NULL, NULL), 0);
	ASSERT_EQ(nap_submit_set_count(&submit, 2), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(slots_count_up(&submit, &passed));
		slots_begin(slots_pop(&submit));
		begin_wait(&waits[i], worker_at(i));
		nap__slot_be_stuck(&waits[i].wait);
	}
	ASSERT_EQ(nr_stuck(), 2);
}

/* Checks, and checks again when the state has lasted. */
static bool gives_up(struct nap__slot_wait *w)
{
	if (nap__slot_gives_up(&w->wait))
		return true;
	now += DEADLOCK_NS;
	return nap__slot_gives_up(&w->wait);
}

static bool goes_on_waiting(void)
{
	return !gives_up(&waits[0]) && waits[0].stuck && nr_stuck() == 2;
}

/* ---- which threads are stuck */

TEST(each_is_counted_once)
{
	prepare(_metadata);
	nap__slot_be_stuck(&waits[0].wait);
	EXPECT_EQ(nr_stuck(), 2);
	EXPECT_EQ(submit.stuck >> 32, 2);
	nap__slot_be_stuck_no_more(&waits[0].wait);
	EXPECT_EQ(nr_stuck(), 1);
	EXPECT_FALSE(waits[0].stuck);
	nap__slot_be_stuck_no_more(&waits[0].wait);
	EXPECT_EQ(nr_stuck(), 1);
	nap__slot_be_stuck(&waits[0].wait);
	EXPECT_TRUE(waits[0].stuck);
	EXPECT_EQ(nr_stuck(), 2);
	/* how many have ever been stuck */
	EXPECT_EQ(submit.stuck >> 32, 3);
}

TEST(not_one_that_others_may_still_help)
{
	struct nap__slot_wait w;

	prepare(_metadata);
	begin_wait(&w, worker_at(2));
	w.wait.deadline = NAP_FOREVER - 1;
	nap__slot_be_stuck(&w.wait);
	EXPECT_FALSE(w.stuck);
	/* The worker waits until its deadline, though the others are stuck. */
	EXPECT_FALSE(gives_up(&w));
	begin_wait(&w, worker_at(2));
	worker_at(2)->retired = true;
	nap__slot_be_stuck(&w.wait);
	EXPECT_FALSE(w.stuck);
	worker_at(2)->retired = false;
	ASSERT_EQ(nap_pool_init(&other_pool, &(struct nap_config){ .max_workers = 1 }), 0);
	ASSERT_EQ(nap_pool_prewarm(&other_pool, 1), 0);
	begin_wait(&w, registry_at(&other_pool, 0));
	nap__slot_be_stuck(&w.wait);
	EXPECT_FALSE(w.stuck);
	EXPECT_EQ(nr_stuck(), 2);
	begin_wait(&w, worker_at(2));
	nap__slot_be_stuck(&w.wait);
	EXPECT_TRUE(w.stuck);
	EXPECT_EQ(nr_stuck(), 3);
}

/* ---- one gives up */

TEST(one_gives_up_when_it_has_lasted)
{
	prepare(_metadata);
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	now += DEADLOCK_NS - 1;
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	now++;
	EXPECT_TRUE(nap__slot_gives_up(&waits[0].wait));
	EXPECT_FALSE(waits[0].stuck);
	EXPECT_EQ(nr_stuck(), 1);
	/* The other one gets its slot. */
	EXPECT_FALSE(gives_up(&waits[1]));
	EXPECT_TRUE(waits[1].stuck);
}

TEST(not_one_that_has_gone_on_in_between)
{
	prepare(_metadata);
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	nap__slot_be_stuck_no_more(&waits[0].wait);
	now += DEADLOCK_NS;
	/* The waiter is not stuck now. When it is stuck again, its time begins anew. */
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	now += DEADLOCK_NS;
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	nap__slot_be_stuck(&waits[0].wait);
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	nap__slot_be_stuck_no_more(&waits[0].wait);
	nap__slot_be_stuck(&waits[0].wait);
	now += DEADLOCK_NS;
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	now += DEADLOCK_NS;
	EXPECT_TRUE(nap__slot_gives_up(&waits[0].wait));
}

/* ---- none does, because a thread goes on */

TEST(none_gives_up_beside_a_worker_that_runs)
{
	prepare(_metadata);
	nap_store_relaxed(&worker_at(2)->rest, 2);
	EXPECT_TRUE(goes_on_waiting());
	nap_store_relaxed(&worker_at(2)->rest, 3);
	EXPECT_TRUE(gives_up(&waits[0]));
}

TEST(none_gives_up_beside_one_that_is_about_to_be_started)
{
	prepare(_metadata);
	nap_store_relaxed(&worker_at(2)->record, RECORD_CLAIMED);
	EXPECT_TRUE(goes_on_waiting());
	nap_store_relaxed(&worker_at(2)->record, RECORD_STARTED);
	EXPECT_TRUE(gives_up(&waits[0]));
}

TEST(one_that_waits_for_something_else_does_not_go_on)
{
	prepare(_metadata);
	nap_store_relaxed(&worker_at(2)->rest, 0);
	nap_store_relaxed(&pool.stuck, 1);
	EXPECT_TRUE(gives_up(&waits[0]));
}

TEST(a_guest_goes_on_unless_it_is_stuck)
{
	prepare(_metadata);
	nap_fetch_add_relaxed(&pool.guests, 1);
	EXPECT_TRUE(goes_on_waiting());
	nap_store_relaxed(&pool.stuck_guests, 1);
	EXPECT_TRUE(gives_up(&waits[0]));
	nap_fetch_sub_relaxed(&pool.guests, 1);
}

TEST(none_gives_up_if_a_queued_task_can_be_run)
{
	prepare(_metadata);
	inject_silently(0);
	EXPECT_TRUE(goes_on_waiting());
	/* The waiter has no room to run it, but another worker could be started. */
	waits[0].wait.runs = WAIT_RUNS_NOTHING;
	EXPECT_TRUE(goes_on_waiting());
	/* None can be started, but there is room. */
	nap_store_relaxed(&pool.limit, 3);
	waits[0].wait.runs = WAIT_RUNS_ANYTHING;
	EXPECT_TRUE(goes_on_waiting());
	waits[0].wait.runs = WAIT_RUNS_NOTHING;
	EXPECT_TRUE(gives_up(&waits[0]));
}

/* ---- none does, because a slot comes */

TEST(none_gives_up_where_a_slot_is_free)
{
	prepare(_metadata);
	slots_push(&submit, &slots[1]);
	slots_count_down(&submit);
	EXPECT_TRUE(goes_on_waiting());
}

/* A thread that is about to schedule a function has taken its slot. */
TEST(none_gives_up_beside_a_slot_in_a_threads_hand)
{
	prepare(_metadata);
	nap_store_relaxed(&slots[1].next, 0);
	EXPECT_TRUE(goes_on_waiting());
	slots_begin(&slots[1]);
	/* The time begins anew. */
	EXPECT_FALSE(nap__slot_gives_up(&waits[0].wait));
	EXPECT_TRUE(gives_up(&waits[0]));
}

TEST_HARNESS_MAIN
