/* SPDX-License-Identifier: MIT */
/*
 * The checker sees no end of a loop that writes in each iteration. The user says how many
 * iterations to follow.
 *
 * options --unroll=4
 * verdict polls: no fault, with at most 4 turns of a loop$
 * verdict third_turn: found: .*turns < 3
 * verdict fifth_turn: no fault, with at most 4 turns of a loop$
 * verdict for_ever: undecided: in every execution a loop makes more turns than --unroll allows
 * verdict four_turns: no fault$
 */
#include <nap/check.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool done;
static atomic_int word;

static void say_done(void *arg)
{
	pthread_mutex_lock(&mutex);
	done = true;
	pthread_mutex_unlock(&mutex);
}

static int turns_until_done(void)
{
	for (int turns = 0; ; turns++) {
		pthread_mutex_lock(&mutex);
		bool is_done = done;
		pthread_mutex_unlock(&mutex);
		if (is_done)
			return turns;
	}
}

static void poll(void *arg)
{
	turns_until_done();
}

static void poll_thrice(void *arg)
{
	int turns = turns_until_done();

	CHECK(turns < 3);
}

static void poll_five_times(void *arg)
{
	int turns = turns_until_done();

	CHECK(turns < 5);
}

CHECK_SCENARIO(polls, .threads = { { say_done }, { poll }, { poll } });
CHECK_SCENARIO(third_turn, .threads = { { say_done }, { poll_thrice } });
CHECK_SCENARIO(fifth_turn, .threads = { { say_done }, { poll_five_times } });

static void count_for_ever(void *arg)
{
	for (;;)
		atomic_fetch_add(&word, 1);
}

static void count_to_four(void *arg)
{
	for (int i = 0; i < 4; i++)
		atomic_fetch_add(&word, 1);
}

CHECK_SCENARIO(for_ever, .threads = { { count_for_ever } });
CHECK_SCENARIO(four_turns, .threads = { { count_to_four }, { count_to_four } });
