/* SPDX-License-Identifier: MIT */
/*
 * The scale says how much slower than natively a test runs. Tests divide their repetitions by it: 1
 * natively, more where everything is slow. The build says how much (-DNAP_TEST_SCALE=n), the
 * environment overrides it (valgrind runs the native programs; NAP_TEST_SCALE=1000 gives a quick
 * look).
 */
#ifndef NAP_TESTS_SCALE_H
#define NAP_TESTS_SCALE_H

#include <stdlib.h>

#ifndef NAP_TEST_SCALE
#define NAP_TEST_SCALE 1
#endif

static inline unsigned long nap_test_scale(void)
{
	const char *env = getenv("NAP_TEST_SCALE");
	unsigned long scale = env ? strtoul(env, NULL, 10) : NAP_TEST_SCALE;

	return scale ? scale : 1;
}

/* nap_test_count() - the repetitions for @n native ones; never 0 */
static inline unsigned long nap_test_count(unsigned long n)
{
	unsigned long count = n / nap_test_scale();

	return count ? count : 1;
}

/*
 * nap_test_slow() - whether time is stretched (emulator, valgrind, sanitizer), so that no bound
 * on time is checked
 */
static inline int nap_test_slow(void)
{
#ifdef NAP_TEST_SLOW
	return 1;
#else
	return getenv("NAP_TEST_SLOW") != NULL;
#endif
}

#endif /* NAP_TESTS_SCALE_H */
