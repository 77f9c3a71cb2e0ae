/* SPDX-License-Identifier: MIT */
/* The parts that tests of misuse share: a child that aborts, and the line that it prints. */
#ifndef NAP_TESTS_UNIT_DEBUG_DIES_H
#define NAP_TESTS_UNIT_DEBUG_DIES_H

#include <sys/resource.h>
#include <sys/wait.h>

#include "harness.h"

/*
 * The functions that misuse something are in a section of their own. The line has to name one of
 * them as the caller. (tests/tests.mk keeps the compiler from leaving their frames too early.)
 */
#define MISUSES static __attribute__((section("misuses"), noinline))

extern char __start_misuses[], __stop_misuses[];

/* The text that the last child has printed on its stderr. */
static char said[4096];

/* Runs @misuse in a child; returns whether the child aborted. */
static bool dies(void (*misuse)(void))
{
	struct rlimit no_core = { 0, 0 };
	size_t got = 0;
	int fds[2], status;
	pid_t child;
	ssize_t n;

	if (pipe(fds))
		return false;
	child = fork();
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		dup2(fds[1], STDERR_FILENO);
		close(fds[1]);
		misuse();
		quick_exit(0);
	}
	close(fds[1]);
	while (got < sizeof(said) - 1 && (n = read(fds[0], said + got, sizeof(said) - 1 - got)) > 0)
		got += (size_t)n;
	said[got] = 0;
	close(fds[0]);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static bool is_one_line(void)
{
	const char *end = strchr(said, '\n');

	return strncmp(said, "nap: ", 5) == 0 && end && end[1] == 0;
}

/*
 * Whether the line, if it names a caller, names one of the functions above. (Of a function that has
 * returned the line names this function itself.)
 */
static inline bool names_misuse(void)
{
	const char *at = strstr(said, " has returned ") ? NULL : strstr(said, ", called from ");
	char *caller = at ? strrchr(said, '[') : NULL;

	if (caller)
		caller = (char *)strtoul(caller + 1, NULL, 16);
	return !at || (caller >= __start_misuses && caller <= __stop_misuses);
}

/* @misuse aborts, and prints one line that contains @what. */
#define EXPECT_DIES(misuse, what) do {						\
	EXPECT_TRUE(dies(misuse));						\
	EXPECT_TRUE(is_one_line());						\
	EXPECT_TRUE(names_misuse());						\
	EXPECT_NE(strstr(said, (what)), NULL) {					\
		TH_LOG("\"%s\" does not say \"%s\"", said, (what));		\
	}									\
} while (0)

#endif /* NAP_TESTS_UNIT_DEBUG_DIES_H */
