/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/engine.h"
#include "show/show.h"

/* Prints the instruction as it stands in the test, without blanks at its end; and its place. */
static void print_place(FILE *out, const struct test *test, const char *at)
{
	size_t nr = strcspn(at, "\n;|");
	char source[256];

	while (nr && strchr(" \t\r", at[nr - 1]))
		nr--;
	snprintf(source, sizeof(source), "%.*s", (int)nr, at);
	fputs(",\"source\":", out);
	json_string(out, source);
	fprintf(out, ",\"line\":%u,\"column\":%u", text_line(test->text, at),
		text_column(test->text, at));
}

static void print_tags(FILE *out, uint64_t tags)
{
	fputs(",\"tags\":[", out);
	for (; tags; tags &= tags - 1) {
		json_string(out, base_name(BASE_TAG + set_first(tags)));
		fputs(tags & (tags - 1) ? "," : "", out);
	}
	fputc(']', out);
}

static void print_one(FILE *out, const struct test *test, const struct execution *x, unsigned event)
{
	static const char *const kinds[] = {
		[EVENT_READ] = "read", [EVENT_WRITE] = "write", [EVENT_FENCE] = "fence",
	};
	const struct path_event *e = &x->event[event];
	char letter[64], value[96];

	fputs("{\"letter\":", out);
	json_string(out, event_letter(test, event, letter));
	fprintf(out, ",\"thread\":%d,\"kind\":\"%s\"", x->thread[event], kinds[e->kind]);
	if (e->kind != EVENT_FENCE) {
		fputs(",\"location\":", out);
		json_string(out, test->cell[e->cell].name);
		fputs(",\"value\":", out);
		json_string(out, value_text(test, x->value[event], e->size, value, sizeof(value)));
	}
	if (e->from && e->from->at)
		print_place(out, test, e->from->at);
	print_tags(out, e->tags);
	fputc('}', out);
}

/* Prints the pairs of a relation. @next: it is an order, and only its neighbours are printed. */
static void print_pairs(FILE *out, const struct matrix *m, unsigned n, const char *name, bool next)
{
	const char *comma = "";

	fprintf(out, "\"%s\":[", name);
	for (unsigned i = 0; i < n; i++)
		for (event_set rest = m->row[i]; rest; rest &= rest - 1)
			if (!next || !matrix_between(m, n, i, set_first(rest))) {
				fprintf(out, "%s[%u,%u]", comma, i, set_first(rest));
				comma = ",";
			}
	fputc(']', out);
}

/* Makes the relation from each read to the write right after the write that it read. */
static void read_before(const struct execution *x, struct matrix *fr)
{
	const struct matrix *co = &x->facts.relation[BASE_CO];

	memset(fr, 0, sizeof(*fr));
	for (unsigned i = 0; i < x->n; i++)
		for (event_set rest = x->rf[i] < 0 ? 0 : co->row[x->rf[i]]; rest; rest &= rest - 1)
			if (!matrix_between(co, x->n, (unsigned)x->rf[i], set_first(rest)) &&
			    set_first(rest) != i)
				matrix_add(fr, i, set_first(rest));
}

void print_execution(FILE *out, const struct test *test, const struct execution *x)
{
	static const struct { enum base base; bool next; } shown[] = {
		{ BASE_PO, true }, { BASE_RF, false }, { BASE_CO, true }, { BASE_ADDR, false },
		{ BASE_DATA, false }, { BASE_CTRL, false }, { BASE_RMW, false },
	};
	struct matrix fr;

	fputs("{\"events\":[", out);
	for (unsigned i = 0; i < x->n; i++) {
		print_one(out, test, x, i);
		fputs(i + 1 < x->n ? "," : "],\"relations\":{", out);
	}
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		print_pairs(out, &x->facts.relation[shown[i].base], x->n, base_name(shown[i].base),
			    shown[i].next);
		fputc(',', out);
	}
	read_before(x, &fr);
	print_pairs(out, &fr, x->n, "fr", false);
	fputs("}}", out);
}
