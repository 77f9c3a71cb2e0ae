/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "show/drawing.h"

/* Whether objdump's remark for people begins here: "<P0+0x14>", "# 14", "// =14". */
static bool is_remark(const char *p)
{
	return *p == '<' || (p[0] == '#' && p[1] == ' ') || (p[0] == '/' && p[1] == '/');
}

/* Returns where the instruction at @at ends: its call, its cell of a table, its line. */
static const char *instruction_end(const struct test *test, const char *at)
{
	const char *end = at + strcspn(at, "\n;|"), *p = at;

	for (int depth = 0; p < end; p++) {
		depth += (*p == '(') - (*p == ')');
		if (test_is_c(test) ? depth < 0 || *p == '{' : is_remark(p))
			break;
	}
	return p;
}

/* Returns the instruction with single spaces. */
static const char *code_of(const struct drawing *drawing, const char *at)
{
	const char *end = instruction_end(drawing->test, at);
	char *code = arena_text(drawing->test->arena, at, (size_t)(end - at)), *to = code;

	for (const char *p = code; *p; p++) {
		bool blank = isspace((unsigned char)*p);

		if (!blank || (to > code && to[-1] != ' '))
			*to++ = blank ? ' ' : *p;
	}
	while (to > code && to[-1] == ' ')
		to--;
	*to = 0;
	return code;
}

static const char *text_of(struct drawing *drawing, const char *text)
{
	return arena_text(drawing->test->arena, text, strlen(text));
}

static void draw_event(struct drawing *drawing, struct picture_event *box, unsigned event)
{
	const struct test *test = drawing->test;
	const struct path_event *e = &drawing->x->event[event];
	char text[300], value[96];

	box->name = text_of(drawing, event_letter(test, event, text));
	box->shape = e->kind == EVENT_READ ? PICTURE_READ : e->kind == EVENT_WRITE ? PICTURE_WRITE :
		PICTURE_FENCE;
	box->what = fence_name(e->tags);
	if (e->kind != EVENT_FENCE) {
		snprintf(text, sizeof(text), "%c %.150s = %s", e->kind == EVENT_READ ? 'R' : 'W',
			 test->cell[e->cell].name,
			 value_text(test, drawing->x->value[event], e->size, value, sizeof(value)));
		box->what = text_of(drawing, text);
	}
	if (!e->from || !e->from->at)
		return;
	box->code = code_of(drawing, e->from->at);
	sprintf(text, "line %u", text_line(test->text, e->from->at));
	box->place = text_of(drawing, text);
}

/* Whether an event is one that the cycle goes through. */
static bool on_cycle(const struct drawing *drawing, unsigned event)
{
	for (unsigned i = 0; drawing->cycle && i < drawing->cycle->nr; i++)
		if (drawing->cycle->event[i] == event)
			return true;
	return false;
}

/*
 * Makes the boxes. An initial write has a box only if it is on a cycle: in a column before the
 * threads.
 */
static void draw_events(struct drawing *drawing)
{
	const struct execution *x = drawing->x;
	struct picture *picture = &drawing->picture;
	struct picture_event *box = arena_alloc(drawing->test->arena, x->n * sizeof(*box));
	const char **column = arena_alloc(drawing->test->arena,
					  (TEST_THREADS + 1) * sizeof(*column));
	unsigned rows[TEST_THREADS + 1] = { 0 }, initial = 0;
	char name[16];

	for (unsigned i = 0; i < drawing->test->nr_cells; i++)
		initial |= on_cycle(drawing, i);
	column[0] = "initial";
	picture->nr_columns = drawing->test->nr_threads + initial;
	for (unsigned i = initial; i < picture->nr_columns; i++) {
		sprintf(name, "P%u", i - initial);
		column[i] = text_of(drawing, name);
	}
	for (unsigned i = 0; i < x->n; i++) {
		struct picture_event *next = &box[picture->nr_events];

		drawing->box[i] = -1;
		if (x->thread[i] < 0 && !on_cycle(drawing, i))
			continue;
		drawing->box[i] = (int)picture->nr_events++;
		next->column = x->thread[i] < 0 ? 0 : (unsigned)x->thread[i] + initial;
		next->row = rows[next->column]++;
		next->red = on_cycle(drawing, i);
		draw_event(drawing, next, i);
	}
	picture->event = box;
	picture->column = column;
}

/* Returns what the picture shows, in a sentence; the caller frees it. */
static char *outcome_text(const struct drawing *drawing, const struct state *state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (state) {
		fputs("allowed: ", out);
		print_state(out, drawing->test, state->value);
	} else {
		fprintf(out, "forbidden by %s: %s", drawing->cycle->axiom->name,
			drawing->cycle->axiom->kind == AXIOM_EMPTY ? "this should not be" :
			"a cycle");
	}
	fclose(out);
	return text;
}

static const char *red_text(struct drawing *drawing)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %.80s forbids",
		 drawing->cycle->axiom->kind == AXIOM_EMPTY ? "what" : "the cycle that",
		 drawing->cycle->axiom->name);
	return text_of(drawing, text);
}

bool print_svg(FILE *out, const char *id, const char *model, struct test *test,
	       const struct rules *rules, const struct outcome *outcome)
{
	const struct state *state = state_asked_for(test, outcome);
	struct drawing drawing = { .test = test, .rules = rules };
	struct cycle cycle;
	char verdict[64], *text;
	bool written;

	if (!(state ? state->witness : outcome->forbidden))
		return false;
	drawing.x = state ? state->witness : outcome->forbidden;
	if (!state) {
		find_cycle(&cycle, test, rules, outcome);
		drawing.cycle = &cycle;
	}
	snprintf(verdict, sizeof(verdict), "%s%s", verdict_name(outcome->verdict),
		 outcome->timeout ? ", timeout" : outcome->bounded ? ", bounded" : "");
	draw_events(&drawing);
	drawing_relations(&drawing);
	drawing_fences(&drawing);
	if (!state)
		drawing_cycle(&drawing);
	text = outcome_text(&drawing, state);
	drawing.picture.id = id;
	drawing.picture.name = test->name;
	drawing.picture.model = model;
	drawing.picture.verdict = verdict;
	drawing.picture.forbidden = !state;
	drawing.picture.question = test->question;
	drawing.picture.outcome = text ? text : "";
	drawing.picture.red = state ? "" : red_text(&drawing);
	drawing.picture.edge = drawing.edge;
	written = text && picture_write(out, &drawing.picture);
	free(text);
	free(drawing.edge);
	return written;
}
