/* SPDX-License-Identifier: MIT */
/*
 * Relations over the events of an execution as boolean matrices, one word a row, and sets of
 * events as one word. All functions take relations by value, so that a model reads like its
 * definition.
 */
#ifndef NAP_TESTS_LAB_BRUTE_REL_H
#define NAP_TESTS_LAB_BRUTE_REL_H

#include "brute.h"

typedef uint64_t set;

static inline bool rel_has(const struct rel *a, int from, int to)
{
	return a->row[from] >> to & 1;
}

static inline void rel_add(struct rel *a, int from, int to)
{
	a->row[from] |= UINT64_C(1) << to;
}

static inline struct rel rel_or(int n, struct rel a, struct rel b)
{
	for (int i = 0; i < n; i++)
		a.row[i] |= b.row[i];
	return a;
}

static inline struct rel rel_and(int n, struct rel a, struct rel b)
{
	for (int i = 0; i < n; i++)
		a.row[i] &= b.row[i];
	return a;
}

static inline struct rel rel_minus(int n, struct rel a, struct rel b)
{
	for (int i = 0; i < n; i++)
		a.row[i] &= ~b.row[i];
	return a;
}

/* Returns [from]; a; [to]. */
static inline struct rel rel_within(int n, set from, struct rel a, set to)
{
	for (int i = 0; i < n; i++)
		a.row[i] = from >> i & 1 ? a.row[i] & to : 0;
	return a;
}

/* a; b */
static inline struct rel rel_seq(int n, struct rel a, struct rel b)
{
	struct rel c = { { 0 } };

	for (int i = 0; i < n; i++) {
		uint64_t row = 0;

		for (uint64_t left = a.row[i]; left; left &= left - 1)
			row |= b.row[__builtin_ctzll(left)];
		c.row[i] = row;
	}
	return c;
}

/* Returns the identity on a set. */
static inline struct rel rel_id(int n, set s)
{
	struct rel a;

	for (int i = 0; i < n; i++)
		a.row[i] = s & UINT64_C(1) << i;
	return a;
}

static inline struct rel rel_inverse(int n, struct rel a)
{
	struct rel b = { { 0 } };

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (rel_has(&a, i, j))
				rel_add(&b, j, i);
	return b;
}

/* a+, after Warshall */
static inline struct rel rel_plus(int n, struct rel a)
{
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			if (rel_has(&a, i, k))
				a.row[i] |= a.row[k];
	return a;
}

/* a? */
static inline struct rel rel_maybe(int n, struct rel a)
{
	for (int i = 0; i < n; i++)
		rel_add(&a, i, i);
	return a;
}

/* a* */
static inline struct rel rel_star(int n, struct rel a)
{
	return rel_maybe(n, rel_plus(n, a));
}

static inline bool rel_empty(int n, struct rel a)
{
	for (int i = 0; i < n; i++)
		if (a.row[i])
			return false;
	return true;
}

static inline bool rel_irreflexive(int n, struct rel a)
{
	for (int i = 0; i < n; i++)
		if (rel_has(&a, i, i))
			return false;
	return true;
}

static inline bool rel_acyclic(int n, struct rel a)
{
	return rel_irreflexive(n, rel_plus(n, a));
}

/* The set of events e for which a condition holds. */
#define SET_OF(x, condition) ({						\
	set set_ = 0;							\
	for (int i_ = 0; i_ < (x)->n; i_++) {				\
		const struct event *e = &(x)->ev[i_];			\
									\
		if (condition)						\
			set_ |= UINT64_C(1) << i_;			\
	}								\
	set_;								\
})

/*
 * Returns the part of @order, an order of fences, that holds between a heavy fence and a heavy or
 * light one, as between two SC fences (Goldblatt, "Asymmetric Fences", WG21 P1202). Two light
 * fences have no order: a membarrier makes the other threads execute full fences, but not all at
 * one time.
 */
static inline struct rel asymmetric(const struct exec *x, struct rel order)
{
	set heavy = SET_OF(x, e->fence == FN_HEAVY), light = SET_OF(x, e->fence == FN_LIGHT);

	return rel_or(x->n, rel_within(x->n, heavy, order, heavy | light),
		      rel_within(x->n, light, order, heavy));
}

/* acyclic(po-loc | rf | co | fr | rmw); empty(rmw & (fre; coe)) */
static inline bool coherent(const struct exec *x)
{
	int n = x->n;
	struct rel po_loc = rel_and(n, x->po, x->same_loc);
	struct rel com = rel_or(n, rel_or(n, x->rf, x->co), x->fr);

	return rel_acyclic(n, rel_or(n, rel_or(n, po_loc, x->rmw), com));
}

static inline bool atomic(const struct exec *x)
{
	int n = x->n;
	struct rel fre = rel_and(n, x->fr, x->ext), coe = rel_and(n, x->co, x->ext);

	return rel_empty(n, rel_and(n, x->rmw, rel_seq(n, fre, coe)));
}

#endif
