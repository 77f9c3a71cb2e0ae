/* SPDX-License-Identifier: MIT */
/*
 * Whether the earlier decisions of a walk imply another one. If a compare-exchange has found what
 * it wants, a later branch on its success can go only one way; the other way is no path.
 */
#include "path/walk.h"

#define MAX_DEPTH 8

static bool same(const struct expr *a, const struct expr *b)
{
	static const struct window all = { 0, 0 };

	return same_expr(&all, a, b);
}

static bool is_comparison(const struct expr *expr)
{
	return expr->kind == EXPR_ALU && expr->alu >= ALU_EQ && expr->alu <= ALU_GEU;
}

/* Whether the two are a == b and a != b, or b != a. */
static bool is_opposite(const struct expr *a, const struct expr *b)
{
	return is_comparison(a) && is_comparison(b) && a->alu + b->alu == ALU_EQ + ALU_NE &&
		a->alu != b->alu && a->size == b->size &&
		((same(a->a, b->a) && same(a->b, b->b)) || (same(a->a, b->b) && same(a->b, b->a)));
}

/* Whether the decision is that @expr is a number. */
static bool is_found(const struct walk *walk, const struct constraint *c, const struct expr *expr,
		     uint64_t *value)
{
	const struct path_event *event = expr->kind == EXPR_READ ? &walk->event[expr->read] : NULL;
	unsigned size = event ? event->size : expr->size;

	if (!is_comparison(c->expr) || c->expr->alu != (c->holds ? ALU_EQ : ALU_NE) ||
	    c->expr->b->kind != EXPR_NUMBER || size > c->expr->size || !same(c->expr->a, expr))
		return false;
	*value = extended(c->expr->b->number, size, event ? event->sign : expr->sign);
	return true;
}

static bool is_decided(const struct walk *walk, const struct expr *expr, uint64_t *value)
{
	for (unsigned i = 0; i < walk->nr_constraints; i++) {
		const struct constraint *c = &walk->constraint[i];
		bool opposite = is_opposite(c->expr, expr);

		if (c->either)
			continue;
		if (opposite || (same(c->expr, expr) && (!c->holds || is_comparison(expr)))) {
			*value = c->holds != opposite;
			return true;
		}
		if (is_found(walk, c, expr, value))
			return true;
	}
	return false;
}

static bool is_implied(const struct walk *walk, const struct expr *expr, uint64_t *value,
		       unsigned depth)
{
	uint64_t a = 0, b = 0;

	if (expr->kind == EXPR_NUMBER) {
		*value = expr->number;
		return true;
	}
	if (is_decided(walk, expr, value))
		return true;
	if (expr->kind != EXPR_ALU || depth == MAX_DEPTH ||
	    !is_implied(walk, expr->a, &a, depth + 1) || !is_implied(walk, expr->b, &b, depth + 1))
		return false;
	*value = extended(alu_result(expr->alu, a, b, expr->size), expr->size, expr->sign);
	return true;
}

bool walk_implies(const struct walk *walk, const struct expr *expr, bool *truth)
{
	uint64_t value;

	if (!is_implied(walk, expr, &value, 0))
		return false;
	*truth = value != 0;
	return true;
}
