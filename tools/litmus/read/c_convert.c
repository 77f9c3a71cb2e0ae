/* SPDX-License-Identifier: MIT */
/*
 * Values and their types. Of a value of at most 4 bytes, the low 4 bytes of its register are right.
 * Code that needs 8 bytes of the value widens it first, by the sign of its type.
 */
#include "read/c.h"

unsigned c_result(struct c *c, const struct c_want *want, struct c_type type)
{
	if (want && !want->nothing && c_same(want->type, type))
		return want->reg;
	return c_temporary(c);
}

struct c_value c_number(uint64_t value, struct c_type type)
{
	value = extended(value, c_size(type), c_signed(type));
	return (struct c_value) { .operand = operand_value(value), .type = type };
}

/* Computes @a alu @b. Two numbers need no instruction. @size: of the operands; pointers: 8. */
struct c_value c_set(struct c *c, const char *at, enum alu alu, struct operand a, struct operand b,
		     unsigned size, struct c_type type, const struct c_want *want)
{
	struct instruction *set;
	unsigned dst;

	if (!a.is_register && !b.is_register)
		return c_number(alu_result(alu, a.value, b.value, size), type);
	dst = c_result(c, want, type);
	set = test_add(c->test, c->thread, OP_SET, at);
	set->alu = alu;
	set->a = a;
	set->b = b;
	set->size = size;
	set->sign = c_signed(type);
	set->dst = (int)dst;
	return (struct c_value) { .operand = operand_reg(dst), .type = type };
}

struct c_value c_widened(struct c *c, const char *at, struct c_value value, unsigned size)
{
	struct c_type type = value.type;

	if (size < 8 || c_size(type) == 8)
		return value;
	type.size = 8;
	type.boolean = false;
	if (c_signed(value.type))
		return c_set(c, at, ALU_SEXT, value.operand, operand_value(4), 8, type, NULL);
	value = c_set(c, at, ALU_FIRST, value.operand, operand_value(0), 4, value.type, NULL);
	value.type = type;
	return value;
}

static struct c_value narrowed(struct c *c, const char *at, struct c_value value,
			       struct c_type type, const struct c_want *want)
{
	unsigned size = c_size(type);

	if (size == 4)
		return c_set(c, at, ALU_FIRST, value.operand, operand_value(0), 4, type, want);
	if (c_signed(type))
		return c_set(c, at, ALU_SEXT, value.operand, operand_value(size), 4, type, want);
	return c_set(c, at, ALU_AND, value.operand, operand_value((1u << 8 * size) - 1), 4, type,
		     want);
}

struct c_value c_converted(struct c *c, const char *at, struct c_value value, struct c_type type,
			   const struct c_want *want)
{
	unsigned size = c_size(type);

	if (!size)
		text_fail(c->lexer->text, at, "expected a type that has a size, not void");
	if (!c_size(value.type))
		text_fail(c->lexer->text, at, "expected a value");
	if (c_same(value.type, type)) {
		value.type = type;
		return value;
	}
	if (!type.pointer && type.boolean) {
		unsigned from = c_size(value.type) == 8 ? 8 : 4;

		return c_set(c, at, ALU_NE, value.operand, operand_value(0), from, type, want);
	}
	if (size < 8)
		return narrowed(c, at, value, type, want);
	value = c_widened(c, at, value, 8);
	value.type = type;
	return value;
}

struct c_type c_common(struct c_type a, struct c_type b)
{
	struct c_type type = C_INT;
	bool wide = c_size(a) == 8 || c_size(b) == 8;

	if (wide)
		type.size = 8;
	if (c_size(a) == type.size && !c_signed(a))
		type.sign = false;
	if (c_size(b) == type.size && !c_signed(b))
		type.sign = false;
	return type;
}
