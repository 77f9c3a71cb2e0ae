/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/raw.h"
#include "report/report.h"
#include "write/write.h"

static const char usage[] =
	"usage: nap-trace [OPTION]... FILE\n"
	"       nap-trace --compare BEFORE AFTER\n"
	"What a pool of nap's did, by the trace that nap_trace_write() or NAP_TRACE=FILE wrote.\n"
	"FILE -: standard input. Without an option: a summary.\n"
	"\n"
	"  --html=FILE        a page with a timeline, for any browser, in one file\n"
	"  --perfetto=FILE    for ui.perfetto.dev and trace_processor\n"
	"  --json=FILE        for chrome://tracing and speedscope\n"
	"  --dump             print every event outside pauses\n"
	"  --compare          two traces, the figures beside each other\n"
	"  --histograms       in the summary: running and waiting times of each function\n"
	"  --most=N           lines of a list in the summary (10)\n"
	"  --gap=US           name work that was queued while a worker slept for that long (50)\n"
	"  --program=FILE     where the executable is now, if it has moved\n"
	"  --help             print this\n"
	"\n"
	"Exit status: 0; 1 the file is cut, and what is whole of it was used; 2 usage, a file\n"
	"that cannot be read or written.\n";

struct options {
	const char *page, *perfetto, *json, *program;
	bool dump, compare;
	struct report_options report;
};

enum { HTML = 256, PERFETTO, JSON, DUMP, COMPARE, HISTOGRAMS, MOST, GAP_OPTION, PROGRAM, HELP };

static const struct option longs[] = {
	{ "html", required_argument, NULL, HTML },
	{ "perfetto", required_argument, NULL, PERFETTO },
	{ "json", required_argument, NULL, JSON },
	{ "dump", no_argument, NULL, DUMP },
	{ "compare", no_argument, NULL, COMPARE },
	{ "histograms", no_argument, NULL, HISTOGRAMS },
	{ "most", required_argument, NULL, MOST },
	{ "gap", required_argument, NULL, GAP_OPTION },
	{ "program", required_argument, NULL, PROGRAM },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static __attribute__((noreturn)) void try_help(void)
{
	fprintf(stderr, "nap-trace --help says what there is\n");
	exit(2);
}

static unsigned number(const char *option, const char *text, unsigned most)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && value <= most)
		return (unsigned)value;
	fprintf(stderr, "nap-trace: --%s=%s: expected a number from 0 to %u\n", option, text, most);
	exit(2);
}

static void take(struct options *options, int option)
{
	switch (option) {
	case HTML:
		options->page = optarg;
		break;
	case PERFETTO:
		options->perfetto = optarg;
		break;
	case JSON:
		options->json = optarg;
		break;
	case DUMP:
		options->dump = true;
		break;
	case COMPARE:
		options->compare = true;
		break;
	case HISTOGRAMS:
		options->report.histograms = true;
		break;
	case MOST:
		options->report.most = number("most", optarg, 1000000);
		break;
	case GAP_OPTION:
		options->report.gap = 1000 * (int64_t)number("gap", optarg, 1000000000);
		break;
	case PROGRAM:
		options->program = optarg;
		break;
	case HELP:
		fputs(usage, stdout);
		exit(0);
	default:
		try_help();
	}
}

static struct options read_options(int argc, char **argv)
{
	struct options options = { .report = { .most = 10, .gap = 50000 } };
	int option, files;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		take(&options, option);
	files = argc - optind;
	if (files == (options.compare ? 2 : 1) &&
	    !(options.compare &&
	      (options.page || options.perfetto || options.json || options.dump)))
		return options;
	fprintf(stderr,
		files < (options.compare ? 2 : 1) ? "nap-trace: which trace?%s\n"
		: files > (options.compare ? 2 : 1)
			? "nap-trace: one trace at a time, or --compare%s\n"
			: "nap-trace: --compare prints a table, and nothing else%s\n",
		options.compare ? " --compare BEFORE AFTER" : "");
	try_help();
}

static void open_trace(struct trace *trace, struct raw *raw, const char *path, const char *program)
{
	char message[512];

	if (!raw_read(raw, path, message, sizeof(message))) {
		fprintf(stderr, "nap-trace: %s\n", message);
		exit(2);
	}
	if (raw->cut)
		fprintf(stderr, "nap-trace: %s: the end is not there; what is whole is used\n",
			path);
	trace_build(trace, raw);
	names_resolve(&trace->names, raw, program);
}

static void close_trace(struct trace *trace, struct raw *raw)
{
	trace_free(trace);
	raw_free(raw);
}

/*
 * Writes a file. An incomplete file is reported, and not removed; the disk may be full, for
 * example.
 */
static void write_to(const char *path, void (*write)(FILE *to, const struct trace *trace),
		     const struct trace *trace)
{
	FILE *to = strcmp(path, "-") ? fopen(path, "wb") : stdout;
	bool failed;

	if (to) {
		write(to, trace);
		failed = ferror(to) | (to == stdout ? fflush(to) : fclose(to));
		if (!failed)
			return;
	}
	fprintf(stderr, "nap-trace: %s: %s\n", path, strerror(errno));
	exit(2);
}

static int compare(const struct options *options, char **paths)
{
	struct raw raw[2];
	struct trace trace[2];
	bool cut;

	for (unsigned i = 0; i < 2; i++)
		open_trace(&trace[i], &raw[i], paths[i], options->program);
	report_compare(stdout, &trace[0], &trace[1]);
	cut = raw[0].cut || raw[1].cut;
	for (unsigned i = 0; i < 2; i++)
		close_trace(&trace[i], &raw[i]);
	return cut;
}

static int one(const struct options *options, const char *path)
{
	struct raw raw;
	struct trace trace;
	bool cut;

	open_trace(&trace, &raw, path, options->program);
	if (options->page)
		write_to(options->page, write_page, &trace);
	if (options->perfetto)
		write_to(options->perfetto, write_perfetto, &trace);
	if (options->json)
		write_to(options->json, write_json, &trace);
	if (options->dump)
		write_to("-", report_dump, &trace);
	if (!options->page && !options->perfetto && !options->json && !options->dump)
		report_print(stdout, &trace, &options->report);
	cut = raw.cut;
	close_trace(&trace, &raw);
	return cut;
}

int main(int argc, char **argv)
{
	struct options options = read_options(argc, argv);
	int status = options.compare ? compare(&options, argv + optind)
				     : one(&options, argv[optind]);

	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "nap-trace: standard output: %s\n", strerror(errno));
		return 2;
	}
	return status;
}
