/* SPDX-License-Identifier: MIT */
/* Finds the place of an address in the source, with binutils' addr2line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/names.h"
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

/* Whether the file is not the program's own, but included from a library or the checker. */
static bool is_library(const char *path)
{
	static const char *const of[] = {
		"/usr/include/", "/include/c++/", "/lib/gcc/", "/lib/llvm", "/lib/clang/",
		"/compat/lkmm.h", "/compat/genmc.h", "/atomic.h:", "??:",
	};

	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (strstr(path, of[i]))
			return true;
	return !strncmp(path, "atomic.h:", 9);
}

/*
 * Takes a frame, which is two lines: function and place. Returns whether it is the program's own.
 */
static bool take_frame(const char *function, const char *place, struct place *out)
{
	char path[512];

	snprintf(out->path, sizeof(out->path), "%.500s", place);
	out->path[strcspn(out->path, ":\n")] = 0;
	out->library = is_library(place);
	snprintf(path, sizeof(path), "%.500s", shorten(place));
	path[strcspn(path, "\n")] = 0;
	if (strstr(path, " (discriminator "))
		*strstr(path, " (discriminator ") = 0;
	snprintf(out->line, sizeof(out->line), "%.90s", path);
	snprintf(out->function, sizeof(out->function), "%.60s", function);
	out->function[strcspn(out->function, "(\n")] = 0;
	return !out->library;
}

static FILE *ask(const uintptr_t *pc, unsigned nr)
{
	size_t room = 128 + 24 * (size_t)nr;
	char *command = malloc(room);
	size_t n = (size_t)snprintf(command, room, "addr2line -a -f -i -C -e /proc/%d/exe",
				    getpid());
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
		out[i].function[0] = out[i].path[0] = 0;
		out[i].library = false;
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

/*
 * The section in which nap-check has written the columns of calls in C++, because addr2line knows
 * no columns: for each call the return address, the line and the column.
 */
struct column {
	uintptr_t pc;
	uint32_t line, column;
};

/* Adds the column to @place, unless the place is in a function that was inlined at the call. */
static void add_column(uintptr_t pc, struct place *place)
{
	size_t size, n = strlen(place->line);
	const struct column *all = section_named(".debug_nap_columns", &size);
	const char *colon = strrchr(place->line, ':');

	for (size_t i = 0; colon && i < size / sizeof(*all); i++)
		if (all[i].pc == pc && all[i].line == strtoul(colon + 1, NULL, 10) && all[i].column)
			snprintf(place->line + n, sizeof(place->line) - n, ":%u", all[i].column);
}

void places_of_callers(const struct callers *callers, unsigned nr, struct place *out)
{
	uintptr_t *pc = malloc((nr + 1) * sizeof(*pc));
	unsigned *of = malloc((nr + 1) * sizeof(*of)), asked = nr;
	struct place *found = malloc((nr + 1) * sizeof(*found));

	for (unsigned depth = 0; depth < MAX_CALLERS && asked; depth++) {
		asked = 0;
		for (unsigned i = 0; i < nr; i++)
			if (!depth || (out[i].library && callers[i].pc[depth])) {
				of[asked] = i;
				pc[asked++] = callers[i].pc[depth];
			}
		places_of(pc, asked, found);
		for (unsigned i = 0; i < asked; i++)
			if (!depth || !found[i].library) {
				out[of[i]] = found[i];
				add_column(pc[i], &out[of[i]]);
			}
	}
	free(pc);
	free(of);
	free(found);
}
