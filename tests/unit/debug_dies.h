/* SPDX-License-Identifier: MIT */
/* What tests of misuse share: a child that aborts, and the line that it prints. */
#ifndef NAP_TESTS_UNIT_DEBUG_DIES_H
#define NAP_TESTS_UNIT_DEBUG_DIES_H

#include <sys/resource.h>
#include <sys/wait.h>

#include "harness.h"

/* Run @misuse in a child; its stderr goes to @said. True when it aborted. */
static bool dies(void (*misuse)(void), char *said, size_t size)
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
	while (got < size - 1 && (n = read(fds[0], said + got, size - 1 - got)) > 0)
		got += (size_t)n;
	said[got] = 0;
	close(fds[0]);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static bool is_one_line(const char *said)
{
	const char *end = strchr(said, '\n');

	return strncmp(said, "nap: ", 5) == 0 && end && end[1] == 0;
}

#endif /* NAP_TESTS_UNIT_DEBUG_DIES_H */
