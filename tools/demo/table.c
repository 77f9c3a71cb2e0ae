/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MIN 64

/* The first block is small: there may be thousands of workers with a handful of words each. */
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

/* Returns @size bytes, and at least WORD_PAD more that may be read. NULL if there is no memory. */
char *arena_get(struct arena *arena, size_t size)
{
	size_t need = (size + WORD_PAD + 7) & ~(size_t)7;
	char *text = arena->next;

	if (need > arena->room) {
		if (arena_grow(arena, need))
			return NULL;
		text = arena->next;
	}
	arena->next += need;
	arena->room -= need;
	return text;
}

/*
 * Loads eight bytes, of which the first @n (1 to 8) count: these are the low bytes on all
 * machines of nap.
 */
static inline uint64_t load(const char *p, size_t n)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v & (~(uint64_t)0 >> (64 - 8 * n));
}

/*
 * Multiplies, and folds both halves of the product: every bit of @v affects every bit of the
 * result.
 */
static inline uint64_t mix(uint64_t v)
{
	unsigned __int128 product = (unsigned __int128)v * 0x9e3779b97f4a7c15u;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_word(const char *p, size_t len)
{
	uint64_t h = 0xd6e8feb86659fd93u ^ len;

	for (; len > 8; p += 8, len -= 8)
		h = mix(h ^ load(p, 8)) + 0xa0761d6478bd642fu;
	return mix(mix(h ^ load(p, len)));
}

static inline bool same_word(const char *a, const char *b, size_t len)
{
	for (; len > 8; a += 8, b += 8, len -= 8)
		if (load(a, 8) != load(b, 8))
			return false;
	return load(a, len) == load(b, len);
}

/* Returns the word's slot, or the empty slot where the word would go. The table is never full. */
static inline struct word *find(const struct table *table, const char *text, uint32_t len,
				uint32_t hash)
{
	size_t mask = table->size - 1;
	struct word *word;

	for (size_t i = hash & mask; ; i = (i + 1) & mask) {
		word = &table->words[i];
		if (!word->text || (word->hash == hash && word->len == len &&
				    same_word(word->text, text, len)))
			return word;
	}
}

static int table_grow(struct table *table)
{
	struct table bigger = { .size = table->size ? table->size * 2 : TABLE_MIN };
	size_t at;

	if (bigger.size > SIZE_MAX / sizeof(*bigger.words))
		return ENOMEM;
	/*
	 * This memory is written before find() reads it. With calloc(), which compilers also make
	 * of malloc() and memset(), find() would read fresh pages. Such a read maps the zero page,
	 * and the later write makes the kernel interrupt every CPU that runs a thread of the
	 * program.
	 */
	bigger.words = malloc(bigger.size * sizeof(*bigger.words));
	if (!bigger.words)
		return ENOMEM;
	explicit_bzero(bigger.words, bigger.size * sizeof(*bigger.words));
	for (size_t i = 0; i < table->size; i++) {
		if (!table->words[i].text)
			continue;
		at = table->words[i].hash & (bigger.size - 1);
		while (bigger.words[at].text)
			at = (at + 1) & (bigger.size - 1);
		bigger.words[at] = table->words[i];
	}
	bigger.used = table->used;
	free(table->words);
	*table = bigger;
	return 0;
}

/* Makes room for one more word. At most 5/8 of the slots are in use, so probes stay short. */
static inline int table_reserve(struct table *table)
{
	return table->used < table->size / 8 * 5 ? 0 : table_grow(table);
}

/*
 * Counts one more @text of 1 or more bytes; WORD_PAD bytes after it must be readable. Returns 0,
 * ENOMEM, or EOVERFLOW for a word of 4 GiB or more.
 */
int vocabulary_count(struct vocabulary *voc, const char *text, size_t len)
{
	uint64_t hash64 = hash_word(text, len);
	struct table *table = &voc->shards[hash64 & (SHARDS - 1)];
	uint32_t hash = hash64 >> 32;
	struct word *word;
	char *copy;

	if (len > UINT32_MAX)
		return EOVERFLOW;
	if (table_reserve(table))
		return ENOMEM;
	word = find(table, text, len, hash);
	if (!word->text) {
		copy = arena_get(&voc->arena, len);
		if (!copy)
			return ENOMEM;
		word->text = memcpy(copy, text, len);
		word->len = len;
		word->hash = hash;
		table->used++;
	}
	word->count++;
	return 0;
}

/* Adds the counts of @from, frees its table, and shares its texts. Returns 0 or ENOMEM. */
int table_merge(struct table *to, struct table *from)
{
	struct word *word, *other;

	for (size_t i = 0; i < from->size; i++) {
		other = &from->words[i];
		if (!other->text)
			continue;
		if (table_reserve(to))
			return ENOMEM;
		word = find(to, other->text, other->len, other->hash);
		if (word->text) {
			word->count += other->count;
		} else {
			*word = *other;
			to->used++;
		}
	}
	free(from->words);
	*from = (struct table){ .size = 0 };
	return 0;
}

void vocabulary_free(struct vocabulary *voc)
{
	struct arena_block *block;

	for (unsigned i = 0; i < SHARDS; i++)
		free(voc->shards[i].words);
	while ((block = voc->arena.blocks)) {
		voc->arena.blocks = block->next;
		free(block);
	}
}
