/* SPDX-License-Identifier: MIT */
#include "path/path.h"

const struct expr *expr_number(struct arena *arena, uint64_t number)
{
	struct expr *expr = arena_alloc(arena, sizeof(*expr));

	expr->kind = EXPR_NUMBER;
	expr->number = number;
	return expr;
}

const struct expr *expr_read(struct arena *arena, unsigned read)
{
	struct expr *expr = arena_alloc(arena, sizeof(*expr));

	expr->kind = EXPR_READ;
	expr->read = read;
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
