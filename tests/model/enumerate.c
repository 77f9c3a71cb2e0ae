/* SPDX-License-Identifier: MIT */
/*
 * An independent reference for the checker's verdicts on the litmus shapes: enumerates all
 * candidate executions of each and asks the models' axioms. It shares with the checker the table
 * of shapes and nothing else.
 *
 *	enumerate		all shapes
 *	enumerate SHAPE...	some
 *	enumerate --may-stop=MASK ...	the same, but threads may stop for ever, before any operation
 *
 * Prints KTAP, a line "SHAPE MODEL VERDICT COUNT" for each shape and model: whether the outcome is
 * allowed, and how many consistent execution graphs there are. Not ok: the verdict is not the
 * table's. Besides, a line for each published number of executions, and one on the models'
 * inclusion: what SC allows TSO must, and what TSO allows RC11 (the mapping to x86 is sound).
 */
#include <stdarg.h>

#include "enumerate_graph.h"
#include "litmus_shapes.h"

enum { SC_MODEL, TSO_MODEL, RC11_MODEL, MODELS };

static const struct {
	const char *name;
	bool (*consistent)(const struct graph *g);
} models[MODELS] = {
	{ "sc", sc_consistent },
	{ "tso", tso_consistent },
	{ "rc11", rc11_consistent },
};

static struct {
	unsigned long count[MODELS];
	unsigned allowed;
	unsigned long outside;	/* graphs of a stronger model that a weaker one lacks */
} tally;

static unsigned long nr, failed, differ[MODELS];

static unsigned long may_stop;	/* threads, a bit each */

__attribute__((format(printf, 2, 3)))
static void result(bool ok, const char *format, ...)
{
	va_list args;

	failed += !ok;
	printf("%sok %lu ", ok ? "" : "not ", ++nr);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static bool outcome(const struct candidate *c)
{
	for (int i = 0; i < c->program->terms; i++) {
		const struct litmus_term *term = &c->program->term[i];
		int value = term->is_register ? c->registers[term->number] : c->last[term->number];

		if (value != term->value)
			return false;
	}
	return true;
}

/* ---- threads that stop */

/* What each thread has in front of it when it stops; all of it: it stops at its end, or ends. */
static int stops_before[LITMUS_THREADS];

static bool stops_early(const struct litmus_program *program, int t)
{
	return stops_before[t] < program->thread[t].ops;
}

/*
 * How many executions the candidate stands for: none when a thread that is to stop at an operation
 * does not get there, two for each that may stop and has done everything.
 */
static unsigned long weight(const struct candidate *c)
{
	unsigned long n = 1;

	for (int t = 0; t < c->program->threads; t++)
		if ((may_stop >> t & 1) && !stops_early(c->program, t))
			n *= 2;
	for (int i = 0; i < c->steps; i++) {
		const struct litmus_op *op = c->step[i].op;

		if (op->kind == LITMUS_ONLY_IF && stops_early(c->program, c->step[i].thread) &&
		    value_of(c, op->expected) != value_of(c, op->value))
			return 0;
	}
	return n;
}

static void judge(struct candidate *c)
{
	bool stronger = false;

	for (int model = 0; model < MODELS; model++) {
		bool consistent = models[model].consistent(&c->graph);

		tally.outside += stronger && !consistent;
		stronger = consistent;
		tally.count[model] += consistent ? weight(c) : 0;
		if (consistent && outcome(c))
			tally.allowed |= 1u << model;
	}
}

static bool may_be_source(const struct candidate *c, int source, int read)
{
	return source == INITIAL || (source != read && op_may_write(c->step[source].op) &&
		c->step[source].op->location == c->step[read].op->location);
}

/* Every choice of sources for the reads from step @i on. */
static void choose_sources(struct candidate *c, int i)
{
	if (i == c->steps) {
		if (!candidate_execute(c))
			return;
		graph_build(c);
		graph_orders(c, 0, 1);
		return;
	}
	c->step[i].source = INITIAL;
	if (!op_reads(c->step[i].op)) {
		choose_sources(c, i + 1);
		return;
	}
	for (int source = INITIAL; source < c->steps; source++) {
		if (!may_be_source(c, source, i))
			continue;
		c->step[i].source = source;
		choose_sources(c, i + 1);
	}
}

/* The candidates in which each thread stops where stops_before[] has it. */
static void enumerate_stopped(const struct litmus_program *program)
{
	struct candidate candidate = { .program = program, .judge = judge };

	for (int t = 0; t < program->threads; t++) {
		for (int i = 0; i < stops_before[t]; i++) {
			candidate.step[candidate.steps++] = (struct step){
				.op = &program->thread[t].op[i], .thread = t };
		}
	}
	choose_sources(&candidate, 0);
}

static bool has_membarrier(const struct litmus_program *program)
{
	for (int t = 0; t < program->threads; t++)
		for (int i = 0; i < program->thread[t].ops; i++)
			if (program->thread[t].op[i].kind == LITMUS_MEMBARRIER)
				return true;
	return false;
}

/* Whether a thread may stop before @op: not where it does nothing that others could see. */
static bool may_stop_before(const struct litmus_program *program, const struct litmus_op *op)
{
	return op->kind != LITMUS_ONLY_IF &&
		(op->kind != LITMUS_SIGNAL || has_membarrier(program));
}

/* Every choice of where the threads from @t on stop, if they may. */
static void choose_stops(const struct litmus_program *program, int t)
{
	if (t == program->threads) {
		enumerate_stopped(program);
		return;
	}
	for (int i = 0; (may_stop >> t & 1) && i < program->thread[t].ops; i++) {
		if (!may_stop_before(program, &program->thread[t].op[i]))
			continue;
		stops_before[t] = i;
		choose_stops(program, t + 1);
	}
	stops_before[t] = program->thread[t].ops;
	choose_stops(program, t + 1);
}

static void enumerate(const struct litmus_shape *shape)
{
	struct litmus_program program = { 0 };

	litmus_parse(&program, shape->program, shape->exists);
	memset(&tally, 0, sizeof(tally));
	choose_stops(&program, 0);
}

static const char *verdict(bool allowed)
{
	return allowed ? "allowed" : "forbidden";
}

static void published(const struct litmus_shape *shape, int model, unsigned long count)
{
	if (count)
		result(tally.count[model] == count, "%s %s published %lu", shape->name,
			models[model].name, count);
}

static void report_counts(const struct litmus_shape *shape)
{
	for (int model = 0; model < MODELS; model++)
		result(true, "%s %s stopped %lu", shape->name, models[model].name,
			tally.count[model]);
	result(!tally.outside, "%s inclusion", shape->name);
}

static void report(const struct litmus_shape *shape)
{
	for (int model = 0; model < MODELS; model++) {
		bool allowed = tally.allowed >> model & 1, table = shape->allowed >> model & 1;

		result(allowed == table, "%s %s %s %lu", shape->name, models[model].name,
			verdict(allowed), tally.count[model]);
		if (allowed != table)
			printf("# the table says %s: %s\n", verdict(table), shape->source);
		differ[model] += model && table != (shape->allowed >> (model - 1) & 1);
	}
	published(shape, RC11_MODEL, shape->published.rc11);
	published(shape, SC_MODEL, shape->published.sc);
	result(!tally.outside, "%s inclusion", shape->name);
}

static bool wanted(const struct litmus_shape *shape, char **names)
{
	if (!*names)
		return true;
	while (*names) {
		if (!strcmp(*names++, shape->name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	unsigned long shapes = 0;
	char **names = argv + 1;

	if (argc > 1 && sscanf(argv[1], "--may-stop=%lu", &may_stop) == 1)
		names++;
	printf("TAP version 13\n");
	for (size_t i = 0; i < LITMUS_SHAPES; i++) {
		if (!wanted(&litmus_shapes[i], names))
			continue;
		enumerate(&litmus_shapes[i]);
		(may_stop ? report_counts : report)(&litmus_shapes[i]);
		shapes++;
	}
	printf("1..%lu\n# %lu shapes; verdicts differ between sc and tso in %lu, between tso and "
		"rc11 in %lu\n", nr, shapes, differ[TSO_MODEL], differ[RC11_MODEL]);
	return failed || !shapes;
}
