/* SPDX-License-Identifier: MIT */
/* Reads words into a cycle, and checks that the edges fit each other. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "generate/cycle.h"

bool cycle_refuse(struct cycle *cycle, const struct edge *edge, const char *why, ...)
{
	va_list arguments;
	int length = 0;

	if (edge)
		length = snprintf(cycle->message, cycle->size, "edge %u, `%.*s`: ", edge->position,
				  edge->length, edge->word);
	va_start(arguments, why);
	if ((size_t)length < cycle->size)
		vsnprintf(cycle->message + length, cycle->size - (size_t)length, why, arguments);
	va_end(arguments);
	return false;
}

static const char *kind_of(bool write)
{
	return write ? "write" : "read";
}

/*
 * Reads the edges. @said[i]: the order that a word of its own gives to the access at which edge i
 * begins; @said[nr]: to the access at which the last edge ends.
 */
static bool read_words(struct cycle *cycle, const char *text, enum order *said)
{
	for (const char *at = text; ; ) {
		struct edge edge = { 0 };

		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			return true;
		edge.word = at;
		while (*at && !isspace((unsigned char)*at))
			at++;
		edge.length = (int)(at - edge.word);
		edge.position = cycle->nr + 1;
		if (order_read(cycle->language, edge.word, edge.length, &said[cycle->nr]))
			continue;
		if (cycle->nr == CYCLE_EDGES)
			return cycle_refuse(cycle, &edge, "more edges than %d", CYCLE_EDGES);
		if (!edge_read(cycle, &edge))
			return false;
		cycle->edge[cycle->nr++] = edge;
	}
}

/*
 * The order of an access can stand in three places: in the suffix of the edge before the access, in
 * that of the edge after it, or as a word between the two edges. Takes the order from there, and
 * refuses two that differ.
 */
static bool join_orders(struct cycle *cycle, unsigned i, enum order between)
{
	const struct edge *before = &cycle->edge[(i + cycle->nr - 1) % cycle->nr];
	struct edge *edge = &cycle->edge[i];
	struct event *event = &cycle->event[i];

	if (before->to_write != edge->from_write)
		return cycle_refuse(cycle, edge,
				    "begins with a %s, but edge %u, `%.*s`, ends in a %s",
				    kind_of(edge->from_write), before->position, before->length,
				    before->word, kind_of(before->to_write));
	if (before->to && edge->from && before->to != edge->from)
		return cycle_refuse(cycle, edge,
				    "edge %u, `%.*s`, gives its first access another order",
				    before->position, before->length, before->word);
	event->write = edge->from_write;
	event->order = edge->from ? edge->from : before->to;
	if (between && event->order && between != event->order)
		return cycle_refuse(cycle, edge, "its first access has two orders");
	if (between)
		event->order = between;
	if (!event->order)
		event->order = ORDER_PLAIN;
	if (event->write && (event->order == ORDER_ACQUIRE || event->order == ORDER_ACQUIRE_PC))
		return cycle_refuse(cycle, edge, "begins with a write, which does not acquire");
	if (!event->write && event->order == ORDER_RELEASE)
		return cycle_refuse(cycle, edge, "begins with a read, which does not release");
	return true;
}

static bool check_rmw(struct cycle *cycle, unsigned i)
{
	const struct edge *edge = &cycle->edge[i];
	const char *why;

	if (edge->kind != EDGE_RMW || !cycle->language->refuse)
		return true;
	why = cycle->language->refuse(edge->spelling, cycle->event[i].order,
				      cycle->event[(i + 1) % cycle->nr].order);
	return why ? cycle_refuse(cycle, edge, "%s", why) : true;
}

/* Rotates the cycle to where a thread begins: after an edge between threads. */
static void rotate(struct cycle *cycle)
{
	struct cycle old = *cycle;
	unsigned first = 0;

	while (!cycle->edge[(first + cycle->nr - 1) % cycle->nr].external)
		first++;
	for (unsigned i = 0; i < cycle->nr; i++) {
		cycle->edge[i] = old.edge[(first + i) % cycle->nr];
		cycle->event[i] = old.event[(first + i) % cycle->nr];
	}
}

bool cycle_read(struct cycle *cycle, const char *text)
{
	enum order said[CYCLE_EDGES + 1] = { 0 };
	unsigned external = 0;

	if (!read_words(cycle, text, said))
		return false;
	if (!cycle->nr)
		return cycle_refuse(cycle, NULL, "expected edges");
	if (said[cycle->nr] && said[0] && said[0] != said[cycle->nr])
		return cycle_refuse(cycle, &cycle->edge[0], "its first access has two orders");
	if (said[cycle->nr])
		said[0] = said[cycle->nr];
	for (unsigned i = 0; i < cycle->nr; i++) {
		external += cycle->edge[i].external;
		if (!join_orders(cycle, i, said[i]))
			return false;
	}
	for (unsigned i = 0; i < cycle->nr; i++)
		if (!check_rmw(cycle, i))
			return false;
	if (external < 2)
		return cycle_refuse(cycle, NULL, "expected two edges between threads, or more: "
				    "Rfe, Fre, Coe");
	if (external > TEST_THREADS)
		return cycle_refuse(cycle, NULL, "more threads than %d", TEST_THREADS);
	rotate(cycle);
	return true;
}
