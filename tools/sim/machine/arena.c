/* SPDX-License-Identifier: MIT */
#include "machine/arena.h"

#include <sys/mman.h>

#include "machine/lines.h"

#define ARENA_BASE	((char *)0x100000000000)
#define ARENA_SIZE	((uint64_t)4 << 30)

/* The linker puts the program's own variables between these two symbols. */
extern char __data_start[], _end[];

static uint64_t used;

bool arena_init(void)
{
	uintptr_t begin = (uintptr_t)__data_start & -(uintptr_t)LINE_SIZE;

	return mmap(ARENA_BASE, ARENA_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
		    -1, 0) == ARENA_BASE &&
	       lines_cover((uintptr_t)ARENA_BASE, ARENA_SIZE) &&
	       lines_cover(begin,
			   ((uintptr_t)_end - begin + LINE_SIZE - 1) & -(uintptr_t)LINE_SIZE);
}

void *arena_alloc(uint64_t size)
{
	uint64_t align = size >= 4096 ? 4096 : LINE_SIZE, at = (used + align - 1) & -align;

	if (size > ARENA_SIZE - at)
		return 0;
	used = at + size;
	return ARENA_BASE + at;
}
