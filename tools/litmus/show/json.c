/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "show/show.h"

void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ')
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void print_pair(FILE *out, const char *name, const char *value)
{
	json_string(out, name);
	fputc(':', out);
	json_string(out, value);
	fputc(',', out);
}

void json_state(FILE *out, const struct test *test, const uint64_t *value)
{
	char name[96], text[96];
	bool more = false;

	fputc('{', out);
	for (unsigned i = 0; i < test->nr_observed; i++) {
		if (test->observed[i].hidden)
			continue;
		if (more)
			fputc(',', out);
		more = true;
		json_string(out, observed_text(test, &test->observed[i], name, sizeof(name)));
		fputc(':', out);
		if (value[i] && test_location_at(test, value[i]) >= 0)
			json_string(out, value_text(test, value[i], 8, text, sizeof(text)));
		else
			fputs(value_text(test, value[i], observed_size(test, &test->observed[i]),
					 text, sizeof(text)), out);
	}
	fputc('}', out);
}

static void print_states(FILE *out, const struct test *test, const struct outcome *outcome)
{
	fputs("\"states\":[", out);
	for (const struct state *state = outcome->first; state; state = state->next) {
		json_state(out, test, state->value);
		if (state->next)
			fputc(',', out);
	}
	fputc(']', out);
}

static void print_json_flags(FILE *out, const struct rules *rules, const struct outcome *outcome)
{
	bool more = false;

	fputs("\"flags\":[", out);
	for (unsigned i = 0; i < rules->nr_axioms; i++) {
		if (!(outcome->flags >> i & 1))
			continue;
		if (more)
			fputc(',', out);
		more = true;
		json_string(out, rules->axiom[i].name);
	}
	fputs("],", out);
}

/* Prints the threads that may wait for ever, each with the line of its loop. */
static void print_json_stuck(FILE *out, const struct test *test, const struct outcome *outcome)
{
	const char *comma = "";

	fputs("\"stuck\":[", out);
	for (unsigned t = 0; outcome->stuck && t < test->nr_threads; t++) {
		if (!outcome->stuck->at[t])
			continue;
		fprintf(out, "%s{\"thread\":%u,\"line\":%u}", comma, t,
			text_line(test->text, outcome->stuck->at[t]));
		comma = ",";
	}
	fputs("],", out);
}

static void print_event_object(FILE *out, const struct test *test, const struct execution *x,
			       unsigned event)
{
	const struct path_event *e = &x->event[event];
	char value[96];

	fprintf(out, "{\"thread\":%d,\"kind\":\"%s\"", x->thread[event],
		e->kind == EVENT_READ ? "read" : e->kind == EVENT_WRITE ? "write" : "fence");
	if (e->kind != EVENT_FENCE) {
		fputs(",\"location\":", out);
		json_string(out, test->cell[e->cell].name);
		fputs(",\"value\":", out);
		json_string(out, value_text(test, x->value[event], e->size, value, sizeof(value)));
	}
	if (e->from && e->from->at)
		fprintf(out, ",\"line\":%u", text_line(test->text, e->from->at));
}

static void print_json_cycle(FILE *out, struct test *test, const struct rules *rules,
			     const struct outcome *outcome)
{
	struct cycle cycle;

	find_cycle(&cycle, test, rules, outcome);
	fputs(",\"forbidden\":{", out);
	print_pair(out, "axiom", cycle.axiom->name);
	fputs("\"cycle\":[", out);
	for (unsigned i = 0; i < cycle.nr; i++) {
		print_event_object(out, test, outcome->forbidden, cycle.event[i]);
		fputs(",\"edge\":", out);
		json_string(out, cycle.label[i]);
		fputs(i + 1 < cycle.nr ? "}," : "}", out);
	}
	fputs("]}", out);
}

void json_outcome(FILE *out, const struct test *test, const struct rules *rules,
		  const struct outcome *outcome)
{
	print_pair(out, "verdict", verdict_name(outcome->verdict));
	if (test->question)
		print_pair(out, "question", test->question);
	fprintf(out, "\"bounded\":%s,\"timeout\":%s,", outcome->bounded ? "true" : "false",
		outcome->timeout ? "true" : "false");
	print_json_stuck(out, test, outcome);
	print_json_flags(out, rules, outcome);
	print_states(out, test, outcome);
}

void print_json(FILE *out, const char *file, const char *model, struct test *test,
		const struct rules *rules, const struct outcome *outcome)
{
	fputc('{', out);
	print_pair(out, "file", file);
	print_pair(out, "name", test->name);
	print_pair(out, "model", model);
	json_outcome(out, test, rules, outcome);
	if (outcome->forbidden)
		print_json_cycle(out, test, rules, outcome);
	fputs("}\n", out);
}
