/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "graph/fatal.h"

static const char *about;

void fatal_is_about(const char *name)
{
	about = name;
}

_Noreturn void fatal(const char *what)
{
	fprintf(stderr, "nap-check: %s%s%s\n", about ? about : "", about ? ": " : "", what);
	printf("Bail out! %s\n", what);
	exit(4);
}
