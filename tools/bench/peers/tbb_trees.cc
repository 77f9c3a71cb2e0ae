// SPDX-License-Identifier: MIT
/* Trees with oneTBB's task groups. */
#include "peers/tbb_trees.h"

#include "common/trees.h"

#include <utility>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

namespace tbb = oneapi::tbb;

/*
 * One context for all groups of a tree, which end together, as one that is canceled would cancel
 * the others. A group without it makes a context of its own, and binds that to its parent's.
 */
static tbb::task_group_context whole(tbb::task_group_context::isolated);

static uint64_t fib(unsigned n)
{
	uint64_t left, right;

	if (n < 2)
		return n;
	tbb::task_group group(whole);
	group.run([&left, n] { left = fib(n - 1); });
	right = fib(n - 2);
	group.wait();
	return left + right;
}

static void fib_once(const struct size *size)
{
	fib_check((unsigned)size->n, fib((unsigned)size->n));
}

/* Other threads may take the task of the larger part. */
static void sort(int32_t *a, uint32_t n)
{
	if (n <= SORT_CUTOFF)
		return sort_by_insertion(a, n);

	uint32_t mid = sort_partition(a, n);
	std::pair<int32_t *, uint32_t> larger(a, mid), smaller(a + mid + 1, n - mid - 1);

	if (larger.second < smaller.second)
		std::swap(larger, smaller);
	tbb::task_group group(whole);
	group.run([larger] { sort(larger.first, larger.second); });
	sort(smaller.first, smaller.second);
	group.wait();
}

/* One group a row, with a task for each free square except the last. */
static uint64_t nqueens(const struct board &board, unsigned n, unsigned rows)
{
	uint64_t results[32], result;
	uint32_t free = board_free(&board, n);
	unsigned squares = 0;

	if (rows <= QUEENS_CUTOFF + 1)
		return board_count(&board, n, rows);
	if (!free)
		return 0;
	if (!(free & (free - 1)))
		return nqueens(board_with(&board, free), n, rows - 1);
	tbb::task_group group(whole);
	for (; free & (free - 1); free &= free - 1) {
		struct board next = board_with(&board, free & -free);
		unsigned i = squares++;

		group.run([&, next, i] { results[i] = nqueens(next, n, rows - 1); });
	}
	result = nqueens(board_with(&board, free), n, rows - 1);
	group.wait();
	while (squares)
		result += results[--squares];
	return result;
}

static void nqueens_once(const struct size *size)
{
	struct board none = { 0, 0, 0 };

	queens_check((unsigned)size->n, nqueens(none, (unsigned)size->n, (unsigned)size->n));
}

static uint64_t queens(const struct columns &columns, unsigned n)
{
	struct columns next[COLUMNS_MAX];
	uint64_t results[COLUMNS_MAX], result = 0;
	unsigned peaceful = 0;

	if (columns.rows == (int)n)
		return 1;
	tbb::task_group group(whole);
	for (unsigned i = 0; i < n; i++)
		if (columns_add(&columns, i, &next[peaceful])) {
			unsigned k = peaceful++;

			group.run([&, k] { results[k] = queens(next[k], n); });
		}
	group.wait();
	while (peaceful)
		result += results[--peaceful];
	return result;
}

static void queens_once(const struct size *size)
{
	queens_check((unsigned)size->n, queens({}, (unsigned)size->n));
}

static uint64_t visit(const struct uts_node &node)
{
	unsigned n = uts_children(&node);
	uint64_t results[UTS_CHILDREN_MAX], result = 1;

	if (!n)
		return 1;
	tbb::task_group group(whole);
	for (unsigned i = 0; i + 1 < n; i++)
		group.run([&, i] { results[i] = visit(uts_child(&node, i)); });
	results[n - 1] = visit(uts_child(&node, n - 1));
	group.wait();
	for (unsigned i = 0; i < n; i++)
		result += results[i];
	return result;
}

static void uts_once(const struct size *)
{
	uts_check(visit(uts_root()));
}

static void matmul_once(const struct size *size)
{
	tbb_for(size, uint32_t(0), matrices_n(), [](uint32_t row) { matrices_row(row); });
}

template <row_time_fn *time> static void time_in_arena(const struct size *size, row_fn *once)
{
	tree_arena(size, [size, once] { time(size, once); });
}

static void sort_row(const struct size *size)
{
	tree_arena(size, [size] { sort_time(size, sort); });
}

const struct row tree_rows[] = {
	ROW_TIME("fib", time_in_arena<fib_time>, fib_once),
	ROW("sort", sort_row),
	ROW_TIME("nqueens", time_in_arena<row_time_whole>, nqueens_once),
	ROW_TIME("queens", time_in_arena<row_time_whole>, queens_once),
	ROW_TIME("uts", time_in_arena<row_time_whole>, uts_once),
	ROW_TIME("matmul", time_in_arena<matrices_time>, matmul_once),
	ROWS_END,
};
