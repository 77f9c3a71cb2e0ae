/* SPDX-License-Identifier: MIT */
/* Where in the source: binutils' addr2line; what an address is called: the scenario, else ELF. */
#include <dlfcn.h>
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
	Dl_info info;

	if (named(address, out, size))
		return;
	if (dladdr((void *)address, &info) && info.dli_sname) {
		uintptr_t offset = address - (uintptr_t)info.dli_saddr;

		if (offset)
			snprintf(out, size, "%s+%#lx", info.dli_sname, offset);
		else
			snprintf(out, size, "%s", info.dli_sname);
	} else if (memory_is_stack(address)) {
		snprintf(out, size, "stack %#lx", address & 0xfffff);
	} else if (memory_in_arena(address)) {
		snprintf(out, size, "heap %#lx", address & 0xfffffff);
	} else {
		snprintf(out, size, "%#lx", address);
	}
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

/* Of the frames that were inlined into one another, the innermost that is not an atomic.h's. */
static void take_frame(const char *line, char (*where)[96], bool *settled)
{
	char path[512];
	const char *space;

	if (*settled)
		return;
	snprintf(path, sizeof(path), "%.500s", shorten(line));
	space = strpbrk(path, " \n");
	if (space)
		path[space - path] = 0;
	snprintf(*where, sizeof(*where), "%.95s", path);
	*settled = !strstr(path, "/atomic.h:") && strncmp(path, "atomic.h:", 9);
}

void symbols_of(const uintptr_t *pc, unsigned nr, char (*where)[96])
{
	static char line[1024];
	size_t room = 128 + 24 * (size_t)nr;
	char *command = malloc(room);
	size_t n = (size_t)snprintf(command, room, "addr2line -a -i -e /proc/%d/exe", getpid());
	bool settled = true;
	int current = -1;
	FILE *pipe;

	for (unsigned i = 0; i < nr; i++) {
		n += (size_t)snprintf(command + n, room - n, " %#lx", pc[i] ? pc[i] - 1 : 0);
		snprintf(where[i], sizeof(where[i]), "%s", pc[i] ? "?" : "");
	}
	fflush(stdout);
	pipe = nr ? popen(command, "r") : NULL;
	while (pipe && fgets(line, sizeof(line), pipe)) {
		if (!strncmp(line, "0x", 2)) {
			current++;
			settled = current >= (int)nr || !pc[current];
		} else if (current >= 0) {
			take_frame(line, &where[current], &settled);
		}
	}
	if (pipe)
		pclose(pipe);
	free(command);
}
