/* SPDX-License-Identifier: MIT */
/*
 * The parts of random programs: accesses, dependencies on what has been read, orders and fences
 * of all kinds, as far as the dialect has them and its model has rules for them.
 */
#include "brute_generate.h"

enum { ALL = ORD_SC | ORD_ACQ | ORD_REL, AR = ORD_ACQ | ORD_REL };

const struct dialect dialects[MODELS] = {
	[SC] = { .regs = 8, .max_branch = 10, .cas = true, .new_value = true, .load = { 0, -1 },
		 .store = { 0, -1 }, .modify = { 0, ORD_MB, -1 }, .fence = { FN_FULL, -1 } },
	[TSO] = { .regs = 5, .cas = true, .load = { 0, -1 }, .store = { 0, -1 },
		  .modify = { 0, -1 }, .fence = { FN_FULL, -1 } },
	[ARMV8] = { .regs = 8, .max_branch = 20, .addr = true, .data_xor = true, .exclusive = true,
		    .cas = true, .load = { 0, 0, ORD_ACQ, ORD_PC, -1 },
		    .store = { 0, 0, ORD_REL, -1 }, .modify = { 0, ORD_ACQ, ORD_REL, AR, -1 },
		    .fence = { FN_FULL, FN_LD, FN_ST, FN_ISB, -1 } },
	[RVWMO] = { .regs = 5, .max_branch = 20, .addr = true, .data_xor = true, .exclusive = true,
		    .or_op = true, .load = { 0, -1 }, .store = { 0, -1 },
		    .modify = { 0, ORD_ACQ, ORD_REL, AR, -1 },
		    .fence = { FN_RISCV, FN_RISCV, FN_RISCV, FN_TSO, -1 } },
	[RC11] = { .regs = 8, .max_branch = 8, .load = { 0, 0, ORD_ACQ, ORD_SC | ORD_ACQ, -1 },
		   .store = { 0, 0, ORD_REL, ORD_SC | ORD_REL, -1 },
		   .modify = { 0, ORD_ACQ, ORD_REL, AR, ALL, -1 }, .fence = { FN_C11, -1 } },
	[C20] = { .regs = 8, .max_branch = 8, .load = { 0, 0, ORD_ACQ, ORD_SC | ORD_ACQ, -1 },
		  .store = { 0, 0, ORD_REL, ORD_SC | ORD_REL, -1 },
		  .modify = { 0, ORD_ACQ, ORD_REL, AR, ALL, -1 }, .fence = { FN_C11, -1 } },
	[C11] = { .regs = 8, .max_branch = 8, .load = { 0, 0, ORD_ACQ, ORD_SC | ORD_ACQ, -1 },
		  .store = { 0, 0, ORD_REL, ORD_SC | ORD_REL, -1 },
		  .modify = { 0, ORD_ACQ, ORD_REL, AR, ALL, -1 }, .fence = { FN_C11, -1 } },
	[CHECK] = { .regs = 8, .max_branch = 8, .cas = true,
		    .load = { 0, 0, ORD_ACQ, ORD_SC | ORD_ACQ, -1 },
		    .store = { 0, 0, ORD_REL, ORD_SC | ORD_REL, -1 },
		    .modify = { 0, ORD_ACQ, ORD_REL, AR, ALL, -1 },
		    .fence = { FN_C11, FN_C11, FN_LIGHT, FN_LIGHT, FN_HEAVY, -1 } },
	[LKMM] = { .regs = 8, .max_branch = 20, .cas = true, .new_value = true,
		   .load = { 0, 0, ORD_ACQ, -1 }, .store = { 0, 0, ORD_REL, -1 },
		   .modify = { 0, ORD_ACQ, ORD_REL, ORD_MB, -1 },
		   .fence = { FN_FULL, FN_LD, FN_ST, -1 } },
};

static int one_of(struct maker *m, const int *list)
{
	unsigned n = 0;

	while (list[n] >= 0)
		n++;
	return list[below(m->random, n)];
}

static struct insn *add(struct maker *m, enum op op, int loc)
{
	struct insn *i = &m->p->insn[m->thread][m->p->len[m->thread]++];

	*i = (struct insn){ .op = op, .loc = loc, .data = -1, .addr = -1, .status = -1 };
	return i;
}

/* Returns a new register as a rule, and an old one now and then, or when no new one is left. */
static int new_reg(struct maker *m, unsigned avoid)
{
	unsigned observed = m->p->observed[m->thread], free = 0;
	int first = m->p->model == TSO;	/* rax is for cmpxchg */

	for (int r = first; r < m->d->regs; r++)
		free |= avoid >> r & 1 ? 0 : 1u << r;
	if ((free & ~observed) && !percent(m->random, 8))
		return __builtin_ctz(free & ~observed);
	for (;;) {
		int r = (int)below(m->random, (unsigned)m->d->regs);

		if (free >> r & 1)
			return r;
	}
}

static void to_reg(struct maker *m, struct insn *i, unsigned avoid)
{
	if (i->data >= 0)
		avoid |= 1u << i->data;
	if (i->addr >= 0)
		avoid |= 1u << i->addr;
	i->reg = m->p->model == TSO && i->op == OP_CAS ? 0 : new_reg(m, avoid);
	m->p->observed[m->thread] |= 1u << i->reg;
	m->loaded |= 1u << i->reg;
	m->last_loaded = i->reg;
}

static int some_loaded(struct maker *m)
{
	if (percent(m->random, 70))
		return m->last_loaded;
	for (;;) {
		int r = (int)below(m->random, MAX_REGS);

		if (m->loaded >> r & 1)
			return r;
	}
}

static void value(struct maker *m, struct insn *i)
{
	bool next = percent(m->random, 60) && m->stores[i->loc] < 3;

	i->value = next ? ++m->stores[i->loc] : 1 + (int)below(m->random, 2);
	if (m->loaded && percent(m->random, 25 * m->often)) {
		i->data = some_loaded(m);
		i->data_xor = m->d->data_xor && percent(m->random, 60);
		/* A cmpxchg compares with eax, and does not take its new value from there. */
		if (m->p->model == TSO && i->op == OP_CAS && i->data == 0)
			i->data = -1;
	}
}

static void address(struct maker *m, struct insn *i)
{
	bool simple = (i->op == OP_LOAD || i->op == OP_STORE) && !i->ord;

	if (m->d->addr && m->loaded && (m->through_address || percent(m->random, 16 * m->often)) &&
	    (simple || m->p->model == RVWMO))
		i->addr = some_loaded(m);
}

static void fence(struct maker *m)
{
	static const unsigned orders[] = { ORD_ACQ, ORD_REL, AR, ALL };
	struct insn *i = add(m, OP_FENCE, -1);

	i->fence = (enum fence)one_of(m, m->d->fence);
	if (i->fence == FN_RISCV) {
		bool full = percent(m->random, 25);

		i->pred = full ? 3 : 1 + (int)below(m->random, 3);
		i->succ = full ? 3 : 1 + (int)below(m->random, 3);
	} else if (i->fence == FN_C11) {
		i->ord = orders[below(m->random, 4)];
	}
}

/*
 * Makes a load exclusive, at times a fence, and a store exclusive. The RISC-V specification tells
 * software not to use lr.rl and sc.aq.
 */
static void exclusive(struct maker *m, int loc)
{
	struct insn *i = add(m, OP_LX, loc);
	int reg;

	i->ord = (unsigned)one_of(m, m->d->modify);
	if (m->p->model == ARMV8 || i->ord == ORD_REL)
		i->ord &= ORD_ACQ;
	address(m, i);
	to_reg(m, i, 0);
	reg = i->reg;
	if (percent(m->random, 15))
		fence(m);
	i = add(m, OP_SX, loc);
	i->ord = (unsigned)one_of(m, m->d->modify);
	if (m->p->model == ARMV8 || i->ord == ORD_ACQ)
		i->ord &= ORD_REL;
	value(m, i);
	address(m, i);
	i->status = new_reg(m, 1u << reg | (i->data < 0 ? 0 : 1u << i->data) |
			    (i->addr < 0 ? 0 : 1u << i->addr) | m->loaded);
	m->p->observed[m->thread] |= 1u << i->status;
	m->accesses++;
}

static void modify(struct maker *m, int loc)
{
	struct insn *i;
	enum op op = OP_SWAP;

	if (m->d->exclusive && __builtin_popcount(m->loaded) < m->d->regs - 2 &&
	    percent(m->random, 40)) {
		exclusive(m, loc);
		return;
	}
	if (percent(m->random, m->p->model == TSO ? 8 : 30))
		op = m->d->or_op && percent(m->random, 50) ? OP_OR : OP_ADD;
	else if (m->d->cas && percent(m->random, 45))
		op = OP_CAS;
	i = add(m, op, loc);
	i->ord = (unsigned)one_of(m, m->d->modify);
	value(m, i);
	if (i->op == OP_ADD && i->data >= 0 && m->p->model == SC)
		i->data = -1;
	i->new_value = op == OP_ADD && m->d->new_value && percent(m->random, 30);
	if (op == OP_CAS)
		i->expect = percent(m->random, 60) ? m->p->init[loc] : (int)below(m->random, 3);
	/* A compare-exchange that fails acquires, or orders nothing. */
	if (op == OP_CAS && m->p->model == CHECK)
		i->failure = percent(m->random, 50) ? i->ord & ORD_ACQ : 0;
	address(m, i);
	to_reg(m, i, 0);
}

static void access_one(struct maker *m, int loc, enum want want)
{
	bool load = want == ANY ? percent(m->random, 52) : want == READ;
	struct insn *i;

	m->accesses++;
	if (percent(m->random, m->modifies)) {
		modify(m, loc);
		return;
	}
	i = add(m, load ? OP_LOAD : OP_STORE, loc);
	i->ord = (unsigned)one_of(m, i->op == OP_LOAD ? m->d->load : m->d->store);
	if (i->op == OP_STORE)
		value(m, i);
	address(m, i);
	if (i->op == OP_LOAD)
		to_reg(m, i, 0);
}

/* Makes one access, and before it at times a branch on what was read, and a fence. */
void unit(struct maker *m, int loc, enum want want)
{
	struct insn *branch = NULL;
	int begin = 0;

	if (m->loaded && !m->through_address &&
	    percent(m->random, (unsigned)m->d->max_branch * m->often)) {
		branch = add(m, OP_BRANCH, -1);
		branch->reg = some_loaded(m);
		branch->if_equal = percent(m->random, 30);
		begin = m->p->len[m->thread];
	}
	if (branch && m->p->model == ARMV8 && percent(m->random, 40))
		add(m, OP_FENCE, -1)->fence = FN_ISB;
	else if (m->p->len[m->thread] && percent(m->random, m->fences))
		fence(m);
	access_one(m, loc, want);
	/* In assembly most branches go to the next instruction: only a control dependency. */
	if (branch && (in_c(m->p->model) || percent(m->random, 35)))
		branch->body = m->p->len[m->thread] - begin;
}
