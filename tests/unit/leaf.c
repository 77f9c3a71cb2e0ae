/* SPDX-License-Identifier: MIT */
/*
 * How long the next leaf of a loop is, and what is checked between two leaves
 * (src/parallel/leaf.c); whether waking other workers pays (src/parallel/worth.c). The bounds are
 * exact, because only the tests move the clock, and they choose the time of a wake.
 */
#include <errno.h>
#include <string.h>

#include <nap/nap.h>

#include "parallel/ranges.h"
#include "worker/self.h"
#include "harness.h"
#include "wrap.h"

static uint64_t now = 1, wake_ns;	/* the clock; how long a wake takes */

WRAP(uint64_t, nap__os_now, (void))
{
	return now;
}

WRAP(uint64_t, nap__spin_pays_ns, (void))
{
	return wake_ns;
}

static struct nap_pool pool;

/* ---- the time and the size of leaves */

static uint64_t takes;		/* ns of a leaf */
static int returns;		/* what a leaf returns */
static unsigned nr_leaves;
static size_t longest;

static int leaf(struct nap__ranges *ranges, size_t begin, size_t end, void *value)
{
	(void)ranges;
	(void)value;
	longest = end - begin > longest ? end - begin : longest;
	now += takes;
	nr_leaves++;
	return returns;
}

static const struct nap_loop plain;

static struct nap__ranges ranges_with(const struct nap_loop *how)
{
	return (struct nap__ranges){ .pool = &pool, .how = how, .leaf = leaf, .clocked = true,
				     .at = SIZE_MAX, .deadline = NAP_FOREVER };
}

/* Returns the size of the leaf that follows one of @n indices, which took @took ns. */
static size_t grain_after(size_t grain, size_t n, uint64_t took)
{
	struct nap__ranges ranges = ranges_with(&plain);
	struct part part = nap__part_of(&ranges, grain);

	takes = took;
	nap__leaf_run(&part, 7, 7 + n, NULL);
	return part.grain;
}

TEST(a_leaf_is_as_long_as_8_us_by_the_one_before)
{
	EXPECT_EQ(grain_after(10, 10, 4000), 20);
	EXPECT_EQ(grain_after(10, 10, 4009), 20);
	EXPECT_EQ(grain_after(10, 10, 4010), 19);
	EXPECT_EQ(grain_after(1, 1, 8000), 1);
	EXPECT_EQ(grain_after(1, 1, 8001), 1);
	EXPECT_EQ(grain_after(500, 10, 80010), 1);
}

TEST(a_leaf_is_at_most_eight_times_as_long_as_the_one_before)
{
	EXPECT_EQ(grain_after(100, 100, 400), 800);
	/* Less than 1 ns for each index. */
	EXPECT_EQ(grain_after(500, 500, 400), 4000);
	EXPECT_EQ(grain_after(1, SIZE_MAX / 8 + 1, 500), SIZE_MAX);
}

TEST(a_leaf_whose_time_is_too_short_to_measure_makes_none_shorter)
{
	EXPECT_EQ(grain_after(30, 1, 399), 30);
	EXPECT_EQ(grain_after(7, 1, 399), 8);
	EXPECT_EQ(grain_after(30, 1, 400), 8);
}

TEST(a_part_counts_its_indices_and_their_time)
{
	struct nap_loop how = { .grain = 5 };
	struct nap__ranges ranges = ranges_with(&how);
	struct part part;

	ranges.grain = 5;
	now = 1000;
	part = nap__part_of(&ranges, 5);
	EXPECT_EQ(part.since, 1000);
	takes = 30;
	nap__leaf_run(&part, 0, 5, NULL);
	takes = 50;
	nap__leaf_run(&part, 5, 9, NULL);
	EXPECT_EQ(part.since, 1080);
	EXPECT_EQ(part.took, 50);
	EXPECT_EQ(part.ran, 9);
	EXPECT_EQ(part.ran_ns, 80);
	EXPECT_EQ(part.grain, 5);
	ranges.clocked = false;
	nap__leaf_run(&part, 9, 10, NULL);
	EXPECT_EQ(part.ran, 9);
	EXPECT_EQ(nap__part_of(&ranges, 5).since, 0);
}

TEST(what_is_not_longer_than_two_leaves_is_halved)
{
	struct part part = { .grain = 10 };

	EXPECT_EQ(next_leaf(&part, 9), 9);
	EXPECT_EQ(next_leaf(&part, 10), 10);
	EXPECT_EQ(next_leaf(&part, 11), 6);
	EXPECT_EQ(next_leaf(&part, 19), 10);
	EXPECT_EQ(next_leaf(&part, 20), 10);
	EXPECT_EQ(next_leaf(&part, 21), 10);
}

/* ---- a loop inside another */

TEST(a_part_of_an_outer_loop_is_one_leaf_unless_something_is_checked)
{
	static uint32_t stop;
	static const struct {
		struct nap_loop how;
		size_t grain;
		bool clocked;
	} rows[] = {
		{ { 0 }, SIZE_MAX, false },
		{ { .flags = NAP_LOOP_FIXED }, SIZE_MAX, false },
		{ { .grain = 5 }, 5, false },
		{ { .stop = &stop }, 0, true },
		{ { .stop = &stop, .flags = NAP_LOOP_FIXED }, SIZE_MAX, false },
		{ { .stop = &stop, .grain = 5 }, 5, false },
		{ { .timeout_ns = 9 }, 0, true },
		{ { .timeout_ns = 9, .flags = NAP_LOOP_FIXED }, SIZE_MAX, true },
		{ { .timeout_ns = 9, .grain = 5 }, 5, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct nap__ranges inside;

		memset(&inside, 0xee, sizeof(inside));
		nap__ranges_inside(&inside, &rows[i].how, 77, leaf, &stop);
		EXPECT_EQ(inside.grain, rows[i].grain);
		EXPECT_EQ(inside.clocked, rows[i].clocked);
		EXPECT_EQ(inside.deadline, 77);
		EXPECT_EQ(inside.at, SIZE_MAX);
		EXPECT_EQ(inside.over, 0);
		EXPECT_TRUE(inside.how == &rows[i].how && inside.leaf == leaf &&
			    inside.arg == &stop);
	}
}

TEST(a_part_of_an_outer_loop_begins_with_one_index_or_a_grain)
{
	static uint32_t stop;
	struct nap_loop how = { .stop = &stop };
	struct nap__ranges inside;

	for (size_t grain = 0; grain < 4; grain += 3) {
		how.grain = grain;
		nap__ranges_inside(&inside, &how, NAP_FOREVER, leaf, NULL);
		longest = nr_leaves = 0;
		takes = 8000;	/* so that the leaves do not grow */
		EXPECT_EQ(nap__part_run(&inside, 10, 16, NULL), 0);
		EXPECT_EQ(longest, grain ? grain : 1);
		EXPECT_EQ(nr_leaves, grain ? 2 : 6);
	}
	returns = 7;
	EXPECT_EQ(nap__part_run(&inside, 10, 16, NULL), 7);
	returns = 0;
}

/* ---- what is checked between two leaves */

TEST(the_time_of_a_loop_is_over_when_it_has_passed)
{
	struct nap__ranges ranges = ranges_with(&plain);
	struct part part = { .ranges = &ranges, .since = 99 };

	ranges.deadline = 100;
	EXPECT_FALSE(leaf_is_over(&part, 0));
	EXPECT_EQ(ranges_why(&ranges), 0);
	part.since = 100;
	EXPECT_TRUE(leaf_is_over(&part, 0));
	EXPECT_EQ(ranges_why(&ranges), -ETIMEDOUT);
}

TEST(only_the_first_reason_counts)
{
	struct nap__ranges ranges = ranges_with(&plain);

	ranges_end(&ranges, -EINTR);
	ranges_end(&ranges, -ECANCELED);
	EXPECT_EQ(ranges_why(&ranges), -EINTR);
}

/* What lies above the lowest result is over, and no reason is noted for it. */
TEST(above_a_result_neither_a_stop_nor_a_timeout_counts)
{
	static uint32_t stop = 1;
	static const struct nap_loop how = { .stop = &stop };
	struct nap__ranges ranges = ranges_with(&how);
	struct part part = { .ranges = &ranges, .since = 100 };

	ranges.deadline = 50;
	ranges_lower(&ranges, 9);
	ranges_lower(&ranges, 8);
	ranges_lower(&ranges, 9);
	EXPECT_EQ(ranges.at, 8);
	EXPECT_TRUE(leaf_is_over(&part, 9));
	EXPECT_EQ(ranges_why(&ranges), 0);
	EXPECT_TRUE(leaf_is_over(&part, 8));
	EXPECT_EQ(ranges_why(&ranges), -ETIMEDOUT);
}

TEST(behind_a_result_a_part_begins_no_leaf)
{
	static const struct nap_loop first = { .flags = NAP_LOOP_FIRST };
	struct nap__ranges ranges = ranges_with(&first);
	struct part part = nap__part_of(&ranges, 1);

	returns = 7;
	for (int lowest = 0; lowest < 2; lowest++) {
		ranges.how = lowest ? &first : &plain;
		ranges.at = SIZE_MAX;
		ranges.over = 0;
		nr_leaves = 0;
		EXPECT_EQ(nap__leaves_run(&part, 3, 9, NULL), 7);
		EXPECT_EQ(nr_leaves, 1);
		EXPECT_EQ(ranges.at, lowest ? 3 : SIZE_MAX);
		EXPECT_EQ(ranges_why(&ranges), lowest ? 0 : 7);
	}
	returns = 0;
}

/* ---- reports of progress */

static size_t told_done, told_total;
static unsigned nr_told;
static struct part *meanwhile;	/* runs a leaf during the report */

static int told(size_t done, size_t total, void *result)
{
	told_done = done;
	told_total = total;
	nr_told++;
	if (meanwhile)
		nap__leaf_run(meanwhile, 0, 1, NULL);
	return *(int *)result;
}

TEST(progress_is_told_when_its_time_has_come)
{
	int result = 0;
	struct nap_loop how = { .grain = 1, .progress = told, .progress_ns = 50,
				.progress_arg = &result };
	struct nap__ranges ranges = ranges_with(&how);
	struct part part;

	nr_told = 0;
	now = takes = 100;
	part = nap__part_of(&ranges, 1);
	ranges.total = 40;
	ranges.report_at = 201;
	nap__leaf_run(&part, 0, 4, NULL);
	EXPECT_EQ(nr_told, 0);
	ranges.report_at = 300;
	nap__leaf_run(&part, 4, 9, NULL);
	EXPECT_EQ(nr_told, 1);
	EXPECT_EQ(told_done, 9);
	EXPECT_EQ(told_total, 40);
	EXPECT_EQ(ranges.report_at, 350);
	/* Another thread reports. */
	ranges.reporting = 1;
	nap__leaf_run(&part, 9, 10, NULL);
	EXPECT_EQ(nr_told, 1);
	EXPECT_EQ(ranges.done, 10);
	EXPECT_EQ(ranges.reporting, 1);
	ranges.reporting = 0;
	nap__leaf_run(&part, 10, 11, NULL);
	EXPECT_EQ(nr_told, 2);
	EXPECT_EQ(ranges.reporting, 0);
	EXPECT_EQ(ranges_why(&ranges), 0);
}

TEST(during_a_report_no_other_begins)
{
	int result = 0;
	struct nap_loop how = { .progress = told, .progress_arg = &result };
	struct nap__ranges ranges = ranges_with(&how);
	struct part part = nap__part_of(&ranges, 1), other = part;

	nr_told = 0;
	meanwhile = &other;
	nap__leaf_run(&part, 0, 1, NULL);
	EXPECT_EQ(nr_told, 1);
	EXPECT_EQ(ranges.done, 2);
	meanwhile = NULL;
	nap__leaf_run(&part, 1, 2, NULL);
	EXPECT_EQ(nr_told, 2);
}

TEST(progress_ends_the_loop_by_its_result_or_as_canceled)
{
	static const int results[][2] = { { 0, 0 }, { -EINTR, -EINTR }, { 1, -ECANCELED } };

	for (int i = 0; i < 3; i++) {
		int result = results[i][0];
		struct nap_loop how = { .progress = told, .progress_arg = &result };
		struct nap__ranges ranges = ranges_with(&how);
		struct part part = nap__part_of(&ranges, 1);

		takes = 1;
		nap__leaf_run(&part, 0, 1, NULL);
		EXPECT_EQ(ranges_why(&ranges), results[i][1]);
	}
}

/* ---- whether waking pays for the rest of a loop */

TEST(waking_pays_if_the_rest_takes_as_long_as_a_wake)
{
	/* 100 ns for each index, rounded up */
	wake_ns = 9950;
	EXPECT_TRUE(nap__is_worth_waking(&pool, 100, 10, 999));
	EXPECT_FALSE(nap__is_worth_waking(&pool, 99, 10, 999));
	wake_ns = 10000;
	EXPECT_TRUE(nap__is_worth_waking(&pool, 100, 10, 999));
	EXPECT_FALSE(nap__is_worth_waking(&pool, 99, 10, 999));
	/* so long that it is no number of 64 bits */
	EXPECT_TRUE(nap__is_worth_waking(&pool, SIZE_MAX, 1, 999));
}

TEST(for_a_worker_that_spins_less_work_pays)
{
	wake_ns = 10000;
	pool.spinning[0] = 0;
	pool.spinning[1] = 1;
	EXPECT_FALSE(nap__is_worth_waking(&pool, 15, 10, 999));
	pool.spinning[0] = 1;
	EXPECT_TRUE(nap__is_worth_waking(&pool, 15, 10, 999));
	EXPECT_FALSE(nap__is_worth_waking(&pool, 14, 10, 999));
	pool.spinning[0] = pool.spinning[1] = 0;
}

TEST(a_time_that_is_too_short_to_measure_wakes_nobody)
{
	wake_ns = 1;
	EXPECT_FALSE(nap__is_worth_waking(&pool, SIZE_MAX, 1, 399));
	EXPECT_TRUE(nap__is_worth_waking(&pool, SIZE_MAX, 1, 400));
}

/* ---- loops that the thread has run before */

/* Stands for the code of the loops' functions, which are not called. */
static char code[8192] __attribute__((aligned(4096)));

static void ran(const void *body, size_t indices, uint64_t ns)
{
	struct nap__ranges ranges = ranges_with(&plain);

	ranges.body = body;
	nap__remember_loop(&ranges, &(struct part){ .since = now, .ran = indices, .ran_ns = ns });
}

/* Returns the grain with which a loop over @total indices begins; 0: not known to be long. */
static size_t known_grain(const void *body, size_t total)
{
	struct nap__ranges ranges = ranges_with(&plain);
	struct part part = { .since = now, .grain = 12345 };

	ranges.body = body;
	ranges.total = total;
	return nap__is_known_to_be_long(&ranges, &part) ? part.grain : 0;
}

/* From now on an index of @body takes @ns, and no short loop came before. */
static void begin_habit(const void *body, uint64_t ns)
{
	memset(nap__self()->habits, 0, sizeof(nap__self()->habits));
	nap__self()->alone_ns = 0;
	wake_ns = 10000;
	ran(body, 1000, (ns - 1) * 1000);
}

TEST(the_first_leaf_of_a_long_loop_takes_8_us_or_is_an_eighth)
{
	begin_habit(code, 100);
	EXPECT_EQ(known_grain(code, 400), 50);
	EXPECT_EQ(known_grain(code, 640), 80);
	EXPECT_EQ(known_grain(code, 6400), 80);
	begin_habit(code, 8001);
	EXPECT_EQ(known_grain(code, 6400), 1);
	begin_habit(code, 8000);
	EXPECT_EQ(known_grain(code, 6400), 1);
	EXPECT_EQ(known_grain(code, 7), 1);
}

TEST(a_loop_is_long_that_takes_as_long_as_four_wakes)
{
	begin_habit(code, 100);
	EXPECT_EQ(known_grain(code, 399), 0);
	EXPECT_NE(known_grain(code, 400), 0);
	EXPECT_EQ(nap__self()->alone_ns, 39900);
}

TEST(if_a_worker_spins_a_loop_is_long_sooner)
{
	begin_habit(code, 100);
	pool.spinning[1] = 1;
	EXPECT_EQ(known_grain(code, 15), 0);
	pool.spinning[0] = 1;
	nap__self()->alone_ns = 0;
	EXPECT_NE(known_grain(code, 15), 0);
	EXPECT_EQ(known_grain(code, 14), 0);
	EXPECT_EQ(nap__self()->alone_ns, 0);
	pool.spinning[0] = pool.spinning[1] = 0;
}

TEST(nothing_is_known_of_a_function_that_has_not_run)
{
	begin_habit(code, 100);
	EXPECT_NE(known_grain(code, 400), 0);
	/* Both functions have the same place. */
	EXPECT_EQ(known_grain(code + 4096, 400), 0);
	EXPECT_EQ(known_grain(NULL, 400), 0);
}

TEST(functions_next_to_each_other_are_remembered_together)
{
	static const size_t apart[] = { 16, 256 };

	for (size_t k = 0; k < 2; k++) {
		begin_habit(code, 100);
		for (size_t i = 1; i < NAP__HABITS; i++)
			ran(code + i * apart[k], 1000, 99000);
		for (size_t i = 0; i < NAP__HABITS; i++)
			EXPECT_NE(known_grain(code + i * apart[k], 400), 0);
	}
}

TEST(an_iteration_is_remembered_in_ns_rounded_up)
{
	begin_habit(code, 100);
	EXPECT_EQ(nap__self()->habits[0].body, (void *)code);
	EXPECT_EQ(nap__self()->habits[0].iteration_ns, 100);
	/* A loop that was too short to measure changes nothing but the end of the last loop. */
	now += 5;
	ran(code, 1, 399);
	EXPECT_EQ(nap__self()->habits[0].iteration_ns, 100);
	EXPECT_EQ(nap__self()->loop_end, now);
	ran(code, 1, 400);
	EXPECT_EQ(nap__self()->habits[0].iteration_ns, 401);
}

TEST(a_loop_without_a_function_or_a_clock_is_not_remembered)
{
	struct nap__ranges ranges = ranges_with(&plain);
	struct part part = { .since = 5, .ran = 1000, .ran_ns = 99000 };

	begin_habit(code, 100);
	now += 5;
	ran(NULL, 1, 5000);
	ranges.body = code + 4096;
	ranges.clocked = false;
	nap__remember_loop(&ranges, &part);
	EXPECT_EQ(nap__self()->habits[0].body, (void *)code);
	EXPECT_EQ(nap__self()->habits[0].iteration_ns, 100);
	EXPECT_EQ(nap__self()->loop_end, now - 5);
}

/* ---- short loops, one right after the other */

/* Runs a loop of 20000 ns, @pause ns after the one before; returns whether it wakes others. */
static bool wakes_after(uint64_t pause)
{
	bool wakes;

	now += pause;
	wakes = known_grain(code, 200) != 0;
	now += 20000;
	ran(code, 1000, 99000);
	return wakes;
}

TEST(short_loops_that_take_as_long_as_eight_wakes_wake_another_worker)
{
	begin_habit(code, 100);
	for (int i = 0; i < 3; i++) {
		EXPECT_FALSE(wakes_after(0));
		EXPECT_FALSE(wakes_after(9999));
		EXPECT_FALSE(wakes_after(5000));
		EXPECT_TRUE(wakes_after(9999));
		EXPECT_EQ(nap__self()->alone_ns, 0);
	}
}

TEST(short_loops_are_counted_though_the_clock_has_just_begun)
{
	now = 1;
	begin_habit(code, 100);
	nap__self()->alone_ns = 60000;
	EXPECT_TRUE(wakes_after(1));
}

TEST(after_a_pause_as_long_as_a_wake_short_loops_are_counted_anew)
{
	begin_habit(code, 100);
	for (int i = 0; i < 3; i++)
		EXPECT_FALSE(wakes_after(0));
	EXPECT_FALSE(wakes_after(10000));
	for (int i = 0; i < 2; i++)
		EXPECT_FALSE(wakes_after(0));
	EXPECT_TRUE(wakes_after(0));
}

TEST_HARNESS_MAIN
