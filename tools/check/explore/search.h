/* SPDX-License-Identifier: MIT */
/*
 * A search: execution after execution until all is explored, something is found, or a bound is met.
 * The caller says how a graph is run, and which strategy finds the next.
 */
#ifndef NAP_CHECK_SEARCH_H
#define NAP_CHECK_SEARCH_H

#include "graph/graph.h"
#include "model/model.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

/* The result of running a graph. */
enum ran {
	RAN_WHOLE,		/* no thread can move, nor ever will */
	RAN_CUT_SHORT,		/* the graph stands for no execution */
	RAN_INTO_FAULT,
	RAN_ANEW,		/* something was learnt, and what was done before is void */
	RAN_UNDECIDED,		/* search_undecided() was called */
};

struct strategy;

struct search {
	const struct model *model;
	const struct strategy *strategy;
	const struct location *locations;
	unsigned spawn_failures, spurious, weak_failures;	/* of an execution, at most */
	unsigned long max_executions, max_seconds;	/* 0: no bound */
	double begun;				/* in seconds_now(): what @max_seconds counts from */
	unsigned long samples, seed;
	unsigned preemptions;			/* of an execution, at most: strategy_bound */
	bool distinct;				/* count distinct graphs */
	enum ran (*run)(void);			/* run the graph @graph */
	void (*begins)(void);			/* called before the first graph; or NULL */
	void (*ran_whole)(void);		/* or NULL */
	bool (*counts)(void);			/* for @distinct: it is a graph; NULL: each is */
};
extern struct search search;

enum outcome { FOUND_NOTHING, FOUND_FAULT, UNDECIDED };

struct result {
	enum outcome outcome;
	unsigned long executions, blocked, distinct;
	double seconds;
	const char *why;		/* undecided */
};
extern struct result result;

/* The graph that is being run. */
extern struct graph *graph;

/* Do what @search says, and fill in @result. */
void explore(void);

/* The result for a scenario that could not be set up: no execution. */
void search_failed(enum outcome outcome);

#define TIME_IS_UP "the bound on time"
double seconds_now(void);
bool search_is_late(void);

/* The search cannot be finished, because of @why, which stays the caller's. */
void search_undecided(const char *why);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SEARCH_H */
