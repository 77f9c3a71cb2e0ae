// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compile/compile.h"
#include "read/read.h"
#include "show/show.h"
#include "tool/options.h"

/* What came of all of it. */
static struct {
	unsigned tests, judged, unread, cut;
	unsigned verdict[VERDICT_UNDECIDED + 1];
} totals;

static const char *own_model(enum dialect dialect)
{
	switch (dialect) {
	case DIALECT_AARCH64: return "armv8";
	case DIALECT_RISCV: return "rvwmo";
	case DIALECT_X86: return "tso";
	case DIALECT_C11: return "rc11";
	default: return "lkmm";
	}
}

/* Each model is read once. */
static const struct rules *rules_named(const char *name)
{
	static struct { const char *name; struct rules *rules; } seen[MAX_MODELS + 8];
	static unsigned nr;
	char message[512];

	for (unsigned i = 0; i < nr; i++)
		if (!strcmp(seen[i].name, name))
			return seen[i].rules;
	seen[nr].name = name;
	seen[nr].rules = rules_of(name, message, sizeof(message));
	if (!seen[nr].rules) {
		fprintf(stderr, "nap-litmus: %s\n", message);
		exit(2);
	}
	return seen[nr++].rules;
}

static void print_flags(const struct rules *rules, const struct outcome *outcome)
{
	for (unsigned i = 0; i < rules->nr_axioms; i++)
		if (outcome->flags >> i & 1)
			printf("  flag: %s", rules->axiom[i].name);
}

static void print_why(struct test *test, const struct rules *rules, const struct outcome *outcome)
{
	const struct state *state = state_asked_for(test, outcome);

	if (test->question)
		printf("    %s\n", test->question);
	if (outcome->forbidden)
		print_forbidden(stdout, test, rules, outcome);
	else if (state)
		print_witness(stdout, test, state);
}

static void print_row(const struct options *options, const char *file, const char *as,
		      struct test *test, const struct rules *rules, const struct outcome *outcome,
		      double seconds)
{
	printf("%-40s %-7s %-9s %4u states %8.3f s%s%s", file, as ? as : rules->name,
	       verdict_name(outcome->verdict), outcome->nr_states, seconds,
	       outcome->bounded ? "  bounded" : "", outcome->timeout ? "  timeout" : "");
	print_flags(rules, outcome);
	printf("\n");
	if (options->states)
		for (const struct state *state = outcome->first; state; state = state->next)
			print_witness(stdout, test, state);
	if (options->why)
		print_why(test, rules, outcome);
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void draw(const struct options *options, const char *as, struct test *test,
		 const struct rules *rules, const struct outcome *outcome)
{
	const struct state *state = state_asked_for(test, outcome);
	char path[1024], title[512];
	struct cycle cycle;
	FILE *out;

	if (!state && !outcome->forbidden)
		return;
	snprintf(path, sizeof(path), "%s/%s.%s.dot", options->dot, test->name, as);
	for (char *p = path + strlen(options->dot) + 1; *p; p++)
		if (*p == '/' || *p == ' ' || *p == ':')
			*p = '-';
	snprintf(title, sizeof(title), "%.200s, %.80s: %s", test->name, as, state ? "allowed" :
		 "forbidden");
	out = fopen(path, "we");
	if (!out) {
		fprintf(stderr, "nap-litmus: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	if (!state)
		find_cycle(&cycle, test, rules, outcome);
	print_dot(out, test, state ? state->witness : outcome->forbidden, title,
		  state ? NULL : &cycle);
	if (fclose(out)) {
		fprintf(stderr, "nap-litmus: %s: %s\n", path, strerror(errno));
		exit(2);
	}
}

/* @as: what it was compiled to, or NULL. */
static void judge(const struct options *options, const char *file, struct test *test,
		  const char *model, const char *as)
{
	const struct rules *rules = rules_named(model);
	double begin = cpu_seconds();
	struct outcome outcome = search(test, rules, &options->limits);

	totals.judged++;
	totals.verdict[outcome.verdict]++;
	totals.cut += outcome.bounded || outcome.timeout;
	if (options->dot)
		draw(options, as ? as : rules->name, test, rules, &outcome);
	if (options->quiet)
		return;
	if (options->format == FORMAT_CSV)
		print_csv(stdout, file, as ? as : rules->name, test, &outcome);
	else if (options->format == FORMAT_JSON)
		print_json(stdout, file, as ? as : rules->name, test, rules, &outcome);
	else
		print_row(options, file, as, test, rules, &outcome, cpu_seconds() - begin);
}

static void judge_models(const struct options *options, const char *file, struct test *test)
{
	if (!options->nr_models)
		judge(options, file, test, own_model(test->dialect), NULL);
	for (unsigned i = 0; i < options->nr_models; i++)
		judge(options, file, test, options->model[i], NULL);
}

static void judge_compiled(const struct options *options, const char *file, struct test *test,
			   const char *name)
{
	struct target *target = arena_alloc(test->arena, sizeof(*target));
	char message[256];
	struct test *made;

	target_named(target, name, options->flags, message, sizeof(message));
	made = compile(test, target, options->root);
	if (options->listing)
		fputs(listing_of(made), stdout);
	judge(options, file, made, target->model, target->name);
}

static void judge_test(const struct options *options, const char *file, struct test *test)
{
	if (!options->nr_targets)
		judge_models(options, file, test);
	for (unsigned i = 0; i < options->nr_targets; i++)
		judge_compiled(options, file, test, options->target[i]);
}

static void judge_file(const struct options *options, const char *file)
{
	struct arena arena = { 0 };
	struct text *text = arena_alloc(&arena, sizeof(*text));
	struct test *test;

	totals.tests++;
	if (!text_load(text, file, &arena) || setjmp(text->failed)) {
		totals.unread++;
		fprintf(stderr, "%s\n", text->message);
		arena_free(&arena);
		return;
	}
	test = read_litmus(text);
	judge_test(options, file, test);
	arena_free(&arena);
}

static void print_totals(void)
{
	printf("%u tests, %u could not be read; %u judged:", totals.tests, totals.unread, totals.judged);
	for (unsigned i = 0; i <= VERDICT_UNDECIDED; i++)
		if (totals.verdict[i])
			printf(" %u %s", totals.verdict[i], verdict_name((enum verdict)i));
	printf(totals.cut ? "; %u cut short\n" : "\n", totals.cut);
}

int main(int argc, char **argv)
{
	struct options options;

	options_read(&options, argc, argv);
	for (unsigned i = 0; i < options.files.nr; i++)
		judge_file(&options, options.files.path[i]);
	if (options.format == FORMAT_TABLE && (totals.tests > 1 || options.quiet))
		print_totals();
	files_free(&options.files);
	return totals.unread ? 2 : totals.cut ? 1 : 0;
}
