/* SPDX-License-Identifier: MIT */
/*
 * ARMv8, after the model by Deacon and others for AArch64: ordered-before is acyclic. There are
 * no mixed sizes, no faults and no translation.
 */
#include "brute_rel.h"

static struct rel read_successor(const struct exec *x, set r, set w)
{
	int n = x->n;
	struct rel po_loc = rel_and(n, x->po, x->same_loc);
	struct rel over = rel_seq(n, po_loc, rel_within(n, w, po_loc, r));

	return rel_minus(n, rel_within(n, w, po_loc, r), over);
}

/* Returns (a; lrs)*; b: a value may go through memory, within the thread, between a and b. */
static struct rel through(int n, struct rel a, struct rel lrs, struct rel b)
{
	return rel_or(n, b, rel_seq(n, rel_plus(n, rel_seq(n, a, lrs)), b));
}

/*
 * The order that dependencies by address, data and branches give. If the value of the dependency
 * was only chosen (pick_*), a dependency by address orders stores alone.
 */
static struct rel ordered(const struct exec *x, set w, struct rel addr, struct rel data,
			  struct rel ctrl, set addressed)
{
	int n = x->n;
	set isb = SET_OF(x, e->fence == FN_ISB), all = ~UINT64_C(0);
	struct rel addr_po = rel_seq(n, addr, x->po), order;

	order = rel_or(n, rel_within(n, all, addr, addressed), data);
	order = rel_or(n, order, rel_within(n, all, ctrl, w));
	order = rel_or(n, order, rel_seq(n, rel_within(n, all, rel_or(n, ctrl, addr_po), isb),
					 x->po));
	return rel_or(n, order, rel_within(n, all, addr_po, w));
}

static struct rel dependency(const struct exec *x, set w, struct rel lrs)
{
	int n = x->n;
	struct rel made = rel_or(n, x->data, x->own_sum);
	struct rel chosen = rel_or(n, rel_or(n, made, x->pick_data), x->own_choice);
	struct rel addr = through(n, made, lrs, x->addr), data = through(n, made, lrs, x->data);
	struct rel dob, pob;

	dob = ordered(x, w, addr, data, through(n, made, lrs, x->ctrl), ~UINT64_C(0));
	dob = rel_or(n, dob, rel_seq(n, rel_or(n, addr, x->data), lrs));
	pob = ordered(x, w, through(n, chosen, lrs, rel_or(n, x->addr, x->pick_addr)),
		      through(n, chosen, lrs, rel_or(n, x->data, x->pick_data)),
		      through(n, chosen, lrs, rel_or(n, x->ctrl, x->pick_ctrl)), w);
	return rel_or(n, dob, pob);
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

	/* range([A]; amo; [L]): amo is one instruction; LDAXR and STLXR have no such order */
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
