/* SPDX-License-Identifier: MIT */
/*
 * x86-TSO, after Owens, Sarkar and Sewell: only a store and a later load may be out of order, and
 * a fence or a locked instruction between the two prevents that. A program in C11 is taken as
 * compilers translate it: an SC store is an xchg, an SC fence an mfence, another fence nothing.
 */
#include "brute_rel.h"

bool brute_tso(const struct exec *x)
{
	int n = x->n;
	set r = SET_OF(x, e->r), w = SET_OF(x, e->w), m = r | w;
	set locked = SET_OF(x, e->amo || (e->w && e->ord & ORD_SC));
	set mfence = SET_OF(x, e->fence == FN_FULL || (e->fence && e->ord & ORD_SC));
	struct rel rfe = rel_and(n, x->rf, x->ext), ghb;

	ghb = rel_within(n, r, x->po, m);
	ghb = rel_or(n, ghb, rel_within(n, w, x->po, w));
	ghb = rel_or(n, ghb, rel_seq(n, rel_within(n, w, x->po, mfence),
				     rel_within(n, mfence, x->po, r)));
	ghb = rel_or(n, ghb, rel_within(n, w, x->po, r & locked));
	ghb = rel_or(n, ghb, rel_within(n, w & locked, x->po, r));
	ghb = rel_or(n, ghb, rfe);
	ghb = rel_or(n, ghb, x->fr);
	ghb = rel_or(n, ghb, x->co);
	return coherent(x) && atomic(x) && rel_acyclic(n, ghb) &&
	       rel_acyclic(n, asymmetric(x, rel_seq(n, rel_seq(n, x->po, rel_star(n, ghb)),
						    x->po)));
}
