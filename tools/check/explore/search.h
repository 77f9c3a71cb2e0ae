/* SPDX-License-Identifier: MIT */
/*
 * A search runs execution after execution until all are explored, a fault is found, or a bound is
 * met. The caller says how a graph is run, and which strategy finds the next graph.
 */
#ifndef NAP_CHECK_SEARCH_H
#define NAP_CHECK_SEARCH_H

#include <signal.h>
#include <stdio.h>

#include "graph/graph.h"
#include "model/model.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* The result of running a graph. */
enum ran {
	RAN_WHOLE,		/* no thread can move, nor ever will */
	RAN_CUT_SHORT,		/* the graph stands for no complete execution */
	RAN_INTO_FAULT,		/* if @faulty is set, the search goes on */
	RAN_ANEW,		/* the run has learnt something that makes the earlier runs void */
	RAN_UNDECIDED,		/* search_undecided() was called */
};

struct strategy;

/* Reductions, a bit each (--without). */
enum { WITHOUT_LOCKS = 1, WITHOUT_SYMMETRY = 2, WITHOUT_RETRIES = 4 };

struct search {
	const struct model *model;
	const struct strategy *strategy;
	const struct location *locations;
	unsigned spawn_failures, spurious, weak_failures;	/* bounds for an execution */
	unsigned long max_executions, max_seconds;	/* 0: no bound */
	double begun, begun_cpu;			/* when @max_seconds began */
	unsigned long samples, seed;
	unsigned preemptions;			/* bound for an execution, of strategy_bound */
	bool distinct;				/* count distinct graphs */
	unsigned without;			/* the reductions that are not made */
	enum ran (*run)(void);			/* runs the graph @graph */
	void (*begins)(void);			/* called before the first graph; or NULL */
	void (*ran_whole)(void);		/* or NULL */
	void (*faulty)(void);			/* on a run into a fault; NULL: the search ends */
	unsigned processes;			/* at most; strategy_trust only (parts.h) */
	bool (*ordered)(void);			/* runs depend on earlier runs: one process */
	double grain;				/* seconds that a part runs before it is divided */
	void (*part_begins)(void);		/* in a new process, before its part is run */
	void (*part_ends)(FILE *out);	/* writes what the part has found, besides @result */
	void (*part_joins)(FILE *in);		/* adds what a part has found */
	bool (*parts_hold)(void);	/* false: what parts have found makes runs of others void */
	bool (*counts)(void);			/* whether @distinct counts @graph; NULL: always */
	struct saving *saving;		/* or NULL: saving.h */
	double seconds_before;		/* that the search has taken before it was resumed */
};
extern struct search search;

enum outcome { FOUND_NOTHING, FOUND_FAULT, UNDECIDED };

struct result {
	enum outcome outcome;
	unsigned long executions, blocked, faulty, distinct;
	double seconds;
	const char *why;		/* why it is UNDECIDED */
	bool within;			/* UNDECIDED in an execution, which is @graph */
};
extern struct result result;

/* The graph that runs now. */
extern struct graph *graph;

/* Explores as @search says, and fills in @result. */
void explore(void);

/* Sets the result for a scenario whose setup failed: no execution. */
void search_failed(enum outcome outcome);

#define TIME_IS_UP "the bound on time"
double seconds_now(void);
double cpu_seconds_now(void);

/*
 * @max_seconds count CPU time, so that other processes change no verdict. For a program that waits,
 * there is a second limit: MAX_STRETCH times as many seconds on the clock.
 */
#define MAX_STRETCH 10
bool search_is_late(void);

/* Whether a bound, or a signal, has ended the search. */
bool search_met_bound(void);

/* Set from time to time by a timer: the next execution looks at the clock. */
extern volatile sig_atomic_t search_ticked;

/* Ends the search without a verdict, because of @why. The string @why stays the caller's. */
void search_undecided(const char *why);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SEARCH_H */
