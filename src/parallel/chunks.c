/* SPDX-License-Identifier: MIT */
/*
 * nap_for_chunks(): ranges of bytes; each range runs the lines that begin in it. Typically a range
 * has many lines, and only two line ends are searched for. A range that lies within one line is
 * searched only up to its own end. So each byte is read at most twice, however long the lines are.
 */
#include <errno.h>
#include <string.h>

#include <nap/nap.h>

#include "sync/debug.h"

struct chunks {
	const unsigned char *memory;
	size_t size;
	int separator;
	nap_chunk_fn body;
	void *arg;
};

/* Returns the beginning of the first line that begins in [@i, @end), or @end. */
static size_t line_at(const struct chunks *chunks, size_t i, size_t end)
{
	const unsigned char *separator;

	if (!i || i == end)
		return i;
	separator = memchr(chunks->memory + i - 1, chunks->separator, end - i);
	return separator ? (size_t)(separator - chunks->memory) + 1 : end;
}

static int run_lines(size_t begin, size_t end, void *arg)
{
	const struct chunks *chunks = arg;
	size_t from = line_at(chunks, begin, end), to;

	if (from == end)
		return 0;
	to = line_at(chunks, end, chunks->size);
	return chunks->body(chunks->memory + from, to - from, chunks->arg);
}

int nap_for_chunks(struct nap_pool *pool, const struct nap_loop *how, const void *memory,
		   size_t size, unsigned char separator, nap_chunk_fn body, void *arg)
{
	struct chunks chunks = { memory, size, separator, body, arg };
	struct nap_loop unowned;

	debug_aligned(pool, __func__, __builtin_return_address(0));
	if (!body || (!memory && size))
		return -EINVAL;
	if (how && how->owners) {
		unowned = *how;
		unowned.owners = NULL;
		how = &unowned;
	}
	return nap_for_as(pool, how, 0, size, run_lines, &chunks);
}
