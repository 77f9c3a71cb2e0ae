/* SPDX-License-Identifier: MIT */
/* The options of a program of scenarios. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/progress.h"
#include "graph/fatal.h"
#include "main/options.h"
#include "main/values.h"
#include "program/memory.h"
#include "program/sites.h"
#include "program/twice.h"
#include "program/unroll.h"
#include "program/verifier.h"
#include "report/minimise.h"

struct options options = {
	.seed = 1, .processes = 1, .grain = 20, .minimise = MINIMISE_EXECUTIONS, .save_every = 60,
	.without = WITHOUT_SYMMETRY,
};

enum { LIST = 256, MODEL, MAX_EXECUTIONS, MAX_SECONDS, PREEMPTIONS, UNROLL, RANDOM, SAMPLES, SEED,
       MAY_STOP, TRACE, SVG, HTML, MINIMISE, REPLAY, QUIET, EXHAUSTIVE, SITES, WEAKEN, PAIRS,
       DISTINCT, LEAKS, REUSE, NO_REUSE, STUCK, STACK, TURNS, WEAK, SPURIOUS, COMPAT, NONDET,
       TWICE, WITHOUT, SYMMETRY, ALL_FAULTS, OUTCOMES, SARIF, GRAIN, PROGRESS, SAVE, SAVE_EVERY,
       RESUME, HELP };

static const struct option long_options[] = {
	{ "list", no_argument, NULL, LIST },
	{ "model", required_argument, NULL, MODEL },
	{ "max-executions", required_argument, NULL, MAX_EXECUTIONS },
	{ "max-seconds", required_argument, NULL, MAX_SECONDS },
	{ "preemptions", required_argument, NULL, PREEMPTIONS },
	{ "unroll", required_argument, NULL, UNROLL },
	{ "random", required_argument, NULL, RANDOM },
	{ "samples", required_argument, NULL, SAMPLES },
	{ "seed", required_argument, NULL, SEED },
	{ "may-stop", required_argument, NULL, MAY_STOP },
	{ "trace", required_argument, NULL, TRACE },
	{ "svg", required_argument, NULL, SVG },
	{ "html", required_argument, NULL, HTML },
	{ "minimise", optional_argument, NULL, MINIMISE },
	{ "replay", required_argument, NULL, REPLAY },
	{ "quiet", no_argument, NULL, QUIET },
	{ "exhaustive", no_argument, NULL, EXHAUSTIVE },
	{ "sites", no_argument, NULL, SITES },
	{ "weaken", required_argument, NULL, WEAKEN },
	{ "pairs", no_argument, NULL, PAIRS },
	{ "distinct", no_argument, NULL, DISTINCT },
	{ "turns", required_argument, NULL, TURNS },
	{ "leaks", no_argument, NULL, LEAKS },
	{ "reuse", no_argument, NULL, REUSE },
	{ "no-reuse", no_argument, NULL, NO_REUSE },
	{ "stuck", no_argument, NULL, STUCK },
	{ "stack", required_argument, NULL, STACK },
	{ "weak", required_argument, NULL, WEAK },
	{ "spurious", required_argument, NULL, SPURIOUS },
	{ "compat", required_argument, NULL, COMPAT },
	{ "nondet", required_argument, NULL, NONDET },
	{ "twice", no_argument, NULL, TWICE },
	{ "without", required_argument, NULL, WITHOUT },
	{ "symmetry", no_argument, NULL, SYMMETRY },
	{ "all-faults", no_argument, NULL, ALL_FAULTS },
	{ "outcomes", no_argument, NULL, OUTCOMES },
	{ "sarif", required_argument, NULL, SARIF },
	{ "jobs", required_argument, NULL, 'j' },
	{ "progress", optional_argument, NULL, PROGRESS },
	{ "grain", required_argument, NULL, GRAIN },
	{ "save", required_argument, NULL, SAVE },
	{ "save-every", required_argument, NULL, SAVE_EVERY },
	{ "resume", required_argument, NULL, RESUME },
	{ "help", no_argument, NULL, HELP },
	{ 0 }
};

static void parse_option(int option, const char *arg)
{
	switch (option) {
	case LIST:
		list_scenarios();
		leave(0);
	case HELP:
		print_usage(stdout);
		leave(0);
	case MODEL:
		options.only_model = model_for(arg);
		break;
	case COMPAT:
		parse_compat(arg);
		if (options.reuse == REUSE_IF_COMPARED)
			options.reuse = REUSE_NEVER;	/* as the other checkers do */
		break;
	case NONDET:
		parse_nondet(arg);
		break;
	case MAX_EXECUTIONS:
		options.max_executions = number(arg);
		break;
	case MAX_SECONDS:
		options.max_seconds = number(arg);
		break;
	case PREEMPTIONS:
		options.preemptions = (unsigned)number(arg);
		options.preemption_bound = true;
		break;
	case UNROLL:
		unroll = (unsigned)number(arg);
		if (!unroll)
			bad_usage("a loop has a turn at least", arg);
		break;
	case RANDOM:
		options.random = number(arg);
		break;
	case SAMPLES:
		options.samples = number(arg);
		break;
	case SEED:
		options.seed = number(arg);
		break;
	case MAY_STOP:
		options.may_stop = (uint32_t)number(arg);
		options.may_stop_given = true;
		break;
	case TRACE:
		check_folder(arg);
		options.files.trace = arg;
		break;
	case SVG:
		check_file(arg);
		options.files.svg = arg;
		break;
	case HTML:
		check_file(arg);
		options.files.html = arg;
		break;
	case MINIMISE:
		options.minimise_given = true;
		if (arg)
			options.minimise = number(arg);
		break;
	case REPLAY:
		options.replay = arg;
		break;
	case QUIET:
		options.quiet = true;
		break;
	case EXHAUSTIVE:
		options.exhaustive = true;
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
	case TURNS:
		if (strcmp(arg, "state") && strcmp(arg, "yields"))
			bad_usage("neither state nor yields", arg);
		options.turns_by_state = !strcmp(arg, "state");
		break;
	case LEAKS:
		options.leaks = true;
		break;
	case REUSE:
		options.reuse = REUSE_ALWAYS;
		break;
	case NO_REUSE:
		options.reuse = REUSE_NEVER;
		break;
	case TWICE:
		twice_wanted = true;
		break;
	case WITHOUT:
		options.without |= reductions_named(arg);
		break;
	case SYMMETRY:
		options.without &= ~(unsigned)WITHOUT_SYMMETRY;
		break;
	case ALL_FAULTS:
		options.all_faults = true;
		break;
	case OUTCOMES:
		options.outcomes = status_is_ignored = true;
		break;
	case SARIF:
		check_file(arg);
		options.files.sarif = arg;
		break;
	case 'j':
		options.processes = number_of_processes(arg);
		break;
	case PROGRESS:
		progress_wanted = true;
		progress_every = arg ? number(arg) : 0;
		break;
	case GRAIN:
		options.grain = (unsigned)number(arg);
		break;
	case SAVE:
		check_folder_of(arg);
		options.save = arg;
		break;
	case SAVE_EVERY:
		options.save_every = (unsigned)number(arg);
		break;
	case RESUME:
		options.resume = arg;
		break;
	case STUCK:
		options.stuck = true;
		break;
	case STACK:
		stack_limit = number(arg) << 10;
		if (!stack_limit || stack_limit > STACK_SIZE)
			bad_usage("not a size, or more than stacks have (2048)", arg);
		break;
	case WEAK:
		options.weak_failures = (unsigned)number(arg);
		break;
	case SPURIOUS:
		options.spurious = (unsigned)number(arg);
		options.spurious_given = true;
		break;
	default:
		bad_usage(NULL, NULL);
	}
}

int parse_options(int argc, char **argv)
{
	int option, index = -1;

	argv[0] = program_name();
	while ((option = getopt_long(argc, argv, "j:", long_options, &index)) != -1) {
		parse_option(option, optarg);
		if (index >= 0)
			note_option(long_options[index].name, optarg);
		index = -1;
	}
	check_options();
	return optind;
}
