/* SPDX-License-Identifier: MIT */
/*
 * RVWMO as its manual defines it. The memory operations have one total order, the global order,
 * which respects preserved program order (thirteen rules). A load takes each byte from the last
 * store of that byte among all stores before the load, in the global order or in the program. No
 * other thread's store comes between a load-reserve and its store-conditional. Every total order is
 * tried.
 */
#include <string.h>

#include "bytes.h"

#define MAX_OPS (B_THREADS * B_ACCESSES)
#define INITIAL (-1)

struct op {
	unsigned thread, pc;
	const struct step *s;
	int paired;			/* of a store-conditional: its load-reserve's operation */
	bool compares, fails;
};

struct orders {
	const struct b_program *p;
	struct b_states *states;
	struct op op[MAX_OPS];
	struct step as[MAX_OPS];	/* of compare-exchanges */
	unsigned nr, placed;
	unsigned before[MAX_OPS];	/* by the rules that do not depend on values, a bit each */
	unsigned position[MAX_OPS];
	int from[MAX_OPS][8];		/* of a load's bytes: the store's operation, or INITIAL */
	uint64_t stored[MAX_OPS];
	struct b_final final;
	long left;
	bool too_many;
};

static bool is_after(const struct orders *o, unsigned a, unsigned b)
{
	return o->op[a].thread == o->op[b].thread && o->op[a].pc < o->op[b].pc;
}

static bool overlap(const struct step *a, const struct step *b)
{
	return b_first(a) < b_first(b) + b->size && b_first(b) < b_first(a) + a->size;
}

/* Returns the slot on whose value the step's data, address or (of a branch) decision depends. */
static bool data_on(const struct step *s, int slot)
{
	return s->data == slot || (s->from == slot && !s->from_address && s->kind != B_BRANCH);
}

static bool address_on(const struct step *s, int slot)
{
	return b_access(s) && s->from == slot && s->from_address;
}

/* Whether a fence between @a and @b puts them in order: rule 4. */
static bool fenced(const struct orders *o, unsigned a, unsigned b)
{
	const struct op *x = &o->op[a], *y = &o->op[b];

	for (unsigned i = x->pc + 1; i < y->pc; i++) {
		const struct step *f = &o->p->step[x->thread][i];

		if (f->kind != B_FENCE)
			continue;
		if (f->fence == BF_TSO && (b_reads(x->s) || (b_writes(x->s) && b_writes(y->s))))
			return true;
		if (f->fence == BF_RW &&
		    ((f->pred & 1 && b_reads(x->s)) || (f->pred & 2 && b_writes(x->s))) &&
		    ((f->succ & 1 && b_reads(y->s)) || (f->succ & 2 && b_writes(y->s))))
			return true;
	}
	return false;
}

/* Whether the step is an operation of memory. A store-conditional that fails is none. */
static bool is_done(const struct orders *o, unsigned thread, unsigned pc)
{
	for (unsigned i = 0; i < o->nr; i++)
		if (o->op[i].thread == thread && o->op[i].pc == pc)
			return true;
	return false;
}

/* Whether a branch (with @address: an address) between @a and @b depends on what @a has read. */
static bool decided(const struct orders *o, unsigned a, unsigned b, bool address)
{
	const struct op *x = &o->op[a], *y = &o->op[b];

	for (unsigned i = x->pc + 1; b_reads(x->s) && i < y->pc; i++) {
		const struct step *s = &o->p->step[x->thread][i];

		if (address ? address_on(s, x->s->slot) && is_done(o, x->thread, i) :
			      s->kind == B_BRANCH && s->from == x->s->slot)
			return true;
	}
	return false;
}

/*
 * The rules that do not depend on the order: all except 2, 3 and 12. A compare-exchange that fails
 * counts as a store in these rules, except in rule 4, of fences (the manual, Zacas).
 */
static bool preserved(const struct orders *o, unsigned a, unsigned b)
{
	const struct step *x = o->op[a].s, *y = o->op[b].s;
	bool rcsc = x->order && y->order, store = b_writes(y) || o->op[b].fails;

	if (!is_after(o, a, b))
		return false;
	return (store && overlap(x, y)) ||					/* 1 */
		fenced(o, a, b) ||						/* 4 */
		x->order & B_ACQ || y->order & B_REL || rcsc ||			/* 5 to 7 */
		o->op[b].paired == (int)a ||					/* 8 */
		(b_reads(x) && (address_on(y, x->slot) || data_on(y, x->slot))) ||	/* 9, 10 */
		(store && (decided(o, a, b, false) || decided(o, a, b, true)));	/* 11, 13 */
}

/* The last store of the byte among those before @load, in the global order or in the program. */
static int source(const struct orders *o, unsigned load, unsigned byte)
{
	int last = INITIAL;

	for (unsigned w = 0; w < o->nr; w++) {
		if (w == load || !b_writes(o->op[w].s) || !b_has(o->op[w].s, byte))
			continue;
		if (o->position[w] > o->position[load] && !is_after(o, w, load))
			continue;
		if (last == INITIAL || o->position[w] > o->position[last])
			last = (int)w;
	}
	return last;
}

static bool store_between(const struct orders *o, unsigned a, unsigned b, unsigned byte)
{
	for (unsigned w = 0; w < o->nr; w++)
		if (b_writes(o->op[w].s) && b_has(o->op[w].s, byte) && is_after(o, a, w) &&
		    is_after(o, w, b))
			return true;
	return false;
}

static int from_of(const struct orders *o, unsigned load, unsigned byte)
{
	return o->from[load][byte - b_first(o->op[load].s)];
}

/* Whether the rules 2, 3 and 12, which depend on what is read, put @a before @b. */
static bool by_value(const struct orders *o, unsigned a, unsigned b)
{
	const struct step *x = o->op[a].s, *y = o->op[b].s;

	if (!is_after(o, a, b) || !b_reads(y))
		return false;
	for (unsigned byte = b_first(y); byte < b_first(y) + y->size; byte++) {
		int from = from_of(o, b, byte);

		if (b_reads(x) && b_has(x, byte) && from_of(o, a, byte) != from &&
		    !store_between(o, a, b, byte))
			return true;
		if (from == (int)a && (b_one_instruction(x) || x->kind == B_SX))
			return true;
		if (from != INITIAL && b_reads(x) && is_after(o, a, (unsigned)from) &&
		    is_after(o, (unsigned)from, b) &&
		    (address_on(o->op[from].s, x->slot) || data_on(o->op[from].s, x->slot)))
			return true;
	}
	return false;
}

/* The axiom of atomicity, for a store-conditional and its load-reserve. */
static bool is_atomic(const struct orders *o, unsigned store)
{
	unsigned load = (unsigned)o->op[store].paired;

	for (unsigned byte = b_first(o->op[load].s); b_has(o->op[load].s, byte); byte++) {
		int from = from_of(o, load, byte);

		if (from != INITIAL && o->position[from] > o->position[store])
			return false;
		for (unsigned w = 0; w < o->nr; w++)
			if (b_writes(o->op[w].s) && b_has(o->op[w].s, byte) &&
			    o->op[w].thread != o->op[store].thread &&
			    (from == INITIAL || o->position[w] > o->position[from]) &&
			    o->position[w] < o->position[store] && (int)w != from)
				return false;
	}
	return true;
}

/*
 * Computes what the operations read and store, in the order in which the values become known.
 * False: with these values other compare-exchanges fail than those that were chosen to fail.
 */
static bool compute(struct orders *o)
{
	unsigned known = 0;

	memset(&o->final, 0, sizeof(o->final));
	for (unsigned turn = 0; turn < o->nr; turn++)
		for (unsigned i = 0; i < o->nr; i++) {
			const struct op *op = &o->op[i];
			uint64_t old = 0, *reg = o->final.reg[op->thread];
			unsigned needs = 0;

			for (unsigned k = 0; b_reads(op->s) && k < op->s->size; k++)
				needs |= o->from[i][k] == INITIAL ? 0 : 1u << o->from[i][k];
			for (unsigned j = 0; j < o->nr; j++)
				if (is_after(o, j, i) && b_reads(o->op[j].s) &&
				    data_on(op->s, o->op[j].s->slot))
					needs |= 1u << j;
			if (needs & ~known)
				continue;
			for (unsigned k = 0; b_reads(op->s) && k < op->s->size; k++) {
				int from = o->from[i][k];
				unsigned at = from == INITIAL ? 0 :
					      b_first(op->s) + k - b_first(o->op[from].s);

				old |= from == INITIAL ? 0 :
				       (o->stored[from] >> 8 * at & 255) << 8 * k;
			}
			if (op->compares && (old == op->s->expect) == op->fails)
				return false;
			o->stored[i] = b_stored(op->s, reg, old);
			if (b_reads(op->s))
				reg[op->s->slot] = old;
			known |= 1u << i;
		}
	/* a value depends on itself; no such program is made */
	o->too_many |= known != (1u << o->nr) - 1;
	return true;
}

static void last_values(struct orders *o)
{
	for (unsigned byte = 0; byte < B_BYTES; byte++) {
		int last = INITIAL;

		for (unsigned w = 0; w < o->nr; w++)
			if (b_writes(o->op[w].s) && b_has(o->op[w].s, byte) &&
			    (last == INITIAL || o->position[w] > o->position[last]))
				last = (int)w;
		if (last != INITIAL)
			o->final.memory[byte] = (uint8_t)(o->stored[last] >>
							  8 * (byte - b_first(o->op[last].s)));
	}
}

static void judge(struct orders *o)
{
	for (unsigned i = 0; i < o->nr; i++)
		for (unsigned k = 0; b_reads(o->op[i].s) && k < o->op[i].s->size; k++)
			o->from[i][k] = source(o, i, b_first(o->op[i].s) + k);
	for (unsigned i = 0; i < o->nr; i++) {
		if (o->op[i].paired >= 0 && !is_atomic(o, i))
			return;
		for (unsigned j = 0; j < o->nr; j++)
			if (o->position[j] < o->position[i] && by_value(o, i, j))
				return;
	}
	if (!compute(o))
		return;
	last_values(o);
	o->too_many |= !b_found(o->p, &o->final, o->states);
}

static void place(struct orders *o)
{
	if (o->left-- <= 0)
		o->too_many = true;
	if (o->too_many)
		return;
	if (o->placed == (1u << o->nr) - 1) {
		judge(o);
		return;
	}
	for (unsigned i = 0; i < o->nr; i++) {
		if (o->placed >> i & 1 || o->before[i] & ~o->placed)
			continue;
		o->position[i] = (unsigned)__builtin_popcount(o->placed);
		o->placed |= 1u << i;
		place(o);
		o->placed &= ~(1u << i);
	}
}

static void add_operation(struct orders *o, struct op op)
{
	op.compares = op.s->kind == B_CAS;
	if (op.compares) {
		o->as[o->nr] = b_compared(op.s, op.fails);
		op.s = &o->as[o->nr];
	}
	o->op[o->nr++] = op;
}

/* Makes the operations, given which store-conditionals and compares fail, and tries all orders. */
static void try_choice(struct orders *o, unsigned fails)
{
	unsigned choice = 0;

	o->nr = 0;
	for (unsigned t = 0; t < o->p->threads; t++) {
		int reserved = -1;

		for (unsigned i = 0; i < o->p->nr[t]; i++) {
			const struct step *s = &o->p->step[t][i];
			bool fail = (s->kind == B_SX || s->kind == B_CAS) && fails >> choice++ & 1;
			bool skip = !b_access(s) || (s->kind == B_SX && fail);

			if (s->kind == B_SX && !skip && reserved < 0)
				return;	/* a store-conditional without a reservation fails */
			if (!skip)
				add_operation(o, (struct op) {
					.thread = t, .pc = i, .s = s, .fails = fail,
					.paired = s->kind == B_SX ? reserved : -1,
				});
			reserved = s->kind == B_LX ? (int)o->nr - 1 :
				   s->kind == B_SX ? -1 : reserved;
		}
	}
	for (unsigned b = 0; b < o->nr; b++) {
		o->before[b] = 0;
		for (unsigned a = 0; a < o->nr; a++)
			o->before[b] |= (unsigned)preserved(o, a, b) << a;
	}
	place(o);
}

bool bytes_rvwmo(const struct b_program *p, struct b_states *states)
{
	static struct orders o;
	unsigned conditionals = 0;

	o = (struct orders) { .p = p, .states = states, .left = 2000000 };
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->nr[t]; i++)
			conditionals += p->step[t][i].kind == B_SX || p->step[t][i].kind == B_CAS;
	for (unsigned fails = 0; fails < 1u << conditionals && !o.too_many; fails++)
		try_choice(&o, fails);
	return !o.too_many;
}
