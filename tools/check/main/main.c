/* SPDX-License-Identifier: MIT */
/* The program of scenarios: runs those that were asked for, each under each of its models. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "explore/processes.h"
#include "explore/replay.h"
#include "graph/fatal.h"
#include "main/arguments.h"
#include "main/options.h"
#include "main/saved.h"
#include "main/saves.h"
#include "program/awaits.h"
#include "program/fault.h"
#include "program/faults.h"
#include "program/locations.h"
#include "program/memory.h"
#include "program/ops.h"
#include "program/outcome.h"
#include "program/scenario.h"
#include "program/siblings_learnt.h"
#include "program/sites.h"
#include "program/stop.h"
#include "program/turns.h"
#include "report/findings.h"
#include "report/joined.h"
#include "report/minimise.h"
#include "report/outcomes.h"
#include "report/report.h"
#include "report/sarif.h"

static struct check_scenario *scenarios, **last_scenario = &scenarios;

void check_register(struct check_scenario *s)
{
	*last_scenario = s;
	last_scenario = &s->next;
}

/* Adds main() as a scenario, for a program that has none. */
static void add_main(void)
{
	static struct check_scenario whole = {
		.name = "main", .about = "the program", .threads = { { run_main, NULL, "main" } },
	};

	if (has_main())
		check_register(&whole);
}

/* Returns the strategy that the command line names, else the scenario's. */
static const struct strategy *strategy_for(const struct check_scenario *s)
{
	if (options.replay)
		return &strategy_replay;
	if (options.random)
		return &strategy_sample;
	if (options.preemption_bound)
		return &strategy_bound;
	if (options.exhaustive)
		return &strategy_trust;
	if (s->random)
		return &strategy_sample;
	return s->preemptions ? &strategy_bound : &strategy_trust;
}

/* Returns how many executions are sampled, if the strategy samples. */
static unsigned long samples_for(const struct check_scenario *s)
{
	if (options.random)
		return options.random;
	return options.samples && options.samples < s->random ? options.samples : s->random;
}

static void ran_whole(void)
{
	stops_note();
	if (options.outcomes)
		outcomes_take();
	if (options.pairs)
		pairs_of_graph();
}

/*
 * Whether --distinct counts the graph. A graph with a spin is not counted: strategy_trust stops at
 * spins.
 */
static bool counts(void)
{
	return !execution_spun;
}

/* Forgets what an earlier search has found. */
static void begins(void)
{
	scenario_searched();
	findings_clear();
	minimise_begins();
	outcomes_clear();
}

/* Earlier executions tell which iterations of waiting loops are needless: program/awaits.h. */
static bool ordered(void)
{
	return awaits_known;
}

static void search_begins(void)
{
	begins();
	awaits_search();
	siblings_search();
}

static void part_begins(void)
{
	begins();
	if (options.max_seconds)
		tick();
}

/* Whether to look for a shorter counterexample: --minimise says so, or there is to be a page. */
static bool minimises(void)
{
	if (options.minimise_given)
		return options.minimise;
	return options.files.html && !options.replay && !all_faults && !options.save &&
	       !options.resume;
}

static void print_verdict(void)
{
	if (options.processes > 1 && (search.strategy != &strategy_trust || ordered()))
		printf("# in one process: %s\n", search.strategy != &strategy_trust ?
		       "executions are not divided that are sampled, bounded or run again" :
		       "a loop waits, whose needless turns are known from the executions before "
		       "(--turns)");
	outcomes_print(options.files.trace);
	verdict_print(options.quiet, &options.files);
}

static void run_scenario(const struct check_scenario *s, const struct model *model)
{
	search = (struct search){
		.model = model,
		.strategy = strategy_for(s),
		.locations = locations,
		.spawn_failures = s->spawn_failures,
		.spurious = options.spurious_given ? options.spurious : s->spurious,
		.weak_failures = options.weak_failures,
		.max_executions = options.max_executions,
		.max_seconds = options.max_seconds,
		.begun = seconds_now(),
		.begun_cpu = cpu_seconds_now(),
		.samples = samples_for(s),
		.seed = options.seed,
		.preemptions = options.preemption_bound ? options.preemptions : s->preemptions,
		.distinct = options.distinct,
		.without = options.without | (options.outcomes ? WITHOUT_SYMMETRY : 0),
		.run = run_graph,
		.begins = search_begins,
		.ran_whole = ran_whole,
		.faulty = all_faults ? findings_take : NULL,
		.processes = options.processes,
		.ordered = ordered,
		.grain = options.grain / 1000.0,
		.part_begins = part_begins,
		.part_ends = joined_write,
		.part_joins = joined_add,
		.parts_hold = siblings_hold,
		.counts = counts,
		.saving = saves_of(s->name, model),
	};
	stores_continue = model->stores_continue;
	if (minimises())
		minimise_search(options.minimise);
	begins();
	if (scenario_begin(s, options.may_stop_given ? options.may_stop : s->may_stop))
		explore();
	minimise_end();
	if (unroll_was_met && result.outcome == FOUND_NOTHING && !result.executions)
		search_undecided("in every execution a loop makes more turns than --unroll allows");
	saves_verdict(print_verdict);
}

static bool chosen(const struct check_scenario *s, char *const *names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, s->name))
			return true;
	return false;
}

static unsigned models_of(const struct check_scenario *s)
{
	unsigned mask = s->models ? s->models : CHECK_RC11;

	return options.only_model ? options.only_model->bit : mask;
}

static unsigned count_runs(char *const *names)
{
	unsigned n = 0;

	for (const struct check_scenario *s = scenarios; s; s = s->next)
		if (chosen(s, names))
			n += (unsigned)__builtin_popcount(models_of(s));
	return n;
}

void list_scenarios(void)
{
	for (const struct check_scenario *s = scenarios; s; s = s->next)
		printf("%-32s %s\n", s->name, s->about ? s->about : "");
}

static void check_names(char *const *names)
{
	for (; *names; names++) {
		const struct check_scenario *s = scenarios;

		while (s && strcmp(s->name, *names))
			s = s->next;
		if (!s)
			bad_usage("no such scenario", *names);
	}
}

/* Returns the scenarios that the command line names, or the one whose counterexample it names. */
static char **chosen_names(int argc, char **argv)
{
	static struct counterexample of;
	static char *replay_names[2] = { of.scenario, NULL };
	char **names = argv + parse_options(argc, argv);

	if (!options.replay)
		return names;
	replay_load(options.replay, &of);
	if (of.program != memory_code_sum())
		bad_usage("of another program, or of this one compiled otherwise", options.replay);
	options.only_model = model_of(of.model);
	options.may_stop = of.may_stop;
	options.may_stop_given = true;
	options.reuse = of.reuse ? REUSE_ALWAYS : REUSE_NEVER;
	return replay_names;
}

static void save_sarif(const char *path, int status)
{
	FILE *out = fopen(path, "w");

	if (!out || !sarif_save(out, status) || fclose(out)) {
		perror(path);
		leave(2);
	}
}

__attribute__((visibility("default"))) int main(int argc, char **argv)
{
	char **names;
	int status;

	add_main();
	names = chosen_names(take_arguments(argc, argv), argv);
	optind = 1;	/* from here on getopt() is the program's */
	check_names(names);
	for (char **name = names; *name; name++)
		saved_option(*name, NULL);
	sites_wanted = options.sites;
	leaks_wanted = options.leaks;
	reuse_mode = options.reuse;
	stuck_wanted = options.stuck;
	turns_by_state = options.turns_by_state;
	outcomes_wanted = options.outcomes;
	all_faults = options.all_faults;
	findings_with(options.files);
	catch_signals();
	saves_begin();
	if (options.max_seconds)
		tick();
	printf("TAP version 13\n1..%u\n", count_runs(names));
	for (const struct check_scenario *s = scenarios; s; s = s->next)
		for (unsigned i = 0; chosen(s, names) && i < NR_MODELS; i++)
			if (models_of(s) & models[i]->bit && !process_interrupted() &&
			    !saves_are_finished(s->name, models[i]))
				run_scenario(s, models[i]);
	if (options.sites)
		sites_print();
	if (options.pairs)
		pairs_print();
	status = verdict_total();
	if (options.files.sarif)
		save_sarif(options.files.sarif, status);
	leave(saves_went_well() ? status : 2);
}
