// SPDX-License-Identifier: MIT
/*
 * Merge the tables of all threads and find the totals, a task per shard: a word is in the same
 * shard in every thread, so no two tasks touch the same table.
 */
#include "walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct shard {
	struct nap_task task;
	struct walk *walk;
	unsigned index;
	struct result result;
};

/* More often first; the same number: in the order of their bytes. */
static bool before(const struct word *a, const struct word *b)
{
	uint32_t len = a->len < b->len ? a->len : b->len;
	int cmp;

	if (a->count != b->count)
		return a->count > b->count;
	cmp = memcmp(a->text, b->text, len);
	return cmp ? cmp < 0 : a->len < b->len;
}

static void top_add(struct result *result, const struct word *word)
{
	unsigned i = result->nr_top;

	if (i == TOP && !before(word, &result->top[TOP - 1]))
		return;
	if (i < TOP)
		result->nr_top++;
	else
		i--;
	for (; i && before(word, &result->top[i - 1]); i--)
		result->top[i] = result->top[i - 1];
	result->top[i] = *word;
}

/* Sums do not depend on the order in which they are formed. */
static uint64_t digest(const struct word *word)
{
	uint64_t h = ((uint64_t)word->hash << 32 | word->len) ^ word->count * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u;
	return h ^ h >> 29;
}

static void scan(const struct table *table, struct result *result)
{
	result->distinct = table->used;
	for (size_t i = 0; i < table->size; i++) {
		if (!table->words[i].text)
			continue;
		result->digest += digest(&table->words[i]);
		top_add(result, &table->words[i]);
	}
}

static struct table *largest(struct walk *walk, unsigned index)
{
	struct table *best = &walk->slots->voc.shards[index];

	for (struct slot *slot = walk->slots->next; slot; slot = slot->next)
		if (slot->voc.shards[index].used > best->used)
			best = &slot->voc.shards[index];
	return best;
}

static void shard_task(struct nap_task *task)
{
	struct shard *shard = nap_container_of(task, struct shard, task);
	struct walk *walk = shard->walk;
	struct table *to = largest(walk, shard->index), *from;
	int ret = 0;

	for (struct slot *slot = walk->slots; slot && !ret; slot = slot->next) {
		from = &slot->voc.shards[shard->index];
		if (from != to)
			ret = table_merge(to, from);
	}
	if (ret)
		run_fail(&walk->run, -ret);
	else
		scan(to, &shard->result);
	nap_group_done(&walk->run.group);
}

static int merge_start(struct walk *walk)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct shard *shards = calloc(SHARDS, sizeof(*shards));

	walk->shards = shards;
	if (!shards)
		return -ENOMEM;
	for (unsigned i = 0; i < SHARDS; i++) {
		shards[i].walk = walk;
		shards[i].index = i;
		nap_task_init(&shards[i].task, shard_task);
		nap_batch_push(&batch, &shards[i].task);
	}
	nap_group_add(&walk->run.group, SHARDS);
	return nap_schedule_batch(&walk->run.pool, &batch);
}

/* Returns 0, or -ECANCELED when the run was stopped. */
int merge(struct walk *walk)
{
	struct result *result = &walk->result, *shard;
	int ret = merge_start(walk);

	if (ret) {
		run_fail(&walk->run, -ret);
		return -ECANCELED;
	}
	ret = run_wait(&walk->run, NULL, NULL);
	for (unsigned i = 0; i < SHARDS && !ret; i++) {
		shard = &walk->shards[i].result;
		result->distinct += shard->distinct;
		result->digest += shard->digest;
		for (unsigned k = 0; k < shard->nr_top; k++)
			top_add(result, &shard->top[k]);
	}
	return ret;
}
