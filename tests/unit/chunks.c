/* SPDX-License-Identifier: MIT */
/* nap_for_chunks(): each line is in one chunk, and whole. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "parallel_fixture.h"
#include "wrap.h"

static char text[FIELD];
static unsigned nr_wrong;

/* Counts each byte, and checks that the chunk begins and ends at lines. */
static int count_chunk(const void *chunk, size_t size, void *length)
{
	const char *at = chunk, *end = at + size, *all = text + *(size_t *)length;

	if (!size || at < text || end > all || (at > text && at[-1] != '\n') ||
	    (end < all && end[-1] != '\n'))
		nap_fetch_add_relaxed(&nr_wrong, 1);
	return count_range((size_t)(at - text), (size_t)(end - text), NULL);
}

static void expect_chunks(size_t n)
{
	static const size_t grains[] = { 0, 1, 2, 7, 1000, SIZE_MAX };

	for (size_t i = 0; i < sizeof(grains) / sizeof(*grains); i++) {
		field_clear();
		nr_wrong += nap_for_chunks(&pool, &(struct nap_loop){ .grain = grains[i] }, text, n,
					   '\n', count_chunk, &n) != 0 || !field_is(0, n, 1);
	}
}

static void run_texts(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 10, 999, FIELD };

	for (size_t every = 1; every <= 3000; every = every * 3 + 1)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			memset(text, 'x', sizeof(text));
			for (size_t at = every - 1; at < sizes[i]; at += every)
				text[at] = '\n';
			expect_chunks(sizes[i]);
			/* Empty lines, and a text that ends with or without its separator. */
			if (sizes[i])
				text[0] = text[sizes[i] / 2] = text[sizes[i] - 1] = '\n';
			expect_chunks(sizes[i]);
		}
}

TEST(each_line_is_in_one_chunk)
{
	nr_wrong = 0;
	from_everywhere(run_texts);
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- long lines */

static size_t nr_searched;

WRAP(void *, memchr, (const void *at, int c, size_t n))
{
	const char *found = __real_memchr(at, c, n);

	nap_fetch_add_relaxed(&nr_searched, found ? (size_t)(found - (const char *)at) + 1 : n);
	return (void *)(uintptr_t)found;
}

static void run_long_lines(void)
{
	static const size_t lines[] = { FIELD, FIELD / 2, FIELD / 10 };
	static const size_t grains[] = { 0, 1, 100 };

	for (size_t i = 0; i < 9; i++) {
		struct nap_loop how = { .grain = grains[i % 3] };
		size_t n = FIELD;

		memset(text, 'x', sizeof(text));
		for (size_t at = lines[i / 3] - 1; at < FIELD; at += lines[i / 3])
			text[at] = '\n';
		field_clear();
		nr_searched = 0;
		nr_wrong += nap_for_chunks(&pool, &how, text, n, '\n', count_chunk, &n) != 0 ||
			    !field_is(0, n, 1) || nr_searched > 2 * FIELD + 1;
	}
}

TEST(each_byte_is_looked_at_twice_at_most)
{
	nr_wrong = 0;
	from_everywhere(run_long_lines);
	EXPECT_EQ(nr_wrong, 0);
}

static int end_at_b(const void *chunk, size_t size, void *unused)
{
	(void)unused;
	return memchr(chunk, 'b', size) ? -EINTR : 0;
}

TEST(what_a_chunk_returns_is_returned)
{
	pool_of(2);
	EXPECT_EQ(nap_for_chunks(&pool, NULL, "a\nb\nc\n", 6, '\n', end_at_b, NULL), -EINTR);
	EXPECT_EQ(nap_for_chunks(&pool, NULL, "a\nc\n", 4, '\n', end_at_b, NULL), 0);
	EXPECT_EQ(nap_for_chunks(&pool, NULL, NULL, 0, '\n', end_at_b, NULL), 0);
	EXPECT_EQ(nap_for_chunks(&pool, NULL, NULL, 1, '\n', end_at_b, NULL), -EINVAL);
	EXPECT_EQ(nap_for_chunks(&pool, NULL, "a", 1, '\n', NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_for_chunks(NULL, NULL, "a", 1, '\n', end_at_b, NULL), -EINVAL);
	pool_end();
}

TEST_HARNESS_MAIN
