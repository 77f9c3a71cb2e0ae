/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "program/locations.h"
#include "program/names.h"

static struct { uintptr_t begin; size_t size; char name[32]; } names[256];
static unsigned nr_names;

void check_name(const void *p, size_t size, const char *name)
{
	unsigned i;

	/* every execution names the same addresses again */
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

/* Returns the name as C++ source has it. The C++ library of the program translates the symbol. */
static const char *as_written(const char *symbol)
{
	typedef char *demangle_fn(const char *symbol, char *out, size_t *size, int *status);
	static char written[128];
	demangle_fn *demangle;
	char *name;

	if (symbol[0] != '_' || symbol[1] != 'Z')
		return symbol;
	demangle = (demangle_fn *)dlsym(RTLD_DEFAULT, "__cxa_demangle");
	name = demangle ? demangle(symbol, NULL, NULL, NULL) : NULL;
	if (!name)
		return symbol;
	snprintf(written, sizeof(written), "%s", name);
	free(name);
	return written;
}

void describe_address(uintptr_t address, char *out, size_t size)
{
	uintptr_t offset;
	const char *symbol;

	if (named(address, out, size))
		return;
	symbol = object_at(address, &offset);
	if (symbol)
		symbol = as_written(symbol);
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

bool (*name_member)(uintptr_t address, char *out, size_t size);

void describe_variable(uintptr_t address, char *out, size_t size)
{
	if (!name_member || named(address, out, size) || !name_member(address, out, size))
		describe_address(address, out, size);
}

void describe_location(unsigned location, char *out, size_t size)
{
	if (locations[location].size)
		describe_variable(locations[location].address, out, size);
	else if (hidden_kind(location) == HIDDEN_FUTEX)
		describe_address(hidden_key(location), out, size);
	else if (hidden_kind(location) == HIDDEN_EXIT)
		snprintf(out, size, "atexit()");
	else if (hidden_kind(location) == HIDDEN_REFERENCES)
		snprintf(out, size, "references");
	else if (hidden_kind(location) == HIDDEN_BARRIER)
		snprintf(out, size, "barrier");
	else if (hidden_kind(location) == HIDDEN_END)
		snprintf(out, size, "%s", thread_name((unsigned)hidden_key(location)));
	else
		snprintf(out, size, "%s", thread_name(waiter_of((unsigned)hidden_key(location))));
}
