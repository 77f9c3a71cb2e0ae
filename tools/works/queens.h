/* SPDX-License-Identifier: MIT */
/* Counts the ways in which n queens can stand on n by n squares, with rows as sets of bits. */
#ifndef WORKS_QUEENS_H
#define WORKS_QUEENS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row with at most this many rows below it is not split. */
#define QUEENS_CUTOFF 6

/* The solutions for 0 to 20 queens: the On-Line Encyclopedia of Integer Sequences, A000170. */
#define QUEENS_MAX 20
extern const uint64_t queens_known[QUEENS_MAX + 1];

struct board {
	uint32_t down, left, right;	/* attacked squares of the next row */
};

static inline uint32_t board_free(const struct board *board, unsigned n)
{
	return (((uint32_t)1 << n) - 1) & ~(board->down | board->left | board->right);
}

static inline struct board board_with(const struct board *board, uint32_t queen)
{
	struct board next = { board->down | queen, (board->left | queen) << 1,
			      (board->right | queen) >> 1 };

	return next;
}

/* @rows: how many rows are still without a queen */
uint64_t board_count(const struct board *board, unsigned n, unsigned rows);

#ifdef __cplusplus
}
#endif

#endif /* WORKS_QUEENS_H */
