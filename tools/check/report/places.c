/* SPDX-License-Identifier: MIT */
/* Finds the place of an address in the source, with binutils' addr2line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

/* Returns the path without the part before the folders of the project. */
static const char *shorten(const char *path)
{
	static const char *const from[] = { "/src/", "/tests/", "/tools/", "/arch/", "/include/" };
	const char *last = strrchr(path, '/');

	for (unsigned i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		const char *at = strstr(path, from[i]);

		if (at)
			return at + 1;
	}
	return last ? last + 1 : path;
}

/*
 * Takes the innermost of the inlined frames that is not an atomic.h's. A frame is two lines,
 * function and place.
 */
static bool take_frame(const char *function, const char *place, struct place *out)
{
	char path[512];

	snprintf(path, sizeof(path), "%.500s", shorten(place));
	path[strcspn(path, " \n")] = 0;
	snprintf(out->line, sizeof(out->line), "%.90s", path);
	snprintf(out->function, sizeof(out->function), "%.60s", function);
	out->function[strcspn(out->function, "\n")] = 0;
	return !strstr(path, "/atomic.h:") && strncmp(path, "atomic.h:", 9);
}

static FILE *ask(const uintptr_t *pc, unsigned nr)
{
	size_t room = 128 + 24 * (size_t)nr;
	char *command = malloc(room);
	size_t n = (size_t)snprintf(command, room, "addr2line -a -f -i -e /proc/%d/exe", getpid());
	FILE *pipe;

	for (unsigned i = 0; i < nr; i++)
		n += (size_t)snprintf(command + n, room - n, " %#lx", pc[i] ? pc[i] - 1 : 0);
	fflush(stdout);
	pipe = popen(command, "r");
	free(command);
	return pipe;
}

void places_of(const uintptr_t *pc, unsigned nr, struct place *out)
{
	static char line[1024], function[1024];
	FILE *pipe = nr ? ask(pc, nr) : NULL;
	bool settled = true;
	int current = -1;

	for (unsigned i = 0; i < nr; i++) {
		snprintf(out[i].line, sizeof(out[i].line), "%s", pc[i] ? "?" : "");
		out[i].function[0] = 0;
	}
	while (pipe && fgets(line, sizeof(line), pipe)) {
		if (!strncmp(line, "0x", 2)) {
			current++;
			settled = current >= (int)nr || !pc[current];
			continue;
		}
		memcpy(function, line, sizeof(function));
		if (!fgets(line, sizeof(line), pipe))
			break;
		if (!settled)
			settled = take_frame(function, line, &out[current]);
	}
	if (pipe)
		pclose(pipe);
}
