// SPDX-License-Identifier: MIT
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
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("usage: nap-demo [OPTION]... words [PATH]...\n"
	      "       nap-demo [OPTION]... sort [N]\n"
	      "\n"
	      "  words          count the words of all files below every PATH (/usr/include and\n"
	      "                 /usr/share)\n"
	      "  sort           sort N numbers (10000000)\n"
	      "\n"
	      "on a pool of workers and again on one, and compare.\n"
	      "\n"
	      "  --workers N    workers at most, 1 to 16383 (the CPUs that may be used)\n"
	      "  --stack KIB    stack of every worker, at least 16 KiB (the system's default)\n"
	      "  -v, --verbose  name what could not be read; counters of all workers\n"
	      "  --help         print this\n"
	      "  --version      print the version\n", out);
}

/* Decimal digits only: strtoul() would take signs and spaces as well. */
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

/* Returns -1 to go on, or the exit status. */
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
	case 'v':
		options->verbose = true;
		return -1;
	case OPT_HELP:
		usage(stdout);
		return report_flush(0);
	case OPT_VERSION:
		puts("nap-demo " DEMO_VERSION);
		return report_flush(0);
	default:	/* getopt_long() has named it */
		fputs("Try 'nap-demo --help'.\n", stderr);
		return EXIT_USAGE;
	}
}

static int sort(const struct options *options, int argc, char **argv)
{
	uint64_t n = 10000000;

	if (argc > 1) {
		fprintf(stderr, "nap-demo: sort: '%s' is one argument too many\n", argv[1]);
		return EXIT_USAGE;
	}
	if (argc == 1 && number("sort", argv[0], 1, INT32_MAX, &n))
		return EXIT_USAGE;
	return cmd_sort(options, n);
}

static int command(const struct options *options, int argc, char **argv)
{
	int status;

	if (!argc) {
		usage(stderr);
		return EXIT_USAGE;
	}
	signals_catch();
	if (!strcmp(argv[0], "words")) {
		status = cmd_words(options, argc - 1, argv + 1);
	} else if (!strcmp(argv[0], "sort")) {
		status = sort(options, argc - 1, argv + 1);
	} else {
		fprintf(stderr, "nap-demo: '%s' is not a command (words, sort)\n", argv[0]);
		return EXIT_USAGE;
	}
	return report_flush(status);
}

int main(int argc, char **argv)
{
	struct options options = { .workers = nap_cpu_count() };
	int opt, status;

	while ((opt = getopt_long(argc, argv, "v", long_options, NULL)) != -1) {
		status = option(opt, &options);
		if (status >= 0)
			return status;
	}
	return command(&options, argc - optind, argv + optind);
}
