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

static struct bundle *bundle;		/* tests are added to it, and not run; or NULL */

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
	const struct counted_states *seen = &result->states;
	struct state *states = arena_alloc(result->test->arena,
					   (seen->nr + 1) * sizeof(*states));

	for (unsigned i = 0; i < seen->nr; i++) {
		states[i].value = seen->state[i].value;
		states[i].next = i + 1 < seen->nr ? &states[i + 1] : NULL;
	}
	column.outcome.first = seen->nr ? states : NULL;
	column.outcome.nr_states = seen->nr;
	column.outcome.verdict = !seen->asked ? VERDICT_NEVER :
		seen->asked < result->seen->runs - seen->filtered ? VERDICT_SOMETIMES :
		VERDICT_ALWAYS;
	return column;
}

static void show(const struct options *options, const struct run_result *result, const char *file,
		 const char *name, const char *model)
{
	struct column seen = seen_of(result, "run");

	totals.run++;
	totals.failed += run_failed(result);
	totals.runs += result->seen->runs;
	totals.forbidden += run_failed(result) ? result->forbidden : 0;
	totals.seconds += result->seen->seconds;
	totals.cpu_seconds += result->seen->cpu_seconds;
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

/* A run would have no end if a thread waited for a value that no thread writes. */
static void must_end(const struct test *judged, const struct outcome *outcome)
{
	for (unsigned t = 0; outcome->stuck && t < judged->nr_threads; t++)
		if (outcome->stuck->at[t])
			text_fail(judged->text, outcome->stuck->at[t],
				  "P%u may wait here for ever for what nobody writes, "
				  "and a run would have no end", t);
}

/*
 * Judges a run, or what was seen before; or adds the test to the bundle. @judged is @test, or what
 * @target has made of it.
 */
static void judge_run(const struct options *options, struct test *test, struct test *judged,
		      const struct target *target, const char *model)
{
	struct run_options run = options->run;
	const struct rules *rules = rules_named(model);
	struct outcome *outcome = arena_alloc(test->arena, sizeof(*outcome));

	run.root = options->root;
	if (!bundle)
		model_must_fit(judged, model);
	*outcome = search(judged, rules, &options->limits);
	if (!run.seen)
		must_end(judged, outcome);
	if (bundle) {
		bundle_add(bundle, test, judged, target, &run);
		totals.run++;
		return;
	}
	if (!run.runs && run.seconds <= 0)
		run.runs = 1000000;
	show(options, run.seen ? run_result_of(run.seen, test, judged, outcome) :
	     run_test(test, judged, outcome, target, &run), test->text->name, test->name,
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

void refuse_run(const struct text *text)
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

/* Runs the test as one compiler makes it. What this compiler refuses, the next may accept. */
static void run_as(const struct options *options, struct test *test, const char *target)
{
	struct compiled_run run = { options, test, target };
	const struct text *wrong = text_try(run_tried, &run);

	if (wrong)
		refuse_run(wrong);
}

void run_parsed(const struct options *options, struct test *test)
{
	char host[64];

	if (test->isa) {
		judge_run(options, test, test, NULL,
			  options->nr_models ? options->model[0] : own_model(test->dialect));
		return;
	}
	if (bundle && !options->nr_targets)
		text_fail(test->text, test->text->begin,
			  "a C test is compiled here, for the machine "
			  "that is to run it: expected --compile=gcc:aarch64 or another");
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

static int run_end(struct options *options)
{
	if (totals.tests > 1 && options->format == FORMAT_TABLE && !options->against)
		printf("%u tests, %u could not be run; %" PRIu64 " outcomes in %.1f s, "
		       "%.2f M a second, %.2f M a second of CPU; %" PRIu64 " forbidden, "
		       "in %u tests\n", totals.tests, totals.refused, totals.runs, totals.seconds,
		       millions(totals.runs, totals.seconds),
		       millions(totals.runs, totals.cpu_seconds), totals.forbidden,
		       totals.failed);
	files_free(&options->files);
	fflush(stdout);
	return totals.failed || totals.different ? 1 : totals.refused ? 2 : 0;
}

int run_files(struct options *options)
{
	for (unsigned i = 0; i < options->files.nr; i++)
		run_file(options, options->files.path[i]);
	return run_end(options);
}

int run_results(struct options *options)
{
	struct arena arena = { 0 };
	struct text *file = arena_alloc(&arena, sizeof(*file));

	if (!text_load(file, options->results, &arena)) {
		fprintf(stderr, "%s\n", file->message);
		return 2;
	}
	results_read(options, file, &totals.tests);
	arena_free(&arena);
	return run_end(options);
}

int run_bundle(struct options *options)
{
	char message[512];
	int nr;

	bundle = bundle_open(options->bundle, message, sizeof(message));
	for (unsigned i = 0; bundle && i < options->files.nr; i++)
		run_file(options, options->files.path[i]);
	nr = bundle ? bundle_close(bundle, &options->run, message, sizeof(message)) : -1;
	files_free(&options->files);
	if (nr < 0)
		fprintf(stderr, "nap-litmus: %s: %s\n", options->bundle, message);
	else
		printf("%s: %d tests, %u could not be taken\n", options->bundle, nr,
		       totals.refused);
	return nr < 0 || totals.refused ? 2 : 0;
}
