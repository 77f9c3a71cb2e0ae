/* SPDX-License-Identifier: MIT */
/*
 * nap_reduce() and nap_scan() against a serial loop. The operation composes maps x -> a x + b,
 * modulo 2^64: it is associative, but not commutative.
 */
#include <errno.h>
#include <string.h>

#include "parallel_fixture.h"
#include "os/os.h"
#include "scale.h"
#include "worker/self.h"
#include "wrap.h"

/* Mappings fail while the flag is set, and are counted. */
static bool no_memory;
static uint32_t nr_mapped, nr_unmapped;

WRAP(void *, nap__os_map, (size_t size))
{
	void *at = no_memory ? NULL : __real_nap__os_map(size);

	nap_fetch_add_relaxed(&nr_mapped, at != NULL);
	return at;
}

WRAP(void, nap__os_unmap, (void *at, size_t size))
{
	if (!at)
		abort();
	nap_fetch_add_relaxed(&nr_unmapped, 1);
	__real_nap__os_unmap(at, size);
}

struct map {
	uint64_t a, b;
};

static const struct map identity = { 1, 0 };
static struct map after[FIELD];		/* written by scans */
static unsigned nr_wrong;

static struct map map_of(size_t i)
{
	return (struct map){ 2 * i + 3, i * i + 1 };
}

/* Returns the map that applies @f first, then @g. */
static struct map then(struct map f, struct map g)
{
	return (struct map){ f.a * g.a, f.b * g.a + g.b };
}

static bool same(struct map f, struct map g)
{
	return f.a == g.a && f.b == g.b;
}

static int add_maps(size_t begin, size_t end, void *value, void *arg)
{
	struct map *map = value;

	for (size_t i = begin; i < end; i++) {
		*map = then(*map, map_of(i));
		if (arg && i == *(size_t *)arg)
			return -EINTR;
	}
	return 0;
}

static void merge_maps(void *value, const void *right, void *unused)
{
	struct map map;

	(void)unused;
	/* The library promises this alignment of values. */
	if ((uintptr_t)right % 16)
		abort();
	memcpy(&map, right, sizeof(map));
	*(struct map *)value = then(*(struct map *)value, map);
}

static const struct nap_reduction maps = { sizeof(struct map), add_maps, merge_maps, &identity };

static const struct nap_loop hows[] = {
	{ 0 }, { .grain = 1 }, { .grain = 7 }, { .grain = 1000 }, { .serial = 500 },
	{ .flags = NAP_LOOP_FIXED }, { .flags = NAP_LOOP_FIXED, .grain = 3 },
	{ .grain = 5, .flags = NAP_LOOP_FIRST },
};
#define NR_HOWS (sizeof(hows) / sizeof(*hows))

static const size_t sizes[] = { 0, 1, 2, 3, 16, 17, 255, 256, 257, 499, 501, FIELD };
#define NR_SIZES (sizeof(sizes) / sizeof(*sizes))

static void run_reductions(void)
{
	for (size_t i = 0; i < NR_SIZES; i++)
		for (size_t j = 0; j < NR_HOWS; j++) {
			struct map right = { 5, 6 }, value = right;
			size_t begin = sizes[i] / 5;

			add_maps(begin, sizes[i], &right, NULL);
			if (nap_reduce(&pool, j ? &hows[j] : NULL, begin, sizes[i], &maps, &value,
				       NULL) ||
			    !same(value, right))
				nr_wrong++;
		}
}

TEST(neighbours_are_merged_in_order)
{
	nr_wrong = 0;
	from_everywhere(run_reductions);
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- results are the same to the bit */

static uint32_t nr_inside, together;

/* Adds thirds. If @wait is set, waits until another thread has taken half of the loop. */
static int add_thirds(size_t begin, size_t end, void *value, void *wait)
{
	if (wait)
		nap_fetch_add_release(&nr_inside, 1);
	while (wait && !nap_load_acquire(&together) && nap_load_acquire(&nr_inside) < 2)
		sched_yield();
	nap_store_release(&together, 1);
	for (size_t i = begin; i < end; i++)
		*(double *)value += 1.0 / (double)(3 * i + 1);
	return 0;
}

static void merge_doubles(void *value, const void *right, void *unused)
{
	(void)unused;
	*(double *)value += *(const double *)right;
}

static const struct nap_reduction thirds = { sizeof(double), add_thirds, merge_doubles, NULL };

static const struct nap_loop fixed = { .flags = NAP_LOOP_FIXED };
static double sum_inside;

static void sum_alone(struct nap_worker *worker)
{
	(void)worker;
	sum_inside = 0;
	nr_wrong += nap_reduce(&pool, &fixed, 0, FIELD, &thirds, &sum_inside, NULL) != 0;
}

TEST(what_is_fixed_has_the_same_bits_for_any_number_of_workers)
{
	double first, plain = 0;

	/* On one worker no other thread can take a part. */
	nr_wrong = 0;
	pool_of(1);
	EXPECT_EQ(run_on_worker(&pool, sum_alone), 0);
	pool_end();
	first = sum_inside;
	add_thirds(0, FIELD, &plain, NULL);
	EXPECT_TRUE(first - plain < 1e-9 && plain - first < 1e-9);
	for (uint32_t workers = 1; workers <= 8; workers++) {
		pool_of(workers);
		for (int i = 0; i < 3; i++) {
			double sum = 0;

			nr_inside = together = 0;
			EXPECT_EQ(nap_reduce(&pool, &fixed, 0, FIELD, &thirds, &sum, &sum), 0);
			EXPECT_EQ(memcmp(&sum, &first, sizeof(sum)), 0);
		}
		pool_end();
	}
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- large values, on small stacks, too */

#define BINS (NAP_REDUCE_SIZE / sizeof(uint32_t))

static int count_bins(size_t begin, size_t end, void *bins, void *unused)
{
	(void)unused;
	for (size_t i = begin; i < end; i++)
		((uint32_t *)bins)[i % BINS]++;
	return 0;
}

static void merge_bins(void *bins, const void *right, void *unused)
{
	(void)unused;
	for (size_t i = 0; i < BINS; i++)
		((uint32_t *)bins)[i] += ((const uint32_t *)right)[i];
}

static const struct nap_reduction histogram = { NAP_REDUCE_SIZE, count_bins, merge_bins, NULL };

static void run_histogram(struct nap_worker *unused)
{
	static uint32_t bins[BINS];
	size_t n = BINS * 10;

	(void)unused;
	memset(bins, 0, sizeof(bins));
	nr_wrong += nap_reduce(&pool, &(struct nap_loop){ .grain = 1 }, 0, n, &histogram, bins,
			       NULL) != 0;
	for (size_t i = 0; i < BINS; i++)
		nr_wrong += bins[i] != 10;
}

TEST(a_value_may_be_large)
{
	nr_wrong = 0;
	pool_of(2);
	run_histogram(NULL);
	EXPECT_EQ(run_on_worker(&pool, run_histogram), 0);
	pool_end();
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- scans */

static bool inclusive;
static size_t fails_at;

static int store_each(size_t begin, size_t end, void *value, void *unused)
{
	struct map *map = value;

	(void)unused;
	for (size_t i = begin; i < end; i++) {
		struct map next = then(*map, map_of(i));

		after[i] = inclusive ? next : *map;
		*map = next;
		nap_fetch_add_relaxed(&field[i], 1);
		if (i == fails_at)
			return -EINTR;
	}
	return 0;
}

static bool scan_is_right(size_t begin, size_t end, struct map map)
{
	for (size_t i = begin; i < end; i++) {
		struct map next = then(map, map_of(i));

		if (!same(after[i], inclusive ? next : map))
			return false;
		map = next;
	}
	return field_is(begin, end, 1);
}

static void run_scans(void)
{
	fails_at = SIZE_MAX;
	for (size_t i = 0; i < NR_SIZES; i++)
		for (size_t j = 0; j < NR_HOWS - 1; j++) {
			struct map start = { 5, 6 }, value = start, all = start;
			size_t begin = sizes[i] / 5;

			inclusive = j % 2;
			field_clear();
			add_maps(begin, sizes[i], &all, NULL);
			if (nap_scan(&pool, j ? &hows[j] : NULL, begin, sizes[i], &maps, store_each,
				     &value, NULL) ||
			    !same(value, all) || !scan_is_right(begin, sizes[i], start))
				nr_wrong++;
		}
}

TEST(a_scan_stores_what_a_plain_loop_does)
{
	nr_wrong = 0;
	from_everywhere(run_scans);
	EXPECT_EQ(nr_wrong, 0);
}

/* For each pass: the first thread in it (an address of its own), and whether another came. */
static struct meeting {
	const void *first;	/* atomic */
	uint32_t came;		/* atomic */
} meetings[2];

/* The first thread waits until another one is here, too. Nothing but the watchdog ends the wait. */
static void meet(struct meeting *meeting)
{
	static __thread char own;
	const void *first = nap_cmpxchg_relaxed(&meeting->first, NULL, &own);

	if (first && first != &own)
		flag_set(&meeting->came);
	else
		flag_wait(&meeting->came);
}

static int add_and_meet(size_t begin, size_t end, void *value, void *unused)
{
	meet(&meetings[0]);
	return add_maps(begin, end, value, unused);
}

static int store_and_meet(size_t begin, size_t end, void *value, void *unused)
{
	if (begin)	/* the first part is in the first pass */
		meet(&meetings[1]);
	return store_each(begin, end, value, unused);
}

/* The options are for indices: they do not make one range of all parts of a pass. */
static void expect_others_take_part(struct __test_metadata *_metadata, uint32_t flags)
{
	static const struct nap_reduction meeting = { sizeof(struct map), add_and_meet, merge_maps,
						      &identity };
	const struct nap_loop how = { .grain = 64, .serial = 64, .flags = flags };
	struct map start = { 5, 6 }, value = start;

	memset(meetings, 0, sizeof(meetings));
	pool_of(2);
	fails_at = SIZE_MAX;
	field_clear();
	EXPECT_EQ(nap_scan(&pool, &how, 0, FIELD, &meeting, store_and_meet, &value, NULL), 0);
	EXPECT_TRUE(scan_is_right(0, FIELD, start));
	pool_end();
}

TEST(others_take_part_in_both_passes)
{
	expect_others_take_part(_metadata, 0);
	expect_others_take_part(_metadata, NAP_LOOP_FIXED);
}

/* ---- scans of values that do not fit on the stack, with memory for all of them, and without */

/* A map, and more bytes, which stay 0. */
struct long_map {
	struct map map;
	char rest[100];
};

static const struct long_map long_identity = { { 1, 0 }, { 0 } };
static uint32_t nr_merged;

static void merge_and_count(void *value, const void *right, void *unused)
{
	nap_fetch_add_relaxed(&nr_merged, 1);
	merge_maps(value, right, unused);
}

/* Scans [0, @n) with values of @size bytes, and checks how often values were merged. */
static bool long_scan_is_right(const struct nap_loop *how, size_t n, size_t size, uint32_t merges)
{
	const struct nap_reduction by = { size, add_maps, merge_and_count, &long_identity };
	struct map start = { 5, 6 }, all = start;
	struct long_map value = { start, { 0 } };

	nr_merged = 0;
	fails_at = SIZE_MAX;
	field_clear();
	add_maps(0, n, &all, NULL);
	return !nap_scan(&pool, how, 0, n, &by, store_each, &value, NULL) &&
	       same(value.map, all) && scan_is_right(0, n, start) && nr_merged == merges;
}

/*
 * There are at most 64 parts, and no part except the last is smaller than the grain. Each part
 * except the first and the last is merged once.
 */
TEST(a_fixed_scan_merges_the_same_values_without_memory)
{
	static const struct nap_loop by_three = { .flags = NAP_LOOP_FIXED, .grain = 3 };
	static const size_t value_sizes[] = { 16, 17, 63, 64, 65, 116 };

	pool_of(2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	for (int i = 0; i < 12; i++) {
		size_t size = value_sizes[i / 2];

		no_memory = i % 2;
		inclusive = i % 4 < 2;
		nr_mapped = nr_unmapped = 0;
		EXPECT_TRUE(long_scan_is_right(&fixed, 640, size, 62));
		EXPECT_EQ(nr_mapped, size > 64 && !no_memory);
		EXPECT_TRUE(long_scan_is_right(&fixed, 641, size, 57));
		EXPECT_TRUE(long_scan_is_right(&by_three, 9, size, 1));
		EXPECT_TRUE(long_scan_is_right(&by_three, 6, size, 0));
		EXPECT_TRUE(long_scan_is_right(&by_three, 3, size, 0));
		EXPECT_EQ(nr_mapped, nr_unmapped);
	}
	no_memory = false;
	pool_end();
}

static double sums[2][FIELD];

static int store_thirds(size_t begin, size_t end, void *value, void *unused)
{
	(void)unused;
	for (size_t i = begin; i < end; i++) {
		add_thirds(i, i + 1, value, NULL);
		sums[no_memory][i] = *(double *)value;
	}
	return 0;
}

TEST(a_fixed_scan_has_the_same_bits_without_memory)
{
	static const struct nap_reduction by = { sizeof(struct long_map), add_thirds,
						 merge_doubles, NULL };

	pool_of(2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	for (int i = 0; i < 2; i++) {
		double value[sizeof(struct long_map) / sizeof(double) + 1] = { 0 };

		no_memory = i;
		EXPECT_EQ(nap_scan(&pool, &fixed, 0, FIELD, &by, store_thirds, value, NULL), 0);
	}
	no_memory = false;
	EXPECT_EQ(memcmp(sums[0], sums[1], sizeof(sums[0])), 0);
	pool_end();
}

TEST(a_scan_without_memory_has_fewer_parts)
{
	static const struct nap_loop by_one = { .grain = 1 };

	pool_of(2);
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	no_memory = true;
	/* 4096 bytes are room for 32 values of 128 bytes. */
	EXPECT_TRUE(long_scan_is_right(&by_one, 640, 116, 30));
	no_memory = false;
	pool_end();
}

/* ---- failures */

static void run_failing(void)
{
	size_t n = 300, step = nap_test_slow() ? 37 : 1;

	for (size_t j = 0; j < NR_HOWS; j++)
		for (size_t at = 0; at < n; at += step) {
			struct map value = identity;

			fails_at = at;
			nr_wrong += nap_reduce(&pool, &hows[j], 0, n, &maps, &value, &at) != -EINTR;
			/*
			 * The second pass fails at index @at. If @at is odd, the first pass fails
			 * before.
			 */
			field_clear();
			if (j < NR_HOWS - 1)
				nr_wrong += nap_scan(&pool, &hows[j], 0, n, &maps, store_each,
						     &value, at % 2 ? &at : NULL) != -EINTR ||
					    !field_at_most_once(0);
		}
}

TEST(what_a_function_returns_is_returned)
{
	nr_wrong = 0;
	from_everywhere(run_failing);
	EXPECT_EQ(nr_wrong, 0);
}

/* Only the first pass fails: so there is no second one. */
TEST(a_scan_whose_first_pass_fails_has_no_second_pass)
{
	static const struct nap_reduction by = { sizeof(struct map), add_maps, merge_and_count,
						 &identity };
	static const struct nap_loop how = { .grain = 1 };
	size_t at = 100;
	struct map value = identity;

	pool_of(2);
	fails_at = SIZE_MAX;
	nr_merged = 0;
	field_clear();
	EXPECT_EQ(nap_scan(&pool, &how, 0, 300, &by, store_each, &value, &at), -EINTR);
	EXPECT_EQ(nr_merged, 0);
	/* A part has 5 indices. The first part is in the first pass. */
	EXPECT_TRUE(field_is(0, 5, 1) || field_is(0, 0, 1));
	pool_end();
}

static int sleep_and_add(size_t begin, size_t end, void *value, void *unused)
{
	usleep(1000);
	return add_maps(begin, end, value, unused);
}

TEST(one_that_takes_too_long)
{
	static const struct nap_reduction slow = { sizeof(struct map), sleep_and_add, merge_maps,
						   &identity };
	struct nap_loop how = { .grain = 1, .timeout_ns = 1 };
	struct map value = identity;

	pool_of(1);
	EXPECT_EQ(nap_reduce(&pool, &how, 0, 100, &slow, &value, NULL), -ETIMEDOUT);
	EXPECT_EQ(nap_scan(&pool, &how, 0, 100, &slow, sleep_and_add, &value, NULL), -ETIMEDOUT);
	how.timeout_ns = NAP_FOREVER;
	EXPECT_EQ(nap_scan(&pool, &how, 0, 10, &slow, sleep_and_add, &value, NULL), 0);
	pool_end();
}

/* ---- the size of ranges, wherever the loop runs and whatever a value's size */

struct wide {
	uint64_t sum;
	unsigned char rest[2600];
};

static size_t longest;

static int add_wide(size_t begin, size_t end, void *value, void *unused)
{
	struct wide *wide = value;
	size_t before = nap_load_relaxed(&longest);

	(void)unused;
	for (size_t i = begin; i < end; i++)
		wide->sum += i;
	while (before < end - begin && !nap_try_cmpxchg_relaxed(&longest, &before, end - begin))
		;
	return 0;
}

static void merge_wide(void *value, const void *right, void *unused)
{
	(void)unused;
	((struct wide *)value)->sum += ((const struct wide *)right)->sum;
}

static const struct nap_reduction wides = { sizeof(struct wide), add_wide, merge_wide, NULL };

static void run_wide(struct nap_worker *unused, void *unused_too)
{
	static const struct nap_loop how = { .grain = 10 };
	struct wide wide = { 0 };

	(void)unused;
	(void)unused_too;
	nr_wrong += nap_reduce(&pool, &how, 0, 1000, &wides, &wide, NULL) || wide.sum != 499500;
	wide.sum = 0;
	nr_wrong += nap_scan(&pool, &how, 0, 1000, &wides, add_wide, &wide, NULL) ||
		    wide.sum != 499500;
}

static void run_wide_outside(void)
{
	run_wide(NULL, NULL);
}

/* In the function of a broadcast the loop is not split. */
TEST(a_range_is_at_most_a_grain)
{
	nr_wrong = 0;
	longest = 0;
	from_everywhere(run_wide_outside);
	pool_of(1);
	EXPECT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(nap_broadcast(&pool, run_wide, NULL), 1);
	pool_end();
	EXPECT_EQ(nr_wrong, 0);
	EXPECT_EQ(longest, 10);
}

/* ---- loops that the program ends, or the pool */

static uint32_t stop;

static int add_and_stop(size_t begin, size_t end, void *value, void *unused)
{
	if (begin >= 500)
		nap_store_relaxed(&stop, 1);
	return add_wide(begin, end, value, unused);
}

TEST(a_scan_of_large_values_is_stopped)
{
	static const struct nap_loop how = { .grain = 10, .stop = &stop };
	struct wide wide = { 0 };

	pool_of(1);
	EXPECT_EQ(nap_scan(&pool, &how, 0, 1000, &wides, add_and_stop, &wide, NULL), -ECANCELED);
	pool_end();
}

static int shut_down_and_add(size_t begin, size_t end, void *value, void *arg)
{
	nap_pool_shutdown(&pool, NAP_DRAIN);
	return add_maps(begin, end, value, arg);
}

/*
 * The shutdown comes in the first pass. A thread that has begun a scan must make its second pass,
 * too.
 */
TEST(a_scan_goes_on_when_the_pool_is_shut_down)
{
	static const struct nap_reduction ending = { sizeof(struct map), shut_down_and_add,
						     merge_maps, &identity };
	struct map start = { 5, 6 }, all = start, value = start;

	pool_of(2);
	fails_at = SIZE_MAX;
	inclusive = true;
	field_clear();
	add_maps(0, FIELD, &all, NULL);
	EXPECT_EQ(nap_scan(&pool, &hows[1], 0, FIELD, &ending, store_each, &value, NULL), 0);
	EXPECT_TRUE(same(value, all));
	EXPECT_TRUE(scan_is_right(0, FIELD, start));
	EXPECT_EQ(nap_scan(&pool, &hows[1], 0, FIELD, &ending, store_each, &value, NULL),
		  -ESHUTDOWN);
	pool_end();
}

static int shut_down_and_store(size_t begin, size_t end, void *value, void *arg)
{
	nap_pool_shutdown(&pool, NAP_DRAIN);
	return store_each(begin, end, value, arg);
}

/* The shutdown comes when the caller runs the first index, before any other worker takes part. */
TEST(a_scan_that_its_caller_has_begun_goes_on_when_the_pool_is_shut_down)
{
	struct map start = { 5, 6 }, all = start, value = start;

	pool_of(2);
	fails_at = SIZE_MAX;
	inclusive = true;
	field_clear();
	add_maps(0, FIELD, &all, NULL);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, FIELD, &maps, shut_down_and_store, &value, NULL), 0);
	EXPECT_TRUE(same(value, all));
	EXPECT_TRUE(scan_is_right(0, FIELD, start));
	pool_end();
}

TEST(what_is_no_reduction)
{
	struct nap_reduction by = maps;
	struct map value = identity;

	pool_of(1);
#define EXPECT_NONE()										\
	do {											\
		EXPECT_EQ(nap_reduce(&pool, NULL, 0, 9, &by, &value, NULL), -EINVAL);		\
		EXPECT_EQ(nap_scan(&pool, NULL, 0, 9, &by, add_maps, &value, NULL), -EINVAL);	\
		by = maps;									\
	} while (0)
	by.size = 0;
	EXPECT_NONE();
	by.size = NAP_REDUCE_SIZE + 1;
	EXPECT_NONE();
	by.add = NULL;
	EXPECT_NONE();
	by.merge = NULL;
	EXPECT_NONE();
	EXPECT_EQ(nap_reduce(&pool, NULL, 0, 9, NULL, &value, NULL), -EINVAL);
	EXPECT_EQ(nap_reduce(&pool, NULL, 0, 9, &by, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_reduce(NULL, NULL, 0, 9, &by, &value, NULL), -EINVAL);
	EXPECT_EQ(nap_reduce(&pool, NULL, 9, 0, &by, &value, NULL), -EINVAL);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, 9, &by, NULL, &value, NULL), -EINVAL);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, 9, NULL, add_maps, &value, NULL), -EINVAL);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, 9, &by, add_maps, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_scan(&pool, NULL, 9, 0, &by, add_maps, &value, NULL), -EINVAL);
	EXPECT_EQ(nap_scan(&pool, &hows[NR_HOWS - 1], 0, 9, &by, add_maps, &value, NULL), -EINVAL);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_reduce(&pool, NULL, 0, 9, &by, &value, NULL), -ESHUTDOWN);
	EXPECT_EQ(nap_scan(&pool, NULL, 0, 9, &by, add_maps, &value, NULL), -ESHUTDOWN);
	EXPECT_TRUE(same(value, identity));
	pool_end();
}

/* ---- what the calling thread remembers of a reduction */

static int add_slowly(size_t begin, size_t end, void *sum, void *unused)
{
	uint64_t until = nap__os_now() + 2000 * (end - begin);

	(void)unused;
	while (nap__os_now() < until)
		;
	*(uint64_t *)sum += end - begin;
	return 0;
}

static void merge_sums(void *sum, const void *right, void *unused)
{
	(void)unused;
	*(uint64_t *)sum += *(const uint64_t *)right;
}

static bool is_remembered(nap_add_fn add)
{
	for (size_t i = 0; i < NAP__HABITS; i++)
		if (nap__self()->habits[i].body == (const void *)add)
			return true;
	return false;
}

TEST(one_that_took_long_is_remembered_by_its_function)
{
	const struct nap_reduction slowly = { sizeof(uint64_t), add_slowly, merge_sums, NULL };
	uint64_t sum = 0;

	pool_of(2);
	EXPECT_FALSE(is_remembered(add_slowly));
	EXPECT_EQ(nap_reduce(&pool, NULL, 0, 1000, &slowly, &sum, NULL), 0);
	EXPECT_EQ(sum, 1000);
	EXPECT_TRUE(is_remembered(add_slowly));
	pool_end();
}

TEST_HARNESS_MAIN
