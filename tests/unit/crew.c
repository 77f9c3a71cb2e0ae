/* SPDX-License-Identifier: MIT */
/*
 * The crew of a loop step by step (src/parallel/crew.h): the test's thread plays all workers. Which
 * loops have a crew, which parts are counted and listed, and in which order the child of a fork
 * takes the parts.
 */
#include <string.h>

#include <nap/nap.h>

#include "parallel/crew.h"
#include "parallel/ranges.h"
#include "sched/guest.h"
#include "sync/latch.h"
#include "worker/exclusive.h"
#include "harness.h"

enum { WORKERS = 3 };

static struct nap_pool pool;
static struct nap_worker workers[WORKERS];
static const struct nap_loop plain, first = { .flags = NAP_LOOP_FIRST };
static struct nap__ranges ranges;
static struct crew crew;

/* Worker 0 begins a loop. The memory of the crew may hold anything before. */
static void begin(void)
{
	memset(workers, 0, sizeof(workers));
	for (uint32_t i = 0; i < WORKERS; i++) {
		workers[i].pool = &pool;
		workers[i].index = i;
		workers[i].next = i ? &workers[i - 1] : NULL;
		workers[i].stolen_from = &workers[0];
	}
	pool.registry = &workers[WORKERS - 1];
	pool.limit = WORKERS;
	ranges = (struct nap__ranges){ .pool = &pool, .how = &plain };
	memset(&crew, 0xee, sizeof(crew));
	nap__crew_begin(&ranges, &crew, &workers[0]);
}

/* ---- which loops have a crew */

TEST(a_loop_of_three_workers_has_a_crew)
{
	begin();
	pool.limit = 3;
	EXPECT_TRUE(nap__crew_is_possible(&ranges));
	pool.limit = 2;
	EXPECT_FALSE(nap__crew_is_possible(&ranges));
}

TEST(a_loop_with_values_or_results_or_without_other_tasks_has_no_crew)
{
	bool before;

	begin();
	ranges.value_size = 8;
	EXPECT_FALSE(nap__crew_is_possible(&ranges));
	ranges.value_size = 0;
	ranges.how = &first;
	EXPECT_FALSE(nap__crew_is_possible(&ranges));
	ranges.how = &plain;
	before = exclusive_begin();
	EXPECT_FALSE(nap__crew_is_possible(&ranges));
	exclusive_end(before);
	EXPECT_TRUE(nap__crew_is_possible(&ranges));
}

TEST(a_crew_begins_with_the_caller_and_without_a_thief)
{
	begin();
	EXPECT_EQ(ranges.crew, &crew);
	EXPECT_EQ(crew.event, &workers[0].event);
	EXPECT_EQ(crew.open, 1);
	EXPECT_EQ(crew.end.thief, 0);
	EXPECT_EQ(crew.end.latch, LATCH_UNSET);
	EXPECT_TRUE(nap__crew_wait(&crew, &workers[0]));
	EXPECT_EQ(crew.open, 1);
}

/* ---- parts */

/* Worker @i opens a part, whose half lies in *@frame. */
static bool open_as(uint32_t i, struct nap_frame *frame, size_t from, size_t to)
{
	memset(frame, 0, sizeof(*frame));
	return nap__part_open(&ranges, &workers[i], frame, from, to);
}

TEST(a_part_is_counted_and_listed_until_it_ends)
{
	struct nap_frame frames[2];

	begin();
	EXPECT_TRUE(open_as(1, &frames[0], 4, 8));
	EXPECT_EQ(frames[0].latch, LATCH_SET);
	EXPECT_EQ(crew.open, 2);
	EXPECT_EQ(crew.end.thief, 2);
	EXPECT_EQ(workers[1].nr_parts, 1);
	EXPECT_TRUE(open_as(1, &frames[1], 2, 3));
	EXPECT_EQ(crew.open, 3);
	EXPECT_EQ(workers[1].nr_parts, 2);
	EXPECT_TRUE(workers[1].parts[0].loop == &ranges && workers[1].parts[1].loop == &ranges);
	EXPECT_TRUE(workers[1].parts[0].begin == 4 && workers[1].parts[0].end == 8);
	EXPECT_TRUE(workers[1].parts[1].begin == 2 && workers[1].parts[1].end == 3);
	nap__part_close(&ranges, &workers[1]);
	EXPECT_EQ(crew.open, 2);
	EXPECT_EQ(workers[1].nr_parts, 1);
	nap__part_close(&ranges, &workers[1]);
	EXPECT_EQ(crew.open, 1);
	EXPECT_EQ(workers[1].nr_parts, 0);
	/* Nobody waits, so the latch need not be set. */
	EXPECT_EQ(crew.end.latch, LATCH_UNSET);
	EXPECT_TRUE(nap__crew_wait(&crew, &workers[0]));
}

TEST(the_last_part_sets_the_latch_if_the_caller_has_left)
{
	struct nap_frame frame;

	begin();
	EXPECT_TRUE(open_as(1, &frame, 4, 8));
	crew.open--;	/* as the caller does when it waits */
	nap__part_close(&ranges, &workers[1]);
	EXPECT_EQ(crew.open, 0);
	EXPECT_EQ(crew.end.latch, LATCH_SET);
}

/* From the crew the caller steals first what is forked by another worker than itself. */
TEST(a_part_that_the_caller_runs_is_no_thiefs)
{
	struct nap_frame frame;

	begin();
	EXPECT_TRUE(open_as(0, &frame, 4, 8));
	EXPECT_EQ(crew.open, 2);
	EXPECT_EQ(crew.end.thief, 0);
	EXPECT_TRUE(open_as(2, &frame, 6, 8));
	EXPECT_EQ(crew.end.thief, 3);
}

TEST(without_room_to_list_a_part_it_stays_in_its_frame)
{
	struct nap_frame frame;

	begin();
	for (size_t i = 0; i < NAP__OPEN_PARTS; i++)
		EXPECT_TRUE(open_as(1, &frame, i, i + 1));
	EXPECT_FALSE(open_as(1, &frame, 8, 9));
	EXPECT_EQ(frame.latch, LATCH_UNSET);
	EXPECT_EQ(crew.open, 1 + NAP__OPEN_PARTS);
	EXPECT_EQ(workers[1].nr_parts, NAP__OPEN_PARTS);
}

TEST(a_guest_that_is_in_no_registry_lists_no_part)
{
	struct nap_frame frame;

	begin();
	workers[1].index = GUEST_UNREGISTERED;
	EXPECT_FALSE(open_as(1, &frame, 8, 9));
	EXPECT_EQ(frame.latch, LATCH_UNSET);
	EXPECT_EQ(crew.open, 1);
	EXPECT_EQ(workers[1].nr_parts, 0);
}

/* ---- in the child of a fork */

static void list(uint32_t i, const void *loop, size_t from, size_t to)
{
	workers[i].parts[workers[i].nr_parts++] = (struct nap__open_part){ loop, from, to };
}

/* Whether the next part that the child takes is [@from, @to). */
static bool next_is(size_t from, size_t to)
{
	size_t at = 0, end = 0;

	return nap__crew_next(&ranges, &at, &end) && at == from && end == to;
}

static bool none_is_left(void)
{
	size_t at, end;

	return !nap__crew_next(&ranges, &at, &end);
}

TEST(the_child_takes_a_part_with_all_parts_inside)
{
	for (uint32_t outer = 0; outer < WORKERS; outer++) {
		begin();
		list(outer, &ranges, 8, 16);
		list((outer + 1) % WORKERS, &ranges, 8, 10);
		list((outer + 2) % WORKERS, &ranges, 12, 16);
		list((outer + 1) % WORKERS, &ranges, 13, 14);
		EXPECT_TRUE(next_is(8, 16));
		EXPECT_TRUE(none_is_left());
	}
}

TEST(the_child_takes_each_of_two_parts_apart)
{
	begin();
	list(1, &ranges, 4, 8);
	list(2, &ranges, 8, 16);
	EXPECT_TRUE(next_is(8, 16));
	EXPECT_TRUE(next_is(4, 8));
	EXPECT_TRUE(none_is_left());
}

TEST(the_child_leaves_parts_of_other_loops_and_parts_that_have_ended)
{
	begin();
	list(1, &pool, 0, 16);
	list(2, &ranges, 8, 16);
	workers[2].nr_parts--;
	EXPECT_TRUE(none_is_left());
	workers[2].nr_parts++;
	EXPECT_TRUE(next_is(8, 16));
	EXPECT_TRUE(workers[1].parts[0].begin == 0 && workers[1].parts[0].end == 16);
}

TEST(a_half_that_a_join_gives_back_is_taken_out_of_the_list)
{
	begin();
	list(2, &ranges, 4, 8);
	list(1, &ranges, 8, 16);
	list(1, &ranges, 8, 10);
	list(0, &ranges, 14, 16);
	list(0, &ranges, 16, 17);
	nap__crew_hand_over(&ranges, 8, 16);
	EXPECT_TRUE(next_is(4, 8));
	EXPECT_TRUE(next_is(16, 17));
	EXPECT_TRUE(none_is_left());
}

TEST(what_a_half_is_only_a_part_of_stays_in_the_list)
{
	begin();
	list(1, &ranges, 8, 16);
	nap__crew_hand_over(&ranges, 8, 15);
	nap__crew_hand_over(&ranges, 9, 16);
	EXPECT_TRUE(next_is(8, 16));
	EXPECT_TRUE(none_is_left());
}

TEST_HARNESS_MAIN
