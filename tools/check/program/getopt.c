/* SPDX-License-Identifier: MIT */
/*
 * getopt() and getopt_long(): these read the arguments, start anew in every execution, and print
 * nothing.
 */
#include <getopt.h>
#include <unistd.h>

#include "program/library.h"

/*
 * Starts anew. The library keeps the position within the options of one argument, which optind =
 * 0 resets. optind itself, if the program has it, is restored with the program's data.
 */
static void begin_anew(void)
{
	static uint32_t begun;

	if (begun != execution && (optind == 1 || !memory_is_data((uintptr_t)&optind)))
		optind = 0;
	begun = execution;
}

static void arguments_read(int n, char *const *arguments, const char *letters, uintptr_t pc)
{
	string_read(letters, SIZE_MAX, pc);
	plain_range((uintptr_t)arguments, (size_t)n * sizeof(*arguments), false, pc);
	for (int i = 0; i < n; i++)
		if (arguments[i])
			string_read(arguments[i], SIZE_MAX, pc);
	plain_range((uintptr_t)&optind, sizeof(optind), true, pc);
	begin_anew();
}

static void options_read(const struct option *options, uintptr_t pc)
{
	for (const struct option *o = options; o; o++) {
		plain_range((uintptr_t)o, sizeof(*o), false, pc);
		if (!o->name)
			break;
		string_read(o->name, SIZE_MAX, pc);
	}
}

typedef int long_fn(int n, char *const *arguments, const char *letters,
		    const struct option *options, int *index);

static int next_option(long_fn *next, int n, char *const *arguments, const char *letters,
		       const struct option *options, int *index, uintptr_t pc)
{
	int found, at = -1, prints = opterr;

	arguments_read(n, arguments, letters, pc);
	options_read(options, pc);
	opterr = 0;
	found = next(n, arguments, letters, options, &at);
	opterr = prints;
	if (at >= 0 && index) {
		plain_range((uintptr_t)index, sizeof(*index), true, pc);
		*index = at;
	}
	if (at >= 0 && !found && options[at].flag)
		plain_range((uintptr_t)options[at].flag, sizeof(int), true, pc);
	return found;
}

/* Returns the next letter, as if there were no long options. */
static int next_letter(int n, char *const *arguments, const char *letters,
		       const struct option *options, int *index)
{
	(void)options;
	(void)index;
	return getopt(n, arguments, letters);
}

#pragma GCC visibility push(default)

int __wrap_getopt(int n, char *const *arguments, const char *letters);
int __wrap_getopt(int n, char *const *arguments, const char *letters)
{
	return next_option(next_letter, n, arguments, letters, NULL, NULL, PC);
}

#define LONG(name)									\
int __wrap_##name(int n, char *const *arguments, const char *letters,			\
		  const struct option *options, int *index);				\
int __wrap_##name(int n, char *const *arguments, const char *letters,			\
		  const struct option *options, int *index)				\
{											\
	return next_option(name, n, arguments, letters, options, index, PC);		\
}
LONG(getopt_long)
LONG(getopt_long_only)
