/* SPDX-License-Identifier: MIT */
/* Where in the source: binutils' addr2line; what an address is called: the scenario, else ELF. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static struct { uintptr_t begin; size_t size; char name[32]; } names[256];
static unsigned nr_names;

void check_name(const void *p, size_t size, const char *name)
{
	unsigned i;

	/* every execution says the same again */
	for (i = 0; i < nr_names; i++)
		if (names[i].begin == (uintptr_t)p)
			break;
	if (i == sizeof(names) / sizeof(names[0]))
		return;
	if (i == nr_names)
		nr_names++;
	names[i].begin = (uintptr_t)p;
	names[i].size = size;
	snprintf(names[i].name, sizeof(names[i].name), "%s", name);
}

void names_clear(void)
{
	nr_names = 0;
}

static bool named(uintptr_t address, char *out, size_t size)
{
	unsigned best = nr_names;

	for (unsigned i = 0; i < nr_names; i++)
		if (address >= names[i].begin && address < names[i].begin + names[i].size &&
		    (best == nr_names || names[i].size < names[best].size))
			best = i;
	if (best == nr_names)
		return false;
	if (address == names[best].begin)
		snprintf(out, size, "%s", names[best].name);
	else
		snprintf(out, size, "%s+%#lx", names[best].name, address - names[best].begin);
	return true;
}

void describe_address(uintptr_t address, char *out, size_t size)
{
	uintptr_t offset;
	const char *symbol;

	if (named(address, out, size))
		return;
	symbol = object_at(address, &offset);
	if (symbol && offset)
		snprintf(out, size, "%s+%#lx", symbol, offset);
	else if (symbol)
		snprintf(out, size, "%s", symbol);
	else if (memory_is_stack(address))
		snprintf(out, size, "%s's stack+%#lx", thread_name(memory_thread(address)),
			 memory_stack(memory_thread(address)) - address);
	else if (memory_in_arena(address))
		snprintf(out, size, "heap+%#lx", address - MEMORY_BASE);
	else
		snprintf(out, size, "%#lx", address);
}

void describe_location(unsigned location, char *out, size_t size)
{
	const struct location *l = &locations[location];

	if (l->size)
		describe_address(l->address, out, size);
	else if ((l->address & 3) == HIDDEN_FUTEX)
		describe_address(l->address >> 2, out, size);
	else if ((l->address & 3) == HIDDEN_END)
		snprintf(out, size, "%s", thread_name(l->address >> 2));
	else
		snprintf(out, size, "%s", thread_name(l->address >> 6 & 7));
}

/* The path without what stands before the project's folders. */
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
 * Of the frames that were inlined into one another, the innermost that is not an atomic.h's: two
 * lines each, function and place.
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
