/* SPDX-License-Identifier: MIT */
/*
 * The program's main() and its arguments and environment. The program may write to these, so they
 * are put back before each execution.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "main/arguments.h"
#include "main/options.h"
#include "main/saved.h"
#include "program/libc.h"

#define MAX_ARGUMENTS 64

/* The program's own main(), under the name that nap-check gives it; NULL if there is none. */
__attribute__((weak, visibility("default")))
int check_program_main(int argc, char **argv, char **environment);

/* The arguments of main(): the name, then what follows "--" on the command line. */
static char name[] = "program", *arguments[MAX_ARGUMENTS + 1] = { name };
static int nr_arguments = 1;

/* The first contents of [@at, @at + @size). */
static struct kept { char *at, *was; size_t size; } *kept;
static unsigned nr_kept;

/* Keeps a string. The kernel has put the strings side by side, so they become one piece. */
static void keep(void *at, size_t size)
{
	struct kept *last = nr_kept ? &kept[nr_kept - 1] : NULL;

	if (last && last->at + last->size == at) {
		last->size += size;
		return;
	}
	kept = realloc(kept, (nr_kept + 1) * sizeof(*kept));
	kept[nr_kept++] = (struct kept){ .at = at, .size = size };
}

/* Keeps the pointers up to NULL, and the strings. */
static void keep_strings(char **strings)
{
	size_t n = 0;

	for (; strings[n]; n++)
		keep(strings[n], strlen(strings[n]) + 1);
	keep(strings, (n + 1) * sizeof(*strings));
}

static void keep_all(void)
{
	keep_strings(arguments);
	if (environ)
		keep_strings(environ);
	for (unsigned i = 0; i < nr_kept; i++)
		kept[i].was = memcpy(malloc(kept[i].size), kept[i].at, kept[i].size);
}

bool has_main(void)
{
	return check_program_main;
}

void run_main(void *arg)
{
	for (unsigned i = 0; i < nr_kept; i++)
		memcpy(kept[i].at, kept[i].was, kept[i].size);
	program_exits(check_program_main(nr_arguments, arguments, environ), (uintptr_t)arg);
}

int take_arguments(int argc, char **argv)
{
	int own = 1;

	while (own < argc && strcmp(argv[own], "--"))
		own++;
	for (int i = own + 1; i < argc; i++) {
		if (!check_program_main)
			bad_usage("there is no main() to have an argument", argv[i]);
		if (nr_arguments == MAX_ARGUMENTS)
			bad_usage("too many arguments", argv[i]);
		saved_option(arguments[nr_arguments++] = argv[i], NULL);
	}
	argv[own] = NULL;
	if (check_program_main)
		keep_all();
	return own;
}
