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

/* Judges under one model. A failure here concerns this column alone. */
static void judge_column(const struct options *options, struct judged *judged,
			 struct column *column, const struct target *target, const char *model)
{
	struct text *volatile text = judged->test->text;	/* for setjmp()'s second return */
	double begin = cpu_seconds();

	column->test = judged->test;
	column->rules = rules_named(model);
	column->name = target ? target->name : column->rules->name;
	if (setjmp(text->failed)) {
		column->refused = true;
		memcpy(column->message, text->message, sizeof(column->message));
		return;
	}
	if (!target)
		model_must_fit(judged->test, model);
	if (target) {
		column->test = compile(judged->test, target, options->root);
		/* A fault that the search finds is a fault of the listing. */
		memcpy(column->test->text->failed, text->failed, sizeof(text->failed));
		text = column->test->text;
	}
	column->outcome = search(column->test, column->rules, &options->limits);
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
	if (options->expect)
		nr = expected_of(judged->test, expected, MAX_COLUMNS);
	for (unsigned i = 0; i < options->nr_models; i++)
		judge_column(options, judged, next_column(judged), NULL, options->model[i]);
	for (unsigned i = 0; i < options->nr_targets; i++)
		judge_compiled(options, judged, options->target[i]);
	if (judged->nr)
		return;
	for (unsigned i = 0; i < nr; i++)
		if (strchr(expected[i].name, ':'))
			judge_compiled(options, judged, expected[i].name);
		else
			judge_column(options, judged, next_column(judged), NULL, expected[i].name);
	if (!judged->nr)
		judge_column(options, judged, next_column(judged), NULL,
			     own_model(judged->test->dialect));
}

struct judged *judge(const struct options *options, const char *file)
{
	struct judged *judged = memory_wider(NULL, sizeof(*judged));
	struct text *text;

	*judged = (struct judged) { .file = file };
	text = arena_alloc(&judged->arena, sizeof(*text));
	if (!text_load(text, file, &judged->arena) || setjmp(text->failed)) {
		memcpy(judged->message, text->message, sizeof(judged->message));
		judged->test = NULL;
		return judged;
	}
	judged->test = read_litmus(text);
	judge_all(options, judged);
	return judged;
}

void judged_free(struct judged *judged)
{
	arena_free(&judged->arena);
	free(judged);
}
