/* SPDX-License-Identifier: MIT */
/*
 * Memory for tests: a free list for each power of two, filled from large mappings, under one
 * lock. Freed memory is overwritten, so that a use after free shows.
 */
#include "bare_libc.h"

#include "arch/atomic.h"
#include "arch/syscall.h"

#define CHUNK	((size_t)4 << 20)
#define HEADER	64	/* before each block; as long as a cache line, to keep the alignment */
#define POISON	0xfd
#define POISONED 256	/* a freed block is overwritten up to this size */

struct block {
	unsigned int order;
	struct block *next;
};

static struct block *freed[48];
static char *chunk, *chunk_end;
static uint32_t lock;

static void lock_memory(void)
{
	while (nap_xchg_acquire(&lock, 1))	/* pairs with unlock_memory() */
		sched_yield();
}

static void unlock_memory(void)
{
	nap_store_release(&lock, 0);	/* pairs with lock_memory() */
}

/* Maps without src/os/os.h, because tests make the mappings of that file fail. */
static void *map(size_t size)
{
	long mem = nap__syscall6(NAP__NR_mmap, 0, (long)size, 3, 0x22, -1, 0);

	if (mem < 0 && mem > -4096)
		abort();
	return (void *)mem;
}

static struct block *new_block(size_t size)
{
	struct block *block;

	if (size > CHUNK)
		return map(size);
	if ((size_t)(chunk_end - chunk) < size) {
		chunk = map(CHUNK);
		chunk_end = chunk + CHUNK;
	}
	block = (struct block *)chunk;
	chunk += size;
	return block;
}

void *malloc(size_t size)
{
	unsigned int order = 7;
	struct block *block;

	while (((size_t)1 << order) < size + HEADER)
		order++;
	lock_memory();
	block = freed[order];
	if (block)
		freed[order] = block->next;
	else
		block = new_block((size_t)1 << order);
	unlock_memory();
	block->order = order;
	return (char *)block + HEADER;
}

void free(void *mem)
{
	struct block *block = (struct block *)((char *)mem - HEADER);
	size_t size;

	if (!mem)
		return;
	size = ((size_t)1 << block->order) - HEADER;
	memset(mem, POISON, size < POISONED ? size : POISONED);
	lock_memory();
	block->next = freed[block->order];
	freed[block->order] = block;
	unlock_memory();
}

void *calloc(size_t n, size_t size)
{
	void *mem = malloc(n * size);

	return memset(mem, 0, n * size);
}

/* Ignores @align, because every block is aligned to a cache line, and no test asks for more. */
void *aligned_alloc(size_t align, size_t size)
{
	if (align > HEADER)
		abort();
	return malloc(size);
}
