/* SPDX-License-Identifier: MIT */
/*
 * How often and how long a worker yields under JEC before it gets sleepy: by default 32 times and
 * 200 us, whichever comes first, and not again for new work that other workers take. Step by step,
 * on a clock that only a yield advances.
 */
#include "idle/jec.h"

#include "idle_steps.h"
#include "wrap.h"

static uint32_t yields;
static uint64_t now, ns_per_yield;

WRAP(void, nap__os_yield, (void))
{
	yields++;
	now += ns_per_yield;
}

WRAP(uint64_t, nap__os_now, (void))
{
	return now;
}

/* Begins a pool that leaves the bounds to the library, on a clock that does not begin at 0. */
static void begin_yielding(struct __test_metadata *_metadata, uint32_t workers, uint64_t ns)
{
	begin(_metadata, NAP_IDLE_JEC, workers);
	pool.config.yields = pool.config.yield_us = 0;
	now = 1000000007;
	ns_per_yield = ns;
}

/* Has worker 0 search until it has announced that it is sleepy; returns how often it yielded. */
static uint32_t yields_until_sleepy(void)
{
	yields = 0;
	do {
		if (nap__idle_prepare(worker_at(0)) != NAP_SEARCH)
			abort();
	} while (!jec_of(worker_at(0))->sleepy);
	return yields;
}

/*
 * Yields that last @ns each: the worker makes @yields of them, and one more after its announcement.
 */
static const struct { uint64_t ns; uint32_t yields; } bounds[] = {
	{ 0, 32 }, { 6000, 32 }, { 6451, 32 },
	{ 6452, 31 }, { 7000, 29 }, { 10000, 20 },
	{ 199999, 2 }, { 200000, 1 }, { 3600000000000, 1 },
};

enum { NR_BOUNDS = sizeof(bounds) / sizeof(bounds[0]) };

TEST(thirty_two_times_and_200_us)
{
	for (int i = 0; i < NR_BOUNDS; i++) {
		begin_yielding(_metadata, 1, bounds[i].ns);
		EXPECT_EQ(yields_until_sleepy(), bounds[i].yields + 1);
	}
}

TEST(a_stale_announcement_costs_one_search_and_no_new_yields)
{
	for (int i = 0; i < NR_BOUNDS; i++) {
		begin_yielding(_metadata, 2, bounds[i].ns);
		ASSERT_EQ(yields_until_sleepy(), bounds[i].yields + 1);
		for (int t = 0; t < 5; t++) {
			schedule_as(1, t, 1);
			ASSERT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
			ASSERT_FALSE(jec_of(worker_at(0))->sleepy);
			ASSERT_FALSE(worker_at(0)->counted_idle);
			EXPECT_EQ(yields, t ? 1 : bounds[i].yields + 1);
			/* A second announcement follows after one yield. */
			EXPECT_EQ(yields_until_sleepy(), 1);
		}
		EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_SEARCH);
		EXPECT_EQ(nap__idle_prepare(worker_at(0)), NAP_PARK);
		EXPECT_EQ(yields, 1);
	}
}

TEST(who_has_found_work_begins_anew)
{
	for (int i = 0; i < NR_BOUNDS; i++) {
		begin_yielding(_metadata, 2, bounds[i].ns);
		ASSERT_EQ(yields_until_sleepy(), bounds[i].yields + 1);
		schedule_as(1, 0, 1);
		ASSERT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
		EXPECT_EQ(yields_until_sleepy(), bounds[i].yields + 1);
	}
}

TEST_HARNESS_MAIN
