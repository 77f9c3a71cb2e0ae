/* SPDX-License-Identifier: MIT */
#include "file/lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * MANY: how many addresses one process of addr2line gets, at most. FIRST: how many arguments come
 * before the addresses.
 */
enum { MANY = 256, FIRST = 6 };

static void become_addr2line(int out, char **arguments)
{
	int null = open("/dev/null", O_RDWR);

	dup2(out, STDOUT_FILENO);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDERR_FILENO);
	}
	execvp(arguments[0], arguments);
	_exit(127);
}

/* Runs addr2line. Returns its output; NULL if it could not be started. */
static FILE *begin(char **arguments, pid_t *child)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	*child = fork();
	if (!*child)
		become_addr2line(ends[1], arguments);
	close(ends[1]);
	if (*child > 0)
		return fdopen(ends[0], "r");
	close(ends[0]);
	return NULL;
}

static char *known(const char *text)
{
	return *text && strcmp(text, "??") ? strdup(text) : NULL;
}

/* Reads two lines for each address: the function, and FILE:LINE, to which more may be added. */
static void take(FILE *from, struct line_asked *asked)
{
	char *text = NULL, *colon;
	size_t room = 0;

	if (getline(&text, &room, from) > 0) {
		text[strcspn(text, "\n")] = 0;
		asked->function = known(text);
	}
	if (getline(&text, &room, from) > 0) {
		text[strcspn(text, "\n")] = 0;
		colon = strrchr(text, ':');
		if (colon) {
			*colon = 0;
			asked->line = (unsigned)strtoul(colon + 1, NULL, 10);
			asked->file = asked->line ? known(text) : NULL;
		}
	}
	free(text);
}

static void ask_some(const char *path, struct line_asked *asked, size_t nr)
{
	char addresses[MANY][20];
	char *arguments[FIRST + MANY + 1] = { "addr2line", "-C", "-f", "-e", (char *)path, "--" };
	pid_t child;
	FILE *from;

	for (size_t i = 0; i < nr; i++) {
		snprintf(addresses[i], sizeof(addresses[i]), "0x%llx",
			 (unsigned long long)asked[i].address);
		arguments[FIRST + i] = addresses[i];
	}
	arguments[FIRST + nr] = NULL;
	from = begin(arguments, &child);
	if (!from)
		return;
	for (size_t i = 0; i < nr; i++)
		take(from, &asked[i]);
	fclose(from);
	waitpid(child, NULL, 0);
}

void lines_ask(const char *path, struct line_asked *asked, size_t nr)
{
	for (size_t i = 0; i < nr; i += MANY)
		ask_some(path, asked + i, nr - i < MANY ? nr - i : MANY);
}
