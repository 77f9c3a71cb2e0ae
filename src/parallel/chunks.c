// SPDX-License-Identifier: MIT
/*
 * nap_for_chunks(): ranges of bytes, of which each has the lines that begin in it. Typically a
 * range has many, and looks for two ends of lines.
 */
#include <errno.h>
#include <string.h>

#include <nap/nap.h>

struct chunks {
	const unsigned char *memory;
	size_t size;
	int separator;
	nap_chunk_fn body;
	void *arg;
};

/* Where the first line begins that does so at @i or behind. */
static size_t line_at(const struct chunks *chunks, size_t i)
{
	const unsigned char *end;

	if (!i || i == chunks->size)
		return i;
	end = memchr(chunks->memory + i - 1, chunks->separator, chunks->size - i + 1);
	return end ? (size_t)(end - chunks->memory) + 1 : chunks->size;
}

static int run_lines(size_t begin, size_t end, void *arg)
{
	const struct chunks *chunks = arg;
	size_t from = line_at(chunks, begin), to = line_at(chunks, end);

	return from == to ? 0 : chunks->body(chunks->memory + from, to - from, chunks->arg);
}

int nap_for_chunks(struct nap_pool *pool, const struct nap_loop *how, const void *memory,
		   size_t size, unsigned char separator, nap_chunk_fn body, void *arg)
{
	struct chunks chunks = { memory, size, separator, body, arg };

	if (!body || (!memory && size))
		return -EINVAL;
	return nap_for_as(pool, how, 0, size, run_lines, &chunks);
}
