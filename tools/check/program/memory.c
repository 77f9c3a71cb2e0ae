/* SPDX-License-Identifier: MIT */
/*
 * Memory that the program can write: its static storage, what it allocates, and its threads'
 * stacks. All but the stacks is put back to what it was behind setup before every execution.
 *
 * Allocation only goes upwards, in an arena per thread: so an address means the same object in
 * every execution, whatever the others did, and freed memory stays recognisable.
 */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "graph/fatal.h"
#include "program/fault.h"
#include "program/memory.h"
#include "program/names.h"
#include "program/ops.h"

#define MAX_FREED	256

/* One for each thread, and one for setup and finally. */
static struct arena {
	uintptr_t begin, next;
	uintptr_t kept, high;		/* the end behind setup; ever used */
	void *snapshot;
} arenas[MAX_THREADS + 1];

static uintptr_t stacks;
static struct { uintptr_t begin, end; } freed[MAX_FREED];
static unsigned nr_freed, kept_freed;
bool memory_has_freed;

/* The program's own data: what its segments hold that stays writable. */
static struct { char *begin, *snapshot; size_t size; } data[4];
static unsigned nr_data;
static struct { uintptr_t begin, end; } code;

static int find_data(struct dl_phdr_info *info, size_t size, void *unused)
{
	uintptr_t relro_end = 0;

	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_RELRO)
			relro_end = (info->dlpi_addr + p->p_vaddr + p->p_memsz + 4095) & ~4095ul;
		if (p->p_type == PT_TLS && p->p_memsz)
			fatal("the program has thread-local variables, which are not modelled");
	}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr, end = begin + p->p_memsz;

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			code.begin = begin;
			code.end = end;
		}
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W) || nr_data == 4)
			continue;
		if (begin < relro_end && relro_end < end)
			begin = relro_end;
		data[nr_data].begin = (char *)begin;
		data[nr_data++].size = end - begin;
	}
	return 1;	/* the program comes first; the libraries are not its */
}

static void make_arenas(void)
{
	void *mem = mmap((void *)MEMORY_BASE, MEMORY_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (mem != (void *)MEMORY_BASE)
		fatal("no room for the program's memory");
	for (unsigned i = 0; i <= MAX_THREADS; i++)
		arenas[i].begin = arenas[i].next = arenas[i].kept = arenas[i].high =
			MEMORY_BASE + i * ARENA_SIZE;
	stacks = MEMORY_BASE + (MAX_THREADS + 1) * ARENA_SIZE;
	for (unsigned i = 0; i < MAX_THREADS; i++)
		if (mprotect((void *)(stacks + i * STACK_STEP), STACK_STEP - STACK_SIZE, PROT_NONE))
			fatal("no room for the threads' stacks");
}

/* Before the first setup: static storage as the program began. */
static void take_data(void)
{
	dl_iterate_phdr(find_data, NULL);
	for (unsigned i = 0; i < nr_data; i++) {
		data[i].snapshot = malloc(data[i].size);
		memcpy(data[i].snapshot, data[i].begin, data[i].size);
	}
	make_arenas();
}

void memory_restore(void)
{
	if (!nr_data)
		take_data();
	nr_freed = kept_freed = 0;
	for (unsigned i = 0; i <= MAX_THREADS; i++)
		arenas[i].kept = arenas[i].begin;
	memory_reset();
}

/*
 * A second copy, behind setup. The first stays where it was, so that the next scenario begins like
 * this one.
 */
static struct { char *begin, *snapshot; size_t size; } behind[4];

void memory_snapshot(void)
{
	struct arena *arena = &arenas[MAX_THREADS];
	size_t used = arena->next - arena->begin;

	for (unsigned i = 0; i < nr_data; i++) {
		behind[i].begin = data[i].begin;
		behind[i].size = data[i].size;
		behind[i].snapshot = realloc(behind[i].snapshot, data[i].size);
		memcpy(behind[i].snapshot, data[i].begin, data[i].size);
	}
	arena->kept = arena->next;
	arena->snapshot = realloc(arena->snapshot, used + 1);
	memcpy(arena->snapshot, (void *)arena->begin, used);
	kept_freed = nr_freed;
}

static void reset_arena(struct arena *arena)
{
	if (arena->high > arena->kept)
		memset((void *)arena->kept, 0, arena->high - arena->kept);
	if (arena->kept > arena->begin)
		memcpy((void *)arena->begin, arena->snapshot, arena->kept - arena->begin);
	arena->high = arena->next = arena->kept;
}

void memory_reset(void)
{
	bool set_up = arenas[MAX_THREADS].snapshot && behind[0].snapshot;

	for (unsigned i = 0; i < nr_data; i++)
		memcpy(data[i].begin, set_up ? behind[i].snapshot : data[i].snapshot, data[i].size);
	for (unsigned i = 0; i <= MAX_THREADS; i++)
		reset_arena(&arenas[i]);
	nr_freed = kept_freed;
	memory_has_freed = nr_freed;
}

void memory_forget_setup(void)
{
	for (unsigned i = 0; i < nr_data; i++) {
		free(behind[i].snapshot);
		behind[i].snapshot = NULL;
	}
}

uintptr_t memory_stack(unsigned thread)
{
	return stacks + (thread + 1) * STACK_STEP;
}

bool memory_is_stack(uintptr_t address)
{
	return address >= stacks && address < stacks + MAX_THREADS * STACK_STEP;
}

unsigned memory_thread(uintptr_t address)
{
	return (unsigned)((address - stacks) / STACK_STEP);
}

bool memory_below_stack(uintptr_t address, unsigned thread)
{
	return memory_is_stack(address) && memory_thread(address) == thread &&
	       address < memory_stack(thread) - STACK_SIZE;
}

bool memory_is_code(uintptr_t address)
{
	return address >= code.begin && address < code.end;
}

bool memory_in_arena(uintptr_t address)
{
	return address >= MEMORY_BASE && address < stacks;
}

/* What stands before each allocation, out of the program's reach. */
struct header {
	size_t size;
	uint64_t magic;
};

#define MAGIC 0x6e61702d63686b21ul

#define ALIGN 64u

void *check_alloc(size_t size)
{
	struct arena *arena = &arenas[self];
	uintptr_t mem = (arena->next + sizeof(struct header) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);

	if (mem + size > arena->begin + ARENA_SIZE)
		give_up("the bound on memory");
	((struct header *)mem)[-1] = (struct header){ size, MAGIC };
	arena->next = mem + size;
	if (arena->high < arena->next)
		arena->high = arena->next;
	return (void *)mem;
}

void check_free(void *mem)
{
	uintptr_t begin = (uintptr_t)mem, pc = (uintptr_t)__builtin_return_address(0);

	if (!mem)
		return;
	if (!memory_in_arena(begin))
		fault_at(pc, 0, "free of what was not allocated: %p", mem);
	if (memory_freed(begin, 1))
		fault_at(pc, 0, "freed twice: %s", memory_freed(begin, 1));
	if (begin % ALIGN || ((struct header *)begin)[-1].magic != MAGIC)
		fault_at(pc, 0, "free of what was not allocated: %p", mem);
	if (nr_freed == MAX_FREED)
		give_up("the bound on frees");
	plain_free(begin, ((struct header *)begin)[-1].size, pc);
	freed[nr_freed].begin = begin;
	memory_has_freed = true;
	freed[nr_freed++].end = begin + ((struct header *)begin)[-1].size;
}

const char *memory_freed(uintptr_t address, size_t size)
{
	static char what[128];

	for (unsigned i = 0; i < nr_freed; i++)
		if (address < freed[i].end && address + size > freed[i].begin) {
			describe_address(address, what, sizeof(what));
			return what;
		}
	return NULL;
}

#pragma GCC visibility push(default)

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return check_alloc(size);
}

void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return check_alloc(n * size);
}

void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size)
{
	if (align > ALIGN)
		fatal("aligned_alloc() aligns to 64 bytes at most");
	return check_alloc(size);
}

void *__wrap_memcpy(void *to, const void *from, size_t size);	/* tsan.c */

void *__wrap_realloc(void *mem, size_t size);
void *__wrap_realloc(void *mem, size_t size)
{
	size_t old = mem ? ((struct header *)mem)[-1].size : 0;
	void *new = check_alloc(size);

	if (mem) {
		__wrap_memcpy(new, mem, old < size ? old : size);
		check_free(mem);
	}
	return new;
}

void __wrap_free(void *mem);
void __wrap_free(void *mem)
{
	check_free(mem);
}
