/* SPDX-License-Identifier: MIT */
/*
 * Prints the state of a hanging test's pools before the harness kills the test.
 *
 *	watchdog(&pool, 0);		before the pool is used; up to WATCHDOG_POOLS pools
 *	watchdog_forget(&pool);		before the pool's memory is freed
 *
 * A signal handler on the test's own thread prints, because workers block signals.
 */
#ifndef NAP_TESTS_WATCHDOG_H
#define NAP_TESTS_WATCHDOG_H

#include "harness.h"

#include <signal.h>
#include <unistd.h>

#include "watchdog_print.h"

#define WATCHDOG_SECONDS 50	/* less than the harness's limit; NAP_TEST_WATCHDOG=n sets n */

static inline void watchdog_bark(int signal)
{
	(void)signal;
	dprintf(2, "# HANG: the watchdog's time is over\n");
	print_watched();
	_exit(1);
}

static inline unsigned int watchdog_seconds(void)
{
	const char *env = getenv("NAP_TEST_WATCHDOG");
	unsigned long seconds = env ? strtoul(env, NULL, 10) : 0;

	return seconds ? (unsigned int)seconds : WATCHDOG_SECONDS * (nap_test_slow() ? 5 : 1);
}

/*
 * Watches @pool, for @seconds from now on; 0: for the usual time, which is longer in a slow build.
 */
static inline void watchdog(struct nap_pool *pool, unsigned int seconds)
{
	watch_pool(pool);
	signal(SIGALRM, watchdog_bark);
	alarm(seconds ? seconds : watchdog_seconds());
}

#endif /* NAP_TESTS_WATCHDOG_H */
