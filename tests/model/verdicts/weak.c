/* SPDX-License-Identifier: MIT */
/*
 * Weak compare-exchanges, which may fail. clang 14 makes every compare-exchange a strong one, and
 * does not say which were weak.
 *
 * compilers gcc
 * options --weak=1
 * verdict fails: found: .*: done
 * verdict tries_again: no fault
 */
#include <nap/check.h>
#include <stdatomic.h>

static atomic_int word;

static void once(void *arg)
{
	int expected = 0;
	bool done = atomic_compare_exchange_weak(&word, &expected, 1);

	CHECK(done);
}

static void until_done(void *arg)
{
	int expected = 0;

	while (!atomic_compare_exchange_weak(&word, &expected, expected + 1))
		;
}

static void both_did(void)
{
	CHECK(word == 2);
}

CHECK_SCENARIO(fails, .threads = { { once } });
CHECK_SCENARIO(tries_again, .finally = both_did, .threads = { { until_done }, { until_done } });
