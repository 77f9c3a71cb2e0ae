/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <stdio.h>
#include <string.h>

typedef const char *word;

/* Shorter words come first, those of a length in their order. */
static inline bool is_before(const word *a, const word *b, void *unused)
{
	size_t left = strlen(*a), right = strlen(*b);

	(void)unused;
	return left < right || (left == right && strcmp(*a, *b) < 0);
}
NAP_SORT_DEFINE(sort_words, word, is_before)

static struct nap_pool pool;

int main(void)
{
	word words[] = { "whom", "the", "bell", "tolls", "for" };
	size_t n = sizeof(words) / sizeof(*words);

	if (sort_words(&pool, words, n, NULL))
		return 1;
	for (size_t i = 0; i < n; i++)
		puts(words[i]);
	return nap_pool_join(&pool, NULL);
}
