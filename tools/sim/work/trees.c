/* SPDX-License-Identifier: MIT */
/* Trees of forks: one that is regular, and one that is not. */
#include "work/common.h"

static void fork_join(void)
{
	uint64_t leaves = 1, before = 1;
	unsigned n = 1;

	/* The tree of fib(n) has fib(n + 1) leaves. */
	while (leaves + before <= sim_run.tasks) {
		leaves += before;
		before = leaves - before;
		n++;
	}
	begin();
	sim_queued(leaves);
	if (sim_run.pool->fib(n) != before)
		sim_fail("fib(%u) is wrong", n);
	end();
}

SIM_WORK(fork, .name = "fork", .run = fork_join, .each = 1000, .grain_ns = 1000,
	 .about = "a tree of forks, fib(), as deep as it has at most the number of leaves");

/*
 * The queens: in the upper rows each place of a queen is a fork. Below these rows one task counts
 * the boards. A task takes --grain for each place of a queen that it tries, so the tasks are not
 * alike.
 */
#define MOST_QUEENS	14u

struct board {
	uint32_t row, columns, up, down;	/* what the queens above attack: bits */
	uint64_t solutions;
};

static const uint64_t right[MOST_QUEENS + 1] = { 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680,
						 14200, 73712, 365596 };
static uint32_t queens, forked_rows;

OF_SIMULATOR static uint32_t free_places(const struct board *b)
{
	return ~(b->columns | b->up | b->down) & ((1u << queens) - 1);
}

OF_SIMULATOR static struct board with_queen(const struct board *b, uint32_t place)
{
	return (struct board){ b->row + 1, b->columns | place, (b->up | place) << 1,
			       (b->down | place) >> 1, 0 };
}

/*
 * Returns how many boards there are with queens in the first @rows rows, and adds the tries to
 * *@tries.
 */
OF_SIMULATOR static uint64_t count(const struct board *b, uint32_t rows, uint64_t *tries)
{
	uint64_t n = 0;

	if (b->row == rows)
		return 1;
	for (uint32_t left = free_places(b); left; left &= left - 1) {
		struct board below = with_queen(b, left & -left);

		++*tries;
		n += count(&below, rows, tries);
	}
	return n;
}

static void count_below(struct board *board)
{
	uint64_t tries = 1;

	sim_begins();
	board->solutions = count(board, queens, &tries);
	sim_work(tries * sim_run.grain_ns);
	sim_ends();
}

static void place(void *ctx, void *arg)
{
	struct board *board = arg, below[MOST_QUEENS];
	unsigned n = 0;

	if (board->row == forked_rows) {
		count_below(board);
		return;
	}
	for (uint32_t left = free_places(board); left; left &= left - 1)
		below[n++] = with_queen(board, left & -left);
	if (n)
		sim_run.pool->each(ctx, place, below, sizeof(below[0]), n);
	for (unsigned i = 0; i < n; i++)
		board->solutions += below[i].solutions;
}

/*
 * Chooses the largest board that takes at most --tasks tries, and how many rows are forked: enough
 * for four tasks a worker.
 */
OF_SIMULATOR static uint64_t choose_board(void)
{
	struct board empty = { 0 };
	uint64_t tries = 0, leaves;

	for (queens = 5; queens <= MOST_QUEENS && tries <= sim_run.tasks; queens++) {
		tries = 0;
		count(&empty, queens, &tries);
	}
	queens -= tries > sim_run.tasks ? 2 : 1;
	for (forked_rows = 1; forked_rows < queens; forked_rows++) {
		leaves = count(&empty, forked_rows, &tries);
		if (leaves >= 4 * sim_run.workers)
			break;
	}
	return count(&empty, forked_rows, &tries);
}

static void nqueens(void)
{
	struct board board = { 0 };
	uint64_t leaves = choose_board();

	begin();
	sim_queued(leaves);
	sim_run.pool->call(place, &board);
	end();
	if (board.solutions != right[queens])
		sim_fail("%u queens have %llu solutions", queens,
			 (unsigned long long)board.solutions);
}

SIM_WORK(nqueens, .name = "nqueens", .run = nqueens, .tasks = 5000000, .grain_ns = 5,
	 .about = "all places of queens that do not attack each other: "
		  "at most so many tries, of this length each");
