/* SPDX-License-Identifier: MIT */
/* Benchmarks on many numbers: tools/bench/common/numbers.h. */
#include "common/numbers.h"

#include <stdlib.h>
#include <string.h>

static void *memory(uint64_t n, size_t size)
{
	void *mem = malloc(n * size);

	if (!mem)
		row_die("no memory");
	return mem;
}

/* ---- sums, and searches */

static double *numbers;
static sum_fn *sum;
static any_fn *any;

static void add_all(const struct size *size)
{
	double right = (double)size->n, is = sum(numbers, size->n);

	if (is < right * 0.999999 || is > right * 1.000001)
		row_die("the sum is wrong");
}

void sum_time(const struct size *size, sum_fn *by)
{
	sum = by;
	numbers = memory(size->n, sizeof(*numbers));
	for (uint64_t i = 0; i < size->n; i++)
		numbers[i] = i % 2 ? 1.5 : 0.5;
	row_time_whole(size, add_all);
	free(numbers);
}

static void look(const struct size *size)
{
	if (!any(numbers, size->n))
		row_die("it is not found");
}

void any_time(const struct size *size, any_fn *by)
{
	any = by;
	numbers = memory(size->n, sizeof(*numbers));
	for (uint64_t i = 0; i < size->n; i++)
		numbers[i] = i == 5;
	row_time_each(size, ROW_REST_NS, look);
	free(numbers);
}

/* ---- sorting */

/* Returns number @i of Sebastiano Vigna's splitmix64. */
static uint64_t random_at(uint64_t i)
{
	i *= 0x9e3779b97f4a7c15u;
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
	i = (i ^ i >> 27) * 0x94d049bb133111ebu;
	return i ^ i >> 31;
}

static uint64_t key_at(const struct size *size, uint64_t i)
{
	if (!strcmp(size->how, "sorted"))
		return i;
	if (!strcmp(size->how, "equal"))
		return 7;
	if (!strcmp(size->how, "reversed"))
		return size->n - i;
	return random_at(i + 1);
}

#define SORT(type, name, value)								\
static void name##_time(const struct size *size, void (*sort)(type *, uint64_t))	\
{											\
	type *all = memory(size->n, sizeof(*all));					\
	struct span span;								\
											\
	for (unsigned round = 0; round <= size->rounds; round++) {			\
		for (uint64_t i = 0; i < size->n; i++)					\
			all[i] = (type)value;						\
		row_begin(&span);							\
		sort(all, size->n);							\
		if (round)								\
			row_end(size, &span, 1);					\
		for (uint64_t i = 1; i < size->n; i++)					\
			if (name##_above(&all[i - 1], &all[i]))				\
				row_die("it is not sorted");				\
	}										\
	free(all);									\
}

static bool ints_above(const int32_t *a, const int32_t *b)
{
	return *a > *b;
}

static bool doubles_above(const double *a, const double *b)
{
	return *a > *b;
}

static bool pairs_above(const struct pair *a, const struct pair *b)
{
	return a->key > b->key;
}

static bool strings_above(const char *const *a, const char *const *b)
{
	return strcmp(*a, *b) > 0;
}

/* Texts in the order of their keys. */
#define LETTERS 14u
static char (*texts)[LETTERS + 1];

static const char *text_of(uint64_t i, uint64_t key)
{
	for (unsigned letter = LETTERS; letter--; key /= 26)
		texts[i][letter] = (char)('a' + key % 26);
	return texts[i];
}

SORT(int32_t, ints, key_at(size, i))
SORT(double, doubles, (int64_t)key_at(size, i))
#define PAIR { key_at(size, i), i }
SORT(struct pair, pairs, PAIR)
SORT(const char *, strings, text_of(i, key_at(size, i)))

static bool is_of(const struct size *size, const char *type)
{
	return !strncmp(size->row + strlen("sort-"), type, strlen(type));
}

void sorts_time(const struct size *size, const struct sorts *sorts)
{
	if (is_of(size, "ints"))
		return ints_time(size, sorts->ints);
	if (is_of(size, "doubles"))
		return doubles_time(size, sorts->doubles);
	if (is_of(size, "pairs"))
		return pairs_time(size, sorts->pairs);
	texts = memory(size->n, sizeof(*texts));
	strings_time(size, sorts->strings);
	free(texts);
}

/* ---- comparisons that are called */

#define COMPARE(type, name)								\
int compare_##name(const void *left, const void *right, void *unused)			\
{											\
	const type *a = left, *b = right;						\
											\
	(void)unused;									\
	return name##_above(a, b) - name##_above(b, a);					\
}

COMPARE(int32_t, ints)
COMPARE(double, doubles)
COMPARE(struct pair, pairs)

int compare_strings(const void *left, const void *right, void *unused)
{
	(void)unused;
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}
