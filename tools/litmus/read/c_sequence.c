/* SPDX-License-Identifier: MIT */
/*
 * C does not say which operand of + or == comes first. If one of them writes an object that the
 * other names, the meaning is undefined, and no state would be right. If one of them has a call
 * that writes memory, and the other accesses memory, too, a test has more states than those of one
 * order.
 */
#include "read/c.h"

/* Returns the variable or parameter that the place is, or that leads to it; NULL: none does. */
static const struct c_node *root_of(const struct c_node *node)
{
	while (node && node->kind != C_LOCAL && node->kind != C_PARAMETER)
		node = node->a;
	return node;
}

static bool names(const struct c_node *node, const struct c_node *root)
{
	if (!node)
		return false;
	if (node->kind == root->kind && (node->kind == C_LOCAL || node->kind == C_PARAMETER))
		return node->number == root->number;
	for (unsigned i = 0; i < node->nr; i++)
		if (names(node->argument[i], root))
			return true;
	return names(node->a, root) || names(node->b, root) || names(node->c, root);
}

/* Returns an =, ++ or -- in @node that writes an object named in @other; NULL: there is none. */
static const struct c_node *write_of(const struct c_node *node, const struct c_node *other)
{
	const struct c_node *root, *found;

	if (!node)
		return NULL;
	root = node->kind == C_ASSIGN || node->kind == C_STEP ? root_of(node->a) : NULL;
	if (root && names(other, root))
		return node;
	found = write_of(node->a, other);
	found = found ? found : write_of(node->b, other);
	return found ? found : write_of(node->c, other);
}

/* Returns a call in @node that writes memory; NULL: there is none. */
static const struct c_node *call_of(const struct c_node *node)
{
	const struct c_node *found = NULL;

	if (!node)
		return NULL;
	if (node->kind == C_CALL && node->primitive->does >= C_STORE &&
	    node->primitive->does <= C_CAS)
		return node;
	for (unsigned i = 0; !found && i < node->nr; i++)
		found = call_of(node->argument[i]);
	found = found ? found : call_of(node->a);
	found = found ? found : call_of(node->b);
	return found ? found : call_of(node->c);
}

void c_must_be_sequenced(struct c *c, const struct c_node *a, const struct c_node *b)
{
	const struct c_node *write = write_of(a, b), *call = b->effects ? call_of(a) : NULL;

	write = write ? write : write_of(b, a);
	if (write)
		text_fail(c->lexer->text, write->at,
			  "expected a statement of its own for this write: C leaves "
			  "open whether it comes before the other operand");
	call = !call && a->effects ? call_of(b) : call;
	if (call)
		text_fail(c->lexer->text, call->at,
			  "expected a statement of its own for this call: C leaves "
			  "open whether it comes before the other operand");
}
