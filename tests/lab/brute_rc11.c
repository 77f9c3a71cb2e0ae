/* SPDX-License-Identifier: MIT */
/*
 * RC11, after Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing sequential consistency in
 * C/C++11" (PLDI 2017), for programs of atomic accesses only. C20 here is RC11 with load
 * buffering: it has no axiom on po and rf, but forbids values that depend on themselves; and its
 * release sequences have no later writes of the thread (P0982). CHECK has the axioms of RC11 and
 * the release sequences of C20.
 */
#include "brute_rel.h"

/* [release]; ([F]; po)?; rs; rf; (po; [F])?; [acquire] */
static struct rel synchronizes(const struct exec *x, set r, set w, set f, bool long_sequences)
{
	int n = x->n;
	set rel = SET_OF(x, (e->w || e->fence) && e->ord & ORD_REL);
	set acq = SET_OF(x, (e->r || e->fence) && e->ord & ORD_ACQ);
	struct rel po_loc = rel_and(n, x->po, x->same_loc);
	struct rel rs, begin, end;

	/*
	 * A release sequence: with @long_sequences later writes of the thread, too, and then
	 * read-modify-writes.
	 */
	rs = long_sequences ? rel_within(n, w, rel_maybe(n, po_loc), w) : rel_id(n, w);
	rs = rel_seq(n, rs, rel_star(n, rel_seq(n, x->rf, x->rmw)));
	begin = rel_or(n, rel_id(n, rel & w), rel_within(n, rel & f, x->po, w));
	end = rel_or(n, rel_id(n, acq & r), rel_within(n, r, x->po, acq & f));
	return rel_seq(n, rel_seq(n, begin, rs), rel_seq(n, x->rf, end));
}

/* psc_base | psc_F; the set sc contains the fences, too */
static struct rel psc(const struct exec *x, struct rel hb, struct rel eco, set sc, set fsc)
{
	int n = x->n;
	struct rel hb_maybe = rel_maybe(n, hb), far = rel_minus(n, x->po, x->same_loc);
	struct rel scb, from, to, fence;

	scb = rel_or(n, x->po, rel_seq(n, rel_seq(n, far, hb), far));
	scb = rel_or(n, scb, rel_and(n, hb, x->same_loc));
	scb = rel_or(n, scb, rel_or(n, x->co, x->fr));
	from = rel_or(n, rel_id(n, sc), rel_seq(n, rel_id(n, fsc), hb_maybe));
	to = rel_or(n, rel_id(n, sc), rel_seq(n, hb_maybe, rel_id(n, fsc)));
	fence = rel_or(n, hb, rel_seq(n, rel_seq(n, hb, eco), hb));
	return rel_or(n, rel_seq(n, rel_seq(n, from, scb), to), rel_within(n, fsc, fence, fsc));
}

static bool repaired(const struct exec *x, bool long_sequences)
{
	int n = x->n;
	set r = SET_OF(x, e->r), w = SET_OF(x, e->w), f = SET_OF(x, e->fence != FN_NONE);
	struct rel hb = rel_plus(n, rel_or(n, x->po, synchronizes(x, r, w, f, long_sequences)));
	struct rel eco = rel_plus(n, rel_or(n, rel_or(n, x->rf, x->co), x->fr));
	set sc = SET_OF(x, e->ord & ORD_SC), light = SET_OF(x, e->fence == FN_LIGHT);
	struct rel order = psc(x, hb, eco, sc, sc & f);

	return rel_irreflexive(n, rel_seq(n, hb, rel_maybe(n, eco))) &&
	       rel_empty(n, rel_and(n, x->rmw, rel_seq(n, x->fr, x->co))) &&
	       rel_acyclic(n, order) &&
	       rel_acyclic(n, rel_or(n, order, asymmetric(x, psc(x, hb, eco, sc | light,
								 (sc & f) | light))));
}

bool brute_rc11(const struct exec *x)
{
	return repaired(x, true) && rel_acyclic(x->n, rel_or(x->n, x->po, x->rf));
}

bool brute_check(const struct exec *x)
{
	return repaired(x, false) && rel_acyclic(x->n, rel_or(x->n, x->po, x->rf));
}

bool brute_c20(const struct exec *x)
{
	int n = x->n;
	struct rel dep = rel_or(n, x->data, x->addr);

	return repaired(x, false) && rel_acyclic(n, rel_or(n, dep, x->rf));
}
