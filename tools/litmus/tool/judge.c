/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compile/compile.h"
#include "read/read.h"
#include "tool/expect.h"
#include "tool/judge.h"
#include "tool/models.h"

struct judging {
	const struct options *options;
	struct column *column;
	const struct target *target;
	const char *model;
};

static void judge_tried(void *with)
{
	const struct judging *judging = with;
	const struct options *options = judging->options;
	struct column *column = judging->column;

	if (judging->target)
		column->test = compile(column->test, judging->target, options->root);
	else
		model_must_fit(column->test, judging->model);
	column->outcome = search(column->test, column->rules, &options->limits);
}

/* Judges under one model. A failure here concerns this column alone. */
static void judge_column(const struct options *options, struct judged *judged,
			 struct column *column, const struct target *target, const char *model)
{
	struct judging judging = { options, column, target, model };
	double begin = cpu_seconds();
	const struct text *wrong;

	column->test = judged->test;
	column->rules = rules_named(model);
	column->name = target ? target->name : column->rules->name;
	wrong = text_try(judge_tried, &judging);
	if (wrong) {
		column->refused = true;
		memcpy(column->message, wrong->message, sizeof(column->message));
	}
	column->seconds = cpu_seconds() - begin;
}

static struct column *next_column(struct judged *judged)
{
	if (judged->nr == MAX_COLUMNS) {
		fprintf(stderr, "nap-litmus: more than %d models and compilers\n", MAX_COLUMNS);
		exit(2);
	}
	return &judged->column[judged->nr++];
}

static void judge_compiled(const struct options *options, struct judged *judged, const char *name)
{
	struct target *target = arena_alloc(&judged->arena, sizeof(*target));
	struct column *column = next_column(judged);
	char message[256];

	if (!target_named(target, name, options->flags, message, sizeof(message))) {
		column->name = arena_text(&judged->arena, name, strlen(name));
		column->refused = true;
		snprintf(column->message, sizeof(column->message), "%s: %s", judged->file, message);
		return;
	}
	if (test_is_c(judged->test)) {
		judge_column(options, judged, column, target, target->model);
		return;
	}
	column->name = target->name;
	column->refused = true;
	snprintf(column->message, sizeof(column->message), "%s: expected a C test to compile",
		 judged->file);
}

static void judge_all(const struct options *options, struct judged *judged)
{
	struct expected expected[MAX_COLUMNS];
	unsigned nr = 0;

	/* A fault in the expectation is a fault of the file. */
	if (options->expect || options->html)
		nr = expected_of(judged->test, expected, MAX_COLUMNS);
	for (unsigned i = 0; i < options->nr_models; i++)
		judge_column(options, judged, next_column(judged), NULL, options->model[i]);
	for (unsigned i = 0; i < options->nr_targets; i++)
		if (!options->html || is_compilable(judged->test))
			judge_compiled(options, judged, options->target[i]);
	if (judged->nr && !options->html)
		return;
	for (unsigned i = 0; i < nr; i++)
		if (!strchr(expected[i].name, ':'))
			judge_column(options, judged, next_column(judged), NULL, expected[i].name);
		else if (!options->html)
			judge_compiled(options, judged, expected[i].name);
	if (!judged->nr || (options->html && !nr))
		judge_column(options, judged, next_column(judged), NULL,
			     own_model(judged->test->dialect));
}

struct reading_judged {
	const struct options *options;
	struct judged *judged;
};

static void judge_file(void *with)
{
	const struct reading_judged *reading = with;
	struct judged *judged = reading->judged;
	struct text *text = arena_alloc(&judged->arena, sizeof(*text));

	if (!text_load(text, judged->file, &judged->arena))
		text_leave(text);
	judged->test = read_litmus(text);
	judge_all(reading->options, judged);
}

struct judged *judge(const struct options *options, const char *file)
{
	struct judged *judged = memory_wider(NULL, sizeof(*judged));
	struct reading_judged reading = { options, judged };
	const struct text *wrong;

	*judged = (struct judged) { .file = file };
	wrong = text_try(judge_file, &reading);
	if (wrong) {
		memcpy(judged->message, wrong->message, sizeof(judged->message));
		judged->test = NULL;
	}
	return judged;
}

void judged_free(struct judged *judged)
{
	arena_free(&judged->arena);
	free(judged);
}
