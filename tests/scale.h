/* SPDX-License-Identifier: MIT */
/*
 * The scale says by how much a test runs slower than a native one. Tests divide their repetitions
 * by it. It is 1 in a native build, and more in a slow build (-DNAP_TEST_SCALE=n). The environment
 * variable NAP_TEST_SCALE overrides the build's scale: for valgrind, which runs native programs
 * slowly; or for a quick look, with 1000.
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

/* nap_test_count() - how often to repeat what a native test repeats @n times; never 0 */
static inline unsigned long nap_test_count(unsigned long n)
{
	unsigned long count = n / nap_test_scale();

	return count ? count : 1;
}

/*
 * nap_test_slow() - whether time is stretched (by an emulator, valgrind, a sanitizer): then no test
 * checks an upper bound on time
 */
static inline int nap_test_slow(void)
{
#ifdef NAP_TEST_SLOW
	return 1;
#else
	return getenv("NAP_TEST_SLOW") != NULL;
#endif
}

/*
 * nap_test_patience() - how many times longer a test may take before it counts as hung:
 * tools/ktap.sh sets NAP_TEST_PATIENCE on a loaded machine
 */
static inline unsigned int nap_test_patience(void)
{
	const char *env = getenv("NAP_TEST_PATIENCE");
	unsigned long patience = env ? strtoul(env, NULL, 10) : 1;

	return (unsigned int)(patience ? patience : 1) * (nap_test_slow() ? 5 : 1);
}

#endif /* NAP_TESTS_SCALE_H */
