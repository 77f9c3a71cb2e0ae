/* SPDX-License-Identifier: MIT */
/*
 * A scenario without an access ends with the time that it was given.
 *
 * options --max-seconds=1
 * verdict turns: undecided: the bound on time
 * verdict turns_in_setup: undecided: the bound on time
 * verdict fine: no fault
 */
#include <nap/check.h>
#include <stdatomic.h>

static atomic_int flag;

static void turn(void)
{
	for (;;)
		;
}

static void turn_in_thread(void *arg)
{
	atomic_load(&flag);
	turn();
}

static void look(void *arg)
{
	atomic_load(&flag);
}

CHECK_SCENARIO(turns, .threads = { { turn_in_thread }, { look } });
CHECK_SCENARIO(turns_in_setup, .setup = turn, .threads = { { look } });
CHECK_SCENARIO(fine, .threads = { { look } });
