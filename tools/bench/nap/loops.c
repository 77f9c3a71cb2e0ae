/* SPDX-License-Identifier: MIT */
/*
 * Loops by nap_for(), from outside; a sum; a search; sorts. Main takes part, so the pool has one
 * worker less: with main, it has as many threads as the other peers.
 */
#include "nap.h"

#include "common/numbers.h"
#include "common/loops.h"

#include <string.h>

static void start(const struct size *size)
{
	struct size others = *size;

	others.workers -= size->workers > 1;
	bench_start(&others);
}

#define LOOP(name, text, turns, turn)						\
static int name##_range(size_t i, size_t end, void *unused)			\
{										\
	for (; i < end; i++)							\
		turn(i);							\
	return unused != NULL;							\
}										\
static void name(void)								\
{										\
	if (nap_for(&bench_pool, 0, turns, name##_range, NULL))			\
		row_die("a loop failed");					\
}										\
LOOP_AS_ROW(name, start, bench_end)

LOOPS(LOOP)

/* ---- arrays */

static int add(size_t i, size_t end, void *sum, void *numbers)
{
	double here = 0;

	for (; i < end; i++)
		here += ((const double *)numbers)[i];
	*(double *)sum += here;
	return 0;
}

static void merge(void *sum, const void *right, void *unused)
{
	(void)unused;
	*(double *)sum += *(const double *)right;
}

static double sum(const double *numbers, uint64_t n)
{
	static const struct nap_reduction sum_of = { sizeof(double), add, merge, NULL };
	double all = 0;

	if (nap_reduce(&bench_pool, NULL, 0, n, &sum_of, &all, (void *)(uintptr_t)numbers))
		row_die("a reduction failed");
	return all;
}

static void sum_row(const struct size *size)
{
	start(size);
	sum_time(size, sum);
	bench_end();
}

static size_t first_one(size_t i, size_t end, void *numbers)
{
	while (i < end && ((const double *)numbers)[i] != 1)
		i++;
	return i;
}

static bool any(const double *numbers, uint64_t n)
{
	return nap_any(&bench_pool, NULL, 0, n, first_one, (void *)(uintptr_t)numbers) == 1;
}

static void any_row(const struct size *size)
{
	start(size);
	any_time(size, any);
	bench_end();
}

/* ---- sorts */

static void sort_ints(int32_t *numbers, uint64_t n)
{
	nap_sort_i32(&bench_pool, numbers, n);
}

static void sort_doubles(double *numbers, uint64_t n)
{
	nap_sort_double(&bench_pool, numbers, n);
}

static void sort_pairs(struct pair *pairs, uint64_t n)
{
	nap_sort_keys(&bench_pool, pairs, n, sizeof(*pairs), NAP_KEY_U64,
		      offsetof(struct pair, key));
}

#define COMPARED(type, name, less)							\
static inline bool name##_less(const type *a, const type *b, void *unused)		\
{											\
	(void)unused;									\
	return less;									\
}											\
NAP_SORT_DEFINE(sort_##name##_in_line, type, name##_less)				\
static void sort_##name##_by(type *all, uint64_t n)					\
{											\
	sort_##name##_in_line(&bench_pool, all, n, NULL);				\
}											\
static void sort_##name##_stable(type *all, uint64_t n)					\
{											\
	sort_##name##_in_line_stable(&bench_pool, all, n, NULL);			\
}											\
static void sort_##name##_call(type *all, uint64_t n)					\
{											\
	nap_sort(&bench_pool, all, n, sizeof(*all), compare_##name, NULL);		\
}

typedef const char *string;
COMPARED(int32_t, ints, *a < *b)
COMPARED(double, doubles, *a < *b)
COMPARED(struct pair, pairs, a->key < b->key)
COMPARED(string, strings, strcmp(*a, *b) < 0)

#define SORTS_ROW(name, ...)								\
static void sorts##name##_row(const struct size *size)					\
{											\
	static const struct sorts sorts = { __VA_ARGS__ };				\
											\
	start(size);									\
	sorts_time(size, &sorts);							\
	bench_end();									\
}

SORTS_ROW(, sort_ints, sort_doubles, sort_pairs, NULL)
SORTS_ROW(_by, sort_ints_by, sort_doubles_by, sort_pairs_by, sort_strings_by)
SORTS_ROW(_stable, sort_ints_stable, sort_doubles_stable, sort_pairs_stable, sort_strings_stable)
SORTS_ROW(_call, sort_ints_call, sort_doubles_call, sort_pairs_call, sort_strings_call)

const struct row loop_rows[] = {
	LOOPS(LOOP_ROW)
	ROW("sum", sum_row),
	ROW("any", any_row),
	ROW("sort-ints", sorts_row),
	ROW("sort-doubles", sorts_row),
	ROW("sort-pairs", sorts_row),
	SORT_ROWS("-by", sorts_by_row),
	SORT_ROWS("-stable", sorts_stable_row),
	SORT_ROWS("-call", sorts_call_row),
	ROWS_END,
};
