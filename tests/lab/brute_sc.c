/* SPDX-License-Identifier: MIT */
/* Sequential consistency: program order and communication agree on one order of all. */
#include "brute_rel.h"

bool brute_sc(const struct exec *x)
{
	int n = x->n;
	struct rel com = rel_or(n, rel_or(n, x->rf, x->co), x->fr);

	return coherent(x) && atomic(x) && rel_acyclic(n, rel_or(n, x->po, com));
}
