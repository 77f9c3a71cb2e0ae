/* SPDX-License-Identifier: MIT */
/* CHECK() of the programs in C++ that tests/system/library.sh compiles outside of the tree. */
#ifndef NAP_TESTS_CXX_CHECK_H
#define NAP_TESTS_CXX_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(what)								\
	do {									\
		if (!(what)) {							\
			std::printf("line %d: %s\n", __LINE__, #what);		\
			std::exit(1);						\
		}								\
	} while (0)

#endif /* NAP_TESTS_CXX_CHECK_H */
