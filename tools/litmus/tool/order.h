/* SPDX-License-Identifier: MIT */
/*
 * What would forbid an outcome that a model allows: pairs of accesses of a thread, and for each the
 * weakest order that is enough together with the others.
 */
#ifndef NAP_LITMUS_ORDER_H
#define NAP_LITMUS_ORDER_H

#include <stdio.h>

#include "search/search.h"

/* A way to order two accesses of a thread: a fence between them, or stronger accesses. */
struct order {
	char first, second;		/* R, W or *: the kinds of accesses that it is for */
	const char *words;		/* NULL ends a table, which has the weakest first */
	uint64_t fence;			/* tags of a fence between, or 0 */
	uint64_t load, store;		/* tags of a first load; of a second store */
	uint64_t store_first, load_second;	/* the tags if the first access is a store; or 0 */
};

/* orders.c: the table of a dialect. The last row is a fence that orders everything. */
const struct order *orders_of(enum dialect dialect);

/* Two accesses of a thread, by the indexes of their instructions, and what orders them. */
struct pair {
	unsigned thread, first, second;
	char kind[2];
	const struct order *order;	/* NULL: nothing */
};
#define ORDER_PAIRS 12

/*
 * strengthen.c: returns the test with these orders in it. @map: of each instruction, its old index.
 */
struct test *strengthened(const struct test *test, const struct pair *pair, unsigned nr,
			  unsigned *map[TEST_THREADS]);

/*
 * weakest.c: finds pairs whose orders together forbid the question under @rules. @witness is an
 * allowed execution that satisfies the question. Returns how many pairs; 0: @witness is
 * sequentially consistent; -1: no such orders were found, or not in the time.
 */
int weakest_orders(struct test *test, const struct rules *rules, const struct limits *limits,
		   const struct execution *witness, struct pair *pair);

/* unordered.c: prints the pairs. */
void print_unordered(FILE *out, struct test *test, const struct rules *rules,
		     const struct limits *limits, const struct execution *witness);

#endif /* NAP_LITMUS_ORDER_H */
