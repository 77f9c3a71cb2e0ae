/* SPDX-License-Identifier: MIT */
/* A program of scenarios: its options, running each under each of its models, what came of it. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

struct options options = { .seed = 1 };
struct result result;
bool saw_access;
const struct check_scenario *scenario;

static struct check_scenario *scenarios, **last_scenario = &scenarios;
static unsigned only_model;
static unsigned nr_tests, nr_failed, nr_undecided;
static unsigned long total_executions, total_blocked;
static bool quiet, exhaustive;

static const struct { unsigned model; const char *name; } models[] = {
	{ CHECK_SC, "sc" }, { CHECK_TSO, "tso" }, { CHECK_RC11, "rc11" },
};

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

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const char *model_name(unsigned model)
{
	for (unsigned i = 0; i < 3; i++)
		if (models[i].model == model)
			return models[i].name;
	return "?";
}

/* ---- judging */

static bool expects_fault(void)
{
	unsigned in = scenario->finds_in ? scenario->finds_in : CHECK_ALL;

	return scenario->finds && (in & options.model);
}

/* What a verdict is about, if not all executions. */
static const char *extent(void)
{
	return replaying() ? " in this execution" : options.random ? " in this sample" :
	       options.preemption_bound ? " within the bound" : "";
}

/* Whether it came out as the scenario says; @what says how it did. */
static bool as_expected(char *what, size_t size)
{
	if (result.outcome == UNDECIDED) {
		snprintf(what, size, "undecided: %s", result.why);
		return false;
	}
	if (result.outcome == FOUND_FAULT) {
		snprintf(what, size, "found: %s", fault.text);
		return expects_fault() && strstr(fault.text, scenario->finds);
	}
	if (!saw_access) {
		snprintf(what, size, "nothing was executed");
		return false;
	}
	if (expects_fault()) {
		snprintf(what, size, "not found%s: %s", extent(), scenario->finds);
		return false;
	}
	if (scenario->exists) {
		snprintf(what, size, result.witnessed ? "allowed" : *extent() ? "not met%s" :
			 "forbidden", extent());
		return !!(scenario->allowed & options.model) == !!result.witnessed;
	}
	snprintf(what, size, "no fault%s", extent());
	return result.executions > 0;
}

static void save_trace(void)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.%s.trace", options.trace, scenario->name,
		 model_name(options.model));
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		exit(2);
	}
	replay_save(out);
	fclose(out);
	printf("# saved in %s\n", path);
}

static void print_result(void)
{
	char what[600];
	bool ok = as_expected(what, sizeof(what));
	const char *sampled = options.random ? " sampled" : options.preemption_bound ? " bounded" : "";

	nr_tests++;
	nr_failed += !ok && result.outcome != UNDECIDED;
	nr_undecided += result.outcome == UNDECIDED;
	total_executions += result.executions;
	total_blocked += result.blocked;
	if (result.outcome == FOUND_FAULT && !quiet) {
		report_print(stdout);
		if (options.trace)
			save_trace();
	}
	printf("%s %u %s %s: %lu executions%s, %lu blocked, ", ok ? "ok" : "not ok", nr_tests,
	       scenario->name, model_name(options.model), result.executions, sampled,
	       result.blocked);
	if (options.distinct)
		printf("%lu distinct, ", result.distinct);
	printf("%.2f s: %s%s\n", result.seconds, what,
	       ok || result.outcome == UNDECIDED || scenario->exists || expects_fault() ? "" :
	       " (not expected)");
	sites_next_scenario();
	fflush(stdout);
}

/* ---- running */

static struct options given;

static void run_scenario(const struct check_scenario *s, unsigned model)
{
	scenario = s;
	options = given;
	options.model = model;
	if (!options.random && !options.preemption_bound && !exhaustive)
		options.random = s->random;
	if (!exhaustive && !options.preemption_bound && s->preemptions && !given.random) {
		options.preemptions = s->preemptions;
		options.preemption_bound = true;
	}
	names_clear();
	distinct_clear();
	saw_access = heavy_fences = false;
	memory_forget_setup();
	memory_restore();
	locations_clear();
	if (s->setup)
		s->setup();
	memory_snapshot();
	explore();
	print_result();
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

	return only_model ? only_model : mask;
}

static unsigned count_runs(char *const *names)
{
	unsigned n = 0;

	for (const struct check_scenario *s = scenarios; s; s = s->next)
		if (chosen(s, names))
			n += (unsigned)__builtin_popcount(models_of(s));
	return n;
}

static void list(void)
{
	for (const struct check_scenario *s = scenarios; s; s = s->next)
		printf("%-32s %s\n", s->name, s->about ? s->about : "");
}

static const char usage[] =
"usage: %s [OPTION]... [SCENARIO]...\n"
"Explore every execution of the scenarios (all of them) that the memory model allows.\n"
"\n"
"  --list                what there is\n"
"  --model=MODEL         sc, tso or rc11 instead of those that each scenario names\n"
"  --max-executions=N    give up, undecided, after so many\n"
"  --max-seconds=N       give up, undecided, after so long\n"
"  --preemptions=N       schedules with at most N preemptions only\n"
"  --random=N            sample N executions instead\n"
"  --exhaustive          explore all, also of scenarios that say that they are to be sampled\n"
"  --seed=N              for --random\n"
"  --trace=DIR           save a counterexample there, as SCENARIO.MODEL.trace\n"
"  --replay=FILE         run a saved counterexample again\n"
"  --quiet               no counterexamples\n"
"  --sites               list the atomic operations that were executed\n"
"  --weaken=PC[,PC]:ORDER  give the operations at these sites another order\n"
"  --pairs               list relaxed loads with the stores that nothing orders behind them\n"
"  --distinct            count distinct execution graphs, too\n"
"\n"
"Exit status: 0 all as the scenarios say, 1 not so, 2 usage, 3 undecided, 4 internal fault.\n";

enum { LIST = 256, MODEL, MAX_EXECUTIONS, MAX_SECONDS, PREEMPTIONS, RANDOM, SEED, TRACE, REPLAY,
       QUIET, EXHAUSTIVE, SITES, WEAKEN, PAIRS, DISTINCT, HELP };

static const struct option long_options[] = {
	{ "list", no_argument, NULL, LIST },
	{ "model", required_argument, NULL, MODEL },
	{ "max-executions", required_argument, NULL, MAX_EXECUTIONS },
	{ "max-seconds", required_argument, NULL, MAX_SECONDS },
	{ "preemptions", required_argument, NULL, PREEMPTIONS },
	{ "random", required_argument, NULL, RANDOM },
	{ "seed", required_argument, NULL, SEED },
	{ "trace", required_argument, NULL, TRACE },
	{ "replay", required_argument, NULL, REPLAY },
	{ "quiet", no_argument, NULL, QUIET },
	{ "exhaustive", no_argument, NULL, EXHAUSTIVE },
	{ "sites", no_argument, NULL, SITES },
	{ "weaken", required_argument, NULL, WEAKEN },
	{ "pairs", no_argument, NULL, PAIRS },
	{ "distinct", no_argument, NULL, DISTINCT },
	{ "help", no_argument, NULL, HELP },
	{ 0 }
};

static _Noreturn void bad_usage(const char *program, const char *what, const char *arg)
{
	if (what)
		fprintf(stderr, "%s: %s: %s\n", program, what, arg);
	fprintf(stderr, usage, program);
	exit(2);
}

static unsigned long number(const char *program, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 0);

	if (!*arg || *end || *arg == '-')
		bad_usage(program, "not a number", arg);
	return n;
}

static unsigned model_of(const char *program, const char *arg)
{
	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(models[i].name, arg))
			return models[i].model;
	bad_usage(program, "not a model", arg);
}

static void parse_option(const char *program, int option, const char *arg)
{
	switch (option) {
	case LIST:
		list();
		exit(0);
	case HELP:
		printf(usage, program);
		exit(0);
	case MODEL:
		only_model = model_of(program, arg);
		break;
	case MAX_EXECUTIONS:
		options.max_executions = number(program, arg);
		break;
	case MAX_SECONDS:
		options.max_seconds = number(program, arg);
		break;
	case PREEMPTIONS:
		options.preemptions = (unsigned)number(program, arg);
		options.preemption_bound = true;
		break;
	case RANDOM:
		options.random = number(program, arg);
		break;
	case SEED:
		options.seed = number(program, arg);
		break;
	case TRACE:
		options.trace = arg;
		break;
	case REPLAY:
		options.replay = arg;
		break;
	case QUIET:
		quiet = true;
		break;
	case EXHAUSTIVE:
		exhaustive = true;
		break;
	case SITES:
		options.sites = true;
		break;
	case WEAKEN:
		site_weaken(arg);
		break;
	case PAIRS:
		options.pairs = true;
		break;
	case DISTINCT:
		options.distinct = true;
		break;
	default:
		bad_usage(program, NULL, NULL);
	}
}

static void check_names(const char *program, char *const *names)
{
	for (; *names; names++) {
		const struct check_scenario *s = scenarios;

		while (s && strcmp(s->name, *names))
			s = s->next;
		if (!s)
			bad_usage(program, "no such scenario", *names);
	}
}

__attribute__((visibility("default"))) int main(int argc, char **argv)
{
	static char replay_name[64];
	static char *replay_names[2] = { replay_name, NULL };
	char **names;
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		parse_option(argv[0], option, optarg);
	names = argv + optind;
	if (options.replay) {
		replay_load(options.replay, replay_name, sizeof(replay_name), &only_model);
		names = replay_names;
	}
	check_names(argv[0], names);
	given = options;
	catch_signals();
	printf("TAP version 13\n1..%u\n", count_runs(names));
	for (const struct check_scenario *s = scenarios; s; s = s->next)
		for (unsigned i = 0; chosen(s, names) && i < 3; i++)
			if (models_of(s) & models[i].model)
				run_scenario(s, models[i].model);
	if (given.sites)
		sites_print();
	if (given.pairs)
		pairs_print();
	printf("# %u scenarios, %lu executions, %lu blocked, %u not as expected, %u undecided\n",
	       nr_tests, total_executions, total_blocked, nr_failed, nr_undecided);
	if (!nr_tests)
		fatal("nothing was executed");
	return nr_failed ? 1 : nr_undecided ? 3 : 0;
}
