/* SPDX-License-Identifier: MIT */
/* Trees by fork and join, begun by a task, so that only the pool's workers take part. */
#include "common/trees.h"
#include "fib_forks.h"
#include "nap.h"
#include "queens_forks.h"

static uint64_t tree_n, tree_result;

/*
 * Defines NAME_once(), which runs the tree by the expression @call. @call may use worker, top,
 * and tree_n, which is the row's n.
 */
#define TREE(name, check, call)						\
static void name##_begun(struct nap_task *unused)			\
{									\
	struct nap_worker *worker = nap_worker_self();			\
	struct nap_frame *top = nap_top(worker);			\
									\
	(void)unused;							\
	tree_result = (call);						\
	count_done(&bench_count);					\
}									\
static void name##_once(const struct size *size)			\
{									\
	static struct nap_task task = NAP_TASK_INIT(name##_begun);	\
									\
	tree_n = size->n;						\
	bench_run(&task);						\
	check((unsigned)tree_n, tree_result);				\
}

TREE(fib, fib_check, (uint64_t)fib(worker, top, (long)tree_n))

TREE(nqueens, queens_check,
     nqueens(worker, top, (struct board){ 0, 0, 0 }, (unsigned)tree_n, (unsigned)tree_n))

/* ---- queens: a job for each square that is not attacked */

struct queen {
	const struct columns *board;
	unsigned n;
};

static uint64_t queens(struct nap_worker *worker, struct nap_frame *top, struct queen queen);
NAP_JOB(queens, uint64_t, struct queen)

static uint64_t queens(struct nap_worker *worker, struct nap_frame *top, struct queen queen)
{
	struct columns next[COLUMNS_MAX];
	struct nap_frame *tops[COLUMNS_MAX + 1] = { top };
	uint64_t result = 0;
	unsigned peaceful = 0;

	if (queen.board->rows == (int)queen.n)
		return 1;
	for (unsigned i = 0; i < queen.n; i++) {
		struct columns *board = &next[peaceful];

		if (!columns_add(queen.board, i, board))
			continue;
		tops[peaceful + 1] = queens_fork(worker, tops[peaceful],
						 (struct queen){ board, queen.n });
		peaceful++;
	}
	while (peaceful--)
		result += queens_join(worker, tops[peaceful],
				      (struct queen){ &next[peaceful], queen.n });
	return result;
}

static const struct columns no_queens;

TREE(queens, queens_check, queens(worker, top, (struct queen){ &no_queens, (unsigned)tree_n }))

const struct row tree_rows[] = {
	ROW_OF("fib", fib_time, fib_once, bench_start, bench_end),
	ROW_OF("nqueens", row_time_whole, nqueens_once, bench_start, bench_end),
	ROW_OF("queens", row_time_whole, queens_once, bench_start, bench_end),
	ROWS_END,
};
