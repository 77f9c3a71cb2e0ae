/* SPDX-License-Identifier: MIT */
/*
 * The verdicts that a test's comment expects:
 *
 *	Expect: sc Never, tso Sometimes, gcc:riscv64 Sometimes
 *	Result: Never				the kernel's tests have this: under lkmm, lkmm61
 */
#ifndef NAP_LITMUS_EXPECT_H
#define NAP_LITMUS_EXPECT_H

#include "search/search.h"

struct expected {
	char name[64];			/* of a model, or of a compiler and machine */
	enum verdict verdict;
	bool kernel;			/* by "Result:" */
	bool deadlock;			/* by "Result: DEADLOCK": no execution ends */
};

/* Returns how many verdicts the test expects; fails by text_fail() at a word that is no verdict. */
unsigned expected_of(struct test *test, struct expected *expected, unsigned max);

#endif /* NAP_LITMUS_EXPECT_H */
