/* SPDX-License-Identifier: MIT */
/*
 * RVWMO, after the RISC-V unprivileged specification: thirteen rules of preserved program order,
 * and one global memory order.
 */
#include "brute_rel.h"

/* Rules 1 to 3: accesses to one location. */
static struct rel overlapping(const struct exec *x, set r, set w)
{
	int n = x->n;
	set atomic_writes = SET_OF(x, e->w && (e->amo || e->exclusive));
	struct rel po_loc = rel_and(n, x->po, x->same_loc);
	struct rel rfi = rel_minus(n, x->rf, x->ext);
	struct rel over = rel_seq(n, po_loc, rel_within(n, w, po_loc, r));
	struct rel same_write = rel_seq(n, rel_inverse(n, x->rf), x->rf), ppo;

	ppo = rel_minus(n, rel_minus(n, rel_within(n, r, po_loc, r), over), same_write);
	ppo = rel_or(n, ppo, rel_within(n, r | w, po_loc, w));
	return rel_or(n, ppo, rel_within(n, atomic_writes, rfi, r));
}

/* Rule 4. */
static struct rel fences(const struct exec *x, set r, set w)
{
	int n = x->n;
	struct rel ppo = { { 0 } };

	for (int f = 0; f < n; f++) {
		const struct event *e = &x->ev[f];
		set fence = UINT64_C(1) << f;
		set pred = (e->pred & SET_R ? r : 0) | (e->pred & SET_W ? w : 0);
		set succ = (e->succ & SET_R ? r : 0) | (e->succ & SET_W ? w : 0);

		if (e->fence == FN_TSO) {
			ppo = rel_or(n, ppo, rel_seq(n, rel_within(n, w, x->po, fence),
						     rel_within(n, fence, x->po, w)));
			pred = r;
			succ = r | w;
		}
		if (e->fence == FN_TSO || e->fence == FN_RISCV)
			ppo = rel_or(n, ppo, rel_seq(n, rel_within(n, pred, x->po, fence),
						     rel_within(n, fence, x->po, succ)));
	}
	return ppo;
}

/* Rules 5 to 8: annotations. Both halves of an AMO have them, because it is one operation. */
static struct rel synchronization(const struct exec *x, set m)
{
	int n = x->n;
	set aq = SET_OF(x, (e->r || e->w) && e->ord & ORD_ACQ);
	set rl = SET_OF(x, (e->r || e->w) && e->ord & ORD_REL);
	struct rel ppo = rel_within(n, aq, x->po, m);

	ppo = rel_or(n, ppo, rel_within(n, m, x->po, rl));
	ppo = rel_or(n, ppo, rel_within(n, aq | rl, x->po, aq | rl));
	return rel_or(n, ppo, x->rmw);
}

/* Rules 9 to 13: dependencies, and what follows from how a pipeline works. */
static struct rel dependencies(const struct exec *x, set r, set w)
{
	int n = x->n;
	set all = ~UINT64_C(0);
	struct rel dep = rel_or(n, x->addr, x->data), ppo;
	struct rel rfi = rel_minus(n, x->rf, x->ext);

	ppo = rel_or(n, dep, rel_within(n, all, x->ctrl, w));
	ppo = rel_or(n, ppo, rel_seq(n, dep, rel_within(n, w, rfi, r)));
	return rel_or(n, ppo, rel_seq(n, x->addr, rel_within(n, r | w, x->po, w)));
}

/*
 * Merges the halves of an AMO. An AMO is one memory operation, a load and a store, and has one
 * place in the global memory order: what comes before or after one half comes before or after the
 * other half, too.
 */
static struct rel amo_is_one(const struct exec *x, struct rel order)
{
	struct rel merged = { { 0 } };
	int op[MAX_EVENTS];

	for (int i = 0; i < x->n; i++)
		op[i] = i;
	for (int i = 0; i < x->n; i++)
		for (int j = 0; j < x->n; j++)
			if (rel_has(&x->rmw, i, j) && x->ev[i].amo)
				op[j] = i;
	for (int i = 0; i < x->n; i++)
		for (int j = 0; j < x->n; j++)
			if (rel_has(&order, i, j) && (i == j || op[i] != op[j]))
				rel_add(&merged, op[i], op[j]);
	return merged;
}

bool brute_rvwmo(const struct exec *x)
{
	int n = x->n;
	set r = SET_OF(x, e->r), w = SET_OF(x, e->w);
	struct rel order = rel_and(n, x->rf, x->ext);

	order = rel_or(n, order, rel_or(n, x->fr, x->co));
	order = rel_or(n, order, overlapping(x, r, w));
	order = rel_or(n, order, fences(x, r, w));
	order = rel_or(n, order, synchronization(x, r | w));
	order = rel_or(n, order, dependencies(x, r, w));
	return coherent(x) && atomic(x) && rel_acyclic(n, amo_is_one(x, order));
}
