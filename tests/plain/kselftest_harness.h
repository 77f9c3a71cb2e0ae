/* SPDX-License-Identifier: MIT */
/*
 * Stands in for the kernel's header of this name where that header cannot be had (tools/setup.sh).
 * It has what tests/harness.h uses of the kernel's header. Only tests/harness.h includes it.
 */
#ifndef NAP_TESTS_PLAIN_KSELFTEST_HARNESS_H
#define NAP_TESTS_PLAIN_KSELFTEST_HARNESS_H

#pragma GCC system_header

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "macros.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

#define plain_child() setpgrp()
#define plain_slower() nap_test_patience()

/*
 * Kills the group that the test's process leads, and the process itself, because perhaps it has not
 * made its group yet.
 */
static inline void plain_kill(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
}

#include "run.h"

#define TEST_HARNESS_MAIN							\
	int main(int argc, char **argv)						\
	{									\
		return plain_run_tests(argc, argv);				\
	}

#endif /* NAP_TESTS_PLAIN_KSELFTEST_HARNESS_H */
