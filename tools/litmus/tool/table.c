// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "show/show.h"
#include "tool/judge.h"

#define NAME_WIDTH 34

static bool is_wide(const struct options *options)
{
	return options->nr_models + options->nr_targets > 1 || options->expect;
}

/* The names of the columns; with --expect each test has its own. */
void table_begin(const struct options *options)
{
	if (!is_wide(options) || options->quiet || options->expect)
		return;
	printf("%-*s", NAME_WIDTH, "");
	for (unsigned i = 0; i < options->nr_models; i++)
		printf(" %-10s", options->model[i]);
	for (unsigned i = 0; i < options->nr_targets; i++)
		printf(" %s", options->target[i]);
	printf("\n");
}

static void print_flags(const struct column *column)
{
	for (unsigned i = 0; i < column->rules->nr_axioms; i++)
		if (column->outcome.flags >> i & 1)
			printf("  %s", column->rules->axiom[i].name);
	printf("%s%s", column->outcome.bounded ? "  bounded" : "",
	       column->outcome.timeout ? "  timeout" : "");
}

static void print_why(const struct column *column)
{
	const struct state *state = state_asked_for(column->test, &column->outcome);

	if (column->outcome.forbidden)
		print_forbidden(stdout, column->test, column->rules, &column->outcome);
	else if (state)
		print_witness(stdout, column->test, state);
}

static void print_details(const struct options *options, const struct judged *judged,
			  const struct column *column)
{
	if (is_wide(options))
		printf("  %s: %s\n", column->name, verdict_name(column->outcome.verdict));
	if (options->listing && column->test != judged->test)
		fputs(listing_of(column->test), stdout);
	if (options->states)
		for (const struct state *state = column->outcome.first; state; state = state->next)
			print_witness(stdout, column->test, state);
	if (options->why)
		print_why(column);
}

static const char *short_name(const struct judged *judged)
{
	const char *slash = strrchr(judged->file, '/');

	return slash ? slash + 1 : judged->file;
}

static void print_wide(const struct options *options, const struct judged *judged)
{
	int width = (int)strcspn(short_name(judged), "\n");

	if (width > 7 && !strcmp(short_name(judged) + width - 7, ".litmus"))
		width -= 7;
	printf("%-*.*s", NAME_WIDTH, width, short_name(judged));
	for (unsigned i = 0; i < judged->nr; i++) {
		const struct column *column = &judged->column[i];
		int room = i < options->nr_models ? 10 : (int)strcspn(column->name, " ");

		if (options->expect)
			printf(" %.*s", (int)strcspn(column->name, " "), column->name);
		printf(" %-*s", options->expect ? 0 : room,
		       column->refused ? "refused" : verdict_name(column->outcome.verdict));
		if (!column->refused)
			print_flags(column);
	}
	printf("\n");
}

static void print_narrow(const struct judged *judged, const struct column *column)
{
	printf("%-40s %-7s %-9s %4u states %8.3f s", judged->file, column->name,
	       verdict_name(column->outcome.verdict), column->outcome.nr_states, column->seconds);
	print_flags(column);
	printf("\n");
}

void table_row(const struct options *options, const struct judged *judged)
{
	bool details = options->states || options->why || options->listing;

	if (is_wide(options))
		print_wide(options, judged);
	else if (!judged->column[0].refused)
		print_narrow(judged, &judged->column[0]);
	if (details && judged->test->question)
		printf("    %s\n", judged->test->question);
	for (unsigned i = 0; i < judged->nr && details; i++)
		if (!judged->column[i].refused)
			print_details(options, judged, &judged->column[i]);
}
