// SPDX-License-Identifier: MIT
/*
 * SIGINT and SIGTERM ask the program to stop; the main thread looks between its bounded waits.
 * A handler may not call into the pool. The second signal of a kind has its default effect, for
 * those who cannot wait.
 */
#include "demo.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

void signals_catch(void)
{
	static const int wanted[] = { SIGINT, SIGTERM };
	struct sigaction old, action = { .sa_handler = on_signal,
					 .sa_flags = SA_RESTART | SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		/* What nohup or a shell's background job ignores stays ignored. */
		if (!sigaction(wanted[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(wanted[i], &action, NULL);
	}
}

/* The signal, or 0. */
int signals_caught(void)
{
	return caught;
}

/* The exit status of a program that a signal stopped. */
int signals_status(void)
{
	return EXIT_SIGNAL + caught;
}

const char *signals_name(void)
{
	return caught == SIGTERM ? "SIGTERM" : "SIGINT";
}
