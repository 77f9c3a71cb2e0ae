/* SPDX-License-Identifier: MIT */
/* A group's words, with another thread's step between any two of their accesses (tests/race/). */
#include <string.h>

#include "wait/group.h"
#include "harness.h"
#include "race.h"

static struct nap_group group;

static void another_waits(void)
{
	if (!group_count_waiter(&group))
		abort();
}

static void one_more_is_done(void)
{
	nap_fetch_sub_relaxed(&group.state, 1);
}

static void reset_group(uint32_t count, uint32_t waiters)
{
	memset(&group, 0, sizeof(group));
	group.state = count + waiters * GROUP_WAITER_ONE;
}

TEST(two_begin_to_wait_for_a_group_at_once)
{
	EACH_RACE(another_waits) {
		reset_group(1, 0);
		race_begin();
		ASSERT_TRUE(group_count_waiter(&group));
		race_end();
		ASSERT_EQ(group.state, 1 + (raced ? 2 : 1) * GROUP_WAITER_ONE);
	}
	EXPECT_GT(race_turn, 2);
}

TEST(one_leaves_a_group_while_another_comes)
{
	EACH_RACE(another_waits) {
		reset_group(1, 1);
		race_begin();
		ASSERT_TRUE(group_uncount_waiter(&group));
		race_end();
		ASSERT_EQ(group.state, 1 + (raced ? 1 : 0) * GROUP_WAITER_ONE);
	}
	EXPECT_GT(race_turn, 2);
}

/* The waiter leaves the group, unless the group was complete before. */
TEST(one_leaves_a_group_while_its_work_is_done)
{
	for (uint32_t count = 1; count <= 2; count++) {
		EACH_RACE(one_more_is_done) {
			bool left;

			reset_group(count, 1);
			race_begin();
			left = group_uncount_waiter(&group);
			race_end();
			ASSERT_EQ(left, !raced || count == 2);
			ASSERT_EQ(group.state, count - raced + (left ? 0 : GROUP_WAITER_ONE));
		}
		EXPECT_GT(race_turn, 2);
	}
}

TEST_HARNESS_MAIN
