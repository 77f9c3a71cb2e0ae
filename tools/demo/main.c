/* SPDX-License-Identifier: MIT */
/* nap-demo: the command line. */
#include "demo.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_HELP = 256, OPT_VERSION };

static const struct option long_options[] = {
	{ "workers", required_argument, NULL, 'w' },
	{ "stack", required_argument, NULL, 's' },
	{ "idle", required_argument, NULL, 'i' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("usage: nap-demo [OPTION]... words [PATH]...\n"
	      "       nap-demo [OPTION]... sort [N]\n"
	      "       nap-demo [OPTION]... fib [N]\n"
	      "       nap-demo [OPTION]... nqueens [N]\n"
	      "       nap-demo [OPTION]... uts [T1]\n"
	      "\n"
	      "  words          count the words of all files below every PATH (/usr/include and\n"
	      "                 /usr/share)\n"
	      "  sort           sort N numbers (10000000), by tasks and by fork and join\n"
	      "  fib            the Nth Fibonacci number (40), a fork in every call\n"
	      "  nqueens        in how many ways N queens (12) can stand on a board of N by N\n"
	      "  uts            count the nodes of the Unbalanced Tree Search benchmark's tree T1\n"
	      "\n"
	      "on a pool of workers and again on one, and compare.\n"
	      "\n"
	      "  --workers N    workers at most, 1 to 16367 (the CPUs that may be used)\n"
	      "  --stack KIB    stack of every worker, at least 16 KiB (the system's default)\n"
	      "  --idle WORD    how idle workers sleep and are woken: sync, go or jec (sync)\n"
	      "  -v, --verbose  name what could not be read; counters of all workers\n"
	      "  --help         print this\n"
	      "  --version      print the version\n", out);
}

/* Reads decimal digits only: strtoul() would take signs and spaces as well. */
static int number(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end = NULL;
	unsigned long long n = 0;

	errno = 0;
	if (*text >= '0' && *text <= '9')
		n = strtoull(text, &end, 10);
	if (!end || *end || errno || n < min || n > max) {
		fprintf(stderr, "nap-demo: %s: '%s' is not a number from %llu to %llu\n", what,
			text, (unsigned long long)min, (unsigned long long)max);
		return -1;
	}
	*out = n;
	return 0;
}

static int idle(const char *text, enum nap_idle *out)
{
	static const char *const words[] = {
		[NAP_IDLE_SYNC] = "sync", [NAP_IDLE_GO] = "go", [NAP_IDLE_JEC] = "jec",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(text, words[i]))
			continue;
		*out = (enum nap_idle)i;
		return 0;
	}
	fprintf(stderr, "nap-demo: --idle: '%s' is not one of sync, go, jec\n", text);
	return -1;
}

/* Takes an option. Returns -1 if the program goes on, or the exit status. */
static int option(int opt, struct options *options)
{
	uint64_t n;

	switch (opt) {
	case 'w':
		if (number("--workers", optarg, 1, NAP_MAX_WORKERS, &n))
			return EXIT_USAGE;
		options->workers = n;
		return -1;
	case 's':
		if (number("--stack", optarg, 16, UINT32_MAX, &n))
			return EXIT_USAGE;
		options->stack = n * 1024;
		return -1;
	case 'i':
		return idle(optarg, &options->idle) ? EXIT_USAGE : -1;
	case 'v':
		options->verbose = true;
		return -1;
	case OPT_HELP:
		usage(stdout);
		return report_flush(0);
	case OPT_VERSION:
		puts("nap-demo " DEMO_VERSION);
		return report_flush(0);
	case '0' ... '9':
		fprintf(stderr, "nap-demo: -%c...: no command takes a negative number\n", opt);
		return EXIT_USAGE;
	default:	/* getopt_long() has printed what is wrong */
		fputs("Try 'nap-demo --help'.\n", stderr);
		return EXIT_USAGE;
	}
}

/* Commands with a number as their argument. */
static const struct command {
	const char *name;
	int (*run)(const struct options *options, uint64_t n);
	uint64_t min, max, usual;
} commands[] = {
	{ "sort", cmd_sort, 1, INT32_MAX, 10000000 },
	{ "fib", cmd_fib, 0, 92, 40 },
	{ "nqueens", cmd_nqueens, 1, 20, 12 },
	{ "uts", cmd_uts, 1, 1, 1 },
};

/* Reads the argument. For uts it is T and a number, the name of a tree. */
static int argument(const struct command *command, const char *text, uint64_t *n)
{
	if (command->run != cmd_uts)
		return number(command->name, text, command->min, command->max, n);
	if (!strcmp(text, "T1"))
		return 0;
	fprintf(stderr, "nap-demo: uts: '%s' is not a tree (T1)\n", text);
	return -1;
}

static int command(const struct options *options, int argc, char **argv)
{
	const struct command *command = commands, *end = command + sizeof(commands) /
		sizeof(*commands);
	uint64_t n;

	if (!argc) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[0], "words"))
		return cmd_words(options, argc - 1, argv + 1);
	while (command < end && strcmp(argv[0], command->name))
		command++;
	if (command == end) {
		fprintf(stderr,
			"nap-demo: '%s' is not a command (words, sort, fib, nqueens, uts)\n",
			argv[0]);
		return EXIT_USAGE;
	}
	if (argc > 2) {
		fprintf(stderr, "nap-demo: %s: '%s' is one argument too many\n", argv[0], argv[2]);
		return EXIT_USAGE;
	}
	n = command->usual;
	if (argc == 2 && argument(command, argv[1], &n))
		return EXIT_USAGE;
	return command->run(options, n);
}

int main(int argc, char **argv)
{
	struct options options = { .workers = nap_cpu_count() };
	int opt, status;

	while ((opt = getopt_long(argc, argv, "v0123456789", long_options, NULL)) != -1) {
		status = option(opt, &options);
		if (status >= 0)
			return status;
	}
	run_catch_signals();
	return report_flush(command(&options, argc - optind, argv + optind));
}
