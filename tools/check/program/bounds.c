/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/mman.h>

#include "program/bounds.h"
#include "program/fault.h"
#include "program/gone.h"
#include "program/heap.h"
#include "program/memory.h"
#include "program/names.h"
#include "program/threads.h"
#include "program/turns.h"

#define PAGE	4096ul
#define NOTHING	65536ul		/* below any object; members of an object at NULL are here */

const char *nowhere_name(uintptr_t address)
{
	return address < NOTHING ? "access through NULL" : "access through a wild pointer";
}

/*
 * Whether the page is mapped, by a library or the kernel. Pages that were found mapped are
 * remembered. For the program's own data this is not enough: check_static() knows the objects.
 */
static bool is_mapped(uintptr_t address)
{
	static uintptr_t there[64];
	uintptr_t page = address & ~(PAGE - 1);
	uintptr_t *slot = &there[address / PAGE % 64];
	unsigned char unused;

	if (*slot == page)
		return true;
	if (mincore((void *)page, 1, &unused) && errno == ENOMEM)
		return false;
	*slot = page;
	return true;
}

static void check_static(uintptr_t address, size_t size, uintptr_t pc)
{
	static struct { uintptr_t address; size_t size; } good[1024];
	unsigned slot = (address ^ address >> 10) % 1024;
	uintptr_t begin, end;
	const char *name;

	if (good[slot].address == address && good[slot].size == size)
		return;
	name = object_before(address, &begin, &end);
	if (!name || (address < end && address + size <= end)) {
		good[slot].address = address;
		good[slot].size = size;
		return;
	}
	fault_at(pc, 0, "out of bounds: %zu bytes at %zu of the %zu of %s", size, address - begin,
		 end - begin, name);
}

void check_bounds(uintptr_t address, size_t size, uintptr_t pc)
{
	bool is_stack = memory_is_stack(address);
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

	if (sp - own_stack >= STACK_SIZE)
		look_below_stack(sp, pc);
	if (memory_in_arena(address))
		heap_check(address, size, pc);
	else if (is_stack && self != MAX_THREADS && memory_thread(address) != self)
		visit_stack(address, pc);
	else if (is_stack)
		return;
	else if (address < NOTHING || !is_mapped(address))
		fault_at(pc, 0, "%s: %zu bytes at %#lx", nowhere_name(address), size, address);
	else if (memory_is_data(address))
		check_static(address, size, pc);
}
