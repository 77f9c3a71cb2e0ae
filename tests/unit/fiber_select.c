/* SPDX-License-Identifier: MIT */
/* nap/channel.h: which case a select takes, none and many cases, an order, a rendezvous. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "async/fiber/channel.h"
#include "watchdog.h"	/* first, because its pool has the name of a field in the fixture */
#include "fiber_fixture.h"
#include "harness.h"

#define MANY 1000

static struct nap_channel channels[MANY];
static struct nap_select_case cases[MANY];
static int values[MANY];

/* Begins with @n channels without buffers; on closed ones every operation is possible at once. */
static void begin(uint32_t n, bool closed)
{
	for (uint32_t i = 0; i < n; i++) {
		nap_channel_init(&channels[i], NULL, sizeof(int), 0);
		cases[i] = (struct nap_select_case){ .channel = &channels[i], .value = &values[i] };
		if (closed)
			nap_channel_close(&channels[i]);
	}
}

/* ---- every possible case is chosen in a bounded time */

/*
 * Makes @rounds selects. Returns the largest number of selects in a row that left out the same one
 * of the first @k cases.
 */
static uint32_t longest_wait(struct nap_select_case *of, uint32_t n, uint32_t k, uint32_t rounds)
{
	uint32_t last[32] = { 0 }, longest = 0;

	for (uint32_t round = 1; round <= rounds; round++) {
		int chosen = nap_select(of, n);

		for (uint32_t i = 1; i < k; i++)
			nap_select(of + n, 2);
		if (chosen < 0 || chosen >= (int)n)
			return UINT32_MAX;
		if (round - last[chosen] > longest)
			longest = round - last[chosen];
		last[chosen] = round;
	}
	for (uint32_t i = 0; i < n; i++)
		if (rounds - last[i] > longest)
			longest = rounds - last[i];
	return longest;
}

static void all_have_turns(struct __test_metadata *_metadata)
{
	static const uint32_t rounds_of[] = { 1, 2, 3, 4, 5, 8, 13, 16, 21, 34 };

	begin(40, true);
	for (uint32_t n = 2; n <= 32; n = n < 6 ? n + 1 : n * 2) {
		for (uint32_t i = 0; i < sizeof(rounds_of) / sizeof(*rounds_of); i++) {
			uint32_t k = rounds_of[i], bound = NAP_FAIR_SELECTS * n * k;

			EXPECT_LE(longest_wait(cases, n, k, 5 * bound), bound);
		}
	}
}

TEST(each_case_has_its_turn)
{
	all_have_turns(_metadata);
}

static uint32_t nr_late;

static intptr_t has_turns(void *arg)
{
	struct nap_select_case own[5];

	(void)arg;
	for (int i = 0; i < 5; i++)
		own[i] = (struct nap_select_case){ .channel = &channels[i], .value = &values[i] };
	if (longest_wait(own, 3, 2, 60) > NAP_FAIR_SELECTS * 3 * 2)
		nap_fetch_add_relaxed(&nr_late, 1);
	nap_fetch_add_relaxed(&nr_ended, 1);
	return 0;
}

/*
 * Each fiber has an order of its own, whatever other fibers choose in between from the same
 * channels.
 */
TEST(in_a_fiber_beside_others)
{
	struct nap_fiber *fibers[8];

	begin(40, true);
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(nap_spawn(&pool, &fibers[i], has_turns, NULL), 0);
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(nap_await(fibers[i], NULL), 0);
	EXPECT_EQ(nr_ended, 8);
	EXPECT_EQ(nr_late, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(or_in_their_order)
{
	begin(3, true);
	nap_channel_init(&channels[0], NULL, sizeof(int), 0);
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(nap_select_in_order(cases, 3, NAP_FOREVER), 1);
	cases[1].channel = NULL;
	EXPECT_EQ(nap_select_in_order(cases, 3, NAP_FOREVER), 2);
	EXPECT_EQ(nap_select_in_order(cases, 2, 0), -ETIMEDOUT);
}

/* ---- a canceled fiber gets a value that is there */

static uint32_t may_begin;
static int first, second;

static intptr_t selects_twice(void *arg)
{
	(void)arg;
	while (!nap_load_acquire(&may_begin))
		nap_yield();
	first = nap_select(cases, 2);
	second = nap_select(cases, 1);
	return 0;
}

TEST(a_canceled_one_has_what_is_there)
{
	struct nap_fiber *fiber;

	begin(2, false);
	nap_channel_close(&channels[1]);
	ASSERT_EQ(nap_spawn(&pool, &fiber, selects_twice, NULL), 0);
	nap_fiber_cancel(fiber);
	nap_store_release(&may_begin, true);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	EXPECT_EQ(first, 1);
	EXPECT_EQ(second, -ECANCELED);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- no case */

static intptr_t selects_none(void *arg)
{
	(void)arg;
	nap_store_release(&nr_waiting, 1);
	return nap_select(NULL, 0);
}

TEST(with_none_it_only_waits)
{
	struct nap_select_case none = { .channel = NULL };
	struct nap_fiber *fiber;
	intptr_t result;

	EXPECT_EQ(nap_select_for(NULL, 0, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_select_for(NULL, 0, MS), -ETIMEDOUT);
	EXPECT_EQ(nap_select_for(&none, 1, MS), -ETIMEDOUT);
	EXPECT_EQ(nap_select_in_order(&none, 1, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_select(NULL, 1), -EINVAL);
	EXPECT_EQ(nap_select(&none, NAP_SELECT_MOST + 1), -EINVAL);
	ASSERT_EQ(nap_spawn(&pool, &fiber, selects_none, NULL), 0);
	until_waiting(1);
	nap_fiber_cancel(fiber);
	ASSERT_EQ(nap_await(fiber, &result), 0);
	EXPECT_EQ(result, -ECANCELED);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- many cases */

static intptr_t selects_of_many(void *arg)
{
	(void)arg;
	return nap_select(cases, MANY);
}

static bool is_listed(struct nap_channel *channel)
{
	bool listed;

	lock_take(&channel->lock);
	listed = channel->receivers.first;
	lock_give(&channel->lock);
	return listed;
}

/* The cases are not in the order of the channels' addresses, and some channels are in two cases. */
TEST(with_many_it_is_the_one_that_comes)
{
	begin(MANY, false);
	for (int i = 0; i < MANY; i++)
		cases[i].channel = &channels[(i * 379 + 5) % (MANY - 10)];
	for (int sent = 0; sent < MANY - 10; sent += 97) {
		struct nap_fiber *fiber;
		intptr_t chosen;

		ASSERT_EQ(nap_spawn(&pool, &fiber, selects_of_many, NULL), 0);
		while (!is_listed(&channels[0]) || !is_listed(&channels[MANY - 11]))
			usleep(100);
		ASSERT_EQ(nap_channel_send(&channels[sent], &sent), 0);
		ASSERT_EQ(nap_await(fiber, &chosen), 0);
		ASSERT_GE(chosen, 0);
		ASSERT_LT(chosen, MANY);
		EXPECT_EQ(cases[chosen].result, 0);
		EXPECT_EQ(values[chosen], sent);
		EXPECT_EQ(cases[chosen].channel - channels, sent);
		for (int i = 0; i < MANY; i++)
			EXPECT_FALSE(is_listed(&channels[i]));
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a channel that its users need no longer */

static struct nap_pool here = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);

static intptr_t selects(void *n)
{
	return nap_select(cases, *(uint32_t *)n);
}

/*
 * Three cases of one channel, two to receive and one to send, and a case of another channel. The
 * thread that has completed a case then overwrites the channel, before the fiber goes on: from then
 * on no thread may unlock the channel's lock.
 */
static intptr_t select_and_spoil(struct __test_metadata *_metadata, bool receives)
{
	struct nap_fiber *fiber;
	uint32_t n = 4;
	intptr_t chosen;
	int value = 7, err;

	begin(2, false);
	cases[2] = cases[3] = cases[0];
	cases[3].sends = true;
	values[0] = 0;
	ASSERT_EQ(nap_spawn(&here, &fiber, selects, &n), 0);
	while (!is_listed(&channels[0]))
		nap_pool_help(&here, 0);
	if (receives)
		err = nap_channel_recv_for(&channels[0], &value, 0);
	else
		err = nap_channel_send_for(&channels[0], &value, 0);
	ASSERT_EQ(err, 0);
	EXPECT_FALSE(is_listed(&channels[0]));
	EXPECT_EQ(channels[0].senders.first, NULL);
	memset(&channels[0], 0xff, sizeof(channels[0]));
	ASSERT_EQ(nap_await(fiber, &chosen), 0);
	EXPECT_FALSE(is_listed(&channels[1]));
	return chosen;
}

TEST(who_has_done_one_of_several_cases_may_free_the_channel)
{
	watchdog(&here, 0);
	EXPECT_EQ(select_and_spoil(_metadata, false), 0);
	EXPECT_EQ(values[0], 7);
	EXPECT_EQ(select_and_spoil(_metadata, true), 3);
	ASSERT_EQ(nap_pool_join(&here, NULL), 0);
}

/* ---- a send without a buffer is a rendezvous */

static intptr_t receives(void *value)
{
	return nap_channel_recv(&channels[0], value);
}

TEST(who_has_sent_knows_that_it_was_received)
{
	struct nap_fiber *fiber;
	int value = 7, got = 0;

	begin(1, false);
	EXPECT_EQ(nap_channel_send_for(&channels[0], &value, MS), -ETIMEDOUT);
	ASSERT_EQ(nap_spawn(&pool, &fiber, receives, &got), 0);
	while (!is_listed(&channels[0]))
		usleep(100);
	ASSERT_EQ(nap_channel_send(&channels[0], &value), 0);
	/* The value is there at once, though the fiber may not have resumed. */
	EXPECT_EQ(got, 7);
	ASSERT_EQ(nap_await(fiber, NULL), 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
