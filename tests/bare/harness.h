/* SPDX-License-Identifier: MIT */
/* The harness for programs without a libc. run.c runs the tests. */
#ifndef NAP_TESTS_BARE_HARNESS_H
#define NAP_TESTS_BARE_HARNESS_H

/* As in the hosted harness, the compiler must not warn about what the macros expand to. */
#pragma GCC system_header

#include "bare_libc.h"
#include "plain/macros.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

/* What main() was given. */
static int main_argc __attribute__((unused));
static char **main_argv __attribute__((unused));

#define TEST_HARNESS_MAIN							\
	int main(int argc, char **argv, char **envp);				\
	int main(int argc, char **argv, char **envp)				\
	{									\
		bare_libc_init(envp);						\
		main_argc = argc;						\
		main_argv = argv;						\
		return plain_run_tests(argc, argv);				\
	}

#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif /* NAP_TESTS_BARE_HARNESS_H */
