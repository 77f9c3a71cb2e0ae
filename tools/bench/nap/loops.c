/* SPDX-License-Identifier: MIT */
/*
 * Loops by nap_for(), from outside; a sum; a search; sorts. Main takes part, so the pool has a
 * worker less: as many threads as the other peers.
 */
#include "nap.h"

#include "common/numbers.h"
#include "common/loops.h"

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

static const struct sorts sorts = { sort_ints, sort_doubles, sort_pairs };

static void sorts_row(const struct size *size)
{
	start(size);
	sorts_time(size, &sorts);
	bench_end();
}

const struct row loop_rows[] = {
	LOOPS(LOOP_ROW)
	ROW("sum", sum_row),
	ROW("any", any_row),
	ROW("sort-ints", sorts_row),
	ROW("sort-doubles", sorts_row),
	ROW("sort-pairs", sorts_row),
	ROWS_END,
};
