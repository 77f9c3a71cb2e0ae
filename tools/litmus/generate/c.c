/* SPDX-License-Identifier: MIT */
#include "generate/c.h"

struct place {
	FILE *out;
	struct cycle *cycle;
	const struct c_words *words;
	unsigned indent;
};

static void indent(struct place *p)
{
	for (unsigned i = 0; i < p->indent; i++)
		fputc('\t', p->out);
}

static bool thread_uses(const struct cycle *cycle, unsigned thread, unsigned location)
{
	for (unsigned i = 0; i < cycle->nr_events; i++)
		if (cycle->event[i].thread == thread && cycle->event[i].location == location)
			return true;
	return false;
}

static void print_head(struct place *p, unsigned thread)
{
	const char *between = "";

	fprintf(p->out, "P%u(", thread);
	for (unsigned i = 0; i < p->cycle->nr_locations; i++) {
		if (!thread_uses(p->cycle, thread, i))
			continue;
		fprintf(p->out, "%s%s%c", between, p->words->pointer, location_name(i));
		between = ", ";
	}
	fputs(")\n{\n", p->out);
}

static void print_registers(struct place *p, unsigned thread)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < p->cycle->nr_events; i++) {
		struct event *event = &p->cycle->event[i];

		if (event->thread != thread || event->write)
			continue;
		event->reg = nr++;
		fprintf(p->out, "\tint r%u;\n", event->reg);
	}
	if (nr)
		fputc('\n', p->out);
}

static void print_edge(struct place *p, unsigned e)
{
	const struct event *from = &p->cycle->event[e];
	const struct edge *edge = &p->cycle->edge[e];

	if (edge->kind == EDGE_FENCE) {
		indent(p);
		fprintf(p->out, "%s;\n", edge->spelling->text);
	} else if (edge->kind == EDGE_CTRL) {
		indent(p);
		fprintf(p->out, "if (r%u == %u) {\n", from->reg, from->value);
		p->indent++;
	}
}

/*
 * Writes one bit of a register, which is 0 in every value that a test reads. The compiler does not
 * know this. (It would know that the exclusive or of a register with itself is 0, and drop the
 * dependency.)
 */
static void dependency(char *text, size_t size, const struct cycle *cycle, unsigned e)
{
	snprintf(text, size, "(r%u & 128)", cycle->event[e - 1].reg);
}

static void print_c_event(struct place *p, unsigned e)
{
	const struct event *event = &p->cycle->event[e];
	const struct edge *before = edge_before(p->cycle, e);
	char zero[16], place[40], value[40];

	snprintf(place, sizeof(place), "%c", location_name(event->location));
	snprintf(value, sizeof(value), "%u", event->value);
	if (before && (before->kind == EDGE_ADDR || before->kind == EDGE_DATA))
		dependency(zero, sizeof(zero), p->cycle, e);
	if (before && before->kind == EDGE_ADDR)
		snprintf(place, sizeof(place), "%c + %s", location_name(event->location), zero);
	if (before && before->kind == EDGE_DATA)
		snprintf(value, sizeof(value), "%u + %s", event->value, zero);
	indent(p);
	if (!event->write)
		fprintf(p->out, "r%u = ", event->reg);
	if (is_rmw_read(p->cycle, e))
		p->words->rmw(p->out, event, place, p->cycle->edge[e].spelling->text);
	else if (event->write)
		p->words->store(p->out, event, place, value);
	else
		p->words->load(p->out, event, place);
	fputs(";\n", p->out);
}

static void print_function(struct place *p, unsigned thread)
{
	print_head(p, thread);
	print_registers(p, thread);
	p->indent = 1;
	for (unsigned i = 0; i < p->cycle->nr_events; i++) {
		if (p->cycle->event[i].thread != thread)
			continue;
		if (edge_before(p->cycle, i))
			print_edge(p, i - 1);
		if (!is_rmw_write(p->cycle, i))
			print_c_event(p, i);
	}
	while (p->indent > 1) {
		p->indent--;
		indent(p);
		fputs("}\n", p->out);
	}
	fputs("}\n\n", p->out);
}

static const char *c_register_name(unsigned reg, char *buffer, size_t room)
{
	snprintf(buffer, room, "r%u", reg);
	return buffer;
}

bool print_c(FILE *out, struct cycle *cycle, const char *text, const struct c_words *words)
{
	struct place place = { .out = out, .cycle = cycle, .words = words };

	fprintf(out, "C %s\n\n(*\n * %s\n *)\n\n{}\n\n", cycle->name, text);
	for (unsigned i = 0; i < cycle->nr_threads; i++)
		print_function(&place, i);
	print_question(out, cycle, c_register_name);
	return true;
}
