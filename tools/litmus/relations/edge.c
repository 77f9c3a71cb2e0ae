/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "relations/relations.h"

static bool relates(struct evaluation *e, unsigned node, unsigned from, unsigned to)
{
	return matrix_has(evaluation_of(e, node), from, to);
}

void node_text(const struct node *node, char *buffer, size_t size)
{
	size_t length = 0;

	for (const char *p = node->begin; p < node->end && length + 1 < size; p++) {
		bool blank = *p == ' ' || *p == '\t' || *p == '\n';

		if (blank && length && buffer[length - 1] == ' ')
			continue;
		buffer[length++] = blank ? ' ' : *p;
	}
	buffer[length] = 0;
}

const char *edge_label(struct evaluation *e, unsigned node, unsigned from, unsigned to,
		       char *buffer, size_t size)
{
	const struct node *n = &e->rules->node[node];

	if (n->op == NODE_UNION && !n->is_set)
		return edge_label(e, relates(e, n->a, from, to) ? n->a : n->b, from, to, buffer,
				  size);
	if (n->name)
		snprintf(buffer, size, "%s", n->name);
	else if (n->begin)
		node_text(n, buffer, size);
	else
		snprintf(buffer, size, "an unnamed relation");
	return buffer;
}
