/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/show.h"
#include "tool/judge.h"

_Noreturn static void cannot_write(const char *path)
{
	fprintf(stderr, "nap-litmus: %s: %s\n", path, strerror(errno));
	exit(2);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Takes the name for a picture. False: an earlier picture of this run has it. */
static bool is_new(const char *path)
{
	static void *names;
	char *own = strdup(path), **found = own ? tsearch(own, &names, by_name) : NULL;

	if (!found)
		cannot_write(path);
	if (*found == own)
		return true;
	free(own);
	return false;
}

/* Opens a picture's file. If two tests have one name, the second's picture is NAME-2.MODEL.svg. */
static FILE *open_picture(char *path, size_t size, const char *directory,
			  const struct column *column, const char *suffix)
{
	char number[16] = "";
	unsigned nr = 1;
	FILE *out;

	do {
		snprintf(path, size, "%s/%s%s.%s.%s", directory, column->test->name, number,
			 column->name, suffix);
		for (char *p = path + strlen(directory) + 1; *p; p++)
			if (strchr("/ :", *p))
				*p = '-';
		snprintf(number, sizeof(number), "-%u", ++nr);
	} while (!is_new(path));
	out = fopen(path, "we");
	if (!out)
		cannot_write(path);
	return out;
}

static void draw_dot(const struct options *options, const struct column *column)
{
	const struct state *state = state_asked_for(column->test, &column->outcome);
	char path[1024], title[512];
	struct cycle cycle;
	FILE *out;

	snprintf(title, sizeof(title), "%.200s, %.80s: %s", column->test->name, column->name,
		 state ? "allowed" : "forbidden");
	out = open_picture(path, sizeof(path), options->dot, column, "dot");
	if (!state)
		find_cycle(&cycle, column->test, column->rules, &column->outcome);
	print_dot(out, column->test, state ? state->witness : column->outcome.forbidden, title,
		  state ? NULL : &cycle);
	if (fclose(out))
		cannot_write(path);
}

static void draw_svg(const struct options *options, const struct column *column)
{
	char path[1024], model[128];
	FILE *out = open_picture(path, sizeof(path), options->svg, column, "svg");

	/* the column of a compiler is named with its machine's model, too */
	snprintf(model, sizeof(model), strchr(column->name, ':') ? "%.80s, %.40s" : "%.80s",
		 column->name, column->rules->name);
	if (!print_svg(out, "nap", model, column->test, column->rules, &column->outcome) ||
	    fclose(out))
		cannot_write(path);
}

void draw(const struct options *options, const struct judged *judged)
{
	for (unsigned i = 0; i < judged->nr; i++) {
		const struct column *column = &judged->column[i];

		if (column->refused || !(state_asked_for(column->test, &column->outcome) ||
					 column->outcome.forbidden))
			continue;
		if (options->dot)
			draw_dot(options, column);
		if (options->svg)
			draw_svg(options, column);
	}
}
