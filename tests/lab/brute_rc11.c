/* SPDX-License-Identifier: MIT */
/*
 * C's models, for programs of atomic accesses only. They share coherence, atomicity and what
 * happens before what; each has its own release sequences, and its own order of seq_cst.
 *
 * RC11: Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing sequential consistency in C/C++11"
 * (PLDI 2017). CHECK has the release sequences of C20 instead.
 *
 * C20 has load buffering: no axiom on po and rf, but no value that depends on itself. Its order of
 * seq_cst is RC11's. CHECK_C20 has no load buffering, and the order of the standard of 2020,
 * [intro.races] and [atomics.order], to the letter.
 *
 * C11: Batty, Owens, Sarkar, Sewell and Weber, "Mathematizing C++ concurrency" (POPL 2011), with
 * the release sequences of Vafeiadis and others (POPL 2015), the order of seq_cst of Batty,
 * Donaldson and Wickerson (POPL 2016), and no load buffering.
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
	 * A release sequence is a write; with @long_sequences also later writes of its thread to
	 * the location; and then read-modify-writes.
	 */
	rs = long_sequences ? rel_within(n, w, rel_maybe(n, po_loc), w) : rel_id(n, w);
	rs = rel_seq(n, rs, rel_star(n, rel_seq(n, x->rf, x->rmw)));
	begin = rel_or(n, rel_id(n, rel & w), rel_within(n, rel & f, x->po, w));
	end = rel_or(n, rel_id(n, acq & r), rel_within(n, r, x->po, acq & f));
	return rel_seq(n, rel_seq(n, begin, rs), rel_seq(n, x->rf, end));
}

/* What happens before what; and the accesses and fences that are seq_cst. */
struct facts {
	const struct exec *x;
	struct rel sw, hb, eco;
	set sc, fsc;		/* sc contains the fences, too */
};

typedef struct rel order_fn(const struct facts *of);

/* psc_base | psc_F */
static struct rel psc(const struct facts *of)
{
	const struct exec *x = of->x;
	int n = x->n;
	struct rel hb = of->hb, hb_maybe = rel_maybe(n, hb), far = rel_minus(n, x->po, x->same_loc);
	struct rel scb, from, to, fence;

	scb = rel_or(n, x->po, rel_seq(n, rel_seq(n, far, hb), far));
	scb = rel_or(n, scb, rel_and(n, hb, x->same_loc));
	scb = rel_or(n, scb, rel_or(n, x->co, x->fr));
	from = rel_or(n, rel_id(n, of->sc), rel_seq(n, rel_id(n, of->fsc), hb_maybe));
	to = rel_or(n, rel_id(n, of->sc), rel_seq(n, hb_maybe, rel_id(n, of->fsc)));
	fence = rel_or(n, hb, rel_seq(n, rel_seq(n, hb, of->eco), hb));
	return rel_or(n, rel_seq(n, rel_seq(n, from, scb), to),
		      rel_within(n, of->fsc, fence, of->fsc));
}

/* [SC operation | fence; @way]; @order; [SC operation | @way; fence] */
static struct rel between(const struct facts *of, struct rel way, struct rel order)
{
	int n = of->x->n;
	struct rel access = rel_id(n, of->sc & ~of->fsc), fence = rel_id(n, of->fsc);
	struct rel from = rel_or(n, access, rel_seq(n, fence, way));
	struct rel to = rel_or(n, access, rel_seq(n, way, fence));

	return rel_seq(n, rel_seq(n, from, order), to);
}

/*
 * Makes one event of both halves of a read-modify-write: what comes before or after one half comes
 * before or after the other.
 */
static struct rel of_operations(const struct exec *x, struct rel order)
{
	int n = x->n;
	struct rel one = rel_maybe(n, rel_or(n, x->rmw, rel_inverse(n, x->rmw)));

	return rel_seq(n, rel_seq(n, one, rel_minus(n, order, one)), one);
}

/*
 * What precedes what in the order S of the standard of 2020: by "strongly happens before", and by
 * the four rules on "coherence-ordered before".
 */
static struct rel c20_order(const struct facts *of)
{
	const struct exec *x = of->x;
	int n = x->n;
	struct rel po = rel_minus(n, x->po, x->rmw), strongly;

	strongly = rel_or(n, po, rel_within(n, of->sc, of->sw, of->sc));
	strongly = rel_or(n, strongly, rel_seq(n, rel_seq(n, po, of->hb), po));
	strongly = rel_within(n, of->sc, rel_plus(n, strongly), of->sc);
	return of_operations(x, rel_or(n, strongly, between(of, of->hb, of->eco)));
}

/*
 * What precedes what in the order S of C11: the axioms S1 to S7 of POPL 2016, S3 and S4 made one.
 */
static struct rel c11_order(const struct facts *of)
{
	const struct exec *x = of->x;
	int n = x->n;
	struct rel order = rel_within(n, of->sc, of->hb, of->sc);

	order = rel_or(n, order, between(of, x->po, x->co));
	return of_operations(x, rel_or(n, order, between(of, x->po, x->fr)));
}

static bool is_of_c(const struct exec *x, bool long_sequences, order_fn *order_of)
{
	int n = x->n;
	set r = SET_OF(x, e->r), w = SET_OF(x, e->w), f = SET_OF(x, e->fence != FN_NONE);
	set sc = SET_OF(x, e->ord & ORD_SC), light = SET_OF(x, e->fence == FN_LIGHT);
	struct facts of = { .x = x, .sw = synchronizes(x, r, w, f, long_sequences),
			    .sc = sc, .fsc = sc & f };
	struct rel order;

	of.hb = rel_plus(n, rel_or(n, x->po, of.sw));
	of.eco = rel_plus(n, rel_or(n, rel_or(n, x->rf, x->co), x->fr));
	order = order_of(&of);
	of.sc |= light;
	of.fsc |= light;
	return rel_irreflexive(n, rel_seq(n, of.hb, rel_maybe(n, of.eco))) &&
	       rel_empty(n, rel_and(n, x->rmw, rel_seq(n, x->fr, x->co))) &&
	       rel_acyclic(n, order) &&
	       rel_acyclic(n, rel_or(n, order, asymmetric(x, order_of(&of))));
}

static bool no_buffering(const struct exec *x)
{
	return rel_acyclic(x->n, rel_or(x->n, x->po, x->rf));
}

bool brute_rc11(const struct exec *x)
{
	return no_buffering(x) && is_of_c(x, true, psc);
}

bool brute_check(const struct exec *x)
{
	return no_buffering(x) && is_of_c(x, false, psc);
}

bool brute_c11(const struct exec *x)
{
	return no_buffering(x) && is_of_c(x, true, c11_order);
}

bool brute_check_c20(const struct exec *x)
{
	return no_buffering(x) && is_of_c(x, false, c20_order);
}

bool brute_c20(const struct exec *x)
{
	int n = x->n;
	struct rel dep = rel_or(n, x->data, x->addr);

	return is_of_c(x, false, psc) && rel_acyclic(n, rel_or(n, dep, x->rf));
}
