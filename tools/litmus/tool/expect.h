/* SPDX-License-Identifier: MIT */
/*
 * What a test's comment says that comes of it:
 *
 *	Expect: sc Never, tso Sometimes, gcc:riscv64 Sometimes
 *	Result: Never					the kernel's: under lkmm
 */
#ifndef NAP_LITMUS_EXPECT_H
#define NAP_LITMUS_EXPECT_H

#include "search/search.h"

struct expected {
	char name[64];			/* of a model or a compiler and machine */
	enum verdict verdict;
};

/* How many; fails by text_fail(): a word that is no verdict. */
unsigned expected_of(struct test *test, struct expected *expected, unsigned max);

#endif /* NAP_LITMUS_EXPECT_H */
