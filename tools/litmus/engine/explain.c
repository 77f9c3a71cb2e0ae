/* SPDX-License-Identifier: MIT */
/*
 * Prints why a model allows what is asked for, or forbids it: an execution. If it is forbidden,
 * also the cycle: for each edge the part of the model that it comes from, and the steps of that
 * part.
 */
#include <stdlib.h>

#include "engine/engine.h"
#include "show/show.h"
#include "tool/models.h"
#include "tool/order.h"

struct explaining {
	const struct answer *answer;
	const struct rules *rules;
	struct outcome outcome;
};

static void print_steps(FILE *out, const struct opened *opened)
{
	fputs(",\"steps\":[", out);
	for (unsigned i = 0; i < opened->nr; i++) {
		fprintf(out, "%s{\"label\":", i ? "," : "");
		json_string(out, opened->step[i].label);
		fprintf(out, ",\"to\":%u}", opened->step[i].to);
	}
	fputc(']', out);
}

/*
 * Prints the edges of the cycle; or, if the axiom says that a set or relation is empty, its first
 * member.
 */
static void print_edges(FILE *out, const struct cycle *cycle)
{
	static const char *const kinds[] = {
		[AXIOM_ACYCLIC] = "acyclic", [AXIOM_IRREFLEXIVE] = "irreflexive",
		[AXIOM_EMPTY] = "empty",
	};

	fputs(",\"axiom\":", out);
	json_string(out, cycle->axiom->name);
	fprintf(out, ",\"kind\":\"%s\",\"cycle\":[", kinds[cycle->axiom->kind]);
	for (unsigned i = 0; i < cycle->nr; i++) {
		unsigned to = cycle->event[(i + 1) % cycle->nr];

		if (cycle->axiom->kind == AXIOM_EMPTY && i)
			break;
		fprintf(out, "%s{\"from\":%u,\"to\":%u,\"label\":", i ? "," : "", cycle->event[i],
			to);
		json_string(out, cycle->label[i]);
		print_steps(out, &cycle->opened[i]);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_side(FILE *out, const struct test *test, const struct instruction *instruction)
{
	fprintf(out, "{\"line\":%u,\"column\":%u}", text_line(test->text, instruction->at),
		text_column(test->text, instruction->at));
}

static void print_orders(FILE *out, const struct test *test, const struct pair *pair, int nr)
{
	const char *comma = "";

	fputs(",\"orders\":[", out);
	for (int i = 0; i < nr; i++) {
		const struct instruction *code = test->thread[pair[i].thread].code;

		if (!pair[i].order)
			continue;
		fprintf(out, "%s{\"thread\":%u,\"first\":", comma, pair[i].thread);
		print_side(out, test, &code[pair[i].first]);
		fputs(",\"second\":", out);
		print_side(out, test, &code[pair[i].second]);
		fputs(",\"enough\":", out);
		json_string(out, pair[i].order->words);
		fputc('}', out);
		comma = ",";
	}
	fprintf(out, "],\"sequential\":%s,\"found\":%s", nr ? "false" : "true",
		nr < 0 ? "false" : "true");
}

/*
 * Called by a text_try() of its own, because with one more fence the test may have too many events.
 */
static void orders_tried(void *with)
{
	struct explaining *e = with;
	struct pair pair[ORDER_PAIRS] = { 0 };
	const struct state *state = state_asked_for(e->answer->test, &e->outcome);
	int nr = weakest_orders(e->answer->test, e->rules, &e->answer->asked->limits,
				state->witness, pair);

	print_orders(e->answer->out, e->answer->test, pair, nr);
}

static void print_allowed(struct explaining *e, const struct state *state)
{
	const struct answer *answer = e->answer;

	fputs(",\"allowed\":", answer->out);
	print_execution(answer->out, answer->test, state->witness);
	if (answer->asked->orders && e->outcome.verdict == VERDICT_SOMETIMES &&
	    text_try(orders_tried, e))
		fputs(",\"orders\":[],\"sequential\":false,\"found\":false", answer->out);
}

static void print_forbidden_one(struct explaining *e)
{
	const struct answer *answer = e->answer;
	struct cycle *cycle = arena_alloc(answer->test->arena, sizeof(*cycle));

	find_cycle(cycle, answer->test, e->rules, &e->outcome);
	fputs(",\"forbidden\":", answer->out);
	print_execution(answer->out, answer->test, e->outcome.forbidden);
	print_edges(answer->out, cycle);
}

/* Prints the picture as a string. */
static void print_picture(struct explaining *e, const char *model)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out && print_svg(out, NULL, model, e->answer->test, e->rules, &e->outcome)) {
		fflush(out);
		fputs(",\"svg\":", e->answer->out);
		json_string(e->answer->out, text);
	}
	if (out)
		fclose(out);
	free(text);
}

void answer_explain(const struct answer *answer)
{
	const char *model = answer->asked->nr_models ? answer->asked->model[0] :
		own_model(answer->test->dialect);
	struct explaining e = { .answer = answer, .rules = answer_rules(answer, model) };
	struct limits limits = answer->asked->limits;
	const struct state *state;

	if (!e.rules)
		text_leave(answer->wrong_own);
	model_must_fit(answer->test, model);
	limits.witness = limits.asked = limits.why = true;
	e.outcome = search(answer->test, e.rules, &limits);
	fputs("\"model\":", answer->out);
	json_string(answer->out, model);
	fprintf(answer->out, ",\"verdict\":\"%s\",\"timeout\":%s", verdict_name(e.outcome.verdict),
		e.outcome.timeout ? "true" : "false");
	print_picture(&e, model);
	state = state_asked_for(answer->test, &e.outcome);
	if (state)
		print_allowed(&e, state);
	else if (e.outcome.forbidden)
		print_forbidden_one(&e);
	else
		fputs(",\"impossible\":true", answer->out);
}
