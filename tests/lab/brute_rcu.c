/* SPDX-License-Identifier: MIT */
/*
 * RCU by its fundamental law, not by the model's counting of grace periods and critical sections:
 * of a section and a grace period one comes before the other, as if a full fence were between them.
 * An execution is allowed if for each such pair one of the two orders can be chosen so that there
 * is no cycle. All choices are tried. The law and the counting are proved equal in: Alglave,
 * Maranget, McKenney, Parri, Stern, "Frightening small children and disconcerting grown-ups",
 * ASPLOS 2018.
 */
#include "brute_rcu.h"

#define MAX_PAIRS 12

/* A section and a grace period of one domain. */
struct pair {
	int lock, unlock, sync;
};

struct pairs {
	int n;
	struct pair pair[MAX_PAIRS];
};

/* Returns the unlock of the section that @lock begins, or -1 if this section is inside another. */
static int section_end(const struct exec *x, int lock)
{
	int depth = 0;

	for (int i = 0; i < x->n; i++) {
		bool same = x->ev[i].thread == x->ev[lock].thread &&
			x->ev[i].pred == x->ev[lock].pred;

		if (!same)
			continue;
		if (i == lock && depth)
			return -1;
		depth += (x->ev[i].fence == FN_RCU_LOCK) - (x->ev[i].fence == FN_RCU_UNLOCK);
		if (i > lock && !depth && x->ev[i].fence == FN_RCU_UNLOCK)
			return i;
	}
	return -1;
}

static void find_pairs(const struct exec *x, struct pairs *pairs)
{
	pairs->n = 0;
	for (int i = 0; i < x->n; i++) {
		int end = x->ev[i].fence == FN_RCU_LOCK ? section_end(x, i) : -1;

		for (int k = 0; k < x->n && end >= 0; k++)
			if (x->ev[k].fence == FN_RCU_SYNC && x->ev[k].pred == x->ev[i].pred &&
			    pairs->n < MAX_PAIRS)
				pairs->pair[pairs->n++] = (struct pair){ i, end, k };
	}
}

/*
 * Adds the order that a fence between the section and the grace period makes, whichever comes
 * first.
 */
static void add_order(const struct exec *x, struct rel *fence, const struct pair *pair,
		      bool section_first)
{
	int before = section_first ? pair->unlock : pair->sync;
	int after = section_first ? pair->sync : pair->lock;

	for (int i = 0; i < x->n; i++)
		for (int k = 0; k < x->n; k++)
			if (rel_has(&x->po, i, before) && rel_has(&x->po, after, k))
				rel_add(fence, i, k);
}

bool brute_rcu(const struct exec *x, struct rel prop, struct rel strong, struct rel hb)
{
	struct rel steps = rel_star(x->n, hb);
	struct pairs pairs;

	find_pairs(x, &pairs);
	for (unsigned choice = 0; choice < 1u << pairs.n; choice++) {
		struct rel fence = strong;

		for (int i = 0; i < pairs.n; i++)
			add_order(x, &fence, &pairs.pair[i], choice >> i & 1);
		if (rel_acyclic(x->n, rel_seq(x->n, rel_seq(x->n, prop, fence), steps)))
			return true;
	}
	return false;
}
