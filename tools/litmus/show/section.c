/* SPDX-License-Identifier: MIT */
/* RCU: its critical sections, as the model pairs locks and unlocks, and what forbids, in words. */
#include <string.h>

#include "show/show.h"

static const char *const names[] = { "rcu-section", "srcu-section", NULL };

void find_sections(struct test *test, const struct rules *rules, const struct execution *x,
		   struct matrix *sections)
{
	struct evaluation *e = evaluation_new(rules, &x->facts, test->arena);

	memset(sections, 0, sizeof(*sections));
	for (unsigned i = 0; i < rules->nr; i++)
		for (unsigned k = 0; names[k]; k++) {
			const struct matrix *m;

			if (!rules->node[i].name || strcmp(rules->node[i].name, names[k]) ||
			    rules->node[i].is_set)
				continue;
			m = evaluation_of(e, i);
			for (unsigned row = 0; row < x->n; row++)
				sections->row[row] |= m->row[row];
		}
}

const char *fence_name(uint64_t tags)
{
	if (tags & (BIT(TAG_RCU_SYNC) | BIT(TAG_SRCU_SYNC)))
		return "grace period";
	if (tags & BIT(TAG_RCU_LOCK))
		return "section begins";
	return tags & BIT(TAG_RCU_UNLOCK) ? "section ends" : "fence";
}

/* What a cycle goes through: grace periods, and sections from their end back to their begin. */
struct through {
	unsigned nr_graces, nr_sections;
	unsigned grace[MATRIX_EVENTS];
	struct { unsigned begin, end; } section[MATRIX_EVENTS];
};

static void add_grace(struct through *through, unsigned event)
{
	for (unsigned i = 0; i < through->nr_graces; i++)
		if (through->grace[i] == event)
			return;
	through->grace[through->nr_graces++] = event;
}

static void add_section(struct through *through, unsigned begin, unsigned end)
{
	for (unsigned i = 0; i < through->nr_sections; i++)
		if (through->section[i].begin == begin)
			return;
	through->section[through->nr_sections].begin = begin;
	through->section[through->nr_sections++].end = end;
}

static void walk_opened(struct through *through, const struct execution *x,
			const struct matrix *sections, unsigned at, const struct opened *opened)
{
	for (unsigned i = 0; i < opened->nr; i++) {
		unsigned to = opened->step[i].to;

		if (x->event[to].tags & (BIT(TAG_RCU_SYNC) | BIT(TAG_SRCU_SYNC)))
			add_grace(through, to);
		if (matrix_has(sections, to, at))
			add_section(through, to, at);
		at = to;
	}
}

static void print_end(FILE *out, const struct test *test, const struct execution *x, unsigned event)
{
	print_source(out, test, x->event[event].from->at);
}

static void print_sections(FILE *out, const struct test *test, const struct execution *x,
			   const struct through *through)
{
	for (unsigned i = 0; i < through->nr_sections; i++) {
		unsigned begin = through->section[i].begin, end = through->section[i].end;

		fprintf(out, "      critical section: P%d from", x->thread[begin]);
		print_end(out, test, x, begin);
		if (x->thread[end] == x->thread[begin])
			fputs(" to", out);
		else
			fprintf(out, " to P%d", x->thread[end]);
		print_end(out, test, x, end);
		fputc('\n', out);
	}
}

void print_grace(FILE *out, struct test *test, const struct rules *rules, const struct execution *x,
		 const struct cycle *cycle)
{
	struct through through = { 0 };
	struct matrix sections;

	find_sections(test, rules, x, &sections);
	for (unsigned i = 0; i < cycle->nr; i++)
		walk_opened(&through, x, &sections, cycle->event[i], &cycle->opened[i]);
	if (!through.nr_sections)
		return;
	for (unsigned i = 0; i < through.nr_graces; i++) {
		fprintf(out, "      grace period: P%d", x->thread[through.grace[i]]);
		print_end(out, test, x, through.grace[i]);
		fputc('\n', out);
	}
	print_sections(out, test, x, &through);
	if (through.nr_sections == 1)
		fputs("      the section would begin before the grace period, and end after it\n",
		      out);
	else
		fprintf(out,
			"      %u sections and as many grace periods or more: one of the sections "
			"would begin\n      before a grace period, and end after it\n",
			through.nr_sections);
}
