/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "read/read.h"
#include "run/run.h"
#include "show/show.h"
#include "tool/judge.h"
#include "tool/models.h"
#include "tool/options.h"
#include "tool/run.h"

static struct {
	unsigned tests, refused, run, failed, different;
	uint64_t runs, forbidden;
	double seconds, cpu_seconds;
} totals;

bool run_number(const char *argument, uint64_t *number)
{
	static const char letters[] = "kMG";
	const char *letter;
	char *end;

	*number = strtoull(argument, &end, 10);
	letter = *end ? strchr(letters, *end) : NULL;
	if (*number > UINT64_MAX / 1000000000)
		return false;
	for (const char *p = letters; letter && p <= letter; p++)
		*number *= 1000;
	return *argument >= '0' && *argument <= '9' && (!*end || (letter && !end[1])) && *number;
}

/* Returns the observed states as a column, as if no others existed. */
static struct column seen_of(const struct run_result *result, const char *name)
{
	struct column column = { .name = name, .test = (struct test *)result->test };
	struct state *states = arena_alloc(result->test->arena,
					   (result->nr_states + 1) * sizeof(*states));

	for (unsigned i = 0; i < result->nr_states; i++) {
		states[i].value = result->state[i].value;
		states[i].next = i + 1 < result->nr_states ? &states[i + 1] : NULL;
	}
	column.outcome.first = result->nr_states ? states : NULL;
	column.outcome.nr_states = result->nr_states;
	column.outcome.verdict = !result->asked ? VERDICT_NEVER :
		result->asked < result->runs - result->filtered ? VERDICT_SOMETIMES :
		VERDICT_ALWAYS;
	return column;
}

static void show(const struct options *options, const struct run_result *result, const char *file,
		 const char *name, const char *model)
{
	struct column seen = seen_of(result, "run");

	totals.run++;
	totals.failed += run_failed(result);
	totals.runs += result->runs;
	totals.forbidden += run_failed(result) ? result->forbidden : 0;
	totals.seconds += result->seconds;
	totals.cpu_seconds += result->cpu_seconds;
	if (options->against) {
		totals.different += compare_with(options->against, file, &seen);
	} else if (options->format == FORMAT_CSV) {
		print_csv(stdout, file, seen.name, seen.test, NULL, &seen.outcome);
	} else {
		if (!options->quiet)
			print_run_states(stdout, result);
		print_run(stdout, result, name, model);
	}
	fflush(stdout);
}

/* Judges a run. @judged is @test, or what @target has made of it. */
static void judge_run(const struct options *options, struct test *test, struct test *judged,
		      const struct target *target, const char *model)
{
	struct run_options run = options->run;
	const struct rules *rules = rules_named(model);
	struct outcome *outcome = arena_alloc(test->arena, sizeof(*outcome));

	model_must_fit(judged, model);
	*outcome = search(judged, rules, &options->limits);
	run.root = options->root;
	if (!run.runs && run.seconds <= 0)
		run.runs = 1000000;
	show(options, run_test(test, judged, outcome, target, &run), test->text->name, test->name,
	     options->nr_targets && target ? target->name : rules->name);
}

static void run_compiled(const struct options *options, struct test *test, const char *name)
{
	struct target *target = arena_alloc(test->arena, sizeof(*target));
	const char *model = options->nr_models ? options->model[0] : NULL;
	char message[256];
	struct test *made;

	if (!target_named(target, name, options->flags, message, sizeof(message)))
		text_fail(test->text, test->text->begin, "%s", message);
	if (model && model_is_of_language(model)) {
		judge_run(options, test, test, target, model);
		return;
	}
	made = compile(test, target, options->root);
	judge_run(options, test, made, target, model ? model : target->model);
}

static void refuse_run(const struct text *text)
{
	totals.refused++;
	fflush(stdout);
	fprintf(stderr, "%s\n", text->message);
}

struct compiled_run {
	const struct options *options;
	struct test *test;
	const char *target;
};

static void run_tried(void *with)
{
	const struct compiled_run *run = with;

	run_compiled(run->options, run->test, run->target);
}

/* Runs the test by one compiler. What this one refuses, the next may accept. */
static void run_as(const struct options *options, struct test *test, const char *target)
{
	struct compiled_run run = { options, test, target };
	const struct text *wrong = text_try(run_tried, &run);

	if (wrong)
		refuse_run(wrong);
}

static void run_parsed(const struct options *options, struct test *test)
{
	char host[64];

	if (test->isa) {
		judge_run(options, test, test, NULL,
			  options->nr_models ? options->model[0] : own_model(test->dialect));
		return;
	}
	snprintf(host, sizeof(host), "gcc:%s", run_host());
	if (!options->nr_targets)
		run_as(options, test, host);
	for (unsigned i = 0; i < options->nr_targets; i++)
		run_as(options, test, options->target[i]);
}

struct file_run {
	const struct options *options;
	const char *file;
	struct arena arena;
};

static void run_read(void *with)
{
	struct file_run *run = with;
	struct text *text = arena_alloc(&run->arena, sizeof(*text));

	if (!text_load(text, run->file, &run->arena))
		text_leave(text);
	run_parsed(run->options, read_litmus(text));
}

static void run_file(const struct options *options, const char *file)
{
	struct file_run run = { .options = options, .file = file };
	const struct text *wrong = text_try(run_read, &run);

	totals.tests++;
	if (wrong)
		refuse_run(wrong);
	arena_free(&run.arena);
}

static double millions(uint64_t number, double seconds)
{
	return (double)number / (seconds > 0 ? seconds : 1e-9) / 1e6;
}

int run_files(struct options *options)
{
	for (unsigned i = 0; i < options->files.nr; i++)
		run_file(options, options->files.path[i]);
	if (options->files.nr > 1 && options->format == FORMAT_TABLE && !options->against)
		printf("%u tests, %u could not be run; %" PRIu64 " outcomes in %.1f s, "
		       "%.2f M a second, %.2f M a second of CPU; %" PRIu64 " forbidden, "
		       "in %u tests\n", totals.tests, totals.refused, totals.runs, totals.seconds,
		       millions(totals.runs, totals.seconds),
		       millions(totals.runs, totals.cpu_seconds), totals.forbidden,
		       totals.failed);
	files_free(&options->files);
	return totals.failed || totals.different ? 1 : totals.refused ? 2 : 0;
}
