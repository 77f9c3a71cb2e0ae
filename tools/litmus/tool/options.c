/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "tool/options.h"
#include "tool/run.h"
#include "tool/usage.h"

enum { MODEL = 256, COMPILE, CFLAGS, ROOT, LISTING, COMPARE, EXPECT, AGAINST, SHOW_MODEL, STATES,
       WHY, DOT, SVG, HTML, CSV, JSON, UNROLL, ALL_TURNS, TIMEOUT, FILES, QUIET, RUN, SECONDS, HOW,
       BUNDLE, RESULTS, CC, RUNNER, GENERATE, DIALECT, NAME, HELP };

static const struct option long_options[] = {
	{ "model", required_argument, NULL, MODEL },
	{ "show-model", required_argument, NULL, SHOW_MODEL },
	{ "compile", required_argument, NULL, COMPILE },
	{ "cflags", required_argument, NULL, CFLAGS },
	{ "root", required_argument, NULL, ROOT },
	{ "listing", no_argument, NULL, LISTING },
	{ "compare", no_argument, NULL, COMPARE },
	{ "expect", no_argument, NULL, EXPECT },
	{ "against", required_argument, NULL, AGAINST },
	{ "states", no_argument, NULL, STATES },
	{ "why", no_argument, NULL, WHY },
	{ "dot", required_argument, NULL, DOT },
	{ "svg", required_argument, NULL, SVG },
	{ "html", required_argument, NULL, HTML },
	{ "csv", no_argument, NULL, CSV },
	{ "json", no_argument, NULL, JSON },
	{ "unroll", required_argument, NULL, UNROLL },
	{ "all-turns", no_argument, NULL, ALL_TURNS },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "files", required_argument, NULL, FILES },
	{ "quiet", no_argument, NULL, QUIET },
	{ "generate", required_argument, NULL, GENERATE },
	{ "dialect", required_argument, NULL, DIALECT },
	{ "name", required_argument, NULL, NAME },
	{ "help", no_argument, NULL, HELP },
	{ "run", optional_argument, NULL, RUN },
	{ "seconds", required_argument, NULL, SECONDS },
	{ "how", required_argument, NULL, HOW },
	{ "bundle", required_argument, NULL, BUNDLE },
	{ "results", required_argument, NULL, RESULTS },
	{ "cc", required_argument, NULL, CC },
	{ "runner", required_argument, NULL, RUNNER },
	{ 0 }
};

#define GIVEN(option) (UINT64_C(1) << ((option) - MODEL))

/*
 * Options that have a meaning only together with another option. Without that option they are
 * refused.
 */
static const struct { int option; uint64_t beside; const char *name, *wanted; } dependent[] = {
	{ LISTING, GIVEN(COMPILE), "--listing", "--compile" },
	{ CFLAGS, GIVEN(COMPILE) | GIVEN(RUN) | GIVEN(RESULTS), "--cflags",
	  "--compile, --run or --results" },
	{ SECONDS, GIVEN(RUN) | GIVEN(BUNDLE), "--seconds", "--run or --bundle" },
	{ HOW, GIVEN(RUN) | GIVEN(BUNDLE), "--how", "--run or --bundle" },
	{ CC, GIVEN(RUN), "--cc", "--run" },
	{ RUNNER, GIVEN(RUN), "--runner", "--run" },
	{ DIALECT, GIVEN(GENERATE), "--dialect", "--generate" },
	{ NAME, GIVEN(GENERATE), "--name", "--generate" },
};

static unsigned take_number(const char *argument)
{
	char *end;
	unsigned long n = strtoul(argument, &end, 10);

	if (!*argument || *end || *argument == '-' || n > 1000000)
		bad_usage("expected a whole number, at most 1000000", argument);
	return (unsigned)n;
}

static void set_runs(struct run_options *run, const char *argument)
{
	run->on = true;
	if (argument && !run_number(argument, &run->runs))
		bad_usage("expected a number, as 1000, 10k, 5M or 1G", argument);
}

static void add_how(struct run_options *run, const char *word)
{
	const char *wrong = run_add_how(run, word);
	char message[300];

	snprintf(message, sizeof(message), "expected %s", wrong ? wrong : "");
	if (wrong)
		bad_usage(message, word);
}

static void show_model(const char *name)
{
	struct arena arena = { 0 };
	struct text text;

	if (!rules_text(&text, name, &arena))
		bad_usage("expected a model's name", name);
	fputs(text.begin, stdout);
	arena_free(&arena);
	exit(0);
}

static void add_model(struct options *options, const char *name)
{
	if (options->nr_models == MAX_MODELS)
		bad_usage("more models than 8", name);
	options->model[options->nr_models++] = name;
}

static void add_one_target(struct options *options, const char *name)
{
	char message[256];
	struct target target;

	if (!target_named(&target, name, NULL, message, sizeof(message)))
		bad_usage(message, "--compile");
	if (options->nr_targets == MAX_TARGETS)
		bad_usage("more than 16 compilers and machines", name);
	options->target[options->nr_targets++] = name;
}

/* Adds a target; "all" and "all:nap": both compilers and all machines. */
static void add_target(struct options *options, const char *name)
{
	static const char *const all[] = { "gcc:x86_64", "clang:x86_64", "gcc:aarch64",
		"clang:aarch64", "gcc:aarch64+lse", "clang:aarch64+lse", "gcc:riscv64",
		"clang:riscv64" };
	static const char *const nap[] = { "gcc:x86_64:nap", "clang:x86_64:nap", "gcc:aarch64:nap",
		"clang:aarch64:nap", "gcc:aarch64+lse:nap", "clang:aarch64+lse:nap",
		"gcc:riscv64:nap", "clang:riscv64:nap" };

	if (strcmp(name, "all") && strcmp(name, "all:nap")) {
		add_one_target(options, name);
		return;
	}
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		add_one_target(options, strcmp(name, "all") ? nap[i] : all[i]);
}

static void take_option(struct options *options, int option, const char *argument)
{
	switch (option) {
	case MODEL: add_model(options, argument); break;
	case SHOW_MODEL: show_model(argument); break;
	case COMPILE: add_target(options, argument); break;
	case CFLAGS: options->flags = argument; break;
	case ROOT: options->root = argument; break;
	case LISTING: options->listing = true; break;
	case COMPARE: options->compare = true; break;
	case EXPECT: options->expect = true; break;
	case AGAINST: options->against = argument; break;
	case STATES: options->states = true; break;
	case WHY: options->why = true; break;
	case DOT: options->dot = argument; break;
	case SVG: options->svg = argument; break;
	case HTML: options->html = argument; break;
	case CSV: options->format = FORMAT_CSV; break;
	case JSON: options->format = FORMAT_JSON; break;
	case UNROLL: options->limits.unroll = take_number(argument); break;
	case ALL_TURNS: options->limits.all_turns = true; break;
	case TIMEOUT: options->limits.seconds = take_number(argument); break;
	case RUN: set_runs(&options->run, argument); break;
	case SECONDS: options->run.seconds = take_number(argument); break;
	case HOW: add_how(&options->run, argument); break;
	case BUNDLE: options->bundle = argument; break;
	case RESULTS: options->results = argument; break;
	case CC: options->run.cc = argument; break;
	case RUNNER: options->run.runner = argument; break;
	case QUIET: options->quiet = true; break;
	case GENERATE: options->cycle = argument; break;
	case DIALECT: options->dialect = argument; break;
	case NAME: options->name = argument; break;
	case FILES:
		if (!files_add_list(&options->files, argument))
			bad_usage(strerror(errno), argument);
		break;
	case HELP:
		fputs(usage, stdout);
		exit(0);
	default:
		bad_usage(NULL, NULL);
	}
}

static void refuse_what_is_ignored(const struct options *options, uint64_t given)
{
	char message[80];

	for (unsigned i = 0; i < sizeof(dependent) / sizeof(*dependent); i++)
		if (given & GIVEN(dependent[i].option) && !(given & dependent[i].beside)) {
			snprintf(message, sizeof(message), "expected %s beside it",
				 dependent[i].wanted);
			bad_usage(message, dependent[i].name);
		}
	if (given & GIVEN(CSV) && given & GIVEN(JSON))
		bad_usage("expected it or --csv, and not both", "--json");
	if (options->cycle && options->files.nr)
		bad_usage("a test is made, and none is read: expected no files beside",
			  "--generate");
}

void options_read(struct options *options, int argc, char **argv)
{
	uint64_t given = 0;
	int option;

	*options = (struct options) { .root = ".", .limits = { .unroll = 2, .seconds = 60 } };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		take_option(options, option, optarg);
		given |= GIVEN(option);
	}
	for (int i = optind; i < argc; i++)
		if (!files_add(&options->files, argv[i]))
			bad_usage(strerror(errno), argv[i]);
	refuse_what_is_ignored(options, given);
	if (options->cycle)
		return;
	if ((options->run.on || options->results) && options->nr_models > 1)
		bad_usage("expected one model to judge a run by", "--model");
	if (options->results && (options->files.nr || options->run.on || options->bundle))
		bad_usage("its tests are in it: expected no files, --run or --bundle beside",
			  "--results");
	if (options->results)
		return;
	if (!options->files.nr && optind < argc)
		bad_usage("expected a directory with *.litmus files", argv[optind]);
	if (!options->files.nr)
		bad_usage(NULL, NULL);
	options->limits.witness = options->states || options->why || options->dot ||
		options->svg || options->html;
	if (options->compare && options->nr_models + options->nr_targets < 2 && !options->expect)
		bad_usage("expected two models or compilers", "--compare");
	options->limits.why = options->why || options->dot || options->svg ||
		options->html || options->format == FORMAT_JSON;
}
