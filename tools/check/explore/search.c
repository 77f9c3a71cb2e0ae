/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <time.h>

#include "explore/alternatives.h"
#include "explore/parts.h"
#include "explore/path.h"
#include "explore/processes.h"
#include "explore/progress.h"
#include "explore/saving.h"
#include "graph/distinct.h"

struct search search;
struct result result;
struct graph *graph;
volatile sig_atomic_t search_ticked;

static struct graph_set met;

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double seconds_now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double cpu_seconds_now(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void search_undecided(const char *why)
{
	result.outcome = UNDECIDED;
	result.why = why;
}

static bool is_divided(void)
{
	return search.processes > 1 && search.strategy == &strategy_trust && !search.ordered();
}

static bool in_parts;	/* parts.h runs the search, which may have only one part */

/* Whether other processes may take a part of the search. */
bool parts_are_divided(void)
{
	return is_divided();
}

static double cpu_seconds_used(void)
{
	return is_divided() && parts_are_in_use() ? parts_cpu_seconds() :
						    cpu_seconds_now() - search.begun_cpu;
}

bool search_is_late(void)
{
	double most = (double)search.max_seconds;

	return search.max_seconds && (cpu_seconds_used() >= most ||
				      seconds_now() - search.begun >= MAX_STRETCH * most);
}

static unsigned long number_run(void)
{
	return in_parts ? parts_number_run() : result.executions + result.blocked + result.faulty;
}

#define MANY_EXECUTIONS "the bound on executions"

bool search_met_bound(void)
{
	return result.why && (!strcmp(result.why, MANY_EXECUTIONS) ||
			      !strcmp(result.why, TIME_IS_UP) || !strcmp(result.why, SIGNALLED));
}

static bool beyond_bounds(bool look_at_clock)
{
	if (search.max_executions && number_run() >= search.max_executions)
		search_undecided(MANY_EXECUTIONS);
	else if (look_at_clock && search_is_late())
		search_undecided(TIME_IS_UP);
	else if (process_interrupted())
		search_undecided(SIGNALLED);
	return result.why;
}

static void count_graph(enum ran ran)
{
	if (ran == RAN_CUT_SHORT) {
		result.blocked++;
		return;
	}
	if (ran == RAN_INTO_FAULT) {
		result.faulty++;
		search.faulty();
		return;
	}
	result.executions++;
	if (search.ran_whole)
		search.ran_whole();
	if (search.distinct && (!search.counts || search.counts()))
		result.distinct += graph_set_add(&met, graph);
}

static void begin_search(void)
{
	result = (struct result){ 0 };
	path_wanted = (search.saving || progress_wanted) && search.strategy->next == next_graph;
	progress_begin();
	first_graph();
	if (search.strategy->begin)
		search.strategy->begin();
	graph_set_clear(&met);
	if (search.begins)
		search.begins();
}

static void print_progress(bool divided)
{
	struct result all = result;
	double left = divided ? parts_progress(&all) : progress_left();

	progress_print(all.executions, all.blocked + (divided ? 0 : all.faulty), left);
}

/*
 * Makes the next graph: of this part, or, if it has none left, of a part that waits. False: there
 * is none, or *@ran says that the search begins anew.
 */
static bool next(enum ran *ran)
{
	bool first = false;

	*ran = RAN_WHOLE;
	while (!search.strategy->next()) {
		if (!in_parts || result.why || !parts_take_waiting(ran, &first) ||
		    *ran != RAN_WHOLE)
			return false;
		if (first)
			return true;
	}
	return true;
}

/* Whether the search goes on, after a run that was counted. */
static bool goes_on(void)
{
	bool look = search_ticked;

	search_ticked = false;
	if (progress_is_due(number_run()) && search.strategy != &strategy_sample)
		print_progress(in_parts);
	if (beyond_bounds(look)) {
		if (search.saving && in_parts)
			saving_ends(result.why);
		return false;
	}
	return !in_parts || parts_go_on();
}

/* Runs graphs until all are explored, a fault is found, or a bound is met. */
static enum ran run_from_the_first(void)
{
	enum ran ran = RAN_WHOLE;
	bool more;

	begin_search();
	in_parts = (search.saving && path_wanted) || is_divided();
	if (in_parts)
		parts_begin();
	more = !in_parts || !parts_resume() || next(&ran);
	while (more) {
		saving_counted = false;
		ran = search.run();
		if (ran > RAN_CUT_SHORT && !(ran == RAN_INTO_FAULT && search.faulty))
			break;
		count_graph(ran);
		saving_counted = true;
		more = goes_on() && next(&ran);
	}
	if (ran == RAN_UNDECIDED && search.saving && in_parts && !strcmp(result.why, TIME_IS_UP))
		saving_ends(result.why);
	return in_parts ? parts_end(ran) : ran;
}

/* Explores all graphs. Begins anew when the search learns something about the program's memory. */
static void run_all(void)
{
	enum ran ran;

	do {
		ran = run_from_the_first();
	} while (ran == RAN_ANEW);
	if ((ran == RAN_INTO_FAULT && !(search.faulty && result.why)) ||
	    (result.faulty && !result.why))
		result.outcome = FOUND_FAULT;
	result.within = ran == RAN_UNDECIDED;
}

/*
 * Begins with a sample, and drops its result. The sample learns most of what there is to learn
 * about the program's memory, so that the search does not begin anew when it has come far.
 */
#define SAMPLE 200

static void forget(void)
{
}

static void learn(void)
{
	const struct search kept = search;

	search.strategy = &strategy_sample;
	search.samples = SAMPLE;
	search.distinct = false;
	search.ran_whole = NULL;
	search.saving = NULL;
	search.faulty = search.faulty ? forget : NULL;
	run_all();
	search = kept;
}

void explore(void)
{
	if (search.strategy != &strategy_replay)
		learn();
	run_all();
	result.seconds = seconds_now() - search.begun + search.seconds_before;
}

void search_failed(enum outcome outcome)
{
	const char *why = result.why;

	result = (struct result){ .outcome = outcome, .why = why };
	first_graph();
}
