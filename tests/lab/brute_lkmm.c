/* SPDX-License-Identifier: MIT */
/*
 * The Linux kernel memory model of Linux 6.3, after tools/memory-model/linux-kernel.cat, for marked
 * accesses only: no locks, no plain accesses, so that every access here is Marked. RCU:
 * brute_rcu.c.
 */
#include "brute_rcu.h"

/* [before]; po; [fence]; po; [after] */
static struct rel fenced(const struct exec *x, set before, enum fence kind, set after)
{
	int n = x->n;
	set fence = SET_OF(x, e->fence == kind);

	return rel_seq(n, rel_within(n, before, x->po, fence),
		       rel_within(n, fence, x->po, after));
}

bool brute_lkmm(const struct exec *x)
{
	int n = x->n;
	set r = SET_OF(x, e->r), w = SET_OF(x, e->w), m = r | w, all = ~UINT64_C(0);
	struct rel rfe = rel_and(n, x->rf, x->ext), rfi = rel_minus(n, x->rf, x->ext);
	struct rel overwrite = rel_or(n, x->co, x->fr), carried, addr, dep, ctrl;
	struct rel acq_po, po_rel, rmb, wmb, mb, grace, to_w, to_r, ppo, cumul, prop, hb;

	if (!coherent(x) || !atomic(x))
		return false;

	/* Fences. A load that acquires and a store that releases order their own thread. */
	acq_po = rel_within(n, SET_OF(x, e->r && e->ord & ORD_ACQ), x->po, m);
	po_rel = rel_within(n, m, x->po, SET_OF(x, e->w && e->ord & ORD_REL));
	rmb = fenced(x, r, FN_LD, r);
	wmb = fenced(x, w, FN_ST, w);
	mb = fenced(x, m, FN_FULL, m);
	/* A grace period is a full fence of its thread, too. */
	grace = fenced(x, m, FN_RCU_SYNC, m);
	mb = rel_or(n, mb, grace);

	/* Preserved program order; dependencies go through reads of the thread's own writes. */
	carried = rel_star(n, rel_seq(n, x->data, rfi));
	addr = rel_seq(n, carried, x->addr);
	dep = rel_or(n, addr, rel_seq(n, carried, x->data));
	ctrl = rel_seq(n, carried, x->ctrl);
	to_w = rel_or(n, rel_within(n, all, rel_or(n, dep, ctrl), w),
		      rel_minus(n, overwrite, x->ext));
	to_r = rel_or(n, addr, rel_seq(n, dep, rfi));
	ppo = rel_or(n, to_w, to_r);
	ppo = rel_or(n, ppo, rel_or(n, rel_or(n, acq_po, po_rel), rel_or(n, rmb, wmb)));
	ppo = rel_or(n, ppo, mb);

	/* Propagation: the access before a release or a full barrier may be another thread's. */
	cumul = rel_seq(n, rel_maybe(n, rfe), rel_or(n, mb, po_rel));
	cumul = rel_within(n, m, rel_or(n, cumul, wmb), m);
	/* Read-modify-writes pass on what they have read. */
	cumul = rel_seq(n, cumul, rel_star(n, rel_seq(n, x->rf, x->rmw)));
	prop = rel_seq(n, rel_maybe(n, rel_and(n, overwrite, x->ext)), rel_star(n, cumul));
	prop = rel_within(n, m, rel_seq(n, prop, rel_maybe(n, rfe)), m);

	hb = rel_minus(n, rel_minus(n, prop, x->ext), rel_id(n, all));
	hb = rel_or(n, hb, rel_or(n, ppo, rfe));
	return rel_acyclic(n, hb) && brute_rcu(x, prop, mb, hb);
}
