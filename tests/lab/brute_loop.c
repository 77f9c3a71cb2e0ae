/* SPDX-License-Identifier: MIT */
/*
 * Loops in random programs. The body is some instructions of a thread, and a jump back to the first
 * of them. What one of them has read, or whether it has stored, decides about the jump. Most bodies
 * only read.
 */
#include <string.h>

#include "brute.h"

#define MAX_BODY 4

static bool writes(const struct insn *i)
{
	return i->op == OP_STORE || (i->op >= OP_SWAP && i->op <= OP_CAS);
}

/* Whether the body has whole sections of RCU only, and no instruction of SRCU. */
static bool whole_sections(const struct program *p, int t, int from, int to)
{
	int depth = 0;

	for (int n = from; n < to && depth >= 0; n++) {
		const struct insn *i = &p->insn[t][n];

		if (i->fence >= FN_RCU_LOCK && i->pred)
			return false;
		depth += i->fence == FN_RCU_LOCK;
		depth -= i->fence == FN_RCU_UNLOCK;
	}
	return !depth;
}

/* Whether a branch jumps over one end of the body. */
static bool cuts_branch(const struct program *p, int t, int from, int to)
{
	for (int n = 0; n < p->len[t]; n++) {
		const struct insn *i = &p->insn[t][n];
		int end = n + 1 + i->body;

		if (i->op == OP_BRANCH && i->body &&
		    ((n < from && end > from) || (n < to && end > to)))
			return true;
	}
	return false;
}

/* Returns the register that @i, the last instruction of a body, writes, or -1. */
static int register_of(const struct insn *i)
{
	return i->op == OP_SX ? i->status :
	       i->op == OP_FENCE || i->op == OP_BRANCH || i->op == OP_STORE ? -1 : i->reg;
}

static bool fits(const struct program *p, int t, int from, int to, bool may_write)
{
	int after = to;

	while (after > from && p->insn[t][after - 1].op == OP_FENCE)
		after--;
	if (after == from || register_of(&p->insn[t][after - 1]) < 0 ||
	    cuts_branch(p, t, from, to) || !whole_sections(p, t, from, to))
		return false;
	for (int n = from; n < to; n++)
		if (writes(&p->insn[t][n]) && !may_write)
			return false;
	return true;
}

static void insert(struct program *p, int t, int from, int to, struct random *random)
{
	struct insn again = { .op = OP_AGAIN, .loc = -1, .data = -1, .addr = -1, .status = -1 };
	int last = to - 1;

	while (p->insn[t][last].op == OP_FENCE)
		last--;
	again.reg = register_of(&p->insn[t][last]);
	again.body = to - from;
	again.if_equal = p->insn[t][last].op == OP_SX ? false : percent(random, 50);
	if (in_c(p->model) && p->insn[t][last].op != OP_SX)
		again.value = (int)below(random, 3);
	for (int n = 0; n < to; n++) {
		struct insn *i = &p->insn[t][n];

		if (i->op == OP_BRANCH && n + 1 + i->body > to)
			i->body++;
	}
	memmove(&p->insn[t][to + 1], &p->insn[t][to], (size_t)(p->len[t] - to) * sizeof(again));
	p->insn[t][to] = again;
	p->len[t]++;
}

bool add_loop(struct program *p, struct random *random)
{
	bool may_write = percent(random, 25);

	for (int try = 0; try < 100; try++) {
		int t = (int)below(random, (unsigned)p->threads), from, to;

		if (!p->len[t] || p->len[t] == MAX_INSNS)
			continue;
		from = (int)below(random, (unsigned)p->len[t]);
		to = from + 1 + (int)below(random, MAX_BODY);
		if (to > p->len[t] || loop_from(p, t, -1) >= 0 || !fits(p, t, from, to, may_write))
			continue;
		insert(p, t, from, to, random);
		return true;
	}
	return false;
}

/* Returns the place of OP_AGAIN whose body begins at @n (-1: at any place), or -1. */
int loop_from(const struct program *p, int t, int n)
{
	for (int end = 0; end < p->len[t]; end++)
		if (p->insn[t][end].op == OP_AGAIN && (n < 0 || end - p->insn[t][end].body == n))
			return end;
	return -1;
}
