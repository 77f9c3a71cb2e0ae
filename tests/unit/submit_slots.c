/* SPDX-License-Identifier: MIT */
/*
 * The slots of a submitter (src/kit/slots.h), step by step: one thread takes slots, gives them back
 * and plays the waiters. Which waiters are woken, and how many; the list of free slots; the counts
 * at their bounds.
 */
#include "kit/slots.h"

#include "harness.h"
#include "wrap.h"

#define SLOTS 4u

static struct nap_pool pool;	/* never initialised: nothing is scheduled */
static struct nap_slot slots[SLOTS + 1];
static struct nap_submitter submit;

/* The last wake of a sleeper, and how many wakes there were. */
static uint32_t *woken_at, woken, wakes;

WRAP(void, nap__futex_wake, (uint32_t *word, uint32_t n))
{
	(void)&__real_nap__futex_wake;
	woken_at = word;
	woken = n;
	wakes++;
}

static struct nap_slot *take_one(void)
{
	bool passed;

	return slots_count_up(&submit, &passed) ? slots_pop(&submit) : NULL;
}

static void give_back(struct nap_slot *slot)
{
	slots_push(&submit, slot);
	slots_count_down(&submit);
}

FIXTURE(slots) { };

FIXTURE_SETUP(slots)
{
	/* The slots need not be zeroed. */
	memset(slots, 0xa5, sizeof(slots));
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 0, 0, NULL, NULL), 0);
}

FIXTURE_TEARDOWN(slots)
{
}

static void take_all(struct __test_metadata *_metadata)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		ASSERT_EQ(take_one(), &slots[i]);
	EXPECT_EQ(take_one(), NULL);
}

/* ---- the list of free slots */

TEST_F(slots, as_many_as_there_are_are_prepared)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		EXPECT_EQ(slots[i].next, 0);
	EXPECT_EQ(slots[SLOTS].next, 0xa5a5a5a5u);
	take_all(_metadata);
	EXPECT_EQ((uint32_t)submit.free, SLOTS);
}

/* A thread that is late with a slot finds that the list has changed, though it looks the same. */
TEST_F(slots, each_change_of_the_list_has_a_number)
{
	take_all(_metadata);
	EXPECT_EQ(submit.free >> 32, SLOTS);
	give_back(&slots[2]);
	EXPECT_EQ(submit.free >> 32, SLOTS + 1);
	EXPECT_EQ((uint32_t)submit.free, 2);
	EXPECT_EQ(take_one(), &slots[2]);
	EXPECT_EQ(submit.free >> 32, SLOTS + 2);
	EXPECT_EQ((uint32_t)submit.free, SLOTS);
}

TEST_F(slots, the_last_one_given_back_is_the_first_one_taken)
{
	take_all(_metadata);
	give_back(&slots[1]);
	give_back(&slots[3]);
	give_back(&slots[0]);
	EXPECT_EQ(take_one(), &slots[0]);
	EXPECT_EQ(take_one(), &slots[3]);
	EXPECT_EQ(take_one(), &slots[1]);
	EXPECT_EQ(take_one(), NULL);
}

/* ---- counts */

TEST_F(slots, those_that_run_are_counted)
{
	EXPECT_EQ(slots_nr_run(&submit), 0);
	take_all(_metadata);
	EXPECT_EQ(slots_nr_run(&submit), 0);
	slots_begin(&slots[0]);
	EXPECT_EQ(slots_nr_run(&submit), 1);
	for (uint32_t i = 1; i < SLOTS; i++)
		slots_begin(&slots[i]);
	/* The memory after the last slot is not read. */
	slots[SLOTS].next = SLOT_RUNS;
	EXPECT_EQ(slots_nr_run(&submit), SLOTS);
	give_back(&slots[1]);
	EXPECT_EQ(slots_nr_run(&submit), SLOTS - 1);
	EXPECT_EQ(slots_taken_last(&submit), SLOTS - 1);
}

TEST_F(slots, the_limit_counts_and_not_the_memory)
{
	EXPECT_EQ(nap_submit_set_count(&submit, 2), 0);
	EXPECT_FALSE(slots_all_taken(&submit));
	EXPECT_EQ(take_one(), &slots[0]);
	EXPECT_FALSE(slots_all_taken(&submit));
	EXPECT_EQ(take_one(), &slots[1]);
	EXPECT_TRUE(slots_all_taken(&submit));
	EXPECT_EQ(take_one(), NULL);
	EXPECT_EQ(submit.most, 2);
	give_back(&slots[1]);
	EXPECT_EQ(submit.most, 2);
	EXPECT_EQ(take_one(), &slots[1]);
	EXPECT_EQ(submit.most, 2);
}

/* ---- waiters */

static bool sleeps(void)
{
	return slots_await(&submit, 0, TAKEN_WAITER_ONE);
}

static uint32_t listed_event;
static struct nap__waiter listed = { .event = &listed_event };

static bool lists_itself(void)
{
	listed_event = 0;
	return waitlist_add(&submit.waiters, &listed) && slots_await(&submit, TAKEN_LISTED, 0);
}

TEST_F(slots, none_waits_where_one_is_free)
{
	EXPECT_FALSE(sleeps());
	for (uint32_t i = 0; i + 1 < SLOTS; i++)
		take_one();
	EXPECT_FALSE(sleeps());
	EXPECT_FALSE(slots_await(&submit, TAKEN_LISTED, 0));
	EXPECT_EQ(submit.taken, SLOTS - 1);
	take_one();
	EXPECT_TRUE(sleeps());
	EXPECT_EQ(submit.taken, SLOTS + TAKEN_WAITER_ONE);
}

TEST_F(slots, one_that_is_given_back_wakes_one_sleeper)
{
	take_all(_metadata);
	give_back(&slots[3]);
	EXPECT_EQ(wakes, 0);
	EXPECT_EQ(take_one(), &slots[3]);
	EXPECT_TRUE(sleeps());
	give_back(&slots[3]);
	EXPECT_TRUE(wakes == 1 && woken_at == &submit.event && woken == 1);
	/* A thread that is about to sleep sees that. */
	EXPECT_EQ(submit.event, 1);
	/* The sleeper is counted until it has woken. */
	give_back(&slots[2]);
	EXPECT_TRUE(wakes == 2 && woken == 1 && submit.event == 2);
	nap_fetch_sub_relaxed(&submit.taken, TAKEN_WAITER_ONE);
	give_back(&slots[1]);
	EXPECT_TRUE(wakes == 2 && submit.event == 2);
}

TEST_F(slots, one_that_is_given_back_tells_all_who_are_listed)
{
	take_all(_metadata);
	EXPECT_TRUE(lists_itself());
	EXPECT_EQ(submit.taken, SLOTS | TAKEN_LISTED);
	give_back(&slots[3]);
	EXPECT_EQ(listed_event, EVENT_LATCH);
	EXPECT_EQ(submit.waiters, 0);
	EXPECT_EQ(submit.taken, SLOTS - 1);
	EXPECT_EQ(wakes, 0);
	/* A waiter without this mark in the count is not looked for. */
	listed_event = 0;
	EXPECT_TRUE(waitlist_add(&submit.waiters, &listed));
	give_back(&slots[2]);
	EXPECT_EQ(listed_event, 0);
	EXPECT_NE(submit.waiters, 0);
}

TEST_F(slots, a_higher_count_wakes_all)
{
	EXPECT_EQ(nap_submit_set_count(&submit, 1), 0);
	EXPECT_EQ(take_one(), &slots[0]);
	EXPECT_EQ(nap_submit_set_count(&submit, 1), 0);
	EXPECT_TRUE(wakes == 0 && submit.event == 0);
	EXPECT_TRUE(sleeps() && sleeps() && lists_itself());
	EXPECT_EQ(nap_submit_set_count(&submit, 3), 0);
	EXPECT_TRUE(wakes == 1 && woken_at == &submit.event && woken == INT32_MAX);
	EXPECT_EQ(submit.event, 1);
	EXPECT_EQ(listed_event, EVENT_LATCH);
	EXPECT_EQ(submit.waiters, 0);
	EXPECT_EQ(submit.taken, 1 + 2 * TAKEN_WAITER_ONE);
	listed_event = 0;
	EXPECT_TRUE(waitlist_add(&submit.waiters, &listed));
	EXPECT_EQ(nap_submit_set_count(&submit, SLOTS), 0);
	EXPECT_EQ(listed_event, 0);
}

/* ---- marks */

static uint32_t marks;

static void count_mark(struct nap_submitter *s)
{
	marks += s == &submit;
}

TEST_F(slots, without_a_mark_none_is_passed)
{
	bool passed;

	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 2, 0, NULL, NULL), 0);
	for (uint32_t i = 0; i < SLOTS; i++) {
		passed = true;
		EXPECT_TRUE(slots_count_up(&submit, &passed));
		EXPECT_FALSE(passed);
		slots_pop(&submit);
		EXPECT_EQ(nap_submit_is_high(&submit), i >= 1);
	}
}

TEST_F(slots, each_mark_is_passed_at_its_number)
{
	bool passed;

	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 3, 1, count_mark, NULL), 0);
	for (uint32_t i = 1; i <= SLOTS; i++) {
		EXPECT_TRUE(slots_count_up(&submit, &passed));
		EXPECT_EQ(passed, i == 3);
		slots_pop(&submit);
	}
	for (uint32_t i = SLOTS - 1; i > 0; i--) {
		give_back(&slots[i]);
		EXPECT_EQ(marks, i == 1);
		EXPECT_EQ(nap_submit_is_high(&submit), i > 1);
	}
	give_back(&slots[0]);
	EXPECT_EQ(marks, 1);
	EXPECT_EQ(submit.taken, 0);
}

TEST_HARNESS_MAIN
