/* SPDX-License-Identifier: MIT */
/*
 * The kernel's kselftest_harness.h (tools/setup.sh unpacks it into build/kselftest), changed where
 * nap's tests need it; or, where that cannot be had, tests/plain/, which has the same macros:
 *
 * 	#include "harness.h"
 *
 * 	TEST(name) { ASSERT_EQ(1, 1); }
 *
 * 	TEST_HARNESS_MAIN
 *
 * The program runs the tests that its arguments name, or all of them:
 *
 * 	build/tests/unit/spawn prewarm_reports_the_failure
 *
 * Every test runs in a child process of its own, so it may fork, crash and leave threads behind.
 * ASSERT and EXPECT work only in the thread of the test function, because they use its _metadata
 * and jump out of the function. Other threads write down what they see, and the test function
 * judges it. ASSERT and EXPECT are two statements each, and need braces after if, else and for.
 *
 * TEST_SIGNAL() cannot expect SIGABRT, which this version takes for a failed assertion. A test of
 * an abort forks.
 *
 * Only one source file of a program includes this file.
 */
#ifndef NAP_TESTS_HARNESS_H
#define NAP_TESTS_HARNESS_H

#ifdef NAP_TEST_BARE	/* without a libc: another harness that has these macros */
#include "bare/harness.h"
#include "scale.h"
#else

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "scale.h"

/*
 * This counts as a system header, because its macros cause warnings that cannot be mended here. The
 * pragma also hides mistakes in the functions below, so these functions are small.
 */
#pragma GCC system_header

#if defined(__SANITIZE_THREAD__)
#define NAP_TEST_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NAP_TEST_TSAN
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#define NAP_TEST_LSAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NAP_TEST_LSAN
#endif
#endif

/* Checks for leaks, and exits. The harness ends its children by _exit(), which does not check. */
static inline void nap_test_exit(int code)
{
#ifdef NAP_TEST_LSAN
	int __lsan_do_recoverable_leak_check(void);

	if (__lsan_do_recoverable_leak_check() && code == 0)
		code = 99;
#endif
	_exit(code);
}

/*
 * Begins the process of a test. This process leaves the harness's process group, so the kernel has
 * to kill it when the harness dies.
 */
static inline void nap_test_child(void)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static inline unsigned int nap_test_alarm(unsigned int seconds)
{
	return alarm(seconds * nap_test_patience());
}

/*
 * The kernel's header calls each of these functions in one place. These macros make it call the
 * functions above.
 */
#define _exit(code) nap_test_exit(code)
#define setpgrp() nap_test_child()
#define alarm(seconds) nap_test_alarm(seconds)
#include <kselftest_harness.h>
#undef _exit
#undef setpgrp
#undef alarm

/*
 * Seconds until a test counts as hung, natively and without load. The kernel's header uses this
 * macro only later, so it can be defined anew here.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 180

/* Silences warnings about the macros in files that use them: there system_header has no effect. */
#pragma GCC diagnostic ignored "-Wempty-body"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

#ifndef NAP_TESTS_PLAIN_MACROS_H
static inline int nap_test_named(const char *name, int argc, char **argv)
{
	while (--argc > 0)
		if (!strcmp(argv[argc], name))
			return 1;
	return 0;
}

/* Removes from the lists the tests that the arguments do not name; returns how many remain. */
static inline int nap_test_select(int argc, char **argv)
{
	int n = 0;

	for (struct __fixture_metadata *f = __fixture_list; f; f = f->next) {
		struct __test_metadata **link = &f->tests;

		while (*link) {
			if (nap_test_named((*link)->name, argc, argv)) {
				link = &(*link)->next;
				n++;
			} else {
				*link = (*link)->next;
			}
		}
	}
	return n;
}

static inline int nap_test_main(int argc, char **argv)
{
	if (argc > 1 && nap_test_select(argc, argv) < argc - 1) {
		fprintf(stderr, "%s: no such test\n", argv[0]);
		return 2;
	}
	return test_harness_run(argc, argv);
}

#define test_harness_run(argc, argv) nap_test_main(argc, argv)
#endif

#endif /* NAP_TEST_BARE */

#endif /* NAP_TESTS_HARNESS_H */
