// SPDX-License-Identifier: MIT
/*
 * nap-demo nqueens: in how many ways N queens can stand on a board of N by N squares so that none
 * attacks another. Row by row; the squares that are attacked are three sets of bits.
 *
 * A row whose queen can stand on several squares forks: the squares behind the first are a job,
 * which forks in the same way. Rows with at most CUTOFF more below them are searched by plain
 * calls.
 */
#include "forks.h"

#include <inttypes.h>
#include <stdio.h>

#define CUTOFF 6

struct queens {
	struct forks forks;
	unsigned n;
	uint64_t result;
};

/* What the rows above attack of this one: straight down, and along the two diagonals. */
struct attacked {
	uint32_t down;
	uint32_t left;
	uint32_t right;
};

/* The rest of a row. */
struct rest {
	struct queens *queens;
	struct attacked attacked;
	uint32_t free;
	unsigned below;		/* rows below this one */
};

static inline uint32_t free_squares(const struct queens *queens, const struct attacked *attacked)
{
	uint32_t row = ((uint32_t)1 << queens->n) - 1;

	return row & ~(attacked->down | attacked->left | attacked->right);
}

static inline struct attacked with_queen(const struct attacked *attacked, uint32_t square)
{
	return (struct attacked){
		.down = attacked->down | square,
		.left = (attacked->left | square) << 1,
		.right = (attacked->right | square) >> 1,
	};
}

/* @below: rows below this one. */
static uint64_t count_plainly(const struct queens *queens, const struct attacked *attacked,
			      unsigned below)
{
	uint64_t result = 0;

	for (uint32_t free = free_squares(queens, attacked); free; free &= free - 1) {
		struct attacked next = with_queen(attacked, free & -free);

		result += below ? count_plainly(queens, &next, below - 1) : 1;
	}
	return result;
}

/* With the queen of this row on one of the squares that are free. */
static uint64_t count(struct nap_worker *worker, struct nap_frame *top, struct rest row);
NAP_JOB(count, uint64_t, struct rest)

/* With the queen on @square, in the row below. */
static inline struct rest next_row(const struct rest *row, uint32_t square)
{
	struct attacked attacked = with_queen(&row->attacked, square);

	return (struct rest){ row->queens, attacked, free_squares(row->queens, &attacked),
			      row->below - 1 };
}

static uint64_t count(struct nap_worker *worker, struct nap_frame *top, struct rest row)
{
	uint64_t result = 0;

	if (forks_stopped(&row.queens->forks))
		return 0;
	if (row.below <= CUTOFF)
		return count_plainly(row.queens, &row.attacked, row.below);
	while (row.free) {
		struct rest next = next_row(&row, row.free & -row.free);

		row.free &= row.free - 1;
		if (!row.free)
			return result + count(worker, top, next);
		result += count(worker, count_fork(worker, top, row), next);
		if (!nap_join(worker, top))
			return result + count_result(top);
	}
	return result;
}

static void work(struct forks *forks, struct nap_worker *worker)
{
	struct queens *queens = nap_container_of(forks, struct queens, forks);
	struct attacked none = { .down = 0 };
	struct rest all = { queens, none, free_squares(queens, &none), queens->n - 1 };

	queens->result = count(worker, nap_top(worker), all);
}

/* From the On-Line Encyclopedia of Integer Sequences, A000170. */
static uint64_t known(unsigned n)
{
	static const uint64_t solutions[] = {
		1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184,
		14772512, 95815104, 666090624, 4968057848, 39029188884,
	};

	return solutions[n];
}

/* Returns 0, or the exit status after saying why. */
static int queens_on(struct queens *queens, const struct options *options, unsigned workers)
{
	char what[16];
	int status;

	snprintf(what, sizeof(what), "nqueens(%u)", queens->n);
	queens->forks.work = work;
	status = forks_run(&queens->forks, options, workers, what);
	if (status || queens->result == known(queens->n))
		return status;
	fprintf(stderr, "nap-demo: %s: the result on %u workers is wrong: %" PRIu64 "\n", what,
		workers, queens->result);
	return EXIT_FAILED;
}

int cmd_nqueens(const struct options *options, unsigned n)
{
	struct queens many = { .n = n }, one = { .n = n };
	char buf[32];
	int status;

	status = queens_on(&many, options, options->workers);
	if (!status)
		status = queens_on(&one, options, 1);
	if (!status) {
		printf("nqueens(%u) = %s; both results are right\n", n, digits(one.result, buf));
		report_times(&many.forks.run, &one.forks.run);
		report_runs(options, &many.forks.run, &one.forks.run);
	}
	run_free(&many.forks.run);
	run_free(&one.forks.run);
	return status;
}
