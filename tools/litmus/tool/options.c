// SPDX-License-Identifier: MIT
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/options.h"

static const char usage[] =
"usage: nap-litmus [OPTION]... FILE|DIRECTORY...\n"
"What a memory model allows litmus tests to end in: for the kernel's C, C11, AArch64, RISC-V, x86-64.\n"
"\n"
"  --model=NAME|FILE    instead of the test's own: sc, tso, armv8, rvwmo, rc11, c20, lkmm, or a file\n"
"                       in the language of nap-litmus(1); may be repeated\n"
"  --show-model=NAME    print that model's text\n"
"  --states             print the final states, each with an execution\n"
"  --why                of what never happens, the cycle that forbids it\n"
"  --dot=DIRECTORY      write a picture of each: what is asked for, if it is allowed; else the cycle\n"
"  --csv                file,model,verdict,states\n"
"  --json               an object a line\n"
"  --unroll=N           follow each jump backwards N times at most (2)\n"
"  --timeout=SECONDS    of CPU time a test and model (60); 0: none\n"
"  --files=FILE         the tests' names are in FILE, one a line; -: standard input\n"
"  --quiet              the totals only\n"
"\n"
"Exit status: 0 all were decided, 1 a loop or the time was cut short, 2 usage, or a file that cannot\n"
"be read.\n";

enum { MODEL = 256, SHOW_MODEL, STATES, WHY, DOT, CSV, JSON, UNROLL, TIMEOUT, FILES, QUIET, HELP };

static const struct option long_options[] = {
	{ "model", required_argument, NULL, MODEL },
	{ "show-model", required_argument, NULL, SHOW_MODEL },
	{ "states", no_argument, NULL, STATES },
	{ "why", no_argument, NULL, WHY },
	{ "dot", required_argument, NULL, DOT },
	{ "csv", no_argument, NULL, CSV },
	{ "json", no_argument, NULL, JSON },
	{ "unroll", required_argument, NULL, UNROLL },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "files", required_argument, NULL, FILES },
	{ "quiet", no_argument, NULL, QUIET },
	{ "help", no_argument, NULL, HELP },
	{ 0 }
};

_Noreturn static void bad_usage(const char *what, const char *argument)
{
	if (what)
		fprintf(stderr, "nap-litmus: %s: %s\n", argument, what);
	else
		fputs(usage, stderr);
	exit(2);
}

static unsigned number(const char *argument)
{
	char *end;
	unsigned long n = strtoul(argument, &end, 10);

	if (!*argument || *end || *argument == '-' || n > 1000000)
		bad_usage("expected a number", argument);
	return (unsigned)n;
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

static void take(struct options *options, int option, const char *argument)
{
	switch (option) {
	case MODEL: add_model(options, argument); break;
	case SHOW_MODEL: show_model(argument); break;
	case STATES: options->states = true; break;
	case WHY: options->why = true; break;
	case DOT: options->dot = argument; break;
	case CSV: options->format = FORMAT_CSV; break;
	case JSON: options->format = FORMAT_JSON; break;
	case UNROLL: options->limits.unroll = number(argument); break;
	case TIMEOUT: options->limits.seconds = number(argument); break;
	case QUIET: options->quiet = true; break;
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

void options_read(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options) { .limits = { .unroll = 2, .seconds = 60 } };
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		take(options, option, optarg);
	for (int i = optind; i < argc; i++)
		if (!files_add(&options->files, argv[i]))
			bad_usage(strerror(errno), argv[i]);
	if (!options->files.nr)
		bad_usage(NULL, NULL);
	options->limits.why = options->why || options->dot || options->format == FORMAT_JSON;
}
