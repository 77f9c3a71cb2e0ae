/* SPDX-License-Identifier: MIT */
#include "path/path.h"

#define SAME_DEPTH 8

const struct expr *expr_number(struct arena *arena, uint64_t number)
{
	struct expr *expr = arena_alloc(arena, sizeof(*expr));

	expr->kind = EXPR_NUMBER;
	expr->number = number;
	return expr;
}

const struct expr *expr_read(struct arena *arena, unsigned read, unsigned size, bool sign)
{
	struct expr *expr = arena_alloc(arena, sizeof(*expr));

	expr->kind = EXPR_READ;
	expr->read = read;
	expr->size = size;
	expr->sign = sign;
	expr->taint = expr->needs = 1ull << read;
	return expr;
}

const struct expr *expr_after(struct arena *arena, unsigned access)
{
	struct expr *expr = arena_alloc(arena, sizeof(*expr));

	expr->taint = 1ull << access;
	return expr;
}

static bool is_number(const struct expr *expr, uint64_t number)
{
	return expr->kind == EXPR_NUMBER && expr->number == number;
}

/* Whether the value is 0 whatever is read: it is known early, although it depends on the read. */
static bool is_nothing(enum alu alu, const struct expr *a, const struct expr *b)
{
	if (alu == ALU_XOR || alu == ALU_SUB)
		return a == b;
	return (alu == ALU_AND || alu == ALU_MUL) && (is_number(a, 0) || is_number(b, 0));
}

enum { BY_SIGN = 1, BY_ZEROS = 2 };

/*
 * Returns in which ways the low 4 bytes of the number can be extended to 8 so that they are the
 * number again (BY_SIGN, BY_ZEROS), as far as its expression shows this.
 */
static unsigned extension_of(const struct expr *expr)
{
	if (expr->kind == EXPR_NUMBER)
		return (extended(expr->number, 4, true) == expr->number ? BY_SIGN : 0) |
			(extended(expr->number, 4, false) == expr->number ? BY_ZEROS : 0);
	if (expr->kind == EXPR_ALU && expr->alu == ALU_SEXT && expr->b->kind == EXPR_NUMBER &&
	    expr->b->number == 4)
		return BY_SIGN;
	if (!expr->size || expr->size > 4)
		return 0;
	return expr->sign ? BY_SIGN : BY_ZEROS;
}

/* Returns a simpler expression with the same low @size bytes. */
static const struct expr *bare(const struct expr *expr, unsigned size)
{
	for (;;) {
		bool sign = expr->kind == EXPR_ALU && expr->alu == ALU_SEXT &&
			    expr->b->kind == EXPR_NUMBER && expr->b->number >= size;

		if (!sign &&
		    (expr->kind != EXPR_ALU || expr->alu != ALU_FIRST || expr->size < size))
			return expr;
		expr = expr->a;
	}
}

static bool is_same_value(const struct expr *a, const struct expr *b, unsigned depth)
{
	if (a->kind != b->kind || !depth)
		return false;
	if (a->kind == EXPR_NUMBER)
		return a->number == b->number;
	if (a->kind == EXPR_READ)
		return a->read == b->read;
	return a->alu == b->alu && a->size == b->size && a->sign == b->sign &&
		is_same_value(a->a, b->a, depth - 1) && is_same_value(a->b, b->b, depth - 1);
}

/*
 * Writes a comparison in one form, whatever the instructions are, so that equal decisions are
 * recognised. Extension keeps the order of numbers; sign extension also keeps the order of unsigned
 * ones. A number compared with itself is known early, although it depends on the read.
 */
static void compare_bare(struct expr *expr)
{
	unsigned common = extension_of(bare(expr->a, 8)) & extension_of(bare(expr->b, 8));
	bool ordered = expr->alu >= ALU_LT && expr->alu <= ALU_GE;

	if (expr->size == 8 && (common & BY_SIGN || (common && !ordered)))
		expr->size = 4;
	expr->a = bare(expr->a, expr->size);
	expr->b = bare(expr->b, expr->size);
	if (is_same_value(expr->a, expr->b, SAME_DEPTH)) {
		expr->kind = EXPR_NUMBER;
		expr->number = alu_result(expr->alu, 0, 0, expr->size);
		expr->needs = 0;
	}
}

const struct expr *expr_alu(struct arena *arena, enum alu alu, const struct expr *a,
			    const struct expr *b, unsigned size, bool sign)
{
	struct expr *expr = arena_alloc(arena, sizeof(*expr));

	expr->kind = EXPR_ALU;
	expr->alu = alu;
	expr->size = size;
	expr->sign = sign;
	expr->a = a;
	expr->b = b;
	expr->taint = (alu == ALU_SECOND ? 0 : a->taint) | (alu == ALU_FIRST ? 0 : b->taint);
	expr->pick = a->pick | b->pick;
	expr->needs = (alu == ALU_SECOND ? 0 : a->needs) | (alu == ALU_FIRST ? 0 : b->needs);
	if (a->kind == EXPR_NUMBER && b->kind == EXPR_NUMBER) {
		expr->number = extended(alu_result(alu, a->number, b->number, size), size, sign);
		expr->kind = EXPR_NUMBER;
	} else if (is_nothing(alu, a, b)) {
		expr->kind = EXPR_NUMBER;
		expr->needs = 0;
	} else if (alu >= ALU_EQ && alu <= ALU_GEU) {
		compare_bare(expr);
	}
	return expr;
}

const struct expr *expr_picked(struct arena *arena, const struct expr *a, uint64_t by)
{
	struct expr *expr = arena_alloc(arena, sizeof(*expr));

	*expr = *a;
	expr->pick |= by;
	return expr;
}

uint64_t expr_value(const struct expr *expr, const uint64_t *value)
{
	switch (expr->kind) {
	case EXPR_NUMBER:
		return expr->number;
	case EXPR_READ:
		return value[expr->read];
	default:
		return extended(alu_result(expr->alu, expr_value(expr->a, value),
					   expr_value(expr->b, value), expr->size),
				expr->size, expr->sign);
	}
}
