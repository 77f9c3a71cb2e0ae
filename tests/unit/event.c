/* SPDX-License-Identifier: MIT */
/* Events, the futex below them, and waitlists on top. */
#include "sync/event.h"

#include <pthread.h>
#include <signal.h>

#include "os/os.h"
#include "sync/waitlist.h"
#include "harness.h"

TEST(futex_says_why_it_returned)
{
	uint32_t word = 1;

	EXPECT_EQ(nap__futex_wait(&word, 0, UINT64_MAX), -EAGAIN);
	EXPECT_EQ(nap__futex_wait(&word, 1, 1), -ETIMEDOUT);
	EXPECT_EQ(nap__futex_wait(&word, 1, nap__os_now() + 1000), -ETIMEDOUT);
	nap__futex_wake(&word, 1);
}

TEST(wait_takes_only_what_it_asked_for)
{
	uint32_t event = 0;

	event_set(&event, EVENT_WORK);
	event_set(&event, EVENT_POOL);
	EXPECT_EQ(event_wait(&event, EVENT_WORK, UINT64_MAX), EVENT_WORK);
	EXPECT_EQ(event, EVENT_POOL);
	EXPECT_EQ(event_wait(&event, EVENT_WORK, 1), 0);
	EXPECT_EQ(event, EVENT_POOL);
	EXPECT_EQ(event_wait(&event, EVENT_ANY, UINT64_MAX), EVENT_POOL);
	EXPECT_EQ(event, 0);
}

TEST(reasons_do_not_swallow_each_other)
{
	uint32_t event = 0;

	event_set(&event, EVENT_WORK);
	event_set(&event, EVENT_LATCH);
	EXPECT_EQ(event_wait(&event, EVENT_ANY, UINT64_MAX), EVENT_WORK | EVENT_LATCH);
}

static uint32_t ping, pong;
static unsigned long rounds;

static void *answer(void *arg)
{
	(void)arg;
	for (unsigned long i = 0; i < rounds; i++) {
		event_wait(&ping, EVENT_WORK, UINT64_MAX);
		event_set(&pong, EVENT_WORK);
	}
	return NULL;
}

TEST(ping_pong)
{
	pthread_t thread;

	rounds = nap_test_count(20000);
	pthread_create(&thread, NULL, answer, NULL);
	for (unsigned long i = 0; i < rounds; i++) {
		event_set(&ping, EVENT_WORK);
		ASSERT_EQ(event_wait(&pong, EVENT_WORK, UINT64_MAX), EVENT_WORK);
	}
	pthread_join(thread, NULL);
}

static void ignore_signal(int sig)
{
	(void)sig;
}

static uint32_t nagged;
static uint32_t got;

static void *wait_nagged(void *arg)
{
	(void)arg;
	got = event_wait(&nagged, EVENT_LATCH, UINT64_MAX);
	return NULL;
}

TEST(signals_and_spurious_wakes_do_not_end_a_wait)
{
	struct sigaction act = { .sa_handler = ignore_signal };
	pthread_t thread;

	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&thread, NULL, wait_nagged, NULL);
	for (int i = 0; i < 50; i++) {
		pthread_kill(thread, SIGUSR1);
		nap__futex_wake(&nagged, 1);
		event_set(&nagged, EVENT_WORK);	/* a second reason to wake */
		usleep(200);
	}
	event_set(&nagged, EVENT_LATCH);
	pthread_join(thread, NULL);
	EXPECT_EQ(got, EVENT_LATCH);
	EXPECT_EQ(nagged & EVENT_WORK, EVENT_WORK);
}

TEST(waitlist_wakes_all_and_keeps_none)
{
	uintptr_t list = 0;
	uint32_t events[3] = { 0 };
	struct nap__waiter nodes[3];

	for (int i = 0; i < 3; i++) {
		nodes[i].event = &events[i];
		EXPECT_TRUE(waitlist_add(&list, &nodes[i]));
	}
	waitlist_wake(&list, EVENT_POOL);
	EXPECT_EQ(list, 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(events[i], EVENT_POOL);
	waitlist_wake(&list, EVENT_POOL);
}

TEST(waitlist_closes_once_and_for_all)
{
	uintptr_t list = 0;
	uint32_t event = 0;
	struct nap__waiter node = { .event = &event };

	EXPECT_FALSE(waitlist_closed(&list));
	EXPECT_TRUE(waitlist_add(&list, &node));
	waitlist_close(&list, EVENT_LATCH);
	EXPECT_TRUE(waitlist_closed(&list));
	EXPECT_EQ(event, EVENT_LATCH);
	EXPECT_FALSE(waitlist_add(&list, &node));
	waitlist_wake(&list, EVENT_LATCH);
	EXPECT_TRUE(waitlist_closed(&list));
}

TEST(waitlist_remove_spares_oneself_and_wakes_the_others)
{
	uintptr_t list = 0;
	uint32_t events[3] = { 0 };
	struct nap__waiter nodes[3];

	for (int i = 0; i < 3; i++) {
		nodes[i].event = &events[i];
		waitlist_add(&list, &nodes[i]);
	}
	waitlist_remove(&list, &nodes[1], EVENT_LATCH);
	EXPECT_EQ(events[0], EVENT_LATCH);
	EXPECT_EQ(events[1], 0);
	EXPECT_EQ(events[2], EVENT_LATCH);
	EXPECT_EQ(list, 0);
}

TEST(waitlist_remove_after_it_was_taken_consumes_the_reason)
{
	uintptr_t list = 0;
	uint32_t event = 0;
	struct nap__waiter node = { .event = &event };

	waitlist_add(&list, &node);
	waitlist_close(&list, EVENT_LATCH);
	waitlist_remove(&list, &node, EVENT_LATCH);
	EXPECT_EQ(event & EVENT_LATCH, 0);
	EXPECT_TRUE(waitlist_closed(&list));
}

/*
 * Waiters with different time limits race a thread that closes the list. Each waiter's node is on
 * its stack.
 */
#define WAITERS 4
static uintptr_t shared_list;
static unsigned long closings, seen_closed;

static void *wait_impatiently(void *arg)
{
	unsigned long n = 0;

	(void)arg;
	while (!waitlist_closed(&shared_list)) {
		uint32_t event = 0;
		struct nap__waiter node = { .event = &event };

		if (!waitlist_add(&shared_list, &node))
			break;
		if (!event_wait(&event, EVENT_LATCH, nap__os_now() + n++ % 7 * 5000))
			waitlist_remove(&shared_list, &node, EVENT_LATCH);
	}
	nap_fetch_add_relaxed(&seen_closed, 1);
	return NULL;
}

TEST(waitlist_under_timeouts)
{
	pthread_t threads[WAITERS];

	closings = nap_test_count(300);
	for (unsigned long i = 0; i < closings; i++) {
		shared_list = 0;
		for (int t = 0; t < WAITERS; t++)
			pthread_create(&threads[t], NULL, wait_impatiently, NULL);
		for (int n = 0; n < 20; n++)
			waitlist_wake(&shared_list, EVENT_LATCH);
		waitlist_close(&shared_list, EVENT_LATCH);
		for (int t = 0; t < WAITERS; t++)
			pthread_join(threads[t], NULL);
	}
	EXPECT_EQ(seen_closed, closings * WAITERS);
}

TEST_HARNESS_MAIN
