/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "run/plan.h"
#include "show/show.h"

/* Returns how many registers states show of the thread that has most of them. */
static unsigned most_slots(const struct test *test)
{
	unsigned most = 1;

	for (unsigned thread = 0; thread < test->nr_threads; thread++) {
		unsigned nr = 0;

		for (unsigned i = 0; i < test->nr_observed; i++)
			nr += test->observed[i].thread == (int)thread;
		most = nr > most ? nr : most;
	}
	return most;
}

/* Whether a thread jumps backwards: it may wait for another thread. */
static bool has_loops(const struct test *test)
{
	for (unsigned thread = 0; thread < test->nr_threads; thread++)
		for (unsigned i = 0; i < test->thread[thread].nr; i++) {
			const struct instruction *at = &test->thread[thread].code[i];

			if ((at->op == OP_BRANCH || at->op == OP_JUMP) && at->target <= i)
				return true;
		}
	return false;
}

static void put_sizes(FILE *out, const struct plan *plan)
{
	const struct test *test = plan->test;

	fprintf(out, "#define ROLES %u\n#define LOCATIONS %u\n#define SLOTS %u\n#define VALUES %u\n"
		"#define LOOPS %d\n\n", test->nr_threads,
		test->nr_locations ? test->nr_locations : 1, most_slots(test),
		test->nr_observed ? test->nr_observed : 1, has_loops(plan->judged));
	fputs("static const uint64_t address[LOCATIONS] = { ", out);
	for (unsigned i = 0; i < test->nr_locations; i++)
		fprintf(out, "%lluull, ", (unsigned long long)test->location[i].address);
	fputs("};\n"
	      "static uint64_t shown(const char *lab, const unsigned *place, uint64_t value);\n\n",
	      out);
}

static void put_string(FILE *out, const char *begin, const char *end)
{
	for (const char *p = begin; p < end; p++)
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if ((unsigned char)*p < ' ' || *p == '?')
			fprintf(out, "\\%03o", *p);
		else
			putc(*p, out);
}

/*
 * Writes what results begin with: the test itself, each line behind a bar, and how it was compiled.
 */
static void put_source(FILE *out, const struct plan *plan)
{
	const struct text *text = plan->test->text;
	char name[96];

	fputs("static const char source[] =\n", out);
	for (const char *p = text->begin, *end; p < text->end; p = end + (end < text->end)) {
		end = memchr(p, '\n', (size_t)(text->end - p));
		end = end ? end : text->end;
		fputs("\t\"| ", out);
		put_string(out, p, end);
		fputs("\\n\"\n", out);
	}
	if (plan->target)
		fprintf(out, "\t\"compiled %s\\n\"\n", plan->target->name);
	fputs("\t\"\";\nstatic const char parts[] = \"", out);
	for (unsigned i = 0; i < plan->test->nr_observed; i++) {
		observed_text(plan->test, &plan->test->observed[i], name, sizeof(name));
		fputs(i ? " " : "", out);
		put_string(out, name, name + strlen(name));
	}
	fputs("\";\n\n", out);
}

static void put_prepare(FILE *out, const struct plan *plan)
{
	const struct test *test = plan->test;

	fprintf(out, "static const unsigned place_%u[LOCATIONS] = { 0", plan->layout);
	for (unsigned i = 1; i < test->nr_locations; i++)
		fprintf(out, ", %u", plan->offset[i]);
	fprintf(out, " };\n\nstatic void prepare_%u(char *lab)\n{\n", plan->layout);
	for (unsigned i = 0; i < test->nr_locations; i++) {
		fprintf(out, "\t*(volatile uint%u_t *)(lab + %u) = ", 8 * plan->size[i],
			plan->offset[i]);
		put_value(out, plan, test->location[i].initial);
		fputs(";\n", out);
	}
	fputs("}\n\n", out);
}

static void put_observe(FILE *out, const struct plan *plan)
{
	const struct test *test = plan->test;
	unsigned slot[TEST_THREADS] = { 0 };

	fprintf(out, "static void observe_%u(const char *lab, uint64_t **out, uint64_t *value)\n{\n"
		"\tvalue[0] = 0;\n", plan->layout);
	for (unsigned i = 0; i < test->nr_observed; i++) {
		const struct observed *what = &test->observed[i];

		fprintf(out, "\tvalue[%u] = shown(lab, place_%u, ", i, plan->layout);
		if (what->thread >= 0)
			fprintf(out, "out[%d][%u]);\n", what->thread, slot[what->thread]++);
		else
			fprintf(out, "*(volatile uint%u_t *)(lab + %u));\n",
				8 * plan->size[what->number], plan->offset[what->number]);
	}
	fputs("}\n\n", out);
}

static void put_prop(FILE *out, const struct prop *prop)
{
	const char *cast = prop->wide ? "" : "(uint32_t)";

	switch (prop->kind) {
	case PROP_TRUE: case PROP_FALSE:
		fprintf(out, "%d", prop->kind == PROP_TRUE);
		return;
	case PROP_EQUAL:
		fprintf(out, "%svalue[%u] == %s", cast, prop->observed, cast);
		fprintf(out, prop->other ? "value[%llu]" : "%lluull",
			prop->other ? prop->with : (unsigned long long)prop->value);
		return;
	case PROP_NOT: case PROP_IMPLIES:
		fputs("(!(", out);
		put_prop(out, prop->a);
		fputs(")", out);
		break;
	case PROP_AND: case PROP_OR:
		fputs("(", out);
		put_prop(out, prop->a);
		break;
	}
	if (prop->kind != PROP_NOT) {
		fputs(prop->kind == PROP_AND ? " && " : " || ", out);
		put_prop(out, prop->b);
	}
	fputs(")", out);
}

/* Writes wanted(): whether the question asks for a state. The program looks most for such ones. */
static void put_wanted(FILE *out, const struct plan *plan)
{
	const struct test *test = plan->test;

	fputs("static bool wanted(const uint64_t *value)\n{\n\t(void)value;\n\treturn ", out);
	if (test->quantifier == QUANTIFIER_FORALL)
		fputs("!", out);
	fputs("(", out);
	if (test->prop)
		put_prop(out, test->prop);
	else
		fputs("0", out);
	fputs(");\n}\n\n", out);
}

static void put_layout_row(FILE *out, const struct plan *plan)
{
	fprintf(out, "\t{ %u, place_%u, prepare_%u, observe_%u, { ", plan->stride, plan->layout,
		plan->layout, plan->layout);
	for (unsigned i = 0; i < plan->test->nr_threads; i++)
		fprintf(out, "role_%u_%u, ", i, plan->layout);
	fputs("} },\n", out);
}

/*
 * Writes the table of layouts. Where threads loop, locations do not share a line: a store to one
 * may then make another's exclusive store fail for ever.
 */
static void put_layouts(FILE *out, struct plan *plan)
{
	bool alone = has_loops(plan->judged);

	for (unsigned layout = 0; layout < NR_LAYOUTS; layout++) {
		lay_out(plan, alone && layout == LAYOUT_PACKED ? LAYOUT_LINES : layout);
		plan->layout = layout;
		put_prepare(out, plan);
		put_observe(out, plan);
		for (unsigned i = 0; i < plan->test->nr_threads; i++)
			put_thread(out, plan, i);
	}
	fprintf(out, "#define LAYOUTS %u\nstatic const struct layout {\n\tunsigned stride;\n"
		"\tconst unsigned *place;\n\tvoid (*prepare)(char *lab);\n"
		"\tvoid (*observe)(const char *lab, uint64_t **out, uint64_t *value);\n"
		"\tvoid (*role[ROLES])(char *lab, uint64_t *out);\n} layouts[LAYOUTS] = {\n",
		NR_LAYOUTS);
	for (unsigned layout = 0; layout < NR_LAYOUTS; layout++) {
		lay_out(plan, alone && layout == LAYOUT_PACKED ? LAYOUT_LINES : layout);
		plan->layout = layout;
		put_layout_row(out, plan);
	}
	fputs("};\n", out);
}

void put_test(FILE *out, struct plan *plan)
{
	put_sizes(out, plan);
	put_source(out, plan);
	put_wanted(out, plan);
	put_layouts(out, plan);
}
