/* SPDX-License-Identifier: MIT */
/*
 * Takes --max-seconds before main(), because a constructor of the program may never end. The
 * checker is a library, so its own constructor runs before the program's.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void is_late(int signal)
{
	static const char text[] = "undecided: the bound on time, before main()\n";

	(void)signal;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 2 : 3);
}

/* Starts the timer. tick() takes over the signal and the timer when the search begins. */
static void before_main(int argc, char **argv)
{
	static const char option[] = "--max-seconds=";

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (strncmp(argv[i], option, sizeof(option) - 1))
			continue;
		signal(SIGALRM, is_late);
		alarm((unsigned)atoi(argv[i] + sizeof(option) - 1));
	}
}

/*
 * No constructor attribute: gcc collects the constructors of several files in one function, which
 * calls them without arguments.
 */
__attribute__((section(".init_array"), used)) static void (*const first)(int, char **) = before_main;
