// SPDX-License-Identifier: MIT
/*
 * ARMv8, after the model by Deacon and others for AArch64: ordered-before is acyclic. Without
 * mixed sizes, faults and translation.
 */
#include "brute_rel.h"

static struct rel read_successor(const struct exec *x, set r, set w)
{
	int n = x->n;
	struct rel po_loc = rel_and(n, x->po, x->same_loc);
	struct rel over = rel_seq(n, po_loc, rel_within(n, w, po_loc, r));

	return rel_minus(n, rel_within(n, w, po_loc, r), over);
}

static struct rel dependency(const struct exec *x, set w, struct rel lrs)
{
	int n = x->n;
	set isb = SET_OF(x, e->fence == FN_ISB), all = ~UINT64_C(0);
	struct rel dep = rel_or(n, x->addr, x->data);
	struct rel addr_po = rel_seq(n, x->addr, x->po), dob;

	dob = rel_or(n, dep, rel_within(n, all, x->ctrl, w));
	dob = rel_or(n, dob, rel_seq(n, rel_within(n, all, rel_or(n, x->ctrl, addr_po), isb),
				     x->po));
	dob = rel_or(n, dob, rel_within(n, all, addr_po, w));
	return rel_or(n, dob, rel_seq(n, dep, lrs));
}

/* [before]; po; [fence]; po; [after] */
static struct rel fenced(const struct exec *x, set before, set fence, set after)
{
	int n = x->n;

	return rel_seq(n, rel_within(n, before, x->po, fence),
		       rel_within(n, fence, x->po, after));
}

static struct rel barrier(const struct exec *x, set r, set w)
{
	int n = x->n;
	set m = r | w;
	set a = SET_OF(x, e->r && e->ord & ORD_ACQ), q = SET_OF(x, e->r && e->ord & ORD_PC);
	set l = SET_OF(x, e->w && e->ord & ORD_REL), amo = SET_OF(x, e->amo), both = 0;
	struct rel amo_al = rel_within(n, a & amo, x->rmw, l & amo), bob;

	/* range([A]; amo; [L]): one instruction only, LDAXR and STLXR have no such thing */
	for (int i = 0; i < n; i++)
		both |= amo_al.row[i];
	bob = fenced(x, m, SET_OF(x, e->fence == FN_FULL), m);
	bob = rel_or(n, bob, fenced(x, r, SET_OF(x, e->fence == FN_LD), m));
	bob = rel_or(n, bob, fenced(x, w, SET_OF(x, e->fence == FN_ST), w));
	bob = rel_or(n, bob, rel_within(n, both, x->po, m));
	bob = rel_or(n, bob, rel_within(n, l, x->po, a));
	bob = rel_or(n, bob, rel_within(n, a | q, x->po, m));
	return rel_or(n, bob, rel_within(n, m, x->po, l));
}

bool brute_armv8(const struct exec *x)
{
	int n = x->n;
	set r = SET_OF(x, e->r), w = SET_OF(x, e->w);
	set aq = SET_OF(x, e->r && e->ord & (ORD_ACQ | ORD_PC));
	struct rel com = rel_or(n, rel_or(n, x->rf, x->co), x->fr);
	struct rel lrs = read_successor(x, r, w);
	struct rel ob = rel_and(n, com, x->ext);

	/* lws: a write after anything on its location */
	ob = rel_or(n, ob, rel_within(n, r | w, rel_and(n, x->po, x->same_loc), w));
	ob = rel_or(n, ob, dependency(x, w, lrs));
	ob = rel_or(n, ob, x->rmw);
	ob = rel_or(n, ob, rel_within(n, r | w, rel_seq(n, x->rmw, lrs), aq));
	ob = rel_or(n, ob, barrier(x, r, w));
	return coherent(x) && atomic(x) && rel_acyclic(n, ob);
}
