/* SPDX-License-Identifier: MIT */
#include "path/loops.h"

#define MAX_COMPARED 512	/* nodes; larger expressions count as different */

static uint64_t moved(const struct window *window, uint64_t events)
{
	uint64_t late = events >> window->from << window->from;

	return (events & ~late) | late << window->by;
}

bool same_within(const struct window *window, uint64_t a, uint64_t b)
{
	return !(moved(window, a) & ~b);
}

static bool same_made_from(const struct window *window, const struct expr *a, const struct expr *b)
{
	return moved(window, a->taint) == b->taint && moved(window, a->pick) == b->pick &&
		moved(window, a->needs) == b->needs;
}

/*
 * Whether the two results are extended in the same way. The result of a comparison is 0 or 1, so
 * every extension leaves it the same.
 */
static bool same_sign(const struct expr *a, const struct expr *b)
{
	return a->sign == b->sign || (a->alu >= ALU_EQ && a->alu <= ALU_GEU);
}

static bool same_part(const struct window *window, const struct expr *a, const struct expr *b,
		      unsigned *left)
{
	if (!(*left)--) {
		*left = 0;
		return false;
	}
	if (a->kind != b->kind || !same_made_from(window, a, b))
		return false;
	if (a->kind == EXPR_NUMBER)
		return a->number == b->number;
	if (a == b && !((a->taint | a->pick | a->needs) >> window->from))
		return true;
	if (a->kind == EXPR_READ)
		return moved(window, 1ull << a->read) == 1ull << b->read;
	return a->alu == b->alu && a->size == b->size && same_sign(a, b) &&
		same_part(window, a->a, b->a, left) && same_part(window, a->b, b->b, left);
}

bool same_expr(const struct window *window, const struct expr *a, const struct expr *b)
{
	unsigned left = MAX_COMPARED;

	return same_part(window, a, b, &left);
}

static bool same_address(const struct window *window, const struct path_event *a,
			 const struct path_event *b)
{
	if (a->location != b->location || a->cell != b->cell || a->parts != b->parts)
		return false;
	if (!a->address || !b->address)
		return a->address == b->address;
	return a->first + window->by == b->first && same_expr(window, a->address, b->address);
}

/* @a may have fewer dependencies than @b, because fewer dependencies order less. */
bool same_event(const struct window *window, const struct path_event *a,
		const struct path_event *b)
{
	return a->kind == b->kind && a->tags == b->tags && same_address(window, a, b) &&
		a->size == b->size && a->sign == b->sign && a->located == b->located &&
		a->pointed == b->pointed && a->fits == b->fits && a->mixed == b->mixed &&
		same_within(window, a->addr, b->addr) && same_within(window, a->ctrl, b->ctrl) &&
		same_within(window, a->pick_addr, b->pick_addr) &&
		same_within(window, a->pick_ctrl, b->pick_ctrl);
}

/* Returns the read if @expr is the low @size bytes of its value; else NULL. */
static const struct expr *read_of(const struct expr *expr, unsigned size)
{
	while (expr->kind == EXPR_ALU && expr->alu == ALU_FIRST && expr->size >= size)
		expr = expr->a;
	return expr->kind == EXPR_READ ? expr : NULL;
}

bool same_or_other(const struct window *near, const struct expr *a, const struct window *far,
		   const struct expr *b)
{
	const struct expr *last, *other, *before;

	if (a->kind != EXPR_ALU || b->kind != EXPR_ALU || a->alu != ALU_EQ || b->alu != ALU_EQ ||
	    a->size != b->size)
		return false;
	last = read_of(a->a, a->size);
	other = read_of(a->b, a->size);
	before = read_of(b->a, b->size);
	return last && other && before && last->read >= near->from && before->read >= far->from &&
		last->read + near->by == before->read + far->by && other->read < near->from &&
		other->read == before->read && !(b->b->needs >> far->from);
}
