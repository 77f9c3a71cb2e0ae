// SPDX-License-Identifier: MIT
/* Loops, a sum and sorts on one thread: plain loops, and std::sort. */
#include "common/loops.h"
#include "common/numbers.h"

#include <algorithm>

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

static void sorts_row(const struct size *size)
{
	static const struct sorts sorts = { sort_ints, sort_doubles, sort_pairs };

	sorts_time(size, &sorts);
}

static const struct row rows[] = {
	LOOPS(LOOP_ROW)
	ROW("sum", sum_row),
	ROW("sort-ints", sorts_row),
	ROW("sort-doubles", sorts_row),
	ROW("sort-pairs", sorts_row),
	ROWS_END,
};

extern "C" const struct row *const row_tables[] = { rows, nullptr };
