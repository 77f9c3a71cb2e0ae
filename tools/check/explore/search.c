/* SPDX-License-Identifier: MIT */
/*
 * The search as a whole: execution after execution until all is explored, something is found, or a
 * bound is met.
 */
#include <time.h>

#include "explore/explore.h"
#include "program/stop.h"

struct result result;
static bool restart;

void must_restart(void)
{
	restart = true;
	abandon();
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool out_of_bounds(double seconds)
{
	if (options.max_executions && result.executions + result.blocked >= options.max_executions)
		result.why = "the bound on executions";
	else if (options.max_seconds && seconds >= (double)options.max_seconds)
		result.why = "the bound on time";
	return result.why;
}

static void count(bool complete)
{
	if (!complete) {
		result.blocked++;
		return;
	}
	result.executions++;
	stops_note();
	if (options.pairs)
		pairs_of(graph);
	/* The search has no graphs in which a turn that spun is followed by another. */
	if (options.distinct && !execution_spun)
		result.distinct += distinct_graph(graph);
}

/* Before the next execution; false: there is none. */
static bool prepare(void)
{
	if (!options.random && !replaying())
		return next_graph();
	if (result.executions + result.blocked >= (replaying() ? 1 : options.random))
		return false;
	graph_clear(graph);
	schedule_next_sample();
	return true;
}

static void begin(void)
{
	nr_frames = 0;
	graph = &push_frame()->graph;
	graph_clear(graph);
	schedule_begin();
	result = (struct result){ 0 };
	distinct_clear();
	stops_clear();
}

/*
 * Run on until all is explored, something is found, or a bound is met. What is learnt on the way of
 * the program's memory may make it begin anew.
 */
static void run_all(double start)
{
	do {
		restart = false;
		begin();
		do {
			bool complete = run_graph();

			if (restart || result.outcome == UNDECIDED || fault.found)
				break;
			count(complete);
			if (out_of_bounds((result.executions + result.blocked) % 1024 ? 0 :
					  seconds_now() - start))
				break;
		} while (prepare());
	} while (restart);
}

/*
 * A sample first, whatever it finds: most of what there is to learn of the program's memory is then
 * known, and the search does not begin anew when it has come far.
 */
#define SAMPLE 200

static void learn(void)
{
	const struct options kept = options;

	options.random = SAMPLE;
	options.distinct = options.pairs = false;
	run_all(seconds_now());
	options = kept;
}

void explore(void)
{
	double start = seconds_now();

	if (!replaying())
		learn();
	run_all(start);
	result.seconds = seconds_now() - start;
	if (fault.found)
		result.outcome = FOUND_FAULT;
	else if (result.why)
		result.outcome = UNDECIDED;
}
