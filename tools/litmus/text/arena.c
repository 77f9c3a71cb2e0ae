/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/text.h"

#define BLOCK_SIZE 65536

struct block {
	struct block *next;
	size_t used, size;
	char memory[] __attribute__((aligned(16)));
};

static void *checked(void *memory)
{
	if (!memory) {
		fputs("nap-litmus: no memory\n", stderr);
		exit(2);
	}
	return memory;
}

void *memory_wider(void *memory, size_t size)
{
	return checked(realloc(memory, size));
}

static struct block *new_block(size_t size)
{
	struct block *block = checked(calloc(1, sizeof(*block) + size));

	block->size = size;
	return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct block *block = arena->blocks;

	size = (size + 15) & ~(size_t)15;
	if (!block || block->size - block->used < size) {
		block = new_block(size > BLOCK_SIZE ? size : BLOCK_SIZE);
		block->next = arena->blocks;
		arena->blocks = block;
	}
	block->used += size;
	return block->memory + block->used - size;
}

char *arena_text(struct arena *arena, const char *begin, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, begin, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	struct block *next;

	for (struct block *block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	arena->blocks = NULL;
}
