/* SPDX-License-Identifier: MIT */
/* OpenMP: libgomp if built with gcc, libomp with clang. Main is a thread of the team. */
#include "common/trees.h"
#include "peers/openmp_loops.h"

#include <omp.h>
#include <stddef.h>

#ifdef __clang__
const char row_peer[] = "omp";
#else
const char row_peer[] = "gomp";
#endif

/* Runs @once on one thread of a team. The other threads take the tasks that @once makes. */
#define TEAM(once)						\
static void once##_by_team(const struct size *size)		\
{								\
	_Pragma("omp parallel num_threads((int)size->workers)")	\
	_Pragma("omp single")					\
	once(size);						\
}

/* A body that the compiler cannot remove. OpenMP counts the tasks itself. */
static inline void nothing(void)
{
	__asm__ volatile("");
}

static void tasks(const struct size *size)
{
	for (uint64_t i = 0; i < size->n; i++) {
		#pragma omp task
		nothing();
	}
	#pragma omp taskwait
}
TEAM(tasks)

/*
 * Runs a loop of n bodies, each scheduled alone. Only libomp is measured: libgomp runs all bodies
 * in place if there are more than 64 for each thread of the team.
 */
static void batch(const struct size *size)
{
	#pragma omp taskloop grainsize(1)
	for (uint64_t i = 0; i < size->n; i++)
		nothing();
}
TEAM(batch)

/* each task follows the one before, so no two tasks write this at once */
static uint64_t hops_left;

#ifdef __clang__
/*
 * A task that gives way and is untied is scheduled again, by libomp's own call, so one is enough. A
 * chain of new tasks would be as long in memory: libomp keeps a task's record until its children
 * have ended.
 */
static void hop(const struct size *size)
{
	hops_left = size->n;
	#pragma omp task untied
	while (--hops_left) {
		#pragma omp taskyield
	}
}
#else
static void again(void)
{
	if (!--hops_left)
		return;
	#pragma omp task
	again();
}

/*
 * There is no group: the barrier of TEAM() waits for the last task. libgomp's taskyield does
 * nothing.
 */
static void hop(const struct size *size)
{
	hops_left = size->n;
	again();
}
#endif
TEAM(hop)

static void regions(const struct size *size)
{
	for (uint64_t i = 0; i < size->n; i++) {
		#pragma omp parallel for schedule(static) num_threads((int)size->workers)
		for (int task = 0; task < 16; task++)
			row_work(400);
	}
}

/* ---- trees */

/*
 * Initialises libomp, without starting a thread, before the clock of a cold row starts: nap's pool
 * also exists by then. libgomp initialises itself when the program is loaded.
 */
static void trees_begin(const struct size *unused)
{
	(void)unused;
	omp_get_max_threads();
}

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

static void fib_once(const struct size *size)
{
	fib_check((unsigned)size->n, fib((unsigned)size->n));
}
TEAM(fib_once)

/* Other threads may take the task of the larger part. */
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

/* A task for each free square except the last. */
static uint64_t nqueens(const struct board *board, unsigned n, unsigned rows)
{
	uint64_t results[32], result;
	struct board next;
	uint32_t free;
	unsigned i = 0;

	if (rows <= QUEENS_CUTOFF + 1)
		return board_count(board, n, rows);
	free = board_free(board, n);
	if (!free)
		return 0;
	for (; free & (free - 1); free &= free - 1, i++) {
		next = board_with(board, free & -free);
		#pragma omp task shared(results) firstprivate(next, i)
		results[i] = nqueens(&next, n, rows - 1);
	}
	next = board_with(board, free);
	result = nqueens(&next, n, rows - 1);
	if (i) {
		#pragma omp taskwait
	}
	while (i)
		result += results[--i];
	return result;
}

static void nqueens_once(const struct size *size)
{
	struct board none = { 0, 0, 0 };

	queens_check((unsigned)size->n, nqueens(&none, (unsigned)size->n, (unsigned)size->n));
}
TEAM(nqueens_once)

static uint64_t queens(const struct columns *columns, unsigned n)
{
	struct columns next[COLUMNS_MAX];
	uint64_t results[COLUMNS_MAX], result = 0;
	unsigned peaceful = 0;

	if (columns->rows == (int)n)
		return 1;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = peaceful;

		if (!columns_add(columns, i, &next[k]))
			continue;
		peaceful++;
		#pragma omp task shared(next, results) firstprivate(k, n)
		results[k] = queens(&next[k], n);
	}
	#pragma omp taskwait
	while (peaceful)
		result += results[--peaceful];
	return result;
}

static void queens_once(const struct size *size)
{
	struct columns none = { .rows = 0 };

	queens_check((unsigned)size->n, queens(&none, (unsigned)size->n));
}
TEAM(queens_once)

/* A task for each child except the last. */
static uint64_t visit(const struct uts_node *node)
{
	uint64_t results[UTS_CHILDREN_MAX], result = 1;
	unsigned n = uts_children(node);
	struct uts_node last;

	if (!n)
		return 1;
	for (unsigned i = 0; i + 1 < n; i++) {
		#pragma omp task shared(results) firstprivate(i)
		{
			struct uts_node child = uts_child(node, i);

			results[i] = visit(&child);
		}
	}
	last = uts_child(node, n - 1);
	results[n - 1] = visit(&last);
	#pragma omp taskwait
	for (unsigned i = 0; i < n; i++)
		result += results[i];
	return result;
}

static void uts_once(const struct size *unused)
{
	struct uts_node root = uts_root();

	(void)unused;
	uts_check(visit(&root));
}
TEAM(uts_once)

static void matmul_once(const struct size *size)
{
	#pragma omp parallel for schedule(static) num_threads((int)size->workers)
	for (uint32_t row = 0; row < matrices_n(); row++)
		matrices_row(row);
}

static const struct row rows[] = {
	ROW_TIME("worker", row_time, tasks_by_team),
	ROW_TIME("batch", row_time, batch_by_team),
	ROW_TIME("again", row_time, hop_by_team),
	ROW_TIME("regions", row_time, regions),
	ROW_OF("fib", fib_time, fib_once_by_team, trees_begin, NULL),
	ROW("sort", sort_row),
	ROW_OF("nqueens", row_time_whole, nqueens_once_by_team, trees_begin, NULL),
	ROW_OF("queens", row_time_whole, queens_once_by_team, trees_begin, NULL),
	ROW_OF("uts", row_time_whole, uts_once_by_team, trees_begin, NULL),
	ROW_TIME("matmul", matrices_time, matmul_once),
	LOOPS(LOOP_ROW)
	ROW("sum", sum_row),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, NULL };
