/* SPDX-License-Identifier: MIT */
/* The options of a program of scenarios. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/fatal.h"
#include "main/options.h"
#include "program/memory.h"
#include "program/sites.h"
#include "program/twice.h"
#include "program/unroll.h"
#include "program/verifier.h"

struct options options = { .seed = 1 };

static const char usage[] =
"usage: %s [OPTION]... [SCENARIO]... [-- ARGUMENT...]\n"
"Explore every execution of the scenarios (all of them) that the memory model allows.\n"
"\n"
"  --list                what there is\n"
"  --model=MODEL         sc, tso or rc11 instead of those that each scenario names\n"
"  --compat=NAME         what a program for genmc, dat3m, cds or svcomp takes for granted\n"
"  --nondet=N, --nondet=A..B  __VERIFIER_nondet_int() and its like return 0 to N - 1, or A to B\n"
"  --max-executions=N    give up, undecided, after so many\n"
"  --max-seconds=N       give up, undecided, after so much CPU time, or 10 times that on the clock\n"
"  --preemptions=N       schedules with at most N preemptions only\n"
"  --unroll=N            executions in which no loop makes more than N turns only\n"
"  --random=N            sample N executions instead\n"
"  --samples=N           of scenarios that say that they are to be sampled, at most N\n"
"  --exhaustive          explore all, also of scenarios that say that they are to be sampled\n"
"  --turns=state|yields  what tells that a loop's turn changes nothing: the thread's stack (of a\n"
"                        program that is compiled with -O0), or a yield in it (yields)\n"
"  --leaks               memory that nobody frees and nothing points to is a fault\n"
"  --reuse               a thread's allocation may be of memory that it has freed (ABA)\n"
"  --stuck               a thread that waits for ever when the program has ended is a fault\n"
"  --stack=KIB           a thread that has more on its stack when it does an operation is a fault\n"
"  --spurious=N          waits (futexes, conditions) return for nothing, at most N times in an execution\n"
"  --weak=N              weak compare-exchanges fail for nothing, at most N times in an execution\n"
"  --may-stop=MASK       threads that may stop for ever, instead of the scenarios' own\n"
"  --seed=N              for --random\n"
"  --trace=DIR           save a counterexample there, as SCENARIO.MODEL.trace\n"
"  --svg=FILE            draw the first counterexample there\n"
"  --replay=FILE         run a saved counterexample again\n"
"  --quiet               no counterexamples\n"
"  --sites               list the atomic operations that were executed\n"
"  --weaken=PC[,PC]:ORDER  give the operations at these sites another order\n"
"  --pairs               list what load buffering could concern\n"
"  --distinct            count distinct execution graphs, too\n"
"  --twice               run each execution twice, and compare all memory of the program\n"
"\n"
"ARGUMENTs are those of the program's main().\n"
"Exit status: 0 all as the scenarios say, 1 not so, 2 usage, 3 undecided, 4 internal fault.\n";

enum { LIST = 256, MODEL, MAX_EXECUTIONS, MAX_SECONDS, PREEMPTIONS, UNROLL, RANDOM, SAMPLES, SEED,
       MAY_STOP, TRACE, SVG, REPLAY, QUIET, EXHAUSTIVE, SITES, WEAKEN, PAIRS, DISTINCT, LEAKS, REUSE, STUCK, STACK,
       TURNS, WEAK, SPURIOUS, COMPAT, NONDET, TWICE, HELP };

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
	{ "stuck", no_argument, NULL, STUCK },
	{ "stack", required_argument, NULL, STACK },
	{ "weak", required_argument, NULL, WEAK },
	{ "spurious", required_argument, NULL, SPURIOUS },
	{ "compat", required_argument, NULL, COMPAT },
	{ "nondet", required_argument, NULL, NONDET },
	{ "twice", no_argument, NULL, TWICE },
	{ "help", no_argument, NULL, HELP },
	{ 0 }
};

/* Returns the name that the user has called: nap-check, or the program that --keep left. */
static char *name(void)
{
	char *script = getenv("NAP_CHECK_NAME");

	return script ? script : program_invocation_name;
}

_Noreturn void bad_usage(const char *what, const char *arg)
{
	if (what)
		fprintf(stderr, "%s: %s: %s\n", name(), what, arg);
	fprintf(stderr, usage, name());
	leave(2);
}

static unsigned long number(const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 0);

	if (!*arg || *end || *arg == '-')
		bad_usage("not a number", arg);
	return n;
}

static const struct model *model_for(const char *arg)
{
	const struct model *model = model_named(arg);

	if (!model)
		bad_usage("not a model", arg);
	return model;
}

/* Takes over what the other checkers' programs rely on: that is in the rules of each. */
static void parse_compat(const char *arg)
{
	bool aborts = !strcmp(arg, "genmc") || !strcmp(arg, "cds");

	if (!aborts && strcmp(arg, "dat3m") && strcmp(arg, "svcomp"))
		bad_usage("genmc, dat3m, cds or svcomp, not", arg);
	status_is_ignored = nothing_is_fine = true;
	abort_drops = !aborts;
}

/* Takes N, or A..B. */
static void parse_nondet(const char *arg)
{
	char *end;
	long first = strtol(arg, &end, 0);
	bool range = end != arg && !strncmp(end, "..", 2);

	if (range) {
		arg = end + 2;
		nondet_lowest = first;
		nondet_highest = strtol(arg, &end, 0);
	} else {
		nondet_lowest = 0;
		nondet_highest = first - 1;
	}
	if (end == arg || *end || nondet_highest < nondet_lowest ||
	    (unsigned long)nondet_highest - (unsigned long)nondet_lowest >= MAX_NONDET)
		bad_usage("neither a number from 1 to 256 nor a range A..B of as many", optarg);
	nondet_given = true;
}

/* Refuses a file that could not be made at the end of the search. */
static void check_folder_of(const char *file)
{
	char folder[1024];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", file);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	if (access(slash ? folder : ".", W_OK | X_OK))
		bad_usage(strerror(errno), file);
}

static void parse_option(int option, const char *arg)
{
	switch (option) {
	case LIST:
		list_scenarios();
		leave(0);
	case HELP:
		printf(usage, name());
		leave(0);
	case MODEL:
		options.only_model = model_for(arg);
		break;
	case COMPAT:
		parse_compat(arg);
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
		if (access(arg, W_OK | X_OK))
			bad_usage(strerror(errno), arg);
		options.trace = arg;
		break;
	case SVG:
		check_folder_of(arg);
		options.svg = arg;
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
		options.reuse = true;
		break;
	case TWICE:
		twice_wanted = true;
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
	int option;

	argv[0] = name();
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		parse_option(option, optarg);
	return optind;
}
