/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate/generate.h"
#include "show/show.h"
#include "tool/html.h"
#include "tool/judge.h"
#include "tool/run.h"

static struct {
	unsigned tests, judged, unread, cut, different;
	unsigned verdict[VERDICT_UNDECIDED + 1];
} totals;

static void count(const struct judged *judged)
{
	for (unsigned i = 0; i < judged->nr; i++) {
		const struct column *column = &judged->column[i];

		if (column->refused) {
			totals.unread++;
			fprintf(stderr, "%s\n", column->message);
			continue;
		}
		totals.judged++;
		totals.verdict[column->outcome.verdict]++;
		totals.cut += column->outcome.bounded || column->outcome.timeout;
	}
}

static void print_titles(const struct options *options, const struct judged *judged)
{
	for (unsigned i = 0; i < judged->nr; i++) {
		const struct column *column = &judged->column[i];

		if (column->refused)
			continue;
		if (options->format == FORMAT_CSV)
			print_csv(stdout, judged->file, column->name, column->test, column->rules,
				  &column->outcome);
		else
			print_json(stdout, judged->file, column->name, column->test, column->rules,
				   &column->outcome);
	}
}

static void report(const struct options *options, struct judged *judged)
{
	if (options->html)
		html_test(options, judged);
	if (options->dot || options->svg)
		draw(options, judged);
	if (options->compare)
		totals.different += compare_columns(judged);
	else if (options->against && !judged->column[0].refused)
		totals.different += compare_with(options->against, judged->file,
						 &judged->column[0]);
	else if (options->format != FORMAT_TABLE)
		print_titles(options, judged);
	else if (!options->quiet)
		table_row(options, judged);
	if (options->expect)
		totals.different += !expect_fulfilled(judged);
}

static void take_file(const struct options *options, const char *file)
{
	struct judged *judged = judge(options, file);

	totals.tests++;
	if (judged->test) {
		count(judged);
		report(options, judged);
	} else {
		totals.unread++;
		fprintf(stderr, "%s\n", judged->message);
	}
	judged_free(judged);
}

static void print_totals(const struct options *options)
{
	printf("%u tests, %u could not be read; %u judged:", totals.tests, totals.unread,
	       totals.judged);
	for (unsigned i = 0; i <= VERDICT_UNDECIDED; i++)
		if (totals.verdict[i])
			printf(" %u %s", totals.verdict[i], verdict_name((enum verdict)i));
	if (totals.cut)
		printf("; %u cut short", totals.cut);
	if (options->compare || options->against)
		printf("; %u differ", totals.different);
	else if (options->expect)
		printf("; %u not as expected", totals.different);
	printf("\n");
}

static int make_test(const struct options *options)
{
	static const struct { const char *name; enum dialect dialect; } dialects[] = {
		{ "kernel", DIALECT_KERNEL }, { "c11", DIALECT_C11 },
		{ "aarch64", DIALECT_AARCH64 }, { "riscv", DIALECT_RISCV },
		{ "x86_64", DIALECT_X86 },
	};
	const char *wanted = options->dialect ? options->dialect : "kernel";
	char message[512];

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		if (strcmp(dialects[i].name, wanted))
			continue;
		if (generate(stdout, dialects[i].dialect, options->cycle, options->name, message,
			     sizeof(message)))
			return 0;
		fprintf(stderr, "nap-litmus: %s\n", message);
		return 2;
	}
	fprintf(stderr, "nap-litmus: %s: expected kernel, c11, aarch64, riscv or x86_64\n", wanted);
	return 2;
}

/* Fails if the output could not be written, however well the tests were judged. */
static void finish_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	fprintf(stderr, "nap-litmus: standard output: %s\n", strerror(errno));
	_exit(2);
}

int main(int argc, char **argv)
{
	struct options options;

	atexit(finish_output);
	options_read(&options, argc, argv);
	if (options.cycle)
		return make_test(&options);
	if (options.results)
		return run_results(&options);
	if (options.bundle)
		return run_bundle(&options);
	if (options.run.on)
		return run_files(&options);
	if (options.format == FORMAT_TABLE && !options.compare && !options.against)
		table_begin(&options);
	if (options.html)
		html_begin(&options);
	for (unsigned i = 0; i < options.files.nr; i++)
		take_file(&options, options.files.path[i]);
	if (options.html)
		html_end(&options);
	table_end();
	if (options.format == FORMAT_TABLE && (totals.tests > 1 || options.quiet))
		print_totals(&options);
	files_free(&options.files);
	return totals.unread ? 2 : totals.cut || totals.different ? 1 : 0;
}
