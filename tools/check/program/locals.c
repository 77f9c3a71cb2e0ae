/* SPDX-License-Identifier: MIT */
/*
 * A read of a variable that holds the value of LOCAL_FILL is a fault, unless the program has
 * written this very value. Few variables ever hold it, so writes are noted only where it was once
 * read: the first such read adds a watch, and the search begins anew with this knowledge. A write
 * to what is watched is looked at as soon as it has been done. If it left another value, and the
 * variable holds the fill's value again, the variable has been declared again. (If it left the
 * fill's value, no further declaration is noticed.)
 *
 * A read of less than 4 bytes is never a fault. A program may copy what has no value byte by byte.
 * And gcc does not report each write: not of a parameter, nor of a structure that a function
 * returns; single bytes of these may have the fill's value. The compilers report no access to a
 * variable whose address is not handed on.
 */
#include <string.h>

#include "program/fault.h"
#include "program/locals.h"
#include "program/locations.h"
#include "program/names.h"
#include "program/shadow.h"
#include "program/threads.h"

#define MAX_WATCHED 64		/* what is read beyond these is not asked */

static struct watch {
	uintptr_t address;
	size_t size;
	bool has_value;		/* the program has written the fill's value, in this execution */
	bool is_noted;		/* a write to it has begun */
} watched[MAX_WATCHED];
unsigned nr_watched;
static bool is_noted;		/* a write to one of them has begun */
static unsigned long plain_left_then;

/* nap-check defines it in a program whose variables are filled. */
extern const char check_fills_locals[] __attribute__((weak));

void locals_forget(void)
{
	nr_watched = 0;
}

void locals_begin(void)
{
	is_noted = false;
	for (unsigned i = 0; i < nr_watched; i++)
		watched[i].has_value = watched[i].is_noted = false;
}

static bool is_filled(uintptr_t address, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const uint8_t *)address)[i] != LOCAL_FILL)
			return false;
	return true;
}

static void settle_one(struct watch *w)
{
	if (w->is_noted)
		w->has_value = is_filled(w->address, w->size);
	w->is_noted = false;
}

bool locals_settle(void)
{
	if (!is_noted)
		return false;
	is_noted = false;
	plain_left = plain_left_then;
	for (struct watch *w = watched; w < watched + nr_watched; w++)
		settle_one(w);
	return true;
}

void locals_note(uintptr_t address, size_t size)
{
	locals_settle();
	for (struct watch *w = watched; w < watched + nr_watched; w++)
		if (address < w->address + w->size && w->address < address + size)
			is_noted = w->is_noted = true;
	if (!is_noted)
		return;
	plain_left_then = plain_left;
	plain_left = 2;
}

bool locals_are_watched(uintptr_t address)
{
	for (const struct watch *w = watched; w < watched + nr_watched; w++)
		if (address / 8 >= w->address / 8 && address / 8 <= (w->address + w->size - 1) / 8)
			return true;
	return false;
}

static _Noreturn void watch(uintptr_t address, size_t size)
{
	watched[nr_watched++] = (struct watch){ .address = address, .size = size };
	for (uintptr_t at = address & ~7ul; at < address + size; at += 8)
		shadow_forget(at);
	must_restart();
}

void locals_check(uintptr_t address, size_t size, uintptr_t pc)
{
	struct watch *w = watched;
	char name[96];

	if (!check_fills_locals || size < sizeof(uint32_t) || !is_filled(address, size))
		return;
	while (w < watched + nr_watched && (w->address != address || w->size != size))
		w++;
	if (w == watched + MAX_WATCHED)
		return;
	if (w == watched + nr_watched)
		watch(address, size);
	settle_one(w);
	if (w->has_value)
		return;
	describe_address(address, name, sizeof(name));
	fault_at(pc, 0, "reads what was never written: %zu bytes of %s", size, name);
}

/* What nap-check has the program call where clang would fill a variable. */
#pragma GCC visibility push(default)
void check_fill_local(void *variable, size_t size);
void check_fill_local(void *variable, size_t size)
{
	memset(variable, LOCAL_FILL, size);
	leave_checker();
}
#pragma GCC visibility pop
