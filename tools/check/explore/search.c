/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "explore/alternatives.h"
#include "explore/parts.h"
#include "explore/progress.h"
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

static double cpu_seconds_used(void)
{
	return is_divided() && parts_are_in_use() ? parts_cpu_seconds() : cpu_seconds_now() - search.begun_cpu;
}

bool search_is_late(void)
{
	double most = (double)search.max_seconds;

	return search.max_seconds && (cpu_seconds_used() >= most ||
				      seconds_now() - search.begun >= MAX_STRETCH * most);
}

static unsigned long number_run(void)
{
	return is_divided() ? parts_number_run() : result.executions + result.blocked + result.faulty;
}

static bool beyond_bounds(bool look_at_clock)
{
	if (search.max_executions && number_run() >= search.max_executions)
		search_undecided("the bound on executions");
	else if (look_at_clock && search_is_late())
		search_undecided(TIME_IS_UP);
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
	double share = divided ? parts_progress(&all) : progress_share;

	progress_print(all.executions, all.blocked, share);
}

/* Runs graphs until all are explored, a fault is found, or a bound is met. */
static enum ran run_from_the_first(void)
{
	enum ran ran;
	bool look;

	bool divided;

	begin_search();
	divided = is_divided();
	if (divided)
		parts_begin();
	do {
		ran = search.run();
		if (ran > RAN_CUT_SHORT && !(ran == RAN_INTO_FAULT && search.faulty))
			break;
		count_graph(ran);
		look = search_ticked;
		search_ticked = false;
		if (progress_is_due() && search.strategy != &strategy_sample)
			print_progress(divided);
		if (beyond_bounds(look) || (divided && !parts_go_on()))
			break;
	} while (search.strategy->next());
	return divided ? parts_end(ran) : ran;
}

/* Explores all graphs. Begins anew when the search learns something about the program's memory. */
static void run_all(void)
{
	enum ran ran;

	do {
		ran = run_from_the_first();
	} while (ran == RAN_ANEW);
	if (ran == RAN_INTO_FAULT || (result.faulty && !result.why))
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
	search.faulty = search.faulty ? forget : NULL;
	run_all();
	search = kept;
}

void explore(void)
{
	if (search.strategy != &strategy_replay)
		learn();
	run_all();
	result.seconds = seconds_now() - search.begun;
}

void search_failed(enum outcome outcome)
{
	const char *why = result.why;

	result = (struct result){ .outcome = outcome, .why = why };
	first_graph();
}
