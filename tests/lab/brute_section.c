/* SPDX-License-Identifier: MIT */
/*
 * Puts RCU into random programs of the kernel's dialect: sections into threads, and grace periods.
 */
#include <string.h>

#include "brute_generate.h"

/* Whether an instruction that stands at @at would be in the body of a branch. */
static bool in_body(const struct program *p, int t, int at)
{
	for (int n = 0; n < at; n++)
		if (p->insn[t][n].op == OP_BRANCH && at <= n + p->insn[t][n].body)
			return true;
	return false;
}

/*
 * Inserts a fence of RCU at @at or, if that is in the body of a branch, behind the body. Returns
 * the fence's place.
 */
static int insert(struct program *p, int t, int at, enum fence fence, int domain)
{
	struct insn *insn = p->insn[t];

	while (in_body(p, t, at))
		at++;
	memmove(&insn[at + 1], &insn[at], (size_t)(p->len[t]++ - at) * sizeof(*insn));
	insn[at] = (struct insn){ .op = OP_FENCE, .loc = -1, .fence = fence, .pred = domain,
				  .data = -1, .addr = -1, .status = -1 };
	return at;
}

/* Adds a section, more often than not of the whole thread. */
static void add_section(struct program *p, int t, int domain, struct random *random)
{
	bool nested = !domain && percent(random, 12), whole = percent(random, 65);
	int lock = whole ? 0 : (int)below(random, (unsigned)p->len[t] + 1), unlock;

	lock = insert(p, t, lock, FN_RCU_LOCK, domain);
	if (nested)
		insert(p, t, lock + 1, FN_RCU_LOCK, domain);
	unlock = whole ? p->len[t] : lock + 1 + nested +
		(int)below(random, (unsigned)(p->len[t] - lock - nested));
	unlock = insert(p, t, unlock, FN_RCU_UNLOCK, domain);
	if (nested)
		insert(p, t, unlock + 1 + (int)below(random, (unsigned)(p->len[t] - unlock)),
		       FN_RCU_UNLOCK, domain);
}

void add_rcu(struct program *p, struct random *random)
{
	bool srcu = percent(random, 40);

	for (int t = 0; t < p->threads; t++) {
		unsigned dice = below(random, 100);
		int domain = srcu && percent(random, 60);
		int at;

		if (dice < 45) {
			add_section(p, t, domain, random);
		} else if (dice < 90) {
			at = 1 + (int)below(random, (unsigned)p->len[t]);
			insert(p, t, at, FN_RCU_SYNC, domain);
		}
	}
}
