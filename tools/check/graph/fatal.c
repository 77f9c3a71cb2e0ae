/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "graph/fatal.h"

static const char *about;

void fatal_is_about(const char *name)
{
	about = name;
}

_Noreturn void fatal(const char *what)
{
	static bool again;

	if (again)
		_exit(4);	/* printing the first message has failed */
	again = true;
	fprintf(stderr, "nap-check: %s%s%s\n", about ? about : "", about ? ": " : "", what);
	printf("Bail out! %s\n", what);
	leave(4);
}

_Noreturn void leave(int status)
{
	fflush_unlocked(NULL);	/* not fflush(), which the program may call: program/cout.c */
	_exit(status);
}
