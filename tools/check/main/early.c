/* SPDX-License-Identifier: MIT */
/*
 * Takes some options before main(). The checker is a library, so its own constructor runs before
 * the program's.
 *
 * --max-seconds: because a constructor of the program may never end. --save, --resume: what is
 * known of waits (program/awaits.h) are sums of stacks, and on the stacks are addresses of
 * libraries. So the libraries have to be at the same addresses each time.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

static void is_late(int signal)
{
	static const char text[] = "undecided: the bound on time, before main()\n";

	(void)signal;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 2 : 3);
}

/* Runs the checker again without address randomisation. Where that fails, --resume may, too. */
static void fix_addresses(char **argv)
{
	int was = personality(0xffffffff);

	if (was < 0 || was & ADDR_NO_RANDOMIZE ||
	    personality((unsigned)was | ADDR_NO_RANDOMIZE) < 0 ||
	    !(personality(0xffffffff) & ADDR_NO_RANDOMIZE))
		return;
	execv("/proc/self/exe", argv);
}

static bool begins_with(const char *argument, const char *option)
{
	return !strncmp(argument, option, strlen(option));
}

/* Starts the timer. tick() takes over the signal and the timer when the search begins. */
static void before_main(int argc, char **argv)
{
	static const char option[] = "--max-seconds=";

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (begins_with(argv[i], "--save=") || begins_with(argv[i], "--resume"))
			fix_addresses(argv);
		if (!begins_with(argv[i], option))
			continue;
		signal(SIGALRM, is_late);
		alarm((unsigned)atoi(argv[i] + sizeof(option) - 1));
	}
}

/*
 * No constructor attribute: gcc collects the constructors of several files in one function, which
 * calls them without arguments.
 */
__attribute__((section(".init_array"), used))
static void (*const first)(int, char **) = before_main;
