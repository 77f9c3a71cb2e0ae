/* SPDX-License-Identifier: MIT */
/* A program of scenarios: runs those that were asked for, each under each of its models. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

bool saw_access;
const struct check_scenario *scenario;

static struct check_scenario *scenarios, **last_scenario = &scenarios;
static struct options given;

void check_register(struct check_scenario *s)
{
	*last_scenario = s;
	last_scenario = &s->next;
}

_Noreturn void fatal(const char *what)
{
	fprintf(stderr, "nap-check: %s%s%s\n", scenario ? scenario->name : "",
		scenario ? ": " : "", what);
	printf("Bail out! %s\n", what);
	exit(4);
}

static void run_scenario(const struct check_scenario *s, unsigned model)
{
	scenario = s;
	options = given;
	options.model = model;
	if (!options.may_stop_given)
		options.may_stop = s->may_stop;
	if (!options.random && !options.preemption_bound && !options.exhaustive)
		options.random = s->random;
	if (!options.exhaustive && !options.preemption_bound && s->preemptions && !given.random) {
		options.preemptions = s->preemptions;
		options.preemption_bound = true;
	}
	names_clear();
	saw_access = heavy_fences = false;
	memory_forget_setup();
	memory_restore();
	locations_clear();
	if (s->setup)
		s->setup();
	memory_snapshot();
	explore();
	verdict_print();
	sites_next_scenario();
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

	return options.only_model ? options.only_model : mask;
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

/* Those that the command line names; or that of which it names a counterexample. */
static char **chosen_names(int argc, char **argv)
{
	static char replay_name[64];
	static char *replay_names[2] = { replay_name, NULL };
	char **names = argv + parse_options(argc, argv);

	if (!options.replay)
		return names;
	replay_load(options.replay, replay_name, sizeof(replay_name), &options.only_model);
	return replay_names;
}

__attribute__((visibility("default"))) int main(int argc, char **argv)
{
	char **names = chosen_names(argc, argv);

	check_names(names);
	given = options;
	catch_signals();
	printf("TAP version 13\n1..%u\n", count_runs(names));
	for (const struct check_scenario *s = scenarios; s; s = s->next)
		for (unsigned i = 0; chosen(s, names) && i < NR_MODELS; i++)
			if (models_of(s) & models[i].model)
				run_scenario(s, models[i].model);
	if (given.sites)
		sites_print();
	if (given.pairs)
		pairs_print();
	return verdict_total();
}
