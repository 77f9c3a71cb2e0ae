/* SPDX-License-Identifier: MIT */
/*
 * The trees by plain calls, on which ratios are based. fib is there twice. A compiler removes some
 * of its calls, and compilers differ in how many, so a call takes from 0.5 to 3 ns. In fib-calls
 * every call is kept.
 */
#include "common/threads.h"
#include "common/trees.h"

#include <stddef.h>

#ifdef __clang__
const char row_peer[] = "serial-clang";
#else
const char row_peer[] = "serial";
#endif

static uint64_t fib(unsigned n)
{
	return n < 2 ? n : fib(n - 2) + fib(n - 1);
}

static __attribute__((noinline)) uint64_t node(unsigned n)
{
	uint64_t right = n < 4 ? n - 2 : node(n - 2);

	return right + (n < 3 ? n - 1 : node(n - 1));
}

static void fib_once(const struct size *size)
{
	fib_check((unsigned)size->n, fib((unsigned)size->n));
}

static void fib_calls_once(const struct size *size)
{
	fib_check((unsigned)size->n, node((unsigned)size->n));
}

static void sort(int32_t *a, uint32_t n)
{
	while (n > SORT_CUTOFF) {
		uint32_t mid = sort_partition(a, n);

		if (mid < n - mid - 1) {
			sort(a, mid);
			a += mid + 1;
			n -= mid + 1;
		} else {
			sort(a + mid + 1, n - mid - 1);
			n = mid;
		}
	}
	sort_by_insertion(a, n);
}

static void sort_row(const struct size *size)
{
	sort_time(size, sort);
}

static void nqueens_once(const struct size *size)
{
	struct board none = { 0, 0, 0 };
	unsigned n = (unsigned)size->n;

	queens_check(n, board_count(&none, n, n));
}

static uint64_t queens(const struct columns *columns, unsigned n)
{
	uint64_t result = 0;
	struct columns next;

	if (columns->rows == (int)n)
		return 1;
	for (unsigned i = 0; i < n; i++)
		if (columns_add(columns, i, &next))
			result += queens(&next, n);
	return result;
}

static void queens_once(const struct size *size)
{
	struct columns none = { .rows = 0 };

	queens_check((unsigned)size->n, queens(&none, (unsigned)size->n));
}

static uint64_t visit(const struct uts_node *node)
{
	unsigned n = uts_children(node);
	uint64_t result = 1;

	for (unsigned i = 0; i < n; i++) {
		struct uts_node child = uts_child(node, i);

		result += visit(&child);
	}
	return result;
}

static void uts_once(const struct size *unused)
{
	struct uts_node root = uts_root();

	(void)unused;
	uts_check(visit(&root));
}

static void matmul_once(const struct size *unused)
{
	(void)unused;
	for (uint32_t row = 0; row < matrices_n(); row++)
		matrices_row(row);
}

/*
 * Measures what the machine can do, whatever the pool: independent additions. Where two CPUs are
 * two threads of one core, the second adds little to such work.
 */
static void additions(unsigned thread, uint64_t n)
{
	uint64_t a = thread, b = 1, c = 2, d = 3, e = 4, f = 5;

	for (uint64_t i = 0; i < n; i++) {
		a += i;
		b += i;
		c += i;
		d += i;
		e += i;
		f += i;
		/* Keeps the compiler from computing the sums at once. */
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	}
}

static const struct row rows[] = {
	ROW_ALONE("additions", NULL, additions),
	ROW_TIME("fib", fib_time, fib_once),
	ROW_TIME("fib-calls", fib_time, fib_calls_once),
	ROW("sort", sort_row),
	ROW_TIME("nqueens", row_time_whole, nqueens_once),
	ROW_TIME("queens", row_time_whole, queens_once),
	ROW_TIME("uts", row_time_whole, uts_once),
	ROW_TIME("matmul", matrices_time, matmul_once),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, NULL };
