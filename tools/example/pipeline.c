/* SPDX-License-Identifier: MIT */
/*
 * Counts lines, words (ended by white space) and bytes of standard input: a pipeline over channels.
 *
 *	cc -O2 -o pipeline pipeline.c -lnap
 *	./pipeline </usr/share/dict/words
 *
 *	reader -> [blocks] -> counters, as many as CPUs -> [counts] -> sum
 *
 * Each channel is bounded: the faster side waits, and in all there are BLOCKS blocks of memory,
 * which go back to the reader over a channel of their own. A block ends after a word. While the
 * reader reads, it has a worker to itself, because read(2) waits in the kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nap/nap.h>

#define BLOCKS		16
#define BLOCK_SIZE	65536

struct block {
	size_t size;
	char data[BLOCK_SIZE];
};

struct counts {
	unsigned long lines, words, bytes;
};

static struct nap_pool pool = NAP_POOL_INIT();
static struct block blocks[BLOCKS];
static struct block *free_places[BLOCKS], *full_places[BLOCKS];
static struct counts counts_place[1];
static struct nap_channel empty = NAP_CHANNEL_INIT(free_places, sizeof(struct block *), BLOCKS);
static struct nap_channel full = NAP_CHANNEL_INIT(full_places, sizeof(struct block *), BLOCKS);
static struct nap_channel counted = NAP_CHANNEL_INIT(counts_place, sizeof(struct counts), 1);

/*
 * Returns how many bytes of @data are whole words: up to the last space, or all bytes if there is
 * none.
 */
static size_t whole_words(const char *data, size_t size)
{
	size_t end = size;

	while (end && !strchr(" \t\n\v\f\r", data[end - 1]))
		end--;
	return end ? end : size;
}

/* Reads blocks. A word that is longer than a block counts as two. */
static intptr_t reads(void *unused)
{
	static char rest[BLOCK_SIZE];
	struct block *block;
	size_t nr_rest = 0, got = 1;
	int err = 0;

	(void)unused;
	while (got && !(err = nap_channel_recv(&empty, &block))) {
		memcpy(block->data, rest, nr_rest);
		got = fread(block->data + nr_rest, 1, BLOCK_SIZE - nr_rest, stdin);
		got += nr_rest;
		block->size = feof(stdin) ? got : whole_words(block->data, got);
		nr_rest = got - block->size;
		memcpy(rest, block->data + block->size, nr_rest);
		if (got)
			err = nap_channel_send(&full, &block);
	}
	nap_channel_close(&full);
	return err;
}

static void count(struct counts *counts, const char *data, size_t size)
{
	int inside = 0;

	for (size_t i = 0; i < size; i++) {
		int space = data[i] == ' ' || (data[i] >= '\t' && data[i] <= '\r');

		counts->lines += data[i] == '\n';
		counts->words += !space && !inside;
		inside = !space;
	}
	counts->bytes += size;
}

/* Counts until the reader has closed the channel, and its blocks have been taken. */
static intptr_t counts_blocks(void *unused)
{
	struct counts counts = { 0, 0, 0 };
	struct block *block;

	(void)unused;
	while (!nap_channel_recv(&full, &block)) {
		count(&counts, block->data, block->size);
		nap_channel_send(&empty, &block);
	}
	return nap_channel_send(&counted, &counts);
}

int main(void)
{
	long nr_counters = sysconf(_SC_NPROCESSORS_ONLN);
	struct counts all = { 0, 0, 0 }, one;
	struct nap_scope scope;

	for (int i = 0; i < BLOCKS; i++) {
		struct block *block = &blocks[i];

		nap_channel_send(&empty, &block);
	}
	if (nap_scope_begin(&scope, &pool) || nap_scope_spawn(&scope, reads, NULL))
		return 1;
	for (long i = 0; i < nr_counters; i++)
		if (nap_scope_spawn(&scope, counts_blocks, NULL))
			return 1;
	for (long i = 0; i < nr_counters && !nap_channel_recv(&counted, &one); i++) {
		all.lines += one.lines;
		all.words += one.words;
		all.bytes += one.bytes;
	}
	if (nap_scope_end(&scope) || ferror(stdin))
		return 1;
	printf("%lu %lu %lu\n", all.lines, all.words, all.bytes);
	return nap_pool_join(&pool, NULL) ? 1 : 0;
}
