// SPDX-License-Identifier: MIT
/* Memory for the text of words: only ever grows, and is freed at once. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* Small at first: there may be thousands of workers with a handful of words each. */
#define BLOCK_MIN (16u << 10)
#define BLOCK_MAX (1u << 20)

struct arena_block {
	struct arena_block *next;
	char bytes[];
};

static int arena_grow(struct arena *arena, size_t need)
{
	struct arena_block *block;
	size_t size = arena->block_size ? arena->block_size : BLOCK_MIN;

	arena->block_size = size < BLOCK_MAX ? size * 2 : size;
	if (size < need)
		size = need;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return -1;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->next = block->bytes;
	arena->room = size;
	return 0;
}

/* The copy is padded to whole loads (see WORD_PAD). NULL: no memory. */
char *arena_copy(struct arena *arena, const char *text, size_t len)
{
	size_t need = (len + WORD_PAD) & ~(size_t)7;
	char *copy;

	if (need > arena->room && arena_grow(arena, need))
		return NULL;
	copy = arena->next;
	memcpy(copy, text, len);
	memset(copy + len, 0, need - len);
	arena->next += need;
	arena->room -= need;
	return copy;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block;

	while ((block = arena->blocks)) {
		arena->blocks = block->next;
		free(block);
	}
}
