/* SPDX-License-Identifier: MIT */
/*
 * Sorts of elements that are sorted or falling except for one element, at any place; and of arrays
 * of every length up to 2,000. By a comparison in line, and by one that is called.
 */
#include <string.h>

#include "parallel_fixture.h"
#include "scale.h"

#define MOST 2000u

struct item {
	uint16_t key, index;
};

static struct item items[MOST], copy[MOST];
static unsigned char seen[MOST];
static unsigned nr_wrong;

static inline bool is_less(const struct item *a, const struct item *b, void *unused)
{
	(void)unused;
	return a->key < b->key;
}
NAP_SORT_DEFINE(sort_items, struct item, is_less)

static int compare(const void *left, const void *right, void *unused)
{
	const struct item *a = left, *b = right;

	(void)unused;
	return a->key - b->key;
}

/*
 * Returns the key of element @i. Keys rise or fall by 2 each, except that the key at @odd belongs
 * at @to.
 */
static uint16_t key_but_one(size_t i, size_t n, bool falls, size_t odd, size_t to)
{
	size_t at = falls ? n - 1 - i : i;

	return (uint16_t)(i == odd ? 2 * to + 1 : 2 * at + 2);
}

/* Sorts by one of the two sorts, and checks that each element is there once, in its place. */
static void expect_sorted(size_t n, bool called)
{
	int err = called ? nap_sort_stable(&pool, items, n, sizeof(*items), compare, NULL) :
			   sort_items_stable(&pool, items, n, NULL);

	nr_wrong += err != 0;
	memset(seen, 0, n);
	for (size_t i = 0; i < n; i++) {
		nr_wrong += items[i].index >= n || seen[items[i].index]++;
		nr_wrong += i && items[i - 1].key > items[i].key;
		nr_wrong += i && items[i - 1].key == items[i].key &&
			    items[i - 1].index > items[i].index;
	}
}

static void run_but_one(size_t n)
{
	for (size_t odd = 0; odd < n; odd++)
		for (unsigned how = 0; how < 8; how++) {
			size_t to = how & 4 ? 0 : n;

			for (size_t i = 0; i < n; i++)
				items[i] = (struct item){ key_but_one(i, n, how & 1, odd, to),
							  (uint16_t)i };
			expect_sorted(n, how & 2);
		}
}

TEST(one_element_out_of_order_is_found_anywhere)
{
	static const size_t lengths[] = { 2, 3, 31, 32, 33, 34, 63, 64, 65, 66, 97, 130, 193 };
	size_t step = nap_test_slow() ? 3 : 1;

	nr_wrong = 0;
	pool_of(2);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i += step)
		run_but_one(lengths[i]);
	pool_end();
	EXPECT_EQ(nr_wrong, 0);
}

TEST(every_length)
{
	size_t step = nap_test_slow() ? 37 : 1;
	uint32_t state = 1;

	nr_wrong = 0;
	pool_of(2);
	for (size_t n = 0; n <= MOST; n += step) {
		for (size_t i = 0; i < n; i++) {
			state = state * 1664525u + 1013904223u;
			items[i] = (struct item){ (uint16_t)(state >> 22), (uint16_t)i };
		}
		memcpy(copy, items, n * sizeof(*items));
		expect_sorted(n, false);
		memcpy(items, copy, n * sizeof(*items));
		expect_sorted(n, true);
	}
	pool_end();
	EXPECT_EQ(nr_wrong, 0);
}

TEST_HARNESS_MAIN
