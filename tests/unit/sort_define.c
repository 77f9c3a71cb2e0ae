/* SPDX-License-Identifier: MIT */
/*
 * The sorts that NAP_SORT_DEFINE() makes, and nap_sort(), against a simple stable sort. Elements of
 * many sizes, up to 5,000 of them and more; comparisons that contradict themselves; the worst
 * pivots; the number of comparisons.
 */
#include <errno.h>
#include <string.h>

#include "parallel_fixture.h"
#include "scale.h"

#define MANY 60000u

static uint64_t random_state = 88172645463325252u;
static unsigned nr_wrong;

/* Marsaglia's xorshift64, "Xorshift RNGs" (2003). */
static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

/*
 * ---- elements: a key of one byte; an index of two bytes, if there is room; bytes that depend on
 * both
 */

#define SIZE_MOST 100u
static unsigned char memory[MANY * 8] __attribute__((aligned(64)));
static unsigned char expected[sizeof(memory)];

static void put(unsigned char *element, size_t size, unsigned key, size_t i)
{
	for (size_t byte = 0; byte < size; byte++)
		element[byte] = (unsigned char)(byte == 0 ? key : byte == 1 ? i :
						byte == 2 ? i >> 8 : (i + byte) * 7 + key);
}

enum shape { RANDOM, SORTED, FALLING, EQUAL, TWO, PIPE, NEARLY, SAWS, NR_SHAPES };

static unsigned key_in(enum shape shape, size_t i, size_t n)
{
	switch (shape) {
	case SORTED: return (unsigned)(i * 256 / n);
	case FALLING: return (unsigned)(n - i - 1) & 255;
	case EQUAL: return 9;
	case TWO: return draw() & 1;
	case PIPE: return (unsigned)((i < n / 2 ? i : n - i) * 500 / n) & 255;
	case NEARLY: return draw() % 50 ? (unsigned)(i * 256 / n) : draw() & 255;
	case SAWS: return (unsigned)(i % 777 / 4);
	default: return draw() & 255;
	}
}

/* Fills @memory, and @expected with the same elements, sorted by counting. */
static void fill(enum shape shape, size_t n, size_t size)
{
	size_t next[257] = { 0 };

	for (size_t i = 0; i < n; i++) {
		put(memory + i * size, size, key_in(shape, i, n), i);
		next[memory[i * size] + 1]++;
	}
	for (unsigned key = 1; key < 256; key++)
		next[key] += next[key - 1];
	for (size_t i = 0; i < n; i++)
		memcpy(expected + next[memory[i * size]]++ * size, memory + i * size, size);
}

static bool as_expected(size_t n, size_t size)
{
	return !memcmp(memory, expected, n * size);
}

/* ---- a sort for each size */

#define TYPE(size)									\
struct bytes_##size {									\
	unsigned char byte[size];							\
};											\
static inline bool less_##size(const struct bytes_##size *a, const struct bytes_##size *b, \
			       void *unused)						\
{											\
	(void)unused;									\
	return a->byte[0] < b->byte[0];							\
}											\
NAP_SORT_DEFINE(sort_##size, struct bytes_##size, less_##size)				\
static int call_##size(size_t n)							\
{											\
	return sort_##size##_stable(&pool, (struct bytes_##size *)memory, n, NULL);	\
}
#define TYPES(do) do(1) do(2) do(3) do(4) do(8) do(12) do(16) do(24) do(33) do(64) do(65) do(100)
TYPES(TYPE)

static const struct {
	size_t size;
	int (*call)(size_t n);
} sorts[] = {
#define ROW(size) { size, call_##size },
	TYPES(ROW)
};
#define NR_SORTS (sizeof(sorts) / sizeof(*sorts))

static int compare_first(const void *left, const void *right, void *unused)
{
	(void)unused;
	return *(const unsigned char *)left - *(const unsigned char *)right;
}

static const size_t lengths[] = {
	0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 64, 65, 100, 127, 128, 129, 130, 200,
	255, 256, 257, 300, 511, 513, 1000, 1023, 1025, 2047, 2049, 4095, 4096, 4097, 5000,
};
#define NR_LENGTHS (sizeof(lengths) / sizeof(*lengths))

/*
 * Returns a step. If it is s, a run tries every s-th pair of a length and a shape, and the next run
 * tries other pairs. The step is @quick, and larger in a short test or a slow build.
 */
static size_t step_of(size_t quick)
{
	size_t slow = nap_test_scale() / 2;

	return nap_test_slow() ? (slow > 5 ? slow : 5) * quick + 1 : quick * nap_test_scale();
}

static void run_typed(void)
{
	static size_t nr_runs;
	size_t step = step_of(6), first = nr_runs++ % 6;

	for (size_t sort = 0; sort < NR_SORTS; sort++)
		for (size_t i = first + sort % 6; i < NR_LENGTHS * NR_SHAPES; i += step) {
			size_t n = lengths[i / NR_SHAPES], size = sorts[sort].size;

			if (n * size > sizeof(memory))
				continue;
			fill(i % NR_SHAPES, n, size);
			nr_wrong += sorts[sort].call(n) != 0;
			nr_wrong += !as_expected(n, size);
		}
}

TEST(a_sort_for_a_type_is_the_stable_sort)
{
	nr_wrong = 0;
	from_everywhere(run_typed);
	EXPECT_EQ(nr_wrong, 0);
}

static void run_many(void)
{
	static size_t nr_runs;
	size_t step = step_of(1);

	for (size_t sort = 0; sort < NR_SORTS; sort++)
		for (enum shape shape = (sort + nr_runs++) % step; shape < NR_SHAPES;
		     shape += step) {
			size_t size = sorts[sort].size, n = sizeof(memory) / size;

			n = n < MANY ? n : MANY;
			fill(shape, n, size);
			nr_wrong += sorts[sort].call(n) != 0;
			nr_wrong += !as_expected(n, size);
		}
}

TEST(so_it_is_with_many_elements)
{
	nr_wrong = 0;
	from_everywhere(run_many);
	EXPECT_EQ(nr_wrong, 0);
}

static void run_every_size(void)
{
	static size_t nr_runs;
	size_t step = step_of(6), first = nr_runs++;

	for (size_t size = 1; size <= SIZE_MOST; size++)
		for (size_t i = (first + size) % step; i < NR_LENGTHS; i += step) {
			size_t n = lengths[i] * size > sizeof(memory) ? 1000 : lengths[i];

			fill((i + size) % NR_SHAPES, n, size);
			nr_wrong += nap_sort_stable(&pool, memory, n, size, compare_first,
						    NULL) != 0;
			nr_wrong += !as_expected(n, size);
		}
}

TEST(by_a_pointer_every_size_is_sorted)
{
	nr_wrong = 0;
	from_everywhere(run_every_size);
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- comparisons that contradict themselves: no element is lost */

enum absurd { BY_CHANCE, ALWAYS, BY_ADDRESS, NOT_ABOVE, NR_ABSURD };

static inline bool is_absurd(const void *a, const void *b, void *how)
{
	switch (*(enum absurd *)how) {
	case BY_CHANCE:
		return (*(const unsigned char *)a * 31 + *(const unsigned char *)b * 17) % 5 < 2;
	case ALWAYS: return true;
	case BY_ADDRESS: return ((uintptr_t)a / 4 * 7 + (uintptr_t)b / 4) % 3 == 0;
	default: return *(const unsigned char *)a <= *(const unsigned char *)b;
	}
}

#define is_absurd_8(a, b, how)		is_absurd(a, b, how)
NAP_SORT_DEFINE(absurd_8, struct bytes_8, is_absurd_8)
NAP_SORT_DEFINE(absurd_100, struct bytes_100, is_absurd_8)

static int compare_absurdly(const void *a, const void *b, void *how)
{
	return is_absurd(a, b, how) ? -1 : is_absurd(b, a, how);
}

/* Whether each index is there once, with the bytes that belong to it. */
static bool is_complete(size_t n, size_t size)
{
	static unsigned char there[MANY], whole[SIZE_MOST];

	memset(there, 0, n);
	for (size_t i = 0; i < n; i++) {
		unsigned char *element = memory + i * size;
		size_t index = element[1] | (size_t)element[2] << 8;

		if (index >= n || there[index]++)
			return false;
		put(whole, size, element[0], index);
		if (memcmp(whole, element, size))
			return false;
	}
	return true;
}

/*
 * If the build is slow and the test much shortened, each run tries other shapes than the run
 * before.
 */
static void run_absurd(void)
{
	static size_t nr_runs;
	bool fewer = nap_test_slow() && nap_test_scale() > 10;
	size_t step = fewer ? 3 : 1, first = nr_runs++ % step;

	for (enum absurd how = 0; how < NR_ABSURD; how++)
		for (enum shape shape = first; shape < NR_SHAPES; shape += step)
			for (size_t i = shape % 3; i <= NR_LENGTHS; i += nap_test_slow() ? 12 : 3) {
				size_t n = i == NR_LENGTHS ? MANY : lengths[i];
				size_t larger = n * 100 > sizeof(memory) ? 4200 : n;

				fill(shape, n, 8);
				nr_wrong += absurd_8(&pool, (struct bytes_8 *)memory, n, &how) != 0;
				nr_wrong += !is_complete(n, 8);
				fill(shape, n, 8);
				nr_wrong += nap_sort(&pool, memory, n, 8, compare_absurdly,
						     &how) != 0;
				nr_wrong += !is_complete(n, 8);
				fill(shape, larger, 100);
				nr_wrong += absurd_100(&pool, (struct bytes_100 *)memory, larger,
						       &how) != 0;
				nr_wrong += !is_complete(larger, 100);
			}
}

TEST(whatever_comparisons_return_nothing_is_lost)
{
	nr_wrong = 0;
	from_everywhere(run_absurd);
	EXPECT_EQ(nr_wrong, 0);
}

/* ---- the number of comparisons */

/*
 * McIlroy, "A killer adversary for quicksort" (1999): elements get their values while they are
 * compared, so that each pivot is among the lowest. The first two values are given before, because
 * elements that are all sorted would not be divided.
 */
#define GAS 4000u
static uint32_t value_of[GAS], nr_solid, candidate;
static uint64_t nr_compared;

static bool is_less_of_gas(const uint32_t *a, const uint32_t *b, void *unused)
{
	(void)unused;
	nr_compared++;
	if (value_of[*a] == GAS && value_of[*b] == GAS)
		value_of[*a == candidate ? *a : *b] = nr_solid++;
	if (value_of[*a] == GAS)
		candidate = *a;
	else if (value_of[*b] == GAS)
		candidate = *b;
	return value_of[*a] < value_of[*b];
}
NAP_SORT_DEFINE(sort_gas, uint32_t, is_less_of_gas)

TEST(no_pivots_are_so_bad_that_it_takes_much_longer)
{
	uint32_t indices[GAS];

	for (uint32_t i = 0; i < GAS; i++) {
		indices[i] = i;
		value_of[i] = i == 0 ? 1 : i == 1 ? 0 : GAS;
	}
	nr_solid = 2;
	nr_compared = 0;
	pool_of(1);
	EXPECT_EQ(sort_gas_stable(&pool, indices, GAS, NULL), 0);
	pool_end();
	for (uint32_t i = 1; i < GAS; i++)
		EXPECT_TRUE(value_of[indices[i - 1]] <= value_of[indices[i]]);
	/* 26 divisions of all elements, with at most two comparisons each; and 12 for merging. */
	EXPECT_TRUE(nr_compared < GAS * 66);
}

static bool is_less_counted(const uint32_t *a, const uint32_t *b, void *unused)
{
	(void)unused;
	nap_fetch_add_relaxed(&nr_compared, 1);
	return *a < *b;
}
NAP_SORT_DEFINE(sort_counted, uint32_t, is_less_counted)

static uint64_t compared_by(enum shape shape, size_t n)
{
	uint32_t *numbers = (uint32_t *)memory;

	for (size_t i = 0; i < n; i++)
		numbers[i] = shape == RANDOM ? (uint32_t)draw() : shape == SORTED ? (uint32_t)i :
			     shape == FALLING ? (uint32_t)(n - i) : 7;
	nap_store_relaxed(&nr_compared, 0);
	nr_wrong += sort_counted(&pool, numbers, n, NULL) != 0;
	for (size_t i = 1; i < n; i++)
		nr_wrong += numbers[i - 1] > numbers[i];
	return nap_load_relaxed(&nr_compared);
}

/* For 100,000 elements log2(n!) is 15.2 for each element. The bound is 15 % more. */
TEST(random_elements_take_hardly_more_comparisons_than_must_be)
{
	nr_wrong = 0;
	pool_of(2);
	EXPECT_TRUE(compared_by(RANDOM, 100000) < 100000 * 15.2 * 1.15);
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
}

TEST(sorted_falling_and_equal_elements_are_compared_once)
{
	nr_wrong = 0;
	pool_of(2);
	EXPECT_TRUE(compared_by(SORTED, 100000) < 100000);
	EXPECT_TRUE(compared_by(EQUAL, 100000) < 100000);
	EXPECT_TRUE(compared_by(FALLING, 100000) < 101000);
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
}

/* ---- the elements that a comparison gets are aligned */

struct aligned {
	uint32_t number, index;
} __attribute__((aligned(64)));

static inline bool is_less_aligned(const struct aligned *a, const struct aligned *b, void *unused)
{
	(void)unused;
	if ((uintptr_t)a % 64 || (uintptr_t)b % 64)
		nap_fetch_add_relaxed(&nr_wrong, 1);
	return a->number < b->number;
}
NAP_SORT_DEFINE(sort_aligned, struct aligned, is_less_aligned)

TEST(elements_are_aligned_while_they_are_compared)
{
	struct aligned *elements = (struct aligned *)memory;
	size_t n = sizeof(memory) / sizeof(*elements);

	nr_wrong = 0;
	pool_of(2);
	for (size_t few = 8; few <= n; few = few < n && few * 9 > n ? n : few * 9) {
		for (size_t i = 0; i < few; i++)
			elements[i] = (struct aligned){ draw() % 1000, (uint32_t)i };
		EXPECT_EQ(sort_aligned_stable(&pool, elements, few, NULL), 0);
		for (size_t i = 1; i < few; i++)
			nr_wrong += elements[i - 1].number > elements[i].number ||
				    (elements[i - 1].number == elements[i].number &&
				     elements[i - 1].index > elements[i].index);
		if (few == n)
			break;
	}
	EXPECT_EQ(nr_wrong, 0);
	pool_end();
}

/* ---- the argument, and calls that sort nothing */

static inline bool is_less_by(const int *a, const int *b, void *sign)
{
	return *a * *(int *)sign < *b * *(int *)sign;
}
NAP_SORT_DEFINE(sort_by, int, is_less_by)

TEST(the_argument_and_errors)
{
	int numbers[] = { 1, 3, 2 }, sign = -1;

	pool_of(1);
	EXPECT_EQ(sort_by(&pool, numbers, 3, &sign), 0);
	EXPECT_TRUE(numbers[0] == 3 && numbers[1] == 2 && numbers[2] == 1);
	EXPECT_EQ(sort_by(&pool, NULL, 0, &sign), 0);
	EXPECT_EQ(sort_by(NULL, numbers, 3, &sign), -EINVAL);
	EXPECT_EQ(sort_by(&pool, NULL, 3, &sign), -EINVAL);
	EXPECT_EQ(sort_by_stable(&pool, numbers, SIZE_MAX / 2, &sign), -EINVAL);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	sign = 1;
	EXPECT_EQ(sort_by(&pool, numbers, 3, &sign), -ESHUTDOWN);
	EXPECT_EQ(numbers[0], 3);
	pool_end();
}

TEST_HARNESS_MAIN
