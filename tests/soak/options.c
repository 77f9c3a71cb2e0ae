/* SPDX-License-Identifier: MIT */
/* The soak's command line. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idle/protocols.h"
#include "scale.h"
#include "soak.h"

#define WORKERS_MAX	1024
#define MINUTES_MAX	(60 * 24 * 366)
#define TASKS_NATIVE	1000000000
#define TASKS_SLOW	10000000

#define IDLE_NAME(NAME, name) " " #name

static const char help[] =
	"usage: soak [--tasks=N | --minutes=N] [--workers=N] [--idle=NAME] [--ktap]\n"
	"\n"
	"Schedules very many tasks in every shape that nap's API has, and accounts for each.\n"
	"\n"
	"  --tasks=N    end when at least N tasks have been scheduled (1000000000; 10000000\n"
	"               when built for an emulator or a sanitizer)\n"
	"  --minutes=N  end after N minutes instead\n"
	"  --workers=N  workers of each pool that lives for the whole run (1..1024; twice as\n"
	"               many as CPUs, at least 4)\n"
	"  --idle=NAME  the pools' idle protocol, of" IDLE_PROTOCOLS(IDLE_NAME, IDLE_NAME) "\n"
	"  --ktap       print test results instead of the tables\n"
	"  --help       this\n"
	"\n"
	"Ctrl-C ends the round and prints the tables. Exit status: 0 when every task is\n"
	"accounted for, memory is flat and no thread is left; 1 when not, or when nothing\n"
	"moves any more; 2 for arguments that are wrong.\n";

/* Parses a decimal number of [least, most]; prints an error. */
static bool number(const char *what, const char *text, unsigned long least, unsigned long most,
		   unsigned long *value)
{
	if (*text && strspn(text, "0123456789") == strlen(text) && strlen(text) <= 18) {
		*value = strtoul(text, NULL, 10);
		if (*value >= least && *value <= most)
			return true;
	}
	fprintf(stderr, "soak: --%s takes a number from %lu to %lu, not '%s'\n", what, least, most,
		text);
	return false;
}

static bool protocol(const char *text, unsigned int *idle)
{
	for (unsigned int i = 0; i < NAP__IDLE_PROTOCOLS; i++)
		if (strcmp(text, soak_idle_names[i]) == 0)
			return *idle = i, true;
	fprintf(stderr, "soak: --idle takes a protocol's name (--help), not '%s'\n", text);
	return false;
}

unsigned int soak_default_workers(void)
{
	uint32_t cpus = nap_cpu_count();

	return cpus < 2 ? 4 : cpus > WORKERS_MAX / 2 ? WORKERS_MAX : 2 * cpus;
}

bool soak_parse(int argc, char **argv, struct soak_options *options, int *status)
{
	static const struct option names[] = {
		{ "tasks", required_argument, NULL, 't' },
		{ "minutes", required_argument, NULL, 'm' },
		{ "workers", required_argument, NULL, 'w' }, { "ktap", no_argument, NULL, 'k' },
		{ "idle", required_argument, NULL, 'i' }, { "help", no_argument, NULL, 'h' }, { 0 },
	};
	unsigned long tasks = 0, minutes = 0, workers = soak_default_workers();
	unsigned int idle = NAP_IDLE_SYNC;
	bool ktap = false, good = true;
	int c;

	while (good && (c = getopt_long(argc, argv, "h", names, NULL)) != -1) {
		if (c == 't')
			good = number("tasks", optarg, 1, 1000000000000000, &tasks);
		else if (c == 'm')
			good = number("minutes", optarg, 1, MINUTES_MAX, &minutes);
		else if (c == 'w')
			good = number("workers", optarg, 1, WORKERS_MAX, &workers);
		else if (c == 'i')
			good = protocol(optarg, &idle);
		else if (c == 'k')
			ktap = true;
		else if (c == 'h')
			return fputs(help, stdout), *status = 0, false;
		else
			good = false;	/* getopt has printed the error */
	}
	if (good && optind < argc) {
		fprintf(stderr, "soak: '%s' is no option\n", argv[optind]);
		good = false;
	}
	if (good && tasks && minutes) {
		fprintf(stderr, "soak: --tasks or --minutes, not both\n");
		good = false;
	}
	if (!good)
		fprintf(stderr, "soak --help says more\n");
	*status = 2;
	if (!tasks)
		tasks = nap_test_slow() ? TASKS_SLOW : TASKS_NATIVE;
	*options = (struct soak_options){ tasks, (unsigned int)minutes,
					  (unsigned int)workers, ktap, idle };
	return good;
}
