/* SPDX-License-Identifier: MIT */
/*
 * The options:
 *
 *	models=sc,tso			the models to judge by; own: the text that comes along
 *	unroll=2  milliseconds=2000	bounds
 *	most=300			states of a model in the answer; those asked for first
 *	explain=1			of the first model: an execution, and what forbids it
 *	state=0:r0=1 /\ [x]=2		instead of the test's question
 *	orders=1			which orders would forbid what is asked for
 *	generate=kernel			the text is a cycle; a test of this dialect is made of it
 *	show=armv8			that model's text
 *	results=1			the text is a file of results, which is read and not judged
 */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "generate/generate.h"
#include "read/read.h"
#include "show/show.h"

static char *memory;			/* the answer */
static size_t length;

static void take_models(struct asked *asked, char *names)
{
	for (char *p = strtok(names, ","); p && asked->nr_models < ENGINE_MODELS;
	     p = strtok(NULL, ","))
		asked->model[asked->nr_models++] = p;
}

static void take_option(struct asked *asked, const char *key, char *value)
{
	if (!strcmp(key, "models"))
		take_models(asked, value);
	else if (!strcmp(key, "unroll"))
		asked->limits.unroll = (unsigned)strtoul(value, NULL, 10);
	else if (!strcmp(key, "milliseconds"))
		asked->limits.seconds = (double)strtoul(value, NULL, 10) / 1000;
	else if (!strcmp(key, "most"))
		asked->most = (unsigned)strtoul(value, NULL, 10);
	else if (!strcmp(key, "explain"))
		asked->explain = true;
	else if (!strcmp(key, "state"))
		asked->state = value;
	else if (!strcmp(key, "orders"))
		asked->orders = true;
	else if (!strcmp(key, "generate"))
		asked->dialect = value;
	else if (!strcmp(key, "show"))
		asked->show = value;
	else if (!strcmp(key, "results"))
		asked->results = true;
}

static void read_options(struct asked *asked, char *options)
{
	char *end;

	for (char *line = options; *line; line = end) {
		char *value = line + strcspn(line, "=\n");

		end = line + strcspn(line, "\n");
		end += *end != 0;
		if (end > line && end[-1] == '\n')
			end[-1] = 0;
		if (*value != '=')
			continue;
		*value = 0;
		take_option(asked, line, value + 1);
	}
}

struct reading_asked {
	struct answer *answer;
	struct text *text;
	struct rules *rules;
};

/* Puts the state in the place of the question. */
static void read_state(struct test *test, const char *state)
{
	struct text *text = arena_alloc(test->arena, sizeof(*text));
	struct lexer lexer;

	*text = (struct text) { .name = "state", .begin = state, .end = state + strlen(state),
				.arena = test->arena };
	lexer_start(&lexer, text, state);
	test->prop = read_prop(&lexer, test);
	test->quantifier = QUANTIFIER_EXISTS;
	test->question = state;
}

static void answer_tried(void *with)
{
	const struct reading_asked *reading = with;
	struct answer *answer = reading->answer;

	answer->test = read_litmus(reading->text);
	if (answer->asked->state)
		read_state(answer->test, answer->asked->state);
	if (answer->asked->explain)
		answer_explain(answer);
	else
		answer_verdicts(answer);
}

/* Reads the page's own model. A mistake there is not reported as one of the test. */
static void read_own(struct answer *answer, struct arena *arena)
{
	struct text *text = arena_alloc(arena, sizeof(*text));
	const char *own = answer->asked->own;

	*text = (struct text) { .name = "own", .begin = own, .end = own + strlen(own) };
	answer->own = arena_alloc(arena, sizeof(*answer->own));
	text->arena = &answer->own->arena;
	answer->own->name = "own";
	if (!rules_parse(answer->own, text))
		answer->wrong_own = text;
}

static void answer_test(FILE *out, const struct asked *asked, const char *source)
{
	struct arena arena = { 0 };
	struct text *text = arena_alloc(&arena, sizeof(*text));
	struct answer answer = { .out = out, .asked = asked };
	struct reading_asked reading = { .answer = &answer, .text = text };
	const struct text *wrong;

	*text = (struct text) { .name = "test", .begin = source, .end = source + strlen(source),
				.arena = &arena };
	if (asked->own)
		read_own(&answer, &arena);
	wrong = text_try(answer_tried, &reading);
	if (wrong)
		answer_wrong(out, wrong);
	if (answer.own)
		arena_free(&answer.own->arena);
	arena_free(&arena);
}

static void answer_model(FILE *out, const char *name)
{
	struct arena arena = { 0 };
	struct text text = { .name = name };

	if (!strpbrk(name, "./") && rules_text(&text, name, &arena)) {
		fputs("\"text\":", out);
		json_string(out, text.begin);
	}
	arena_free(&arena);
}

static void answer_cycle(FILE *out, const char *dialect, const char *cycle)
{
	static const char *const names[] = { "kernel", "c11", "aarch64", "riscv", "x86_64" };
	char message[512] = "expected kernel, c11, aarch64, riscv or x86_64";
	char *text = NULL;
	size_t size = 0;
	FILE *made = open_memstream(&text, &size);
	bool ok = false;

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], dialect))
			ok = generate(made, (enum dialect)i, cycle, NULL, message, sizeof(message));
	fclose(made);
	fputs(ok ? "\"text\":" : "\"wrong\":{\"line\":1,\"column\":1,\"message\":", out);
	json_string(out, ok ? text : message);
	fputs(ok ? "" : "}", out);
	free(text);
}

const char *nap_litmus(const char *text, const char *options, const char *own)
{
	struct asked asked = { .limits = { .unroll = 2, .seconds = 2 }, .own = *own ? own : NULL };
	struct arena arena = { 0 };
	FILE *out;

	free(memory);
	memory = NULL;
	out = open_memstream(&memory, &length);
	read_options(&asked, arena_text(&arena, options, strlen(options)));
	fputc('{', out);
	if (asked.show)
		answer_model(out, asked.show);
	else if (asked.results)
		answer_results(out, text);
	else if (asked.dialect)
		answer_cycle(out, asked.dialect, text);
	else
		answer_test(out, &asked, text);
	fputc('}', out);
	fclose(out);
	arena_free(&arena);
	return memory;
}
