/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "explore/search.h"
#include "graph/fatal.h"
#include "program/fault.h"
#include "program/ops.h"
#include "report/minimise.h"

static struct {
	bool wanted;
	unsigned long executions;	/* how many more */
	unsigned long bound;		/* the user's, of the whole search */
	bool had_left_stuck;
	void (*ran_whole)(void);
	struct result first;		/* the result when the first fault was found */
	struct measure was, is, best;	/* of the first fault; of what is shown; of @graph */
	struct graph *graph;		/* NULL: none was found */
	struct fault fault;
	unsigned long same;		/* how many had this fault, without the first */
	unsigned long tried;
	bool all;			/* no execution was left */
	bool done;
} minimise;

static void keep(void)
{
	if (!minimise.graph)
		minimise.graph = malloc(sizeof(*minimise.graph));
	if (!minimise.graph)
		fatal("no memory for a counterexample");
	*minimise.graph = *graph;
	minimise.fault = fault;
	minimise.best = measure_now();
}

void minimise_begins(void)
{
	if (minimise.graph)
		search.ran_whole = minimise.ran_whole;
	free(minimise.graph);
	minimise.graph = NULL;
	minimise.same = minimise.tried = 0;
	minimise.done = false;
	if (minimise.wanted)
		search.max_executions = minimise.bound;
}

static unsigned long number_run(void)
{
	return result.executions + result.blocked + result.faulty;
}

static void keep_first(void)
{
	unsigned long most;

	keep();
	minimise.was = minimise.best;
	minimise.first = result;
	minimise.first.faulty = 0;
	minimise.first.outcome = FOUND_FAULT;
	minimise.had_left_stuck = *left_stuck;
	most = number_run() + minimise.executions;
	if (!search.max_executions || most < search.max_executions)
		search.max_executions = most;
	minimise.ran_whole = search.ran_whole;
	search.ran_whole = NULL;
}

/* Takes a fault of the search. */
static void take(void)
{
	struct measure m;

	if (!minimise.graph) {
		keep_first();
		return;
	}
	if (!is_same_fault(&fault, &minimise.fault))
		return;
	minimise.same++;
	m = measure_now();
	if (is_shorter(&m, &minimise.best))
		keep();
}

void minimise_search(unsigned long executions)
{
	minimise.wanted = true;
	minimise.executions = executions;
	minimise.bound = search.max_executions;
	if (search.processes <= 1)
		search.faulty = take;
}

/* Sets back what the search has found after the first fault. */
static void set_back(void)
{
	double seconds = result.seconds;

	minimise.tried = number_run() - (minimise.first.executions + minimise.first.blocked + 1);
	minimise.all = !result.why;
	if (!minimise.had_left_stuck)
		*left_stuck = 0;
	result = minimise.first;
	result.seconds = seconds;
}

static void keep_only(void)
{
	keep();
	minimise.was = minimise.best;
}

void minimise_end(void)
{
	if (!minimise.wanted)
		return;
	if (search.faulty && minimise.graph)
		set_back();
	else if (result.outcome == FOUND_FAULT && fault.found && graph->n > 1)
		keep_only();
	search.faulty = NULL;
	search.max_executions = minimise.bound;
	minimise.wanted = false;
	if (!minimise.graph || result.outcome != FOUND_FAULT)
		return;
	if (!shrink(minimise.graph, &minimise.fault)) {
		search_undecided("the program does not repeat itself: a fault was found, "
				 "and is not there again");
		return;
	}
	minimise.is = measure_now();
	minimise.done = true;
}

static int say_size(char *out, size_t size, const struct measure *m)
{
	return snprintf(out, size, "%u event%s of %u thread%s", m->events,
			m->events == 1 ? "" : "s", m->threads, m->threads == 1 ? "" : "s");
}

void minimise_text(char *out, size_t size)
{
	int n;

	*out = 0;
	if (!minimise.done)
		return;
	n = say_size(out, size, &minimise.is);
	n += snprintf(out + n, size - (size_t)n, "; the first that was found needed ");
	n += say_size(out + n, size - (size_t)n, &minimise.was);
	if (search.processes > 1)
		snprintf(out + n, size - (size_t)n, "; not searched on, in several processes");
	else
		snprintf(out + n, size - (size_t)n,
			 "; tried %s%lu more execution%s, %lu with this fault",
			 minimise.all ? "all " : "", minimise.tried, minimise.tried == 1 ? "" : "s",
			 minimise.same);
}
