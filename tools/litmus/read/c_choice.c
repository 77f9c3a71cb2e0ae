/* SPDX-License-Identifier: MIT */
/*
 * && || ?: are computed without a branch if the operands that they may leave out have no effect
 * except a value. Otherwise they branch, and their value still depends on the operand that decided.
 */
#include "read/c.h"

struct operand c_truth(struct c *c, const struct c_node *node)
{
	struct c_value value = c_value(c, node, NULL);

	if (!c_size(value.type))
		text_fail(c->lexer->text, node->at, "expected a value");
	return value.operand;
}

/* Returns 0 or 1. */
static struct operand logical(struct c *c, const struct c_node *node)
{
	struct c_value value = c_value(c, node, NULL);
	unsigned size = c_size(value.type) == 8 ? 8 : 4;

	if (!c_size(value.type))
		text_fail(c->lexer->text, node->at, "expected a value");
	if (node->kind == C_AND || node->kind == C_OR || node->kind == C_NOT ||
	    (node->kind == C_BINARY && node->alu >= ALU_EQ && node->alu <= ALU_GE))
		return value.operand;
	return c_set(c, node->at, ALU_NE, value.operand, operand_value(0), size, C_INT,
		     NULL).operand;
}

/* Sets @reg, which is the statement's own, so that no later evaluation changes it. */
static void keep_operand(struct c *c, const char *at, unsigned reg, enum alu alu, struct operand a,
			 struct operand b, unsigned size)
{
	struct instruction *set = test_add(c->test, c->thread, OP_SET, at);

	set->alu = alu;
	set->a = a;
	set->b = b;
	set->size = size;
	set->sign = true;
	set->dst = (int)reg;
}

/* Combines the second operand with the first, which was 1 for &&, 0 for ||. */
static struct c_value branching(struct c *c, const struct c_node *node, enum alu alu)
{
	unsigned reg = c_temporary(c), skip, into;
	struct operand kept = operand_reg(reg);

	keep_operand(c, node->at, reg, ALU_FIRST, logical(c, node->a), operand_value(0), 4);
	c_arm_begin(c, node->at);
	into = c_branch(c, node->at, kept);
	if (alu == ALU_AND) {
		skip = c_jump(c, node->at);
		c_land(c, into);
	} else {
		skip = into;
	}
	keep_operand(c, node->at, reg, alu, kept, logical(c, node->b), 4);
	c_land(c, skip);
	c_arm_end(c, node->at);
	return (struct c_value) { .operand = kept, .type = C_INT };
}

static struct c_value logic(struct c *c, const struct c_node *node, const struct c_want *want)
{
	enum alu alu = node->kind == C_AND ? ALU_AND : ALU_OR;
	struct operand a;

	if (node->b->effects)
		return branching(c, node, alu);
	a = logical(c, node->a);
	return c_set(c, node->at, alu, a, logical(c, node->b), 4, C_INT, want);
}

static struct c_type either(struct c_type a, struct c_type b)
{
	return a.pointer ? a : b.pointer ? b : c_common(a, b);
}

/* Computes b ^ ((a ^ b) & -condition). */
static struct c_value selected(struct c *c, const struct c_node *node)
{
	struct operand condition = logical(c, node->a);
	struct c_value a = c_value(c, node->b, NULL), b = c_value(c, node->c, NULL);
	struct c_type type = either(a.type, b.type);
	unsigned size = c_size(type);
	struct operand mask, both;

	if (!c_size(a.type) || !c_size(b.type))
		text_fail(c->lexer->text, node->at, "expected a value");
	a = c_widened(c, node->at, a, size);
	b = c_widened(c, node->at, b, size);
	mask = c_set(c, node->at, ALU_SUB, operand_value(0), condition, size, type, NULL).operand;
	both = c_set(c, node->at, ALU_XOR, a.operand, b.operand, size, type, NULL).operand;
	both = c_set(c, node->at, ALU_AND, both, mask, size, type, NULL).operand;
	return c_set(c, node->at, ALU_XOR, both, b.operand, size, type, NULL);
}

static struct c_type arm(struct c *c, const struct c_node *node, unsigned reg,
			 struct operand nothing)
{
	struct c_value value = c_value(c, node, NULL), wide;

	if (!c_size(value.type))
		text_fail(c->lexer->text, node->at, "expected a value");
	wide = c_widened(c, node->at, value, 8);
	keep_operand(c, node->at, reg, ALU_OR, nothing, wide.operand, 8);
	return value.type;
}

static struct c_value chosen(struct c *c, const struct c_node *node)
{
	const struct c_type number = { .size = 8, .sign = true };
	struct operand condition = c_truth(c, node->a);
	unsigned reg = c_temporary(c), into, skip;
	struct c_type a, b;
	struct operand nothing;

	nothing = c_set(c, node->at, ALU_AND, condition, operand_value(0), 8, number, NULL).operand;
	c_arm_begin(c, node->at);
	into = c_branch(c, node->at, condition);
	b = arm(c, node->c, reg, nothing);
	skip = c_jump(c, node->at);
	c_land(c, into);
	a = arm(c, node->b, reg, nothing);
	c_land(c, skip);
	c_arm_end(c, node->at);
	return (struct c_value) { .operand = operand_reg(reg), .type = either(a, b) };
}

struct c_value c_choice(struct c *c, const struct c_node *node, const struct c_want *want)
{
	if (node->kind != C_CHOOSE)
		return logic(c, node, want);
	return node->b->effects || node->c->effects ? chosen(c, node) : selected(c, node);
}
