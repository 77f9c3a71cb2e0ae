/* SPDX-License-Identifier: MIT */
/*
 * A read of a variable that holds the value of LOCAL_FILL is a fault, unless the program has
 * written this very value. Few variables ever hold it, so writes are noted only where it was once
 * read: the first such read adds a watch, and the search begins anew with this knowledge. A write
 * to what is watched is looked at as soon as it has been done. If it left another value, and the
 * variable holds the fill's value again, the variable has been declared again.
 *
 * gcc does not report each write to a variable: not a parameter, nor a structure that a function
 * returns. So a read of less than 4 bytes is a fault only if the 4 bytes around it hold the fill's
 * value, too. The compilers report no access to a variable whose address is not handed on.
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
	uintptr_t end = (address + size + 3) & ~3ul;

	for (address &= ~3ul; address < end; address++)
		if (*(const uint8_t *)address != LOCAL_FILL)
			return false;
	return true;
}

bool locals_settle(void)
{
	if (!is_noted)
		return false;
	is_noted = false;
	plain_left = plain_left_then;
	for (struct watch *w = watched; w < watched + nr_watched; w++)
		if (w->is_noted) {
			w->is_noted = false;
			w->has_value = is_filled(w->address, w->size);
		}
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
	plain_left = 1;
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
	const struct watch *w = watched;
	char name[96];

	if (!check_fills_locals || !is_filled(address, size))
		return;
	locals_settle();
	while (w < watched + nr_watched && (w->address != address || w->size != size))
		w++;
	if (w == watched + MAX_WATCHED || (w < watched + nr_watched && w->has_value))
		return;
	if (w == watched + nr_watched)
		watch(address, size);
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
