/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "relations/relations.h"

static unsigned add_node(struct rules *rules, const struct node *node)
{
	if (rules->nr == rules->room) {
		struct node *old = rules->node;

		rules->room = rules->room ? 2 * rules->room : 64;
		rules->node = arena_alloc(&rules->arena, rules->room * sizeof(*old));
		if (rules->nr)
			memcpy(rules->node, old, rules->nr * sizeof(*old));
	}
	rules->node[rules->nr] = *node;
	return rules->nr++;
}

static unsigned find_or_add(struct rules *rules, const struct node *node)
{
	for (unsigned i = 0; i < rules->nr; i++) {
		const struct node *other = &rules->node[i];

		if (other->op == node->op && other->a == node->a && other->b == node->b &&
		    node->op != NODE_REC)
			return i;
	}
	return add_node(rules, node);
}

unsigned node_base(struct rules *rules, unsigned base, const char *name)
{
	struct node node = { .op = NODE_BASE, .a = base, .name = name, .grows = true };

	node.is_set = base_is_set(base);
	node.on = base == BASE_RF || base == BASE_SAME_VALUE ? ON_RF : base == BASE_CO ? ON_CO : 0;
	/* values are known when each read has its write, and not before */
	node.grows = base != BASE_SAME_VALUE;
	return find_or_add(rules, &node);
}

unsigned node_rec(struct rules *rules, const char *name)
{
	struct node node = { .op = NODE_REC, .on = ON_REC, .name = name, .grows = true };

	return find_or_add(rules, &node);
}

/* Returns a solution, which depends on what the bodies of its group depend on. */
unsigned node_fixed(struct rules *rules, unsigned group, unsigned which, const char *name)
{
	struct node node = { .op = NODE_FIXED, .a = group, .b = which, .name = name,
			     .grows = true };

	for (unsigned i = 0; i < rules->group[group].nr; i++) {
		node.on |= rules->node[rules->group[group].body[i]].on & (ON_RF | ON_CO);
		node.grows &= rules->node[rules->group[group].body[i]].grows;
	}
	return find_or_add(rules, &node);
}

/* Narrows: [s]; a and a; [s] are cheaper than a sequence of relations. */
static void narrow(struct rules *rules, struct node *node)
{
	const struct node *a = &rules->node[node->a], *b = &rules->node[node->b];
	unsigned set;

	if (node->op != NODE_SEQUENCE)
		return;
	if (a->op == NODE_ON) {
		set = a->a;
		node->op = NODE_FROM;
		node->a = set;
	} else if (b->op == NODE_ON) {
		set = b->a;
		node->op = NODE_TO;
		node->b = set;
	}
}

static bool makes_set(const struct rules *rules, const struct node *node)
{
	switch (node->op) {
	case NODE_UNION:
	case NODE_AND:
	case NODE_MINUS:
	case NODE_NOT:
		return rules->node[node->a].is_set;
	case NODE_DOMAIN:
	case NODE_RANGE:
		return true;
	default:
		return false;
	}
}

unsigned node_make(struct rules *rules, enum node_op op, unsigned a, unsigned b, const char *begin,
		   const char *end)
{
	struct node node = { .op = op, .a = a, .b = b, .begin = begin, .end = end };

	narrow(rules, &node);
	node.on = rules->node[node.a].on | rules->node[node.b].on;
	node.is_set = makes_set(rules, &node);
	node.grows = rules->node[node.a].grows && rules->node[node.b].grows;
	if (op == NODE_MINUS && rules->node[node.b].on)
		node.grows = false;
	if ((op == NODE_NOT || op == NODE_BRACKETS) && node.on)
		node.grows = false;
	return find_or_add(rules, &node);
}
