// SPDX-License-Identifier: MIT
/* oneTBB's loops, sums and sorts, begun by main, which takes part. */
#include "common/loops.h"
#include "common/numbers.h"

#include <functional>
#include <memory>

#include <string.h>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_sort.h>

#include "peers/tbb_trees.h"

namespace tbb = oneapi::tbb;

static std::unique_ptr<tbb::global_control> limit;
static const struct size *loop_size;

static void loops_start(const struct size *size)
{
	loop_size = size;
	limit.reset(new tbb::global_control(tbb::global_control::max_allowed_parallelism,
					    size->workers));
}

static void loops_end(void)
{
	limit.reset();
}

#define LOOP(name, text, turns, turn)						\
static void name(void)								\
{										\
	tbb_for(loop_size, uint64_t(0), uint64_t(turns), [](uint64_t i) { turn(i); });	\
}										\
LOOP_AS_ROW(name, loops_start, loops_end)

LOOPS(LOOP)

static double sum(const double *numbers, uint64_t n)
{
	return tbb::parallel_reduce(
		tbb::blocked_range<uint64_t>(0, n), 0.0,
		[numbers](const tbb::blocked_range<uint64_t> &r, double all) {
			for (uint64_t i = r.begin(); i < r.end(); i++)
				all += numbers[i];
			return all;
		},
		std::plus<double>());
}

static void sum_row(const struct size *size)
{
	loops_start(size);
	sum_time(size, sum);
	loops_end();
}

static void sort_ints(int32_t *numbers, uint64_t n)
{
	tbb::parallel_sort(numbers, numbers + n);
}

static void sort_doubles(double *numbers, uint64_t n)
{
	tbb::parallel_sort(numbers, numbers + n);
}

static void sort_pairs(struct pair *pairs, uint64_t n)
{
	tbb::parallel_sort(pairs, pairs + n,
			   [](const pair &a, const pair &b) { return a.key < b.key; });
}

static void sort_strings(const char **strings, uint64_t n)
{
	tbb::parallel_sort(strings, strings + n,
			   [](const char *a, const char *b) { return strcmp(a, b) < 0; });
}

static void sorts_row(const struct size *size)
{
	static const struct sorts sorts = { sort_ints, sort_doubles, sort_pairs, sort_strings };

	loops_start(size);
	sorts_time(size, &sorts);
	loops_end();
}

extern "C" const struct row loop_rows[] = {
	LOOPS(LOOP_ROW)
	ROW("sum", sum_row),
	ROW("sort-ints", sorts_row),
	ROW("sort-doubles", sorts_row),
	ROW("sort-pairs", sorts_row),
	SORT_ROWS("-by", sorts_row),
	ROWS_END,
};
