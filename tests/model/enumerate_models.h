/* SPDX-License-Identifier: MIT */
/*
 * The three models, each a predicate on an execution graph, written down as they were published.
 *
 * RC11: Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing Sequential Consistency in C/C++11", PLDI
 * 2017, with one change that C++20 made as well: a release sequence is [W];(rf;rmw)*, the head and
 * the read-modify-writes after it; later stores of the head's own thread do not belong to it. SC:
 * Lamport's, as a cycle condition. TSO: Owens, Sarkar, Sewell, "A Better x86 Memory Model:
 * x86-TSO", in the axiomatic form of Alglave, Maranget, Tautschnig, "Herding Cats", with the
 * mapping to x86: an SC store is an xchg, read-modify-writes are locked (also a compare-exchange
 * that fails), an SC fence is an mfence, all other fences are nothing and all else is mov.
 *
 * Membarrier (heavy) and signal fence (light), as in Goldblatt, "Asymmetric Fences", WG21 P1202: a
 * heavy fence is an SC fence; between a heavy one and a light one there is the order that there is
 * between two SC fences, between two light ones there is none. (While a membarrier lasts, each
 * other thread executes a full fence, before or behind each of its light ones; but one thread
 * sooner than another, so that two light fences do not meet by it.)
 */
#ifndef NAP_TESTS_MODEL_ENUMERATE_MODELS_H
#define NAP_TESTS_MODEL_ENUMERATE_MODELS_H

#include "enumerate_rel.h"

struct graph {
	struct rel po, rf, co, rmw, loc;	/* initial writes are po-before all else */
	struct rel external;			/* of different threads */
	event_set reads, writes, fences;
	event_set acquire, release, sc;		/* of whatever kind, by its order; sc are both */
	event_set locked;
	event_set heavy, light;			/* heavy ones are SC fences as well */
};

static inline struct rel graph_fr(const struct graph *g)
{
	return rel_minus(rel_seq(rel_inverse(g->rf), g->co), rel_id(~(event_set)0));
}

static inline bool graph_atomic(const struct graph *g)
{
	return rel_empty(rel_and(g->rmw, rel_seq(graph_fr(g), g->co)));
}

/* Of an order of fences: what holds between heavy ones, and between heavy and light ones */
static inline struct rel asymmetric(const struct graph *g, struct rel order)
{
	return rel_or(rel_between(g->heavy, order, g->heavy | g->light),
		rel_between(g->light, order, g->heavy));
}

static inline bool sc_consistent(const struct graph *g)
{
	struct rel communication = rel_or(rel_or(g->rf, g->co), graph_fr(g));

	return graph_atomic(g) && rel_acyclic(rel_or(g->po, communication));
}

/* ppo, with what the fences order */
static inline struct rel tso_ppo(const struct graph *g)
{
	struct rel po = g->po;
	event_set r = g->reads, w = g->writes, m = r | w;
	event_set mfence = g->fences & g->sc;
	struct rel fenced = rel_seq(rel_between(w, po, mfence), rel_between(mfence, po, r));
	struct rel ppo = rel_or(rel_between(r, po, m), rel_between(w, po, w));

	ppo = rel_or(ppo, rel_between(w, po, r & g->locked));
	ppo = rel_or(ppo, rel_between(w & g->locked, po, r));
	return rel_or(ppo, fenced);
}

static inline bool tso_consistent(const struct graph *g)
{
	struct rel fr = graph_fr(g);
	struct rel per_location = rel_or(rel_or(g->rf, g->co), rel_or(fr, g->rmw));
	struct rel order = rel_or(rel_or(g->co, fr), rel_and(g->rf, g->external));

	order = rel_or(order, tso_ppo(g));
	return graph_atomic(g) &&
		rel_acyclic(rel_or(rel_and(g->po, g->loc), per_location)) &&
		rel_acyclic(order) &&
		rel_acyclic(asymmetric(g, rel_seq(g->po, rel_seq(rel_star(order), g->po))));
}

static inline struct rel rc11_hb(const struct graph *g)
{
	struct rel to_fence = rel_maybe(rel_between(~(event_set)0, g->po, g->fences));
	struct rel from_fence = rel_maybe(rel_between(g->fences, g->po, ~(event_set)0));
	struct rel rs = rel_seq(rel_id(g->writes), rel_star(rel_seq(g->rf, g->rmw)));
	struct rel sw = rel_seq(from_fence, rel_seq(rs, rel_seq(g->rf, to_fence)));

	/* [E of release or more];([F];po)?;rs;rf;(po;[F])?;[E of acquire or more] */
	return rel_plus(rel_or(g->po, rel_between(g->release, sw, g->acquire)));
}

/* psc_base | psc_F, with @fences (of F) and @accesses (of R | W) for the sets of SC events */
static inline struct rel rc11_psc(const struct graph *g, event_set accesses, event_set fences)
{
	struct rel fr = graph_fr(g), hb = rc11_hb(g);
	struct rel eco = rel_plus(rel_or(rel_or(g->rf, g->co), fr));
	struct rel elsewhere = rel_minus(g->po, g->loc);
	struct rel scb = rel_or(rel_or(g->po, rel_and(hb, g->loc)), rel_or(g->co, fr));
	struct rel before = rel_or(rel_id(accesses | fences),
		rel_seq(rel_id(fences), rel_maybe(hb)));
	struct rel behind = rel_or(rel_id(accesses | fences),
		rel_seq(rel_maybe(hb), rel_id(fences)));
	struct rel between_fences = rel_or(hb, rel_seq(hb, rel_seq(eco, hb)));

	scb = rel_or(scb, rel_seq(elsewhere, rel_seq(hb, elsewhere)));
	return rel_or(rel_seq(before, rel_seq(scb, behind)),
		rel_between(fences, between_fences, fences));
}

static inline bool rc11_consistent(const struct graph *g)
{
	event_set accesses = g->sc & ~g->fences, fences = g->sc & g->fences;
	struct rel eco = rel_plus(rel_or(rel_or(g->rf, g->co), graph_fr(g)));
	struct rel psc = rc11_psc(g, accesses, fences);

	return graph_atomic(g) &&
		rel_irreflexive(rel_seq(rc11_hb(g), rel_maybe(eco))) &&
		rel_acyclic(psc) &&
		rel_acyclic(rel_or(g->po, g->rf)) &&
		rel_acyclic(rel_or(psc,
			asymmetric(g, rc11_psc(g, accesses, fences | g->light))));
}

#endif /* NAP_TESTS_MODEL_ENUMERATE_MODELS_H */
