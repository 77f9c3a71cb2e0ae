/* SPDX-License-Identifier: MIT */
/*
 * The sorts of nap/sort.h: every kind of key, elements of many sizes, in many orders; comparisons
 * that contradict themselves; sorting without memory.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "guarded.h"
#include "os/os.h"
#include "parallel_fixture.h"
#include "scale.h"
#include "wrap.h"

/* Mappings fail while the flag is set. */
static bool no_memory;
WRAP(void *, nap__os_map, (size_t size))
{
	return no_memory ? NULL : __real_nap__os_map(size);
}

#define MANY 200000u
#define SIZE_MOST 40u

/* More than any test sorts; a multiple of GUARD_SIZE. */
#define MEMORY_SIZE (MANY * SIZE_MOST / 4 / GUARD_SIZE * GUARD_SIZE + GUARD_SIZE)

static unsigned char *memory;	/* the elements */
static unsigned char seen[MANY];
static unsigned nr_wrong;
static uint64_t random_state = 88172645463325252u;

/* Marsaglia's xorshift64, "Xorshift RNGs" (2003). */
static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

/* Puts @size bytes for elements behind a part that no thread may touch, or before one. */
static void place(size_t size)
{
	static unsigned char *begin;

	if (!begin)
		begin = guarded_map(MEMORY_SIZE);
	memory = draw() % 2 ? begin : begin + MEMORY_SIZE - size;
}

/* ---- orders */

enum shape { RANDOM, SORTED, REVERSED, EQUAL, TWO, PIPE, LOW_BITS, SKEWED, NEARLY, NR_SHAPES };

static uint64_t key_in(enum shape shape, size_t i, size_t n)
{
	switch (shape) {
	case SORTED: return i;
	case REVERSED: return n - i;
	case EQUAL: return 7;
	case TWO: return draw() % 2 << 20;
	case PIPE: return i < n / 2 ? i : n - i;
	case LOW_BITS: return draw() % 50;
	case SKEWED: return draw() >> (draw() % 64);
	case NEARLY: return draw() % 100 ? i : draw() % n;
	default: return draw();
	}
}

/* ---- by keys: an element has its key at an offset; a large one also has its original index */

struct kind {
	enum nap_key key;
	size_t size, offset;
};

static const struct kind kinds[] = {
	{ NAP_KEY_I32, 4, 0 }, { NAP_KEY_U32, 4, 0 }, { NAP_KEY_FLOAT, 4, 0 },
	{ NAP_KEY_I64, 8, 0 }, { NAP_KEY_U64, 8, 0 }, { NAP_KEY_DOUBLE, 8, 0 },
	{ NAP_KEY_U64, 16, 8 }, { NAP_KEY_I64, 16, 0 }, { NAP_KEY_DOUBLE, 16, 4 },
	{ NAP_KEY_I32, 8, 4 }, { NAP_KEY_U32, 9, 1 }, { NAP_KEY_FLOAT, 40, 17 },
	{ NAP_KEY_DOUBLE, 24, 11 },
};
#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

static bool is_wide(enum nap_key key)
{
	return key == NAP_KEY_I64 || key == NAP_KEY_U64 || key == NAP_KEY_DOUBLE;
}

/* Whether number @a is greater than number @b, as C compares them. */
static bool above(enum nap_key key, const unsigned char *a, const unsigned char *b)
{
#define ABOVE(type)				\
	do {					\
		type x, y;			\
		memcpy(&x, a, sizeof(x));	\
		memcpy(&y, b, sizeof(y));	\
		return x > y;			\
	} while (0)
	switch (key) {
	case NAP_KEY_I32: ABOVE(int32_t);
	case NAP_KEY_U32: ABOVE(uint32_t);
	case NAP_KEY_I64: ABOVE(int64_t);
	case NAP_KEY_U64: ABOVE(uint64_t);
	case NAP_KEY_FLOAT: ABOVE(float);
	default: ABOVE(double);
	}
}

static void put_key(const struct kind *kind, unsigned char *element, uint64_t key)
{
	uint32_t half = (uint32_t)key;
	float real = (float)(int64_t)key;
	double wide = (double)(int64_t)key;

	if (kind->key == NAP_KEY_FLOAT)
		memcpy(element + kind->offset, &real, sizeof(real));
	else if (kind->key == NAP_KEY_DOUBLE)
		memcpy(element + kind->offset, &wide, sizeof(wide));
	else if (is_wide(kind->key))
		memcpy(element + kind->offset, &key, sizeof(key));
	else
		memcpy(element + kind->offset, &half, sizeof(half));
}

/* Returns where three bytes that do not belong to the key begin: after the key, or before it. */
static size_t index_offset(const struct kind *kind)
{
	size_t behind = kind->offset + (is_wide(kind->key) ? 8 : 4);

	if (kind->size >= behind + 3)
		return behind;
	return kind->offset >= 3 ? 0 : SIZE_MAX;
}

static void put_index(unsigned char *at, size_t i)
{
	at[0] = (unsigned char)i;
	at[1] = (unsigned char)(i >> 8);
	at[2] = (unsigned char)(i >> 16);
}

static size_t index_at(const unsigned char *at)
{
	return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16;
}

/*
 * Whether the elements are sorted, and each is there once. @stable: also whether equal keys are in
 * their old order.
 */
static bool is_sorted(const struct kind *kind, size_t n, bool stable)
{
	size_t index = index_offset(kind);

	memset(seen, 0, n);
	for (size_t i = 0; i < n; i++) {
		unsigned char *e = memory + i * kind->size, *before = e - kind->size;

		if (i && above(kind->key, before + kind->offset, e + kind->offset))
			return false;
		if (index == SIZE_MAX)
			continue;
		if (index_at(e + index) >= n || seen[index_at(e + index)]++)
			return false;
		if (stable && i && !above(kind->key, e + kind->offset, before + kind->offset) &&
		    index_at(before + index) > index_at(e + index))
			return false;
	}
	return true;
}

static uint64_t sum_of(size_t n, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n * size; i++)
		sum += memory[i] * (1 + (uint64_t)(i % size));
	return sum;
}

static void fill(const struct kind *kind, enum shape shape, size_t n)
{
	size_t index = index_offset(kind);

	place(n * kind->size);
	memset(memory, 0x5a, n * kind->size);
	for (size_t i = 0; i < n; i++) {
		put_key(kind, memory + i * kind->size, key_in(shape, i, n));
		if (index != SIZE_MAX)
			put_index(memory + i * kind->size + index, i);
	}
}

static void expect_keys(const struct kind *kind, enum shape shape, size_t n)
{
	uint64_t sum;

	fill(kind, shape, n);
	sum = sum_of(n, kind->size);
	nr_wrong += nap_sort_keys(&pool, memory, n, kind->size, kind->key, kind->offset) != 0;
	nr_wrong += !is_sorted(kind, n, !no_memory) || sum_of(n, kind->size) != sum;
}

static const size_t sizes[] = {
	0, 1, 2, 3, 11, 12, 13, 23, 24, 25, 100, 257, 2047, 2048, 2049, 5000,
};
#define NR_SIZES (sizeof(sizes) / sizeof(*sizes))

/*
 * from_everywhere() makes six runs. Each run tries a part of the sizes of each kind and shape; the
 * next run tries another part.
 */
#define STEP 5u
static size_t next_part(void)
{
	static size_t nr_runs;

	return nr_runs++ % STEP;
}

static void run_keys(void)
{
	for (size_t k = 0; k < NR_KINDS; k++)
		for (enum shape shape = 0; shape < NR_SHAPES; shape++)
			for (size_t i = next_part(); i < NR_SIZES; i += STEP)
				expect_keys(&kinds[k], shape, sizes[i]);
}

TEST(every_kind_of_key)
{
	nr_wrong = 0;
	from_everywhere(run_keys);
	EXPECT_EQ(nr_wrong, 0);
}

/* Sorts arrays of about the greatest length that is distributed by blocks, and longer arrays. */
static void run_large(void)
{
	static const size_t large[] = { 65535, 65536, 65537, MANY };

	static size_t nr_runs;
	size_t step = nap_test_slow() ? 6 : 3;

	for (size_t k = nr_runs++ % step; k < NR_KINDS; k += step)
		for (enum shape shape = 0; shape < NR_SHAPES; shape++) {
			size_t n = large[(k + shape) % 4];

			if (n * kinds[k].size <= MEMORY_SIZE)
				expect_keys(&kinds[k], shape, n);
		}
}

TEST(many)
{
	nr_wrong = 0;
	from_everywhere(run_large);
	EXPECT_EQ(nr_wrong, 0);
}

TEST(numbers_alone)
{
	static const double reals[] = { -__builtin_inf(), -2, -1e-300, -0.0, 0.0, 1e-300, 2,
					__builtin_inf() };
	double numbers[16], nan = __builtin_nan("");
	int32_t i32[] = { 3, -1, 0 };
	uint32_t u32[] = { 3, UINT32_MAX, 0 };
	int64_t i64[] = { 3, INT64_MIN, 0 };
	uint64_t u64[] = { UINT64_MAX, 3, 0 };
	float floats[] = { 1, -1, 0 };

	pool_of(1);
	for (int i = 0; i < 8; i++)
		numbers[i] = reals[7 - i];
	numbers[8] = nan;
	numbers[9] = -nan;
	EXPECT_EQ(nap_sort_double(&pool, numbers, 10), 0);
	EXPECT_TRUE(numbers[0] != numbers[0] && numbers[9] != numbers[9]);
	EXPECT_EQ(memcmp(numbers + 1, reals, sizeof(reals)), 0);
	EXPECT_EQ(nap_sort_i32(&pool, i32, 3), 0);
	EXPECT_TRUE(i32[0] == -1 && i32[1] == 0 && i32[2] == 3);
	EXPECT_EQ(nap_sort_u32(&pool, u32, 3), 0);
	EXPECT_TRUE(u32[0] == 0 && u32[1] == 3 && u32[2] == UINT32_MAX);
	EXPECT_EQ(nap_sort_i64(&pool, i64, 3), 0);
	EXPECT_TRUE(i64[0] == INT64_MIN && i64[1] == 0 && i64[2] == 3);
	EXPECT_EQ(nap_sort_u64(&pool, u64, 3), 0);
	EXPECT_TRUE(u64[0] == 0 && u64[1] == 3 && u64[2] == UINT64_MAX);
	EXPECT_EQ(nap_sort_float(&pool, floats, 3), 0);
	EXPECT_TRUE(floats[0] == -1 && floats[1] == 0 && floats[2] == 1);
	pool_end();
}

/* ---- by comparisons */

static int compare_ages(const void *left, const void *right, void *arg)
{
	const struct kind *kind = arg;

	if (above(kind->key, (const unsigned char *)left + kind->offset,
		  (const unsigned char *)right + kind->offset))
		return 1;
	return -above(kind->key, (const unsigned char *)right + kind->offset,
		      (const unsigned char *)left + kind->offset);
}

static void expect_compared(const struct kind *kind, enum shape shape, size_t n)
{
	void *arg = (void *)(uintptr_t)kind;
	int err;

	fill(kind, shape, n);
	err = nap_sort(&pool, memory, n, kind->size, compare_ages, arg);
	nr_wrong += err || !is_sorted(kind, n, false);
	fill(kind, shape, n);
	err = nap_sort_stable(&pool, memory, n, kind->size, compare_ages, arg);
	if (err == -ENOMEM && no_memory && n * kind->size > 1024)
		return;
	nr_wrong += err || !is_sorted(kind, n, true);
}

static void run_compared(void)
{
	for (size_t k = 0; k < NR_KINDS; k += 2)
		for (enum shape shape = 0; shape < NR_SHAPES; shape++)
			for (size_t i = next_part(); i < NR_SIZES; i += STEP)
				expect_compared(&kinds[k], shape, sizes[i]);
}

TEST(by_comparisons)
{
	nr_wrong = 0;
	from_everywhere(run_compared);
	EXPECT_EQ(nr_wrong, 0);
}

/* Compares elements of @size bytes, one or more. */
static int compare_bytes(const void *left, const void *right, void *size)
{
	return memcmp(left, right, *(size_t *)size);
}

/* Returns a sum that shows whether the elements are the same, in any order. */
static uint64_t elements_sum(size_t n, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t hash = 1;

		for (size_t k = 0; k < size; k++)
			hash = (hash ^ memory[i * size + k]) * 0x9e3779b97f4a7c15u;
		sum += hash ^ hash >> 32;
	}
	return sum;
}

static void sort_any_size(void)
{
	size_t n = 3000;

	for (size_t size = 1; size <= 300; size += size < 20 ? 1 : 93) {
		uint64_t sum;

		place(n * size);
		for (size_t i = 0; i < n * size; i++)
			memory[i] = (unsigned char)(draw() % 3);
		sum = elements_sum(n, size);
		nr_wrong += nap_sort(&pool, memory, n, size, compare_bytes, &size) != 0;
		nr_wrong += elements_sum(n, size) != sum;
		for (size_t i = 1; i < n; i++)
			nr_wrong += memcmp(memory + (i - 1) * size, memory + i * size, size) > 0;
	}
}

TEST(elements_of_any_size)
{
	pool_of(2);
	sort_any_size();
	no_memory = true;
	sort_any_size();
	pool_end();
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- comparisons that contradict themselves */

static int at_random(const void *left, const void *right, void *unused)
{
	uint32_t a, b;

	(void)unused;
	memcpy(&a, left, sizeof(a));
	memcpy(&b, right, sizeof(b));
	return (int)((a * 2654435761u ^ b * 40503u) % 3) - 1;
}

static int always_before(const void *left, const void *right, void *unused)
{
	(void)left;
	(void)right;
	(void)unused;
	return -1;
}

static int always_behind(const void *left, const void *right, void *unused)
{
	return -always_before(left, right, unused);
}

static void run_absurd(void)
{
	static const nap_compare_fn absurd[] = { at_random, always_before, always_behind };
	static const struct kind kind = { NAP_KEY_U32, 8, 0 };

	for (size_t i = 0; i < NR_SIZES; i++)
		for (size_t j = 0; j < 3; j++)
			for (int stable = 0; stable < 2; stable++) {
				size_t n = sizes[i];

				fill(&kind, RANDOM, n);
				if ((stable ? nap_sort_stable : nap_sort)(&pool, memory, n, 8,
									  absurd[j], NULL))
					nr_wrong += !no_memory;
				memset(seen, 0, n);
				for (size_t e = 0; e < n; e++) {
					size_t index = index_at(memory + e * 8 + 4);

					nr_wrong += index >= n || seen[index]++;
				}
			}
}

TEST(comparisons_that_contradict_themselves_lose_nothing)
{
	nr_wrong = 0;
	from_everywhere(run_absurd);
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- the alignment of elements while they are compared; sorting without memory for a copy */

struct aligned {
	uint32_t number;
} __attribute__((aligned(64)));

static int compare_aligned(const void *left, const void *right, void *unused)
{
	const struct aligned *a = left, *b = right;

	(void)unused;
	if ((uintptr_t)left % 64 || (uintptr_t)right % 64)
		nap_fetch_add_relaxed(&nr_wrong, 1);
	return a->number < b->number ? -1 : a->number > b->number;
}

TEST(what_is_compared_is_aligned)
{
	struct aligned *elements;
	size_t n = MEMORY_SIZE / sizeof(*elements);

	nr_wrong = 0;
	pool_of(2);
	place(MEMORY_SIZE);
	elements = (struct aligned *)memory;
	for (int few = 0; few < 2; few++) {
		n = few ? 16 : n;
		for (size_t i = 0; i < n; i++)
			elements[i].number = (uint32_t)draw();
		EXPECT_EQ(nap_sort_stable(&pool, elements, n, sizeof(*elements), compare_aligned,
					  NULL), 0);
		for (size_t i = 1; i < n; i++)
			nr_wrong += elements[i].number < elements[i - 1].number;
	}
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
}

TEST(without_memory_it_is_sorted_in_place)
{
	uint32_t numbers[1000];
	static const struct kind kind = { NAP_KEY_U32, 4, 0 };

	nr_wrong = 0;
	pool_of(2);
	EXPECT_EQ(nap_pool_prewarm(&pool, 2), 0);
	place(0);
	no_memory = true;
	run_keys();
	run_compared();
	run_absurd();
	for (uint32_t i = 0; i < 1000; i++)
		numbers[i] = i * 7919 % 1000;
	EXPECT_EQ(nap_sort_stable(&pool, numbers, 1000, 4, compare_ages, (void *)(uintptr_t)&kind),
		  -ENOMEM);
	for (uint32_t i = 0; i < 1000; i++)
		nr_wrong += numbers[i] != i * 7919 % 1000;
	no_memory = false;
	pool_end();
	EXPECT_EQ(nr_wrong, 0);
}

TEST(what_is_no_sort)
{
	uint64_t one[2] = { 2, 1 };

	pool_of(1);
	EXPECT_EQ(nap_sort_keys(NULL, one, 2, 8, NAP_KEY_U64, 0), -EINVAL);
	EXPECT_EQ(nap_sort_keys(&pool, NULL, 2, 8, NAP_KEY_U64, 0), -EINVAL);
	EXPECT_EQ(nap_sort_keys(&pool, one, 2, 0, NAP_KEY_U64, 0), -EINVAL);
	EXPECT_EQ(nap_sort_keys(&pool, one, 2, 8, NAP_KEY_U64, 1), -EINVAL);
	EXPECT_EQ(nap_sort_keys(&pool, one, 2, 8, NAP_KEY_U32, 5), -EINVAL);
	EXPECT_EQ(nap_sort_keys(&pool, one, 2, 3, NAP_KEY_U32, SIZE_MAX - 1), -EINVAL);
	EXPECT_EQ(nap_sort_keys(&pool, one, 2, 8, NAP__KEYS, 0), -EINVAL);
	EXPECT_EQ(nap_sort_keys(&pool, one, SIZE_MAX / 4, 8, NAP_KEY_U64, 0), -EINVAL);
	EXPECT_EQ(nap_sort(NULL, one, 2, 8, always_before, NULL), -EINVAL);
	EXPECT_EQ(nap_sort(&pool, NULL, 2, 8, always_before, NULL), -EINVAL);
	EXPECT_EQ(nap_sort(&pool, one, 2, 0, always_before, NULL), -EINVAL);
	EXPECT_EQ(nap_sort(&pool, one, 2, 8, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_sort_stable(&pool, one, 2, 8, NULL, NULL), -EINVAL);
	EXPECT_EQ(nap_sort(&pool, NULL, 0, 8, always_before, NULL), 0);
	EXPECT_EQ(nap_sort_i64(&pool, NULL, 0), 0);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(nap_sort_u64(&pool, one, 2), -ESHUTDOWN);
	EXPECT_EQ(one[0], 2);
	pool_end();
}

TEST_HARNESS_MAIN
