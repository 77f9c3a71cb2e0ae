/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "show/show.h"
#include "tool/judge.h"
#include "tool/order.h"

#define NAME_WIDTH 34

const char *const table_models[] = { "sc", "tso", "armv8", "rvwmo", "rc11", "c20", "lkmm", NULL };

static bool cut, flagged, waited;	/* signs that the table has used */

static bool is_wide_table(const struct options *options)
{
	return options->nr_models + options->nr_targets > 1 || options->expect;
}

/* Whether the columns are those of table_models. */
static bool has_own_columns(const struct options *options)
{
	return options->expect && !options->nr_models && !options->nr_targets;
}

void table_begin(const struct options *options)
{
	if (!is_wide_table(options) || options->quiet)
		return;
	printf("%-*s", NAME_WIDTH, "");
	for (unsigned i = 0; table_models[i] && has_own_columns(options); i++)
		printf(" %-10s", table_models[i]);
	for (unsigned i = 0; i < options->nr_models; i++)
		printf(" %-10s", options->model[i]);
	for (unsigned i = 0; i < options->nr_targets; i++)
		printf(" %-10s", options->target[i]);
	printf("\n");
}

void table_end(void)
{
	if (cut)
		printf("* a loop went on beyond the bound (--unroll), or the time was over\n");
	if (waited)
		printf("~ a thread may wait in a loop for ever: --states prints how\n");
	if (flagged)
		printf("! flagged by the model, as a data race: --json says by which axiom\n");
}

static void print_flags(const struct column *column)
{
	for (unsigned i = 0; i < column->rules->nr_axioms; i++) {
		if (!(column->outcome.flags >> i & 1))
			continue;
		printf("  %s", column->rules->axiom[i].name);
		if (column->outcome.flag_at[i])
			printf(" (line %u)",
			       text_line(column->test->text, column->outcome.flag_at[i]));
	}
	if (!column->outcome.nr_states)
		printf(column->outcome.timeout ? "  no state was found in the time" :
		       column->outcome.bounded ? "  no end is reached within the bound (--unroll)" :
		       "  nothing is reachable");
	if (column->outcome.stuck) {
		printf("  stuck: ");
		print_waiting(stdout, column->test, column->outcome.stuck);
	}
	printf("%s%s", column->outcome.bounded ? "  bounded" : "",
	       column->outcome.timeout ? "  timeout" : "");
}

struct allowed {
	const struct options *options;
	const struct column *column;
	const struct state *state;
};

static void print_fences(void *with)
{
	const struct allowed *allowed = with;

	print_unordered(stdout, allowed->column->test, allowed->column->rules,
			&allowed->options->limits, allowed->state->witness);
}

/* Prints an execution, and, if the verdict is Sometimes, what would forbid the outcome. */
static void print_allowed(const struct options *options, const struct column *column,
			  const struct state *state)
{
	struct allowed allowed = { options, column, state };
	const struct text *wrong;

	print_witness(stdout, column->test, state);
	if (!state->witness || column->outcome.verdict != VERDICT_SOMETIMES)
		return;
	/* With one more fence there may be too many events. */
	wrong = text_try(print_fences, &allowed);
	if (wrong)
		printf("      no fences that forbid it were found: %s\n", wrong->message);
}

static void print_why(const struct options *options, const struct column *column)
{
	const struct state *state = state_asked_for(column->test, &column->outcome);

	if (column->outcome.forbidden)
		print_forbidden(stdout, column->test, column->rules, &column->outcome);
	else if (state)
		print_allowed(options, column, state);
	else if (!column->outcome.timeout && column->outcome.nr_states)
		printf("    no execution ends so, whatever a model forbids\n");
}

static void print_details(const struct options *options, const struct judged *judged,
			  const struct column *column)
{
	if (is_wide_table(options))
		printf("  %s: %s\n", column->name, verdict_name(column->outcome.verdict));
	if (options->listing && column->test != judged->test)
		fputs(listing_of(column->test), stdout);
	if (options->states)
		for (const struct state *state = column->outcome.first; state; state = state->next)
			print_witness(stdout, column->test, state);
	if (options->states && column->outcome.stuck)
		print_stuck(stdout, column->test, column->outcome.stuck);
	if (options->why)
		print_why(options, column);
}

/* Prints a verdict and its signs, at least @width wide. */
static void print_cell(const struct column *column, int width)
{
	char cell[32];

	if (!column || column->refused) {
		printf(" %-*s", width, column ? "refused" : "-");
		return;
	}
	snprintf(cell, sizeof(cell), "%s%s%s%s", verdict_name(column->outcome.verdict),
		 column->outcome.bounded || column->outcome.timeout ? "*" : "",
		 column->outcome.stuck ? "~" : "", column->outcome.flags ? "!" : "");
	waited |= column->outcome.stuck != NULL;
	cut |= column->outcome.bounded || column->outcome.timeout;
	flagged |= column->outcome.flags != 0;
	printf(" %-*s", width, cell);
}

static const struct column *column_named(const struct judged *judged, const char *name)
{
	for (unsigned i = 0; i < judged->nr; i++)
		if (!strcmp(judged->column[i].name, name))
			return &judged->column[i];
	return NULL;
}

static int target_width(const char *name)
{
	int width = (int)strcspn(name, " ");

	return width < 10 ? 10 : width;
}

static void print_wide(const struct options *options, const struct judged *judged)
{
	int width = (int)strlen(file_name(judged->file));

	if (width > 7 && !strcmp(file_name(judged->file) + width - 7, ".litmus"))
		width -= 7;
	printf("%-*.*s", NAME_WIDTH, width, file_name(judged->file));
	for (unsigned i = 0; table_models[i] && has_own_columns(options); i++)
		print_cell(column_named(judged, table_models[i]), 10);
	for (unsigned i = 0; i < judged->nr && !has_own_columns(options); i++)
		print_cell(&judged->column[i], i < options->nr_models ? 10 :
			   target_width(judged->column[i].name));
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

	if (is_wide_table(options))
		print_wide(options, judged);
	else if (!judged->column[0].refused)
		print_narrow(judged, &judged->column[0]);
	if (details && judged->test->question)
		printf("    %s\n", judged->test->question);
	for (unsigned i = 0; i < judged->nr && details; i++)
		if (!judged->column[i].refused)
			print_details(options, judged, &judged->column[i]);
}
