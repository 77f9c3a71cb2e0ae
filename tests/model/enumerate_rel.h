/* SPDX-License-Identifier: MIT */
/*
 * Relations on at most 32 events as bit matrices, with the operators of the literature (cat):
 * r|s, r&s, r;s, r^-1, r^+, r?, [S]. By value: nobody waits for it.
 */
#ifndef NAP_TESTS_MODEL_ENUMERATE_REL_H
#define NAP_TESTS_MODEL_ENUMERATE_REL_H

#include <stdbool.h>
#include <stdint.h>

#define EVENTS 32

typedef uint32_t event_set;

struct rel {
	event_set row[EVENTS];	/* row[a] has b: a is related to b */
};

static inline struct rel rel_or(struct rel r, struct rel s)
{
	for (int a = 0; a < EVENTS; a++)
		r.row[a] |= s.row[a];
	return r;
}

static inline struct rel rel_and(struct rel r, struct rel s)
{
	for (int a = 0; a < EVENTS; a++)
		r.row[a] &= s.row[a];
	return r;
}

static inline struct rel rel_minus(struct rel r, struct rel s)
{
	for (int a = 0; a < EVENTS; a++)
		r.row[a] &= ~s.row[a];
	return r;
}

static inline struct rel rel_seq(struct rel r, struct rel s)
{
	struct rel out = { { 0 } };

	for (int a = 0; a < EVENTS; a++) {
		for (event_set left = r.row[a]; left; left &= left - 1)
			out.row[a] |= s.row[__builtin_ctz(left)];
	}
	return out;
}

static inline struct rel rel_inverse(struct rel r)
{
	struct rel out = { { 0 } };

	for (int a = 0; a < EVENTS; a++) {
		for (event_set left = r.row[a]; left; left &= left - 1)
			out.row[__builtin_ctz(left)] |= (event_set)1 << a;
	}
	return out;
}

/* r^+ */
static inline struct rel rel_plus(struct rel r)
{
	for (int k = 0; k < EVENTS; k++) {
		for (int a = 0; a < EVENTS; a++) {
			if (r.row[a] >> k & 1)
				r.row[a] |= r.row[k];
		}
	}
	return r;
}

/* [S] */
static inline struct rel rel_id(event_set set)
{
	struct rel out = { { 0 } };

	for (int a = 0; a < EVENTS; a++)
		out.row[a] = set & (event_set)1 << a;
	return out;
}

/* r? */
static inline struct rel rel_maybe(struct rel r)
{
	return rel_or(r, rel_id(~(event_set)0));
}

/* r* */
static inline struct rel rel_star(struct rel r)
{
	return rel_maybe(rel_plus(r));
}

/* S * T */
static inline struct rel rel_cross(event_set from, event_set to)
{
	struct rel out = { { 0 } };

	for (int a = 0; a < EVENTS; a++)
		out.row[a] = from >> a & 1 ? to : 0;
	return out;
}

/* [S];r;[T] */
static inline struct rel rel_between(event_set from, struct rel r, event_set to)
{
	return rel_and(r, rel_cross(from, to));
}

static inline bool rel_empty(struct rel r)
{
	event_set any = 0;

	for (int a = 0; a < EVENTS; a++)
		any |= r.row[a];
	return !any;
}

static inline bool rel_irreflexive(struct rel r)
{
	return rel_empty(rel_and(r, rel_id(~(event_set)0)));
}

static inline bool rel_acyclic(struct rel r)
{
	return rel_irreflexive(rel_plus(r));
}

#endif /* NAP_TESTS_MODEL_ENUMERATE_REL_H */
