/* SPDX-License-Identifier: MIT */
#include <errno.h>
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

static void name_picture(char *path, size_t size, const char *directory, const char *test,
			 const char *column)
{
	snprintf(path, size, "%s/%s.%s.dot", directory, test, column);
	for (char *p = path + strlen(directory) + 1; *p; p++)
		if (strchr("/ :", *p))
			*p = '-';
}

static void draw_column(const struct options *options, const struct column *column)
{
	const struct state *state = state_asked_for(column->test, &column->outcome);
	char path[1024], title[512];
	struct cycle cycle;
	FILE *out;

	if (!state && !column->outcome.forbidden)
		return;
	name_picture(path, sizeof(path), options->dot, column->test->name, column->name);
	snprintf(title, sizeof(title), "%.200s, %.80s: %s", column->test->name, column->name,
		 state ? "allowed" : "forbidden");
	out = fopen(path, "we");
	if (!out)
		cannot_write(path);
	if (!state)
		find_cycle(&cycle, column->test, column->rules, &column->outcome);
	print_dot(out, column->test, state ? state->witness : column->outcome.forbidden, title,
		  state ? NULL : &cycle);
	if (fclose(out))
		cannot_write(path);
}

void draw(const struct options *options, const struct judged *judged)
{
	for (unsigned i = 0; i < judged->nr; i++)
		if (!judged->column[i].refused)
			draw_column(options, &judged->column[i]);
}
