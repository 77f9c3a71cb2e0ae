/* SPDX-License-Identifier: MIT */
/* src/queue/deque.h when all frames are in use; unit/jobs tests what users of jobs can see. */
#include "harness.h"
#include "queue/deque.h"

static struct nap_frame frames[NAP_DEQUE_SIZE + 1];
static struct nap__deque deque;

static bool heavy(void)
{
	return true;
}

/* Forks as nap_fork() does before it checks for a frame. */
static void fork_one(void)
{
	deque.forks.bottom++;
}

TEST(the_frame_behind_the_last_is_never_public)
{
	for (int keep = 0; keep <= 1; keep++) {
		deque_init(&deque, frames, NAP_DEQUE_SIZE);
		for (int i = 0; i < NAP_DEQUE_SIZE; i++)
			fork_one();
		do {
			deque_publish(&deque, keep);
		} while (deque_end(deque.open) < NAP_DEQUE_SIZE);
		fork_one();
		EXPECT_FALSE(deque_force(&deque, heavy));
		EXPECT_EQ(deque_end(deque.open), NAP_DEQUE_SIZE);
		for (int i = 0; i < NAP_DEQUE_SIZE; i++)
			ASSERT_EQ(deque_steal(&deque), &frames[i]);
		EXPECT_EQ(deque_steal(&deque), NULL);
	}
}

/* For each number of private forks: the older half is made public. */
TEST(half_of_what_is_private_is_forced_out)
{
	for (int n = 0; n <= NAP_DEQUE_SIZE + 1; n++) {
		uint32_t there = n < NAP_DEQUE_SIZE ? (uint32_t)n : NAP_DEQUE_SIZE;

		deque_init(&deque, frames, NAP_DEQUE_SIZE);
		for (int i = 0; i < n; i++)
			fork_one();
		ASSERT_EQ(deque_force(&deque, heavy), n > 0);
		ASSERT_EQ(deque_end(deque.open), (there + 1) / 2);
		ASSERT_EQ(deque.forks.split, DEQUE_ALL);
	}
}

TEST_HARNESS_MAIN
