/* SPDX-License-Identifier: MIT */
/*
 * Adds up the tables of all workers, shard by shard. A word is in the same shard in every slot,
 * so no two ranges of the loop touch the same table.
 */
#include "walk.h"

#include <errno.h>
#include <string.h>

/*
 * Whether @a is printed before @b: the more frequent word first, then the one with the lower
 * bytes.
 */
static bool before(const struct word *a, const struct word *b)
{
	uint32_t len = a->len < b->len ? a->len : b->len;
	int cmp;

	if (a->count != b->count)
		return a->count > b->count;
	cmp = memcmp(a->text, b->text, len);
	return cmp ? cmp < 0 : a->len < b->len;
}

static void top_add(struct counts *counts, const struct word *word)
{
	uint64_t i = counts->nr_top;

	if (i == TOP && !before(word, &counts->top[TOP - 1]))
		return;
	if (i < TOP)
		counts->nr_top++;
	else
		i--;
	for (; i && before(word, &counts->top[i - 1]); i--)
		counts->top[i] = counts->top[i - 1];
	counts->top[i] = *word;
}

/* Returns a word's part of the digest, a sum, which does not depend on the order of words. */
static uint64_t digest(const struct word *word)
{
	uint64_t h = ((uint64_t)word->hash << 32 | word->len) ^ word->count * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u;
	return h ^ h >> 29;
}

/* Merges all slots' tables of a shard into the largest of them. NULL if there is no memory. */
static struct table *merge_shard(const struct walk *walk, size_t shard)
{
	struct table *to = &walk->slots->voc.shards[shard];

	for (struct slot *slot = walk->slots; slot; slot = slot->next)
		if (slot->voc.shards[shard].used > to->used)
			to = &slot->voc.shards[shard];
	for (struct slot *slot = walk->slots; slot; slot = slot->next)
		if (&slot->voc.shards[shard] != to && table_merge(to, &slot->voc.shards[shard]))
			return NULL;
	return to;
}

static int add(size_t shard, size_t end, void *value, void *walk)
{
	struct counts *counts = value;
	const struct table *table;

	for (; shard < end; shard++) {
		table = merge_shard(walk, shard);
		if (!table)
			return -ENOMEM;
		counts->distinct += table->used;
		for (size_t i = 0; i < table->size; i++) {
			if (!table->words[i].text)
				continue;
			counts->digest += digest(&table->words[i]);
			top_add(counts, &table->words[i]);
		}
	}
	return 0;
}

static void merge(void *value, const void *right, void *walk)
{
	const struct counts *more = right;
	struct counts *counts = value;

	(void)walk;
	counts->distinct += more->distinct;
	counts->digest += more->digest;
	for (uint64_t i = 0; i < more->nr_top; i++)
		top_add(counts, &more->top[i]);
}

/* Returns 0, or the positive errno of the failure. If no file was read there is no slot. */
int walk_merge(struct walk *walk)
{
	static const struct nap_loop stoppable = { .stop = &run_stop };
	static const struct nap_reduction by = { sizeof(struct counts), add, merge, NULL };
	uint64_t start = run_clock();
	int ret = 0;

	if (walk->slots)
		ret = nap_reduce(&walk->run.pool, &stoppable, 0, SHARDS, &by, &walk->counts, walk);
	walk->merge_wall = run_clock() - start;
	return -ret;
}
