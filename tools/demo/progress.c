// SPDX-License-Identifier: MIT
/* One line on the terminal that says how far things are; nothing when stderr is no terminal. */
#include "demo.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool on_terminal;
static int shown;	/* L: length of the line that is on the terminal */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void progress_open(void)
{
	on_terminal = isatty(STDERR_FILENO);
}

static void put(const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(STDERR_FILENO, text, len);
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static void erase_locked(void)
{
	char blank[96];
	int n;

	if (!shown)
		return;
	n = snprintf(blank, sizeof(blank), "\r%*s\r", shown, "");
	put(blank, (size_t)n);
	shown = 0;
}

void progress_show(const char *line)
{
	char text[96];
	int len;

	if (!on_terminal)
		return;
	/* Padded over what was there before, and short enough never to wrap at 80 columns. */
	pthread_mutex_lock(&lock);
	len = snprintf(text, sizeof(text), "\r%-*.78s", shown, line);
	put(text, (size_t)len);
	if (shown < len - 1)
		shown = len - 1;
	pthread_mutex_unlock(&lock);
}

void progress_erase(void)
{
	pthread_mutex_lock(&lock);
	erase_locked();
	pthread_mutex_unlock(&lock);
}

/* Any thread: a line on stderr that stays. write(2), because stdio needs 8 KiB of a small stack. */
void progress_message(const char *message, size_t len)
{
	pthread_mutex_lock(&lock);
	erase_locked();
	put(message, len);
	pthread_mutex_unlock(&lock);
}
