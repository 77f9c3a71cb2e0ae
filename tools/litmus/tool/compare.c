/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/show.h"
#include "tool/judge.h"
#include "tool/states.h"

static struct states *states_of(const struct column *column)
{
	struct states *states = states_new();
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (const struct state *state = column->outcome.first; state && out; state = state->next) {
		print_state(out, column->test, state->value);
		fputs(" | ", out);
	}
	if (out)
		fclose(out);
	if (text)
		states_add(states, text);
	free(text);
	return states;
}

static void print_only(const char *who, const struct states *a, const struct states *b)
{
	for (unsigned i = 0; i < a->nr; i++)
		if (!states_has(b, a->state[i]))
			printf("    only %s: %s\n", who, a->state[i]);
}

/* Prints how two results differ, in the verdict or the states. Returns whether they do. */
static bool differ(const char *file, const char *a, enum verdict va, const struct states *sa,
		   const char *b, enum verdict vb, const struct states *sb)
{
	if (va == vb && states_equal(sa, sb))
		return false;
	printf("%s: %s under %s, %s under %s\n", file, verdict_name(va), a, verdict_name(vb), b);
	print_only(a, sa, sb);
	print_only(b, sb, sa);
	return true;
}

bool compare_columns(const struct judged *judged)
{
	const struct column *first = &judged->column[0];
	struct states *a = states_of(first), *b;
	bool any = false;

	for (unsigned i = 1; i < judged->nr; i++) {
		const struct column *column = &judged->column[i];

		if (first->refused || column->refused)
			continue;
		b = states_of(column);
		any |= differ(judged->file, first->name, first->outcome.verdict, a, column->name,
			      column->outcome.verdict, b);
		states_free(b);
	}
	states_free(a);
	return any;
}

/* Whether the line is about a file of this path, or (@anywhere) of this name. */
static bool is_of(const char *line, size_t length, const char *file, bool anywhere)
{
	char path[4096];

	snprintf(path, sizeof(path), "%.*s", (int)length, line);
	return !strcmp(path, file) || (anywhere && !strcmp(file_name(path), file_name(file)));
}

/* Parses "file,model,Verdict!remarks,state | state" of this file; false: it is another file's. */
static bool parse_line(char *line, const char *file, bool anywhere, char **verdict, char **states)
{
	char *model = strchr(line, ',');

	if (!model || !is_of(line, (size_t)(model - line), file, anywhere))
		return false;
	*verdict = strchr(model + 1, ',');
	*states = *verdict ? strchr(*verdict + 1, ',') : NULL;
	if (!*states)
		return false;
	*(*verdict)++ = 0;
	*(*states)++ = 0;
	(*verdict)[strcspn(*verdict, "!")] = 0;
	(*states)[strcspn(*states, "\r\n")] = 0;
	return true;
}

/* Finds the first line of this path, else of this name. *@line is the caller's to free. */
static bool find_line(FILE *csv, const char *file, char **line, char **verdict, char **states)
{
	size_t room = 0;

	for (unsigned anywhere = 0; anywhere < 2; anywhere++) {
		rewind(csv);
		while (getline(line, &room, csv) > 0)
			if (parse_line(*line, file, anywhere, verdict, states))
				return true;
	}
	return false;
}

static enum verdict verdict_named(const char *name)
{
	unsigned i = 0;

	while (i < VERDICT_UNDECIDED && strcmp(name, verdict_name((enum verdict)i)))
		i++;
	return (enum verdict)i;
}

bool compare_with(const char *against, const char *file, const struct column *column)
{
	FILE *csv = fopen(against, "re");
	char *line = NULL, *verdict, *text;
	bool any = true;

	if (!csv) {
		fprintf(stderr, "nap-litmus: %s: %s\n", against, strerror(errno));
		exit(2);
	}
	if (find_line(csv, file, &line, &verdict, &text)) {
		struct states *a = states_of(column), *b = states_new();

		states_add(b, text);
		any = differ(file, column->name, column->outcome.verdict, a, against,
			     verdict_named(verdict), b);
		states_free(a);
		states_free(b);
	} else {
		printf("%s: not in %s\n", file, against);
	}
	free(line);
	fclose(csv);
	return any;
}
