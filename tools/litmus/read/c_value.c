/* SPDX-License-Identifier: MIT */
/* From a tree to instructions: arithmetic here, all else in the other files. */
#include "read/c.h"

/* Computes p + 1, the next element. An index keeps its dependencies. */
static struct c_value moved(struct c *c, const char *at, enum alu alu, struct c_value pointer,
			    struct c_value by, const struct c_want *want)
{
	unsigned element = c_size(c_pointee(pointer.type));
	const struct c_type number = { .size = 8, .sign = true };

	if (by.type.pointer)
		text_fail(c->lexer->text, at, "expected a number, not a pointer");
	by = c_widened(c, at, by, 8);
	if (element > 1)
		by = c_set(c, at, ALU_MUL, by.operand, operand_value(element), 8, number, NULL);
	return c_set(c, at, alu, pointer.operand, by.operand, 8, pointer.type, want);
}

static bool compares(enum alu alu)
{
	return alu >= ALU_EQ && alu <= ALU_GE;
}

static enum alu of_sign(enum alu alu, bool sign)
{
	if (alu == ALU_SHR)
		return sign ? ALU_SAR : ALU_SHR;
	if (sign || alu < ALU_LT || alu > ALU_GE)
		return alu;
	return ALU_LTU + (alu - ALU_LT);
}

/* Returns the value with at least 4 bytes. A register's low 4 bytes are the same for both signs. */
static struct c_value of_type(struct c *c, const char *at, struct c_value value, struct c_type type)
{
	if (!value.operand.is_register)
		return c_number(value.operand.value, type);
	return c_widened(c, at, value, type.size);
}

struct c_value c_computed(struct c *c, const char *at, enum alu alu, struct c_value a,
			  struct c_value b, const struct c_want *want)
{
	struct c_type type = c_common(a.type, b.type);
	bool shifts = alu == ALU_SHL || alu == ALU_SHR;

	if (!c_size(a.type) || !c_size(b.type))
		text_fail(c->lexer->text, at, "expected a value on both sides");
	if (a.type.pointer && (alu == ALU_ADD || alu == ALU_SUB))
		return moved(c, at, alu, a, b, want);
	if (b.type.pointer && alu == ALU_ADD)
		return moved(c, at, alu, b, a, want);
	if (shifts)
		type = c_common(a.type, C_INT);
	a = of_type(c, at, a, type);
	if (!shifts)
		b = of_type(c, at, b, type);
	alu = of_sign(alu, type.sign);
	return c_set(c, at, alu, a.operand, b.operand, type.size,
		     compares(alu) || (alu >= ALU_LTU && alu <= ALU_GEU) ? C_INT : type, want);
}

static struct c_value parameter(struct c *c, const struct c_node *node)
{
	const struct c_parameter *parameter = &c->parameter[node->number];

	return (struct c_value) { .operand = operand_value(parameter->address),
				  .type = parameter->type };
}

/* Computes an address: &*p is p. A parameter stands for its location, in &x as in x. */
static struct c_value value_address(struct c *c, const struct c_node *node)
{
	const struct c_node *of = node->a;
	bool array;

	if (of->kind == C_DEREFERENCE)
		return c_value(c, of->a, NULL);
	if (of->kind == C_PARAMETER)
		return parameter(c, of);
	if (of->kind == C_MEMBER)
		return c_member_address(c, of, &array);
	if (of->kind == C_LOCAL)
		text_fail(c->lexer->text, of->at, "expected a location: %s has no address here",
			  c->local[of->number].name);
	text_fail(c->lexer->text, of->at, "expected a location");
}

static struct c_value cast(struct c *c, const struct c_node *node, const struct c_want *want)
{
	static const struct c_want nothing = { .nothing = true };

	if (node->type.record && !node->type.pointer)
		text_fail(c->lexer->text, node->at, "expected another type than a union or struct");
	if (c_size(node->type))
		return c_converted(c, node->at, c_value(c, node->a, NULL), node->type, want);
	c_value(c, node->a, &nothing);
	return (struct c_value) { .type = node->type };
}

static struct c_value inverted(struct c *c, const struct c_node *node, const struct c_want *want)
{
	struct c_value value = c_value(c, node->a, NULL);

	if (!c_size(value.type))
		text_fail(c->lexer->text, node->a->at, "expected a value");
	return c_set(c, node->at, ALU_EQ, value.operand, operand_value(0),
		     c_size(value.type) == 8 ? 8 : 4, C_INT, want);
}

static struct c_value binary(struct c *c, const struct c_node *node, const struct c_want *want)
{
	struct c_value a = c_value(c, node->a, NULL);

	return c_computed(c, node->at, node->alu, a, c_value(c, node->b, NULL), want);
}

static struct c_value loaded(struct c *c, const struct c_node *node, const struct c_want *want)
{
	struct c_place place = c_place(c, node);

	return c_place_load(c, &place, want);
}

/* Reads a member. The name of an array is a pointer to its first element. */
static struct c_value of_member(struct c *c, const struct c_node *node, const struct c_want *want)
{
	bool array;
	struct c_value pointer = c_member_address(c, node, &array);
	struct c_place place;

	if (array)
		return pointer;
	place = c_pointed(c, node->at, pointer);
	return c_place_load(c, &place, want);
}

struct c_value c_value(struct c *c, const struct c_node *node, const struct c_want *want)
{
	switch (node->kind) {
	case C_NUMBER: return c_number(node->value, node->type);
	case C_PARAMETER: return parameter(c, node);
	case C_BINARY: return binary(c, node, want);
	case C_NOT: return inverted(c, node, want);
	case C_AND:
	case C_OR:
	case C_CHOOSE: return c_choice(c, node, want);
	case C_LOCAL:
	case C_DEREFERENCE: return loaded(c, node, want);
	case C_MEMBER: return of_member(c, node, want);
	case C_ADDRESS: return value_address(c, node);
	case C_ASSIGN: return c_assign(c, node, want);
	case C_STEP: return c_step(c, node, want);
	case C_CAST: return cast(c, node, want);
	case C_CALL: return c_call(c, node, want);
	case C_ORDER: break;
	}
	text_fail(c->lexer->text, node->at, "expected a value, not a memory order");
}
