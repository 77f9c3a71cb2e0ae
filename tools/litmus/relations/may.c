/* SPDX-License-Identifier: MIT */
/*
 * Which nodes may have members in some execution of the chosen paths. The other nodes need not be
 * computed for each rf and co. So a part of a model costs nothing if a test uses nothing that this
 * part is about.
 */
#include "relations/relations.h"

static bool both_may(struct evaluation *e, const struct node *n)
{
	return evaluation_may(e, n->a) && evaluation_may(e, n->b);
}

static bool node_may(struct evaluation *e, unsigned node)
{
	const struct node *n = &e->rules->node[node];

	if (!n->on)
		return !evaluation_void(e, node);
	switch (n->op) {
	case NODE_UNION:
		return evaluation_may(e, n->a) || evaluation_may(e, n->b);
	case NODE_AND:
	case NODE_SEQUENCE:
	case NODE_PRODUCT:
	case NODE_FROM:
	case NODE_TO:
	case NODE_BRACKETS:
		return both_may(e, n);
	case NODE_MINUS:
	case NODE_ON:
	case NODE_PLUS:
	case NODE_INVERSE:
	case NODE_DOMAIN:
	case NODE_RANGE:
		return evaluation_may(e, n->a);
	case NODE_REC:		/* only members from elsewhere count in evaluation_may_group() */
		return false;
	case NODE_FIXED:
		return evaluation_may_group(e, &e->rules->group[n->a]);
	default:
		return true;
	}
}

bool evaluation_may(struct evaluation *e, unsigned node)
{
	if (e->may_at[node] < e->changed[0]) {
		e->may[node] = node_may(e, node);
		e->may_at[node] = e->now;
	}
	return e->may[node];
}

bool evaluation_may_group(struct evaluation *e, const struct group *group)
{
	for (unsigned i = 0; i < group->nr; i++)
		if (evaluation_may(e, group->body[i]))
			return true;
	return false;
}
