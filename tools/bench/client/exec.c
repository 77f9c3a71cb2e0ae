/* SPDX-License-Identifier: MIT */
/*
 * Begins a program again and again:
 *
 *	exec PROGRAM ROW WORKERS N ROUNDS
 *
 * Each of the ROUNDS is a process of its own, PROGRAM ROW WORKERS N 1 NOW. NOW is the time in ns of
 * CLOCK_MONOTONIC just before the process begins. The program prints its sample (common/row.h).
 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "bench.h"

extern char **environ;

int main(int argc, char **argv)
{
	unsigned rounds = argc == 6 ? (unsigned)atoi(argv[5]) : 0;
	char now[32], *command[] = { argv[1], argv[2], argv[3], argv[4], "1", now, NULL };
	int status;
	pid_t pid;

	if (!rounds)
		return 2;
	while (rounds--) {
		snprintf(now, sizeof(now), "%" PRIu64, clock_ns(CLOCK_MONOTONIC));
		if (posix_spawn(&pid, command[0], NULL, NULL, command, environ) ||
		    waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}
