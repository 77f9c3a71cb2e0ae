/* SPDX-License-Identifier: MIT */
/*
 * Opens a derived relation between two events: the steps of rf, co, fr, program order, dependencies
 * and fences that it is made of, in the order of its text. If there are several ways, one of them
 * is shown.
 */
#include <string.h>

#include "relations/relations.h"

struct opening {
	struct evaluation *e;
	struct opened *opened;
};

static void open_node(struct opening *o, unsigned node, unsigned from, unsigned to);

static const struct matrix *value_of(struct opening *o, unsigned node)
{
	return evaluation_of(o->e, node);
}

/* Finds the let rec that the node is a name of. */
static const struct group *group_of(const struct rules *rules, unsigned node, unsigned *which)
{
	for (unsigned i = 0; i < rules->nr_groups; i++)
		for (unsigned k = 0; k < rules->group[i].nr; k++)
			if (rules->group[i].rec[k] == node) {
				*which = k;
				return &rules->group[i];
			}
	return NULL;
}

/* Goes one step towards the solution of a let rec; returns whether something was added. */
static bool group_step(struct evaluation *e, const struct group *group)
{
	struct matrix next[GROUP_NODES];
	size_t size = e->facts->n * sizeof(event_set);
	bool more = false;

	for (unsigned i = 0; i < group->nr; i++)
		memcpy(next[i].row, evaluation_of(e, group->body[i])->row, size);
	for (unsigned i = 0; i < group->nr; i++) {
		struct matrix *value = &e->value[group->rec[i]];

		more |= memcmp(value->row, next[i].row, size) != 0;
		memcpy(value->row, next[i].row, size);
	}
	evaluation_changed(e, ON_REC);
	return more;
}

/*
 * Opens a pair of a let rec by its expression, at the first step of the solution that has the pair.
 * In this expression the names stand for the values of the step before, so this ends.
 */
static void open_group(struct opening *o, const struct group *group, unsigned which, unsigned from,
		       unsigned to)
{
	struct evaluation *e = o->e;
	size_t size = e->facts->n * sizeof(event_set);
	struct matrix before[GROUP_NODES];
	bool more = true;

	for (unsigned i = 0; i < group->nr; i++) {
		memcpy(before[i].row, e->value[group->rec[i]].row, size);
		memset(e->value[group->rec[i]].row, 0, size);
	}
	evaluation_changed(e, ON_REC);
	while (more && !matrix_has(value_of(o, group->body[which]), from, to))
		more = group_step(e, group);
	open_node(o, group->body[which], from, to);
	for (unsigned i = 0; i < group->nr; i++)
		memcpy(e->value[group->rec[i]].row, before[i].row, size);
	evaluation_changed(e, ON_REC);
}

/* Whether a reader of models knows the relation by this name: it is not opened. */
static bool is_common(const char *name)
{
	static const char *const common[] = { "fr", "rfe", "rfi", "coe", "coi", "fre", "fri",
					      "po-loc", "po-near", "amo", "lxsx" };

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (!strcmp(common[i], name))
			return true;
	return false;
}

static void add_step(struct opening *o, unsigned node, unsigned to)
{
	struct opened *opened = o->opened;
	const struct node *n = &o->e->rules->node[node];

	if (opened->nr == OPENED_STEPS)
		return;
	if (n->name)
		strncpy(opened->step[opened->nr].label, n->name, sizeof(opened->step[0].label) - 1);
	else
		node_text(n, opened->step[opened->nr].label, sizeof(opened->step[0].label));
	opened->step[opened->nr++].to = to;
}

/* Opens a; b at an event between the two. An event that adds no step is tried first. */
static void open_sequence(struct opening *o, unsigned a, unsigned b, unsigned from, unsigned to)
{
	event_set between = 0;
	unsigned middle;

	for (event_set rest = value_of(o, a)->row[from]; rest; rest &= rest - 1)
		if (matrix_has(value_of(o, b), set_first(rest), to))
			between |= rest & -rest;
	if (!between)
		return;
	middle = between >> from & 1 ? from : between >> to & 1 ? to : set_first(between);
	open_node(o, a, from, middle);
	open_node(o, b, middle, to);
}

/* Opens the shortest way of steps of @node from @from to @to. */
static void open_steps(struct opening *o, unsigned node, unsigned from, unsigned to)
{
	int before[MATRIX_EVENTS];
	unsigned queue[MATRIX_EVENTS], way[MATRIX_EVENTS], nr = 0, length = 0;
	event_set seen = 0;

	queue[nr++] = from;
	for (unsigned i = 0; i < nr && !(seen >> to & 1); i++)
		for (event_set rest = value_of(o, node)->row[queue[i]] & ~seen; rest;
		     rest &= rest - 1) {
			before[set_first(rest)] = (int)queue[i];
			seen |= rest & -rest;
			if (nr < MATRIX_EVENTS)
				queue[nr++] = set_first(rest);
		}
	if (!(seen >> to & 1))
		return;
	do {
		way[length++] = to;
		to = (unsigned)before[to];
	} while (to != from && length < MATRIX_EVENTS);
	while (length--) {
		open_node(o, node, from, way[length]);
		from = way[length];
	}
}

/*
 * Returns the operand of a & b that says more: not "the same thread", "the same location" or a
 * product.
 */
static unsigned telling(const struct rules *rules, const struct node *n)
{
	const struct node *a = &rules->node[n->a];
	bool vague = a->op == NODE_PRODUCT || a->op == NODE_NOT ||
		(a->op == NODE_BASE && (a->a == BASE_INT || a->a == BASE_EXT || a->a == BASE_LOC));

	return vague ? n->b : n->a;
}

static void open_node(struct opening *o, unsigned node, unsigned from, unsigned to)
{
	const struct node *n = &o->e->rules->node[node];
	const struct group *group;
	unsigned which;

	if (n->name && is_common(n->name)) {
		add_step(o, node, to);
		return;
	}
	switch (n->op) {
	case NODE_UNION:
		open_node(o, matrix_has(value_of(o, n->a), from, to) ? n->a : n->b, from, to);
		break;
	case NODE_AND:
		open_node(o, telling(o->e->rules, n), from, to);
		break;
	case NODE_MINUS:
	case NODE_TO:
		open_node(o, n->a, from, to);
		break;
	case NODE_FROM:
		open_node(o, n->b, from, to);
		break;
	case NODE_SEQUENCE:
		open_sequence(o, n->a, n->b, from, to);
		break;
	case NODE_STAR:
	case NODE_OPTION:
	case NODE_PLUS:
		if (from != to || n->op == NODE_PLUS)
			open_steps(o, n->a, from, to);
		break;
	case NODE_ON:
		break;
	case NODE_FIXED:
		open_group(o, &o->e->rules->group[n->a], n->b, from, to);
		break;
	case NODE_REC:
		group = group_of(o->e->rules, node, &which);
		if (group)
			open_group(o, group, which, from, to);
		break;
	default:
		if (n->op != NODE_BASE || n->a != BASE_ID)
			add_step(o, node, to);
	}
}

void edge_open(struct evaluation *e, unsigned node, unsigned from, unsigned to,
	       struct opened *opened)
{
	struct opening o = { .e = e, .opened = opened };

	memset(opened, 0, sizeof(*opened));
	open_node(&o, node, from, to);
}
