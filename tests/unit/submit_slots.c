/* SPDX-License-Identifier: MIT */
/*
 * The slots of a submitter (src/kit/slots.h), step by step: one thread takes slots, gives them back
 * and plays the waiters. Which waiters are woken, and how many; when a thread from outside sleeps,
 * and for how long; the list of free slots; the counts at their bounds.
 */
#include "kit/slots.h"

#include <errno.h>

#include <nap/pool.h>

#include "os/os.h"
#include "harness.h"
#include "wrap.h"

#define SLOTS 4u

static struct nap_pool pool;	/* nothing is scheduled there */
static struct nap_slot slots[SLOTS + 1];
static struct nap_submitter submit;

/* How many sleepers the last wake was for, and how many wakes there were. */
static uint32_t woken, wakes;

WRAP(void, nap__futex_wake, (uint32_t *word, uint32_t n))
{
	if (word == &submit.event) {
		woken = n;
		wakes++;
	}
	__real_nap__futex_wake(word, n);
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

static void prepare(struct __test_metadata *_metadata)
{
	/* The slots need not be zeroed. */
	memset(slots, 0xa5, sizeof(slots));
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 0, 0, NULL, NULL), 0);
}

static void take_all(struct __test_metadata *_metadata)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		ASSERT_EQ(take_one(), &slots[i]);
	EXPECT_EQ(take_one(), NULL);
}

/* ---- the list of free slots */

TEST(as_many_as_there_are_are_prepared)
{
	prepare(_metadata);
	for (uint32_t i = 0; i < SLOTS; i++)
		EXPECT_EQ(slots[i].next, 0);
	EXPECT_EQ(slots[SLOTS].next, 0xa5a5a5a5u);
	take_all(_metadata);
	EXPECT_EQ((uint32_t)submit.free, SLOTS);
}

/* A thread that is late with a slot finds that the list has changed, though it looks the same. */
TEST(each_change_of_the_list_has_a_number)
{
	prepare(_metadata);
	take_all(_metadata);
	EXPECT_EQ(submit.free >> 32, SLOTS);
	give_back(&slots[2]);
	EXPECT_EQ(submit.free >> 32, SLOTS + 1);
	EXPECT_EQ((uint32_t)submit.free, 2);
	EXPECT_EQ(take_one(), &slots[2]);
	EXPECT_EQ(submit.free >> 32, SLOTS + 2);
	EXPECT_EQ((uint32_t)submit.free, SLOTS);
}

TEST(the_last_one_given_back_is_the_first_one_taken)
{
	prepare(_metadata);
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

TEST(those_that_run_are_counted)
{
	prepare(_metadata);
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

TEST(the_limit_counts_and_not_the_memory)
{
	prepare(_metadata);
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

TEST(none_waits_where_one_is_free)
{
	prepare(_metadata);
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

TEST(one_that_is_given_back_wakes_one_sleeper)
{
	prepare(_metadata);
	take_all(_metadata);
	give_back(&slots[3]);
	EXPECT_EQ(wakes, 0);
	EXPECT_EQ(take_one(), &slots[3]);
	EXPECT_TRUE(sleeps());
	give_back(&slots[3]);
	EXPECT_TRUE(wakes == 1 && woken == 1);
	/* A thread that is about to sleep sees that. */
	EXPECT_EQ(submit.event, 1);
	/* The sleeper is counted until it has woken. */
	give_back(&slots[2]);
	EXPECT_TRUE(wakes == 2 && woken == 1 && submit.event == 2);
	nap_fetch_sub_relaxed(&submit.taken, TAKEN_WAITER_ONE);
	give_back(&slots[1]);
	EXPECT_TRUE(wakes == 2 && submit.event == 2);
}

TEST(one_that_is_given_back_tells_all_who_are_listed)
{
	prepare(_metadata);
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

TEST(a_higher_count_wakes_all)
{
	prepare(_metadata);
	EXPECT_EQ(nap_submit_set_count(&submit, 1), 0);
	EXPECT_EQ(take_one(), &slots[0]);
	EXPECT_EQ(nap_submit_set_count(&submit, 1), 0);
	EXPECT_TRUE(wakes == 0 && submit.event == 0);
	EXPECT_TRUE(sleeps() && sleeps() && lists_itself());
	EXPECT_EQ(nap_submit_set_count(&submit, 3), 0);
	EXPECT_TRUE(wakes == 1 && woken == INT32_MAX);
	EXPECT_EQ(submit.event, 1);
	EXPECT_EQ(listed_event, EVENT_LATCH);
	EXPECT_EQ(submit.waiters, 0);
	EXPECT_EQ(submit.taken, 1 + 2 * TAKEN_WAITER_ONE);
	listed_event = 0;
	EXPECT_TRUE(waitlist_add(&submit.waiters, &listed));
	EXPECT_EQ(nap_submit_set_count(&submit, SLOTS), 0);
	EXPECT_EQ(listed_event, 0);
}

/* ---- the wait of a thread from outside */

static bool nothing_is_scheduled;
static uint64_t stopped_at;		/* the time, if it stands still; 0: the system's */
static uint64_t pauses[8];		/* how long the thread wanted to sleep, each time */
static uint32_t nr_sleeps, nr_helps;
static void (*at_sleep)(uint32_t expected);
static long (*at_help)(void);

WRAP(int, nap_schedule, (struct nap_pool *where, struct nap_task *task))
{
	return nothing_is_scheduled ? 0 : __real_nap_schedule(where, task);
}

WRAP(uint64_t, nap__os_now, (void))
{
	return stopped_at ? stopped_at : __real_nap__os_now();
}

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	if (word != &submit.event)
		return __real_nap__futex_wait(word, expected, deadline);
	if (nr_sleeps < 8)
		pauses[nr_sleeps] = deadline - stopped_at;
	nr_sleeps++;
	at_sleep(expected);
	return 0;
}

WRAP(long, nap_pool_help, (struct nap_pool *where, unsigned long most))
{
	nr_helps++;
	return at_help && most == 1 ? at_help() : __real_nap_pool_help(where, most);
}

static void nothing(void *unused)
{
	(void)unused;
}

/* Begins with all slots taken, on a pool to which nothing is scheduled. */
static void begin_to_wait(struct __test_metadata *_metadata)
{
	ASSERT_EQ(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }), 0);
	nothing_is_scheduled = true;
	take_all(_metadata);
	submit.event = 77;
}

/* Waits for a slot, and gets @err. */
static void expect_wait(struct __test_metadata *_metadata, int err)
{
	EXPECT_EQ(nap_submit_wait(&submit, nothing, NULL, NAP_FOREVER), err);
	/* The thread is no longer counted as a waiter. */
	EXPECT_EQ(submit.taken, SLOTS);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

static bool is_counted, sees_the_event;

static void be_woken(uint32_t expected)
{
	is_counted = submit.taken == SLOTS + TAKEN_WAITER_ONE;
	sees_the_event = expected == submit.event;
	give_back(&slots[3]);
}

TEST(a_sleeper_is_counted_and_sees_the_next_event)
{
	prepare(_metadata);
	begin_to_wait(_metadata);
	at_sleep = be_woken;
	expect_wait(_metadata, 0);
	EXPECT_TRUE(is_counted && sees_the_event);
	EXPECT_TRUE(nr_sleeps == 1 && wakes == 1 && submit.event == 78);
}

static long find_nothing_but_a_slot(void)
{
	give_back(&slots[3]);
	return 0;
}

TEST(none_sleeps_where_one_has_become_free)
{
	prepare(_metadata);
	begin_to_wait(_metadata);
	at_help = find_nothing_but_a_slot;
	expect_wait(_metadata, 0);
	EXPECT_TRUE(nr_sleeps == 0 && nr_helps == 1 && wakes == 0);
}

/* The second one of the tasks that the thread runs gives its slot back. */
static long run_two(void)
{
	if (nr_helps == 2)
		give_back(&slots[3]);
	return 1;
}

TEST(none_sleeps_where_there_is_something_to_run)
{
	prepare(_metadata);
	begin_to_wait(_metadata);
	at_help = run_two;
	expect_wait(_metadata, 0);
	EXPECT_TRUE(nr_sleeps == 0 && nr_helps == 2);
}

static long find_the_pool_shut_down(void)
{
	return -ESHUTDOWN;
}

TEST(none_sleeps_where_the_pool_has_ended)
{
	prepare(_metadata);
	begin_to_wait(_metadata);
	at_help = find_the_pool_shut_down;
	expect_wait(_metadata, -ESHUTDOWN);
	EXPECT_TRUE(nr_sleeps == 0 && nr_helps == 1);
}

/* The third look finds a task. */
static long run_third(void)
{
	return nr_helps == 3;
}

static void sleep_four_times(uint32_t expected)
{
	(void)expected;
	if (nr_sleeps == 4)
		give_back(&slots[3]);
}

TEST(pauses_grow_until_there_is_something_to_run)
{
	prepare(_metadata);
	begin_to_wait(_metadata);
	at_help = run_third;
	at_sleep = sleep_four_times;
	stopped_at = nap__os_now();
	expect_wait(_metadata, 0);
	EXPECT_TRUE(nr_sleeps == 4 && nr_helps == 5);
	EXPECT_LT(pauses[0], pauses[1]);
	EXPECT_EQ(pauses[2], pauses[0]);
	EXPECT_EQ(pauses[3], pauses[1]);
}

/* ---- marks */

static uint32_t marks;

static void count_mark(struct nap_submitter *s)
{
	marks += s == &submit;
}

TEST(without_a_mark_none_is_passed)
{
	bool passed;

	prepare(_metadata);
	ASSERT_EQ(nap_submit_init(&submit, &pool, slots, SLOTS, 2, 0, NULL, NULL), 0);
	for (uint32_t i = 0; i < SLOTS; i++) {
		passed = true;
		EXPECT_TRUE(slots_count_up(&submit, &passed));
		EXPECT_FALSE(passed);
		slots_pop(&submit);
		EXPECT_EQ(nap_submit_is_high(&submit), i >= 1);
	}
}

TEST(each_mark_is_passed_at_its_number)
{
	bool passed;

	prepare(_metadata);
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
