/* SPDX-License-Identifier: MIT */
/*
 * nqueens: a row whose queen can stand on several squares forks. The squares after the first are
 * a job, which forks in the same way. The last rows are searched by plain calls.
 */
#ifndef WORKS_QUEENS_FORKS_H
#define WORKS_QUEENS_FORKS_H

#include <nap/nap.h>

#include "queens.h"

struct squares {
	struct board board;
	uint32_t free;
	unsigned n, rows;
};

static uint64_t squares(struct nap_worker *worker, struct nap_frame *top, struct squares s);
NAP_JOB(squares, uint64_t, struct squares)

static uint64_t nqueens(struct nap_worker *worker, struct nap_frame *top, struct board board,
			unsigned n, unsigned rows)
{
	if (rows <= QUEENS_CUTOFF + 1)
		return board_count(&board, n, rows);
	return squares(worker, top, (struct squares){ board, board_free(&board, n), n, rows });
}

static uint64_t squares(struct nap_worker *worker, struct nap_frame *top, struct squares s)
{
	struct squares others = s;
	struct board next = board_with(&s.board, s.free & -s.free);
	uint64_t result;

	if (!s.free)
		return 0;
	others.free &= others.free - 1;
	if (!others.free)
		return nqueens(worker, top, next, s.n, s.rows - 1);
	result = nqueens(worker, squares_fork(worker, top, others), next, s.n, s.rows - 1);
	return result + squares_join(worker, top, others);
}

#endif /* WORKS_QUEENS_FORKS_H */
