/* SPDX-License-Identifier: MIT */
/*
 * Memory that the program can write: its static storage, its allocated objects (heap.c), and its
 * threads' stacks. Before every execution all except the stacks is restored to its contents after
 * setup.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>

#include "graph/fatal.h"
#include "program/heap.h"
#include "program/memory.h"
#include "program/tls.h"

static uintptr_t stacks;
size_t stack_limit;

/* The program's own data: the parts of its segments that stay writable. */
#define MAX_SEGMENTS 4
static struct { char *begin, *snapshot; size_t size; } data[MAX_SEGMENTS];
static unsigned nr_data;

/*
 * A second copy, from after setup. The first copy stays, so that the next scenario begins with
 * it.
 */
static struct { char *snapshot, *room; } behind[MAX_SEGMENTS];	/* @snapshot: NULL or @room */
static struct { uintptr_t begin, end; } code;

static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		code.begin = info->dlpi_addr + p->p_vaddr;
		code.end = code.begin + p->p_memsz;
	}
	return 1;	/* the program is the first object, and is enough */
}

static int find_data(struct dl_phdr_info *info, size_t size, void *unused)
{
	uintptr_t relro_end = 0;

	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_RELRO)
			relro_end = (info->dlpi_addr + p->p_vaddr + p->p_memsz + 4095) & ~4095ul;
	}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr, end = begin + p->p_memsz;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		if (nr_data == MAX_SEGMENTS)
			fatal("the program has too many segments that it can write");
		if (begin < relro_end && relro_end < end)
			begin = relro_end;
		data[nr_data].begin = (char *)begin;
		data[nr_data++].size = end - begin;
	}
	return 1;	/* the program comes first; the libraries after it are not the program's */
}

/*
 * How deep the threads' stacks are open. A stack is cleared before each execution, if turns are
 * known by it; otherwise a replay would find on it what the execution before has left there. Few
 * threads go deep. So at first only SHALLOW bytes can be accessed; from when a thread first goes
 * deeper, DEEPER bytes, and then all. To write zeros to DEEPER bytes takes no longer than a system
 * call.
 */
#define SHALLOW ((size_t)4 << 10)
#define DEEPER	((size_t)16 << 10)
static size_t opened[MAX_THREADS];	/* in bytes */

static void make_room(void)
{
	void *mem = mmap((void *)MEMORY_BASE, MEMORY_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (mem != (void *)MEMORY_BASE)
		fatal("no room for the program's memory");
	heap_make();
	stacks = MEMORY_BASE + HEAP_SIZE;
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		if (mprotect((void *)(stacks + i * STACK_STEP), STACK_STEP - SHALLOW, PROT_NONE))
			fatal("no room for the threads' stacks");
		opened[i] = SHALLOW;
	}
}

/*
 * Returns room for a copy of [@begin, @begin + @size), which is copied back before each execution.
 * The copy is half a page off, because a processor lets a load wait for a store that was just done
 * 4 KiB away, as if both were of one address.
 */
static char *room_for_copy(const char *begin, size_t size)
{
	uintptr_t room = (uintptr_t)malloc(size + 4096);

	return (char *)(room + (((uintptr_t)begin + 2048 - room) & 4095));
}

/*
 * Has C++'s library make its first locale here, before the first execution. Otherwise the library
 * would make it when it is first needed, and its facets would have other numbers in each execution.
 */
static void make_locale(void)
{
	void (*classic)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "_ZNSt6locale7classicEv");

	if (classic)
		classic();
}

/* Copies static storage before the first setup, as it is when the program begins. */
static void take_data(void)
{
	make_locale();
	dl_iterate_phdr(find_data, NULL);
	for (unsigned i = 0; i < nr_data; i++) {
		data[i].snapshot = room_for_copy(data[i].begin, data[i].size);
		behind[i].room = room_for_copy(data[i].begin, data[i].size);
		memcpy(data[i].snapshot, data[i].begin, data[i].size);
	}
	heap_keep();
	tls_find();
}

/* Finds the memory before the program's own constructors, which may allocate. */
__attribute__((constructor)) static void find_memory_early(void)
{
	make_room();
	dl_iterate_phdr(find_code, NULL);
	__libc_single_threaded = 0;	/* 1: C++'s library would use plain accesses */
}

void memory_restore(void)
{
	if (!nr_data)
		take_data();
	heap_forget_setup();
	memory_reset();
}

void memory_snapshot(void)
{
	for (unsigned i = 0; i < nr_data; i++) {
		behind[i].snapshot = behind[i].room;
		memcpy(behind[i].snapshot, data[i].begin, data[i].size);
	}
	heap_snapshot();
}

void memory_reset(void)
{
	bool set_up = behind[0].snapshot;

	for (unsigned i = 0; i < nr_data; i++)
		memcpy(data[i].begin, set_up ? behind[i].snapshot : data[i].snapshot, data[i].size);
	heap_reset();
}

void memory_forget_setup(void)
{
	for (unsigned i = 0; i < nr_data; i++)
		behind[i].snapshot = NULL;
}

uintptr_t memory_stack(unsigned thread)
{
	return stacks + (thread + 1) * STACK_STEP;
}

bool memory_open_stack(uintptr_t address)
{
	unsigned thread = memory_thread(address);
	uintptr_t top = memory_stack(thread), begin;

	if (!memory_is_stack(address) || memory_below_stack(address, thread) ||
	    address >= memory_opened_stack(thread))
		return false;
	begin = top - (address >= top - DEEPER ? DEEPER : STACK_SIZE);
	if (mprotect((void *)begin, memory_opened_stack(thread) - begin, PROT_READ | PROT_WRITE))
		return false;
	opened[thread] = top - begin;
	return true;
}

uintptr_t memory_opened_stack(unsigned thread)
{
	return memory_stack(thread) - opened[thread];
}

/* The system clears what lies deeper than DEEPER. */
void memory_clear_stack(unsigned thread)
{
	uintptr_t top = memory_stack(thread);
	size_t by_hand = opened[thread] < DEEPER ? opened[thread] : DEEPER;

	memset((void *)(top - by_hand), 0, by_hand);
	if (opened[thread] > DEEPER &&
	    madvise((void *)(top - opened[thread]), opened[thread] - DEEPER, MADV_DONTNEED))
		fatal("no way to clear a stack");
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

/* FNV-1a (Fowler, Noll, Vo) */
uint64_t memory_code_sum(void)
{
	uint64_t sum = 0xcbf29ce484222325ul;

	for (const uint8_t *byte = (const uint8_t *)code.begin; byte < (const uint8_t *)code.end;
	     byte++)
		sum = (sum ^ *byte) * 0x100000001b3ul;
	return sum;
}

bool memory_is_data(uintptr_t address)
{
	for (unsigned i = 0; i < nr_data; i++)
		if (address - (uintptr_t)data[i].begin < ((data[i].size + 4095) & ~4095ul))
			return true;	/* or behind the last object, on its page */
	return false;
}

void memory_data(void (*visit)(uintptr_t begin, uintptr_t end))
{
	for (unsigned i = 0; i < nr_data; i++)
		visit((uintptr_t)data[i].begin, (uintptr_t)data[i].begin + data[i].size);
}
