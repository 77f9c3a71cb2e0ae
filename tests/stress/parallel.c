/* SPDX-License-Identifier: MIT */
/* Loops, sums, searches, scans and sorts of ten million numbers. Serial code checks the results. */
#include "parallel_fixture.h"
#include "scale.h"

static size_t n;
static uint32_t *numbers;
static uint64_t *sums;

/* Returns a number for each index: one step of Marsaglia's xorshift. */
static uint32_t number_at(size_t i)
{
	uint32_t x = (uint32_t)i * 2654435761u + 1;

	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

static int fill(size_t i, size_t end, void *unused)
{
	(void)unused;
	for (; i < end; i++)
		numbers[i] += number_at(i);
	return 0;
}

static int add(size_t i, size_t end, void *sum, void *unused)
{
	(void)unused;
	for (; i < end; i++)
		*(uint64_t *)sum += numbers[i];
	return 0;
}

static int add_and_store(size_t i, size_t end, void *sum, void *unused)
{
	(void)unused;
	for (; i < end; i++)
		sums[i] = *(uint64_t *)sum += numbers[i];
	return 0;
}

static void merge(void *sum, const void *right, void *unused)
{
	(void)unused;
	*(uint64_t *)sum += *(const uint64_t *)right;
}

static const struct nap_reduction sum_of = { sizeof(uint64_t), add, merge, NULL };

static size_t first_wrong(size_t i, size_t end, void *unused)
{
	(void)unused;
	while (i < end && numbers[i] == number_at(i))
		i++;
	return i;
}

static void prepare(void)
{
	n = nap_test_count(10000000);
	pool_of(2);
	numbers = calloc(n, sizeof(*numbers));
	sums = calloc(n, sizeof(*sums));
	if (!numbers || !sums || nap_for(&pool, 0, n, fill, NULL))
		abort();
}

static void finish(void)
{
	free(numbers);
	free(sums);
	pool_end();
}

TEST(loops_and_searches)
{
	size_t at;

	prepare();
	EXPECT_EQ(nap_any(&pool, NULL, 0, n, first_wrong, NULL), 0);
	numbers[n - 1]++;
	numbers[n / 2]++;
	EXPECT_EQ(nap_find(&pool, &(struct nap_loop){ .flags = NAP_LOOP_FIRST }, 0, n, first_wrong,
			   NULL, &at), 0);
	EXPECT_EQ(at, n / 2);
	finish();
}

TEST(sums_and_scans)
{
	uint64_t plain = 0, sum = 0, all = 0;

	prepare();
	add(0, n, &plain, NULL);
	EXPECT_EQ(nap_reduce(&pool, NULL, 0, n, &sum_of, &sum, NULL), 0);
	EXPECT_EQ(sum, plain);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, n, &sum_of, add_and_store, &all, NULL), 0);
	EXPECT_EQ(all, plain);
	for (size_t i = 1; i < n; i++)
		if (sums[i] - sums[i - 1] != numbers[i])
			all++;
	EXPECT_EQ(all, plain);
	finish();
}

static int compare(const void *left, const void *right, void *unused)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	(void)unused;
	return a < b ? -1 : a > b;
}

TEST(sorts)
{
	for (int by_keys = 0; by_keys < 2; by_keys++) {
		uint64_t before = 0, after = 0;
		size_t nr_above = 0;

		prepare();
		/* Sorting by comparisons takes longer, so it gets fewer numbers. */
		n = by_keys ? n : n / 8 + 1;
		add(0, n, &before, NULL);
		EXPECT_EQ(by_keys ? nap_sort_u32(&pool, numbers, n) :
				    nap_sort(&pool, numbers, n, sizeof(*numbers), compare, NULL),
			  0);
		add(0, n, &after, NULL);
		for (size_t i = 1; i < n; i++)
			nr_above += numbers[i - 1] > numbers[i];
		EXPECT_EQ(nr_above, 0);
		EXPECT_EQ(after, before);
		finish();
	}
}

TEST_HARNESS_MAIN
