/* SPDX-License-Identifier: MIT */
/*
 * Words and how often each was seen: hash tables with open addressing, private to one thread.
 *
 * A thread spreads its words over SHARDS tables by their hash, as every other thread does. So the
 * tables of all threads can be merged shard by shard, in parallel.
 */
#ifndef DEMO_TABLE_H
#define DEMO_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define SHARD_BITS 6
#define SHARDS (1u << SHARD_BITS)

/* The bytes after a word that must be readable, because words are loaded eight bytes at a time. */
#define WORD_PAD 8

/* A slot of a table: a word, or no text. */
struct word {
	const char *text;
	uint32_t len;
	uint32_t hash;	/* the high half; the shard comes from the low half */
	uint64_t count;
};

struct table {
	struct word *words;
	size_t size;	/* a power of two, or 0 */
	size_t used;
};

struct arena_block;

/* The memory of texts, which live until the end. */
struct arena {
	struct arena_block *blocks;
	char *next;
	size_t room;
	size_t block_size;
};

struct vocabulary {
	struct table shards[SHARDS];
	struct arena arena;
};

int vocabulary_count(struct vocabulary *voc, const char *text, size_t len);
void vocabulary_free(struct vocabulary *voc);

int table_merge(struct table *to, struct table *from);

char *arena_get(struct arena *arena, size_t size);

#endif /* DEMO_TABLE_H */
