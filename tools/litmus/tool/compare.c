// SPDX-License-Identifier: MIT
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

/* Whether they differ, in the verdict or the states; says how. */
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

static const char *base_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "file,model,Verdict!remarks,state | state" of this file, whatever its directory; false: it is another's. */
static bool parse_line(char *line, const char *file, char **verdict, char **states)
{
	char *model = strchr(line, ',');

	if (!model)
		return false;
	*model++ = 0;
	*verdict = strchr(model, ',');
	*states = *verdict ? strchr(*verdict + 1, ',') : NULL;
	if (!*states || strcmp(base_name_of(line), base_name_of(file)))
		return false;
	*(*verdict)++ = 0;
	*(*states)++ = 0;
	(*verdict)[strcspn(*verdict, "!")] = 0;
	(*states)[strcspn(*states, "\n")] = 0;
	return true;
}

static enum verdict verdict_named(const char *name)
{
	unsigned i = 0;

	while (i < VERDICT_UNDECIDED && strcmp(name, verdict_name((enum verdict)i)))
		i++;
	return (enum verdict)i;
}

/* The first line of the test's name counts. */
bool compare_with(const struct options *options, const struct judged *judged)
{
	const struct column *column = &judged->column[0];
	FILE *file = fopen(options->against, "re");
	char *line = NULL, *verdict, *text;
	bool found = false, any = false;
	size_t room = 0;

	if (!file) {
		fprintf(stderr, "nap-litmus: %s: %s\n", options->against, strerror(errno));
		exit(2);
	}
	while (!found && getline(&line, &room, file) > 0) {
		struct states *a, *b;

		if (!parse_line(line, judged->file, &verdict, &text))
			continue;
		found = true;
		a = states_of(column);
		b = states_new();
		states_add(b, text);
		any = differ(judged->file, column->name, column->outcome.verdict, a,
			     options->against, verdict_named(verdict), b);
		states_free(a);
		states_free(b);
	}
	if (!found)
		printf("%s: not in %s\n", judged->file, options->against);
	free(line);
	fclose(file);
	return any || !found;
}
