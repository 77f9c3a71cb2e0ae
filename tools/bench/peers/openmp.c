// SPDX-License-Identifier: MIT
/* OpenMP: built with gcc it is libgomp, with clang libomp. Main is one of the team. */
#include "common/count.h"
#include "common/trees.h"
#include "peers/openmp_loops.h"

#include <omp.h>
#include <stddef.h>

#ifdef __clang__
const char row_peer[] = "omp";
#else
const char row_peer[] = "gomp";
#endif

/* @once on one thread of a team, the others take the tasks that it makes. */
static void team(const struct size *size, row_fn *once)
{
	#pragma omp parallel num_threads((int)size->workers)
	#pragma omp single
	once(size);
}

static struct count count;

static void tasks(const struct size *size)
{
	for (uint64_t i = 0; i < size->n; i++) {
		#pragma omp task
		count_done(&count);
	}
	#pragma omp taskwait
}

static void worker_once(const struct size *size)
{
	count_set(&count, size->n);
	team(size, tasks);
}

static void worker_row(const struct size *size)
{
	row_time(size, worker_once);
}

/* A loop of n bodies, each by itself. */
static void batch(const struct size *size)
{
	count_set(&count, size->n);
	#pragma omp taskloop grainsize(1)
	for (uint64_t i = 0; i < size->n; i++)
		count_done(&count);
}

static void batch_once(const struct size *size)
{
	team(size, batch);
}

static void batch_row(const struct size *size)
{
	row_time(size, batch_once);
}

static void again(void)
{
	if (count_down(&count))
		return;
	#pragma omp task
	again();
}

static void hop(const struct size *unused)
{
	(void)unused;
	#pragma omp taskgroup
	again();
}

static void again_once(const struct size *size)
{
	count_set(&count, size->n);
	team(size, hop);
}

static void again_row(const struct size *size)
{
	row_time(size, again_once);
}

static void regions(const struct size *size)
{
	for (uint64_t i = 0; i < size->n; i++) {
		#pragma omp parallel for schedule(dynamic, 1) num_threads((int)size->workers)
		for (int task = 0; task < 16; task++)
			row_work(400);
	}
}

static void regions_row(const struct size *size)
{
	row_time(size, regions);
}

/* ---- trees */

static uint64_t fib(unsigned n)
{
	uint64_t left, right;

	if (n < 2)
		return n;
	#pragma omp task shared(left)
	left = fib(n - 1);
	right = fib(n - 2);
	#pragma omp taskwait
	return left + right;
}

static void fib_begin(const struct size *size)
{
	if (fib((unsigned)size->n) != fib_by_sum((unsigned)size->n))
		row_die("the result is wrong");
}

static void fib_once(const struct size *size)
{
	team(size, fib_begin);
}

static void fib_row(const struct size *size)
{
	row_time_n(size, fib_forks((unsigned)size->n), fib_once);
}

/* The larger part is left to others. */
static void sort(int32_t *a, uint32_t n)
{
	uint32_t mid;

	if (n <= SORT_CUTOFF) {
		sort_by_insertion(a, n);
		return;
	}
	mid = sort_partition(a, n);
	if (mid < n - mid - 1) {
		#pragma omp task
		sort(a + mid + 1, n - mid - 1);
		sort(a, mid);
	} else {
		#pragma omp task
		sort(a, mid);
		sort(a + mid + 1, n - mid - 1);
	}
	#pragma omp taskwait
}

static const struct size *sort_size;

static void sort_all(int32_t *a, uint32_t n)
{
	#pragma omp parallel num_threads((int)sort_size->workers)
	#pragma omp single
	sort(a, n);
}

static void sort_row(const struct size *size)
{
	sort_size = size;
	sort_time(size, sort_all);
}

static uint64_t nqueens(const struct board *board, unsigned n, unsigned rows)
{
	uint64_t results[32] = { 0 }, result = 0;
	unsigned i = 0;

	if (rows <= QUEENS_CUTOFF + 1)
		return board_count(board, n, rows);
	for (uint32_t free = board_free(board, n); free; free &= free - 1, i++) {
		struct board next = board_with(board, free & -free);

		#pragma omp task shared(results) firstprivate(next, i)
		results[i] = nqueens(&next, n, rows - 1);
	}
	#pragma omp taskwait
	while (i)
		result += results[--i];
	return result;
}

static void nqueens_begin(const struct size *size)
{
	struct board none = { 0, 0, 0 };

	queens_check((unsigned)size->n, nqueens(&none, (unsigned)size->n, (unsigned)size->n));
}

static void nqueens_once(const struct size *size)
{
	team(size, nqueens_begin);
}

static void nqueens_row(const struct size *size)
{
	row_time_whole(size, nqueens_once);
}

static void matmul_once(const struct size *size)
{
	#pragma omp parallel for schedule(dynamic, 1) num_threads((int)size->workers)
	for (uint32_t row = 0; row < matrices_n(); row++)
		matrices_row(row);
}

static void matmul_row(const struct size *size)
{
	matrices_time(size, matmul_once);
}

static const struct row rows[] = {
	{ "worker", worker_row },
	{ "batch", batch_row },
	{ "again", again_row },
	{ "regions", regions_row },
	{ "fib", fib_row },
	{ "sort", sort_row },
	{ "nqueens", nqueens_row },
	{ "matmul", matmul_row },
	LOOPS(LOOP_ROW)
	{ "sum", sum_row },
	{ NULL, NULL },
};

const struct row *const row_tables[] = { rows, NULL };
