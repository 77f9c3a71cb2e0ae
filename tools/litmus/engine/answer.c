/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "show/show.h"
#include "tool/models.h"

static const char *const dialects[] = {
	[DIALECT_KERNEL] = "kernel", [DIALECT_C11] = "c11", [DIALECT_AARCH64] = "aarch64",
	[DIALECT_RISCV] = "riscv", [DIALECT_X86] = "x86_64",
};

/* The line and the column are those at the head of the message, "test:3:7: expected ..." */
void answer_wrong_within(FILE *out, const struct text *text, unsigned lines, unsigned columns)
{
	const char *message = text->message;
	unsigned line = 1, column = 1;
	int taken = 0;

	if (sscanf(message + strcspn(message, ":"), ":%u:%u: %n", &line, &column, &taken) == 2 &&
	    taken)
		message += strcspn(message, ":") + (size_t)taken;
	fprintf(out, "\"wrong\":{\"text\":");
	json_string(out, text->name);
	fprintf(out, ",\"line\":%u,\"column\":%u,\"message\":", line + lines, column + columns);
	json_string(out, message);
	fputc('}', out);
}

void answer_wrong(FILE *out, const struct text *text)
{
	answer_wrong_within(out, text, 0, 0);
}

const struct rules *answer_rules(const struct answer *answer, const char *name)
{
	if (strcmp(name, "own"))
		return rules_named(name);
	return answer->wrong_own ? NULL : answer->own;
}

struct judging_one {
	const struct answer *answer;
	const struct rules *rules;
	struct outcome outcome;
};

static void judge_tried(void *with)
{
	struct judging_one *one = with;

	one->outcome = search(one->answer->test, one->rules, &one->answer->asked->limits);
}

/* Appends up to @most states in which the proposition is @holds. Returns how many. */
static unsigned take_states(const struct test *test, const struct state *from, bool holds,
			    unsigned most, struct state ***end)
{
	unsigned nr = 0;

	for (const struct state *state = from; state && nr < most; state = state->next)
		if (prop_holds(test->prop, state->value) == holds) {
			struct state *copy = arena_alloc(test->arena, sizeof(*copy));

			*copy = (struct state) { .value = state->value };
			**end = copy;
			*end = &copy->next;
			nr++;
		}
	return nr;
}

/* Keeps @most states, as many as a page shows: first those that the question asks for. */
static void leave_states(const struct test *test, struct outcome *outcome, unsigned most)
{
	const struct state *all = outcome->first;
	struct state **end = &outcome->first;

	if (!most || outcome->nr_states <= most)
		return;
	outcome->first = NULL;
	most -= take_states(test, all, true, most, &end);
	take_states(test, all, false, most, &end);
}

static void print_asked(FILE *out, const struct test *test, const struct outcome *outcome)
{
	fputs(",\"asked\":[", out);
	for (const struct state *state = outcome->first; state; state = state->next)
		fprintf(out, "%d%s", !test->prop || prop_holds(test->prop, state->value),
			state->next ? "," : "");
	fputc(']', out);
}

static void answer_column(const struct answer *answer, const char *model)
{
	struct judging_one one = { .answer = answer };
	double begin = cpu_seconds();
	const struct text *wrong;

	fputs("{\"model\":", answer->out);
	json_string(answer->out, model);
	fputc(',', answer->out);
	if (!model_fits(answer->test, model)) {
		fputs("\"dash\":true}", answer->out);
		return;
	}
	one.rules = answer_rules(answer, model);
	wrong = one.rules ? text_try(judge_tried, &one) : answer->wrong_own;
	if (wrong) {
		answer_wrong(answer->out, wrong);
	} else {
		leave_states(answer->test, &one.outcome, answer->asked->most);
		json_outcome(answer->out, answer->test, one.rules, &one.outcome);
		fprintf(answer->out, ",\"nr\":%u", one.outcome.nr_states);
		print_asked(answer->out, answer->test, &one.outcome);
		fprintf(answer->out, ",\"milliseconds\":%.3f", (cpu_seconds() - begin) * 1000);
	}
	fputc('}', answer->out);
}

void answer_verdicts(const struct answer *answer)
{
	const struct test *test = answer->test;

	fputs("\"name\":", answer->out);
	json_string(answer->out, test->name);
	fprintf(answer->out, ",\"dialect\":\"%s\",\"either\":%s,\"threads\":%u,\"question\":",
		dialects[test->dialect], test->either ? "true" : "false", test->nr_threads);
	json_string(answer->out, test->question);
	fputs(",\"columns\":[", answer->out);
	for (unsigned i = 0; i < answer->asked->nr_models; i++) {
		if (i)
			fputc(',', answer->out);
		answer_column(answer, answer->asked->model[i]);
	}
	fputc(']', answer->out);
}
