// SPDX-License-Identifier: MIT
/* Trees by fork and join: begun by a task, so that exactly the pool's workers have part in them. */
#include "common/trees.h"
#include "fib_forks.h"
#include "nap.h"
#include "queens_forks.h"

static struct count count;
static uint64_t tree_n, tree_result;

static void begin(const struct size *size, struct nap_task *task)
{
	tree_n = size->n;
	count_set(&count, 1);
	bench_schedule(task);
	count_wait(&count);
}

/* NAME_once(): the tree as @call has it, with worker, top, and the row's n in tree_n */
#define TREE(name, call)						\
static void name##_begun(struct nap_task *unused)			\
{									\
	struct nap_worker *worker = nap_worker_self();			\
	struct nap_frame *top = nap_top(worker);			\
									\
	(void)unused;							\
	tree_result = (call);						\
	count_done(&count);						\
}									\
static void name##_once(const struct size *size)			\
{									\
	static struct nap_task task = NAP_TASK_INIT(name##_begun);	\
									\
	begin(size, &task);						\
}

TREE(fib, (uint64_t)fib(worker, top, (long)tree_n))

void fib_row(const struct size *size)
{
	bench_start(size);
	row_time_n(size, fib_forks((unsigned)size->n), fib_once);
	if (tree_result != fib_by_sum((unsigned)size->n))
		row_die("the result is wrong");
	bench_end();
}

TREE(nqueens, nqueens(worker, top, (struct board){ 0, 0, 0 }, (unsigned)tree_n, (unsigned)tree_n))

void nqueens_row(const struct size *size)
{
	bench_start(size);
	row_time_whole(size, nqueens_once);
	queens_check((unsigned)size->n, tree_result);
	bench_end();
}

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

TREE(queens, queens(worker, top, (struct queen){ &no_queens, (unsigned)tree_n }))

void queens_row(const struct size *size)
{
	bench_start(size);
	row_time_whole(size, queens_once);
	queens_check((unsigned)size->n, tree_result);
	bench_end();
}
