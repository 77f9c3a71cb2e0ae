// SPDX-License-Identifier: MIT
/* Loops, a sum and sorts on one thread: plain loops, and std::sort. */
#include "common/loops.h"
#include "common/numbers.h"

#include <algorithm>

#include <stdlib.h>
#include <string.h>

extern "C" const char row_peer[] = "serial-std";

static void nothing(const struct size *)
{
}

static void end(void)
{
}

#define LOOP(name, text, turns, turn)			\
static void name(void)					\
{							\
	for (uint64_t i = 0; i < turns; i++)		\
		turn(i);				\
}							\
LOOP_AS_ROW(name, nothing, end)

LOOPS(LOOP)

static double sum(const double *numbers, uint64_t n)
{
	double all = 0;

	for (uint64_t i = 0; i < n; i++)
		all += numbers[i];
	return all;
}

static void sum_row(const struct size *size)
{
	sum_time(size, sum);
}

static void sort_ints(int32_t *numbers, uint64_t n)
{
	std::sort(numbers, numbers + n);
}

static void sort_doubles(double *numbers, uint64_t n)
{
	std::sort(numbers, numbers + n);
}

static void sort_pairs(struct pair *pairs, uint64_t n)
{
	std::sort(pairs, pairs + n, [](const pair &a, const pair &b) { return a.key < b.key; });
}

static void sort_strings(const char **strings, uint64_t n)
{
	std::sort(strings, strings + n,
		  [](const char *a, const char *b) { return strcmp(a, b) < 0; });
}

static void stable_ints(int32_t *numbers, uint64_t n)
{
	std::stable_sort(numbers, numbers + n);
}

static void stable_doubles(double *numbers, uint64_t n)
{
	std::stable_sort(numbers, numbers + n);
}

static void stable_pairs(struct pair *pairs, uint64_t n)
{
	std::stable_sort(pairs, pairs + n,
			 [](const pair &a, const pair &b) { return a.key < b.key; });
}

static void stable_strings(const char **strings, uint64_t n)
{
	std::stable_sort(strings, strings + n,
			 [](const char *a, const char *b) { return strcmp(a, b) < 0; });
}

template <class T, int compare(const void *, const void *, void *)>
static void sort_call(T *all, uint64_t n)
{
	qsort_r(all, n, sizeof(*all), compare, nullptr);
}

static void sorts_row(const struct size *size)
{
	static const struct sorts sorts = { sort_ints, sort_doubles, sort_pairs, sort_strings };

	sorts_time(size, &sorts);
}

static void stable_row(const struct size *size)
{
	static const struct sorts sorts = { stable_ints, stable_doubles, stable_pairs,
					    stable_strings };

	sorts_time(size, &sorts);
}

static void call_row(const struct size *size)
{
	static const struct sorts sorts = { sort_call<int32_t, compare_ints>,
					    sort_call<double, compare_doubles>,
					    sort_call<pair, compare_pairs>,
					    sort_call<const char *, compare_strings> };

	sorts_time(size, &sorts);
}

static const struct row rows[] = {
	LOOPS(LOOP_ROW)
	ROW("sum", sum_row),
	ROW("sort-ints", sorts_row),
	ROW("sort-doubles", sorts_row),
	ROW("sort-pairs", sorts_row),
	SORT_ROWS("-by", sorts_row),
	SORT_ROWS("-stable", stable_row),
	SORT_ROWS("-call", call_row),
	ROWS_END,
};

extern "C" const struct row *const row_tables[] = { rows, nullptr };
