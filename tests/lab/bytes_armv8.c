/* SPDX-License-Identifier: MIT */
/*
 * Armv8-A by single bytes, after the Arm Architecture Reference Manual (issue M.b, B2.3) and the
 * model that comes with it: each byte of an access is an event, and the bytes of one aligned access
 * of one register are a single-copy atomicity class. For each byte by itself all reads-from and
 * coherence orders are made; then all combinations of the bytes are judged.
 */
#include <stddef.h>
#include <string.h>

#include "brute_rel.h"
#include "bytes.h"

#define MAX_OPS		(B_THREADS * B_ACCESSES)
#define MAX_CHOICES	4000	/* of one byte */
#define MAX_COMBINED	20000
#define MAX_TRIES	50000	/* of one byte */
#define INITIAL		(-1)

struct access {
	int thread, pc;
	const struct step *s;
	int paired;		/* of a store-exclusive: its load-exclusive's operation, or -1 */
	int read[8], write[8];	/* the events of its bytes, or -1 */
	bool compares, fails;
	bool halves;		/* of 16 bytes, each half of which is a class of its own */
};

/*
 * For one byte: what each operation reads from, and the place of its write in the coherence order.
 */
struct choice {
	signed char from[MAX_OPS], place[MAX_OPS];
};

struct search {
	const struct b_program *p;
	struct b_states *states;
	int nr, n;
	struct access op[MAX_OPS];
	struct step as[MAX_OPS];	/* of compare-exchanges */
	int op_of[MAX_EVENTS];
	unsigned byte_of[MAX_EVENTS];
	set r, w;
	unsigned choices[B_BYTES];
	struct choice choice[B_BYTES][MAX_CHOICES];
	const struct choice *chosen[B_BYTES];
	struct rel fixed;	/* ordered before, whatever is read */
	struct rel lrs_all;	/* a write, and the reads of its byte that it may be forwarded to */
	struct rel made, addr, data;
	set class[MAX_EVENTS], again[MAX_EVENTS];
	long tries;
	bool too_many;
};

static bool after(const struct search *s, int a, int b)
{
	return s->op[a].thread == s->op[b].thread && s->op[a].pc < s->op[b].pc;
}

/* Returns the operation whose read makes a read-modify-write with the write of @op, or -1. */
static int half_of(const struct search *s, int op)
{
	return b_one_instruction(s->op[op].s) ? op : s->op[op].paired;
}

/* ---- the choices of one byte */

static bool is_coherent(const struct search *s, unsigned byte, const struct choice *c)
{
	struct rel rel = { { 0 } };

	/* an operation's read is event 2i, its write 2i + 1 */
	for (int a = 0; a < s->nr; a++)
		for (int b = 0; b < s->nr; b++) {
			const struct step *x = s->op[a].s, *y = s->op[b].s;
			bool po = after(s, a, b);

			if (!b_has(x, byte) || !b_has(y, byte))
				continue;
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < 2; j++)
					if ((i ? b_writes(x) : b_reads(x)) &&
					    (j ? b_writes(y) : b_reads(y)) &&
					    (po || (a == b && i < j)))
						rel_add(&rel, 2 * a + i, 2 * b + j);
			if (b_writes(x) && b_writes(y) && a != b && c->place[a] < c->place[b])
				rel_add(&rel, 2 * a + 1, 2 * b + 1);
			if (b_writes(x) && b_reads(y) && c->from[b] == a)
				rel_add(&rel, 2 * a + 1, 2 * b);
			if (b_reads(x) && b_writes(y) && c->from[a] != b &&
			    (c->from[a] == INITIAL || c->place[c->from[a]] < c->place[b]))
				rel_add(&rel, 2 * a, 2 * b + 1);
		}
	return rel_acyclic(2 * s->nr, rel);
}

/* Whether no other thread's write of the byte comes between the halves of a read-modify-write. */
static bool is_atomic(const struct search *s, unsigned byte, const struct choice *c)
{
	for (int w = 0; w < s->nr; w++) {
		int half = b_writes(s->op[w].s) && b_has(s->op[w].s, byte) ? half_of(s, w) : -1;

		for (int other = 0; half >= 0 && other < s->nr; other++)
			if (s->op[other].thread != s->op[w].thread && b_writes(s->op[other].s) &&
			    b_has(s->op[other].s, byte) && c->place[other] < c->place[w] &&
			    other != c->from[half] &&
			    (c->from[half] == INITIAL || c->place[c->from[half]] < c->place[other]))
				return false;
	}
	return true;
}

static void choose_source(struct search *s, unsigned byte, struct choice *c, int op)
{
	while (op < s->nr && !(b_reads(s->op[op].s) && b_has(s->op[op].s, byte)))
		op++;
	if (s->too_many)
		return;
	if (op == s->nr) {
		s->too_many |= ++s->tries > MAX_TRIES;
		if (!is_coherent(s, byte, c) || !is_atomic(s, byte, c))
			return;
		if (s->choices[byte] == MAX_CHOICES)
			s->too_many = true;
		else
			s->choice[byte][s->choices[byte]++] = *c;
		return;
	}
	for (int from = INITIAL; from < s->nr; from++) {
		if (from >= 0 && !(b_writes(s->op[from].s) && b_has(s->op[from].s, byte)))
			continue;
		c->from[op] = (signed char)from;
		choose_source(s, byte, c, op + 1);
	}
}

static void choose_order(struct search *s, unsigned byte, struct choice *c, unsigned placed,
			 int place)
{
	bool all = true;

	for (int w = 0; w < s->nr; w++) {
		if (placed >> w & 1 || !b_writes(s->op[w].s) || !b_has(s->op[w].s, byte))
			continue;
		all = false;
		c->place[w] = (signed char)place;
		choose_order(s, byte, c, placed | 1u << w, place + 1);
	}
	if (all)
		choose_source(s, byte, c, 0);
}

/* ---- what is ordered, whatever is read */

static bool has_fence(const struct search *s, int a, int b, enum b_fence fence)
{
	for (int i = s->op[a].pc + 1; i < s->op[b].pc; i++)
		if (s->p->step[s->op[a].thread][i].kind == B_FENCE &&
		    s->p->step[s->op[a].thread][i].fence == fence)
			return true;
	return false;
}

static bool depends(const struct step *s, int slot, bool address)
{
	return b_access(s) &&
	       ((s->data == slot && !address) || (s->from == slot && s->from_address == address));
}

/* Whether the step is an operation of memory. A store-exclusive that fails is none. */
static bool is_done(const struct search *s, int thread, int pc)
{
	const struct step *step = &s->p->step[thread][pc];

	if (step->kind != B_SX)
		return b_access(step);
	for (int i = 0; i < s->nr; i++)
		if (s->op[i].thread == thread && s->op[i].pc == pc)
			return true;
	return false;
}

/*
 * Whether a branch (with @address: an address) between @a and @b depends on @a. With @isb an ISB
 * must follow it before @b.
 */
static bool decided(const struct search *s, int a, int b, bool address, bool isb)
{
	const struct step *steps = s->p->step[s->op[a].thread];

	for (int i = s->op[a].pc + 1; i < s->op[b].pc; i++) {
		if (steps[i].from != s->op[a].s->slot ||
		    (address ? !is_done(s, s->op[a].thread, i) || !steps[i].from_address :
			       steps[i].kind != B_BRANCH))
			continue;
		if (!isb)
			return true;
		for (int j = i + 1; j < s->op[b].pc; j++)
			if (steps[j].kind == B_FENCE && steps[j].fence == BF_ISB)
				return true;
	}
	return false;
}

/*
 * Whether program order, with the steps in between, puts the events of @a (its reads, or its
 * writes) before those of @b.
 */
static bool by_program(const struct search *s, int a, bool aw, int b, bool bw)
{
	const struct step *x = s->op[a].s, *y = s->op[b].s;
	bool acquire = !aw && x->order & (B_ACQ | B_PC), release = bw && y->order & B_REL;
	bool both = b_one_instruction(x) && aw && x->order & B_ACQ && x->order & B_REL;

	if (!after(s, a, b))
		return false;
	if (has_fence(s, a, b, BF_FULL) || (!aw && has_fence(s, a, b, BF_LD)) ||
	    (aw && bw && has_fence(s, a, b, BF_ST)) || acquire || release || both)
		return true;
	if (aw && x->order & B_REL && !bw && y->order & B_ACQ)
		return true;
	if (aw)
		return false;
	return depends(y, x->slot, true) || (bw && depends(y, x->slot, false)) ||
		(bw && (decided(s, a, b, false, false) || decided(s, a, b, true, false))) ||
		decided(s, a, b, false, true) || decided(s, a, b, true, true);
}

static void order_operations(struct search *s)
{
	for (int e = 0; e < s->n; e++)
		for (int f = 0; f < s->n; f++) {
			int a = s->op_of[e], b = s->op_of[f];
			bool ew = s->w >> e & 1, fw = s->w >> f & 1, near = after(s, a, b);
			const struct step *x = s->op[a].s, *y = s->op[b].s;

			if (by_program(s, a, ew, b, fw))
				rel_add(&s->fixed, e, f);
			/*
			 * A write comes after each earlier access of its thread to its byte, and so
			 * do the other bytes of its class.
			 */
			if (near && fw && b_has(y, s->byte_of[e]))
				rel_add(&s->fixed, e, f);
			/* the halves of a read-modify-write, byte by byte */
			if (!ew && fw && half_of(s, b) == a && s->byte_of[e] == s->byte_of[f])
				rel_add(&s->fixed, e, f);
			if (!ew && near && depends(y, x->slot, true))
				rel_add(&s->addr, e, f);
			if (!ew && fw && near && depends(y, x->slot, false))
				rel_add(&s->data, e, f);
			if (!ew && fw &&
			    ((near && depends(y, x->slot, false)) || (a == b && x->kind == B_ADD)))
				rel_add(&s->made, e, f);
		}
}

/* Finds lrs: a write, and a later read of its byte with no write of the thread between the two. */
static void find_successors(struct search *s)
{
	for (int e = 0; e < s->n; e++)
		for (int f = 0; f < s->n; f++) {
			bool between = !(s->w >> e & 1) || !(s->r >> f & 1) ||
				       s->byte_of[e] != s->byte_of[f] ||
				       !after(s, s->op_of[e], s->op_of[f]);

			for (int m = 0; m < s->nr && !between; m++)
				between = b_writes(s->op[m].s) &&
					  b_has(s->op[m].s, s->byte_of[e]) &&
					  after(s, s->op_of[e], m) && after(s, m, s->op_of[f]);
			if (!between)
				rel_add(&s->lrs_all, e, f);
		}
}

static unsigned half_at(const struct search *s, int op, unsigned byte)
{
	return s->op[op].halves && byte - b_first(s->op[op].s) >= s->op[op].s->size / 2;
}

static bool one_class(const struct search *s, int e, int f)
{
	return s->op_of[e] == s->op_of[f] && (s->w >> e & 1) == (s->w >> f & 1) &&
		half_at(s, s->op_of[e], s->byte_of[e]) == half_at(s, s->op_of[f], s->byte_of[f]);
}

/*
 * Finds the class of each event; and, for a read of a byte, the class of each later read that also
 * reads this byte.
 */
static void find_classes(struct search *s)
{
	for (int e = 0; e < s->n; e++)
		for (int f = 0; f < s->n; f++) {
			if (one_class(s, e, f))
				s->class[e] |= UINT64_C(1) << f;
			if (s->r >> e & s->r >> f & 1 && after(s, s->op_of[e], s->op_of[f]) &&
			    b_has(s->op[s->op_of[f]].s, s->byte_of[e]) &&
			    half_at(s, s->op_of[f], s->byte_of[e]) ==
			    half_at(s, s->op_of[f], s->byte_of[f]))
				s->again[e] |= UINT64_C(1) << f;
		}
}

/*
 * Orders dependencies through memory within a thread: a dependency, then lrs; and (made; lrs)+,
 * then a dependency.
 */
static void order_through_memory(struct search *s)
{
	int n = s->n;
	struct rel through = rel_plus(n, rel_seq(n, s->made, s->lrs_all)), half = { { 0 } };
	set a = 0;

	s->fixed = rel_or(n, s->fixed, rel_seq(n, rel_or(n, s->addr, s->data), s->lrs_all));
	for (int e = 0; e < n; e++) {
		int op = s->op_of[e];

		if (s->r >> e & 1 && s->op[op].s->order & (B_ACQ | B_PC))
			a |= UINT64_C(1) << e;
		/* a read-modify-write's value that is forwarded to an acquiring load */
		for (int f = 0; f < n; f++)
			if (!(s->w >> e & 1) && s->w >> f & 1 && s->byte_of[e] == s->byte_of[f] &&
			    half_of(s, s->op_of[f]) == op)
				rel_add(&half, e, f);
	}
	s->fixed = rel_or(n, s->fixed,
			  rel_within(n, ~UINT64_C(0), rel_seq(n, half, s->lrs_all), a));
	for (int e = 0; e < n; e++)
		for (int f = 0; f < n; f++) {
			if (!rel_has(&through, e, f))
				continue;
			for (int g = 0; g < n; g++) {
				int x = s->op_of[f], y = s->op_of[g];
				bool gw = s->w >> g & 1;

				if (!after(s, x, y))
					continue;
				if (depends(s->op[y].s, s->op[x].s->slot, true) ||
				    (gw && depends(s->op[y].s, s->op[x].s->slot, false)) ||
				    (gw && (decided(s, x, y, false, false) ||
					    decided(s, x, y, true, false))) ||
				    decided(s, x, y, false, true) || decided(s, x, y, true, true))
					rel_add(&s->fixed, e, g);
			}
		}
}

/* ---- a combination of the bytes' choices */

static int from_of(const struct search *s, int event)
{
	return s->chosen[s->byte_of[event]]->from[s->op_of[event]];
}

static bool in_order(const struct search *s, unsigned byte, int first, int second)
{
	const struct choice *c = s->chosen[byte];

	return first == INITIAL || c->place[first] < c->place[second];
}

/* Whether @f is seen after @e by another thread: reads-from, coherence, from-reads. */
static bool seen(const struct search *s, int e, int f)
{
	int a = s->op_of[e], b = s->op_of[f];
	bool ew = s->w >> e & 1, fw = s->w >> f & 1;

	if (s->byte_of[e] != s->byte_of[f] || s->op[a].thread == s->op[b].thread)
		return false;
	if (ew && !fw)
		return from_of(s, f) == a;
	if (ew && fw)
		return in_order(s, s->byte_of[e], a, b);
	return fw && from_of(s, e) != b && in_order(s, s->byte_of[e], from_of(s, e), b);
}

static bool is_allowed(const struct search *s)
{
	struct rel obs = { { 0 } }, wide = { { 0 } };
	int n = s->n;

	for (int e = 0; e < n; e++)
		for (int f = 0; f < n; f++)
			if (seen(s, e, f))
				rel_add(&obs, e, f);
	/*
	 * Of two reads of a byte, the first comes before each write that overwrites a byte of the
	 * second.
	 */
	for (int e = 0; e < n; e++)
		for (set later = s->again[e]; later; later &= later - 1)
			wide.row[e] |= obs.row[__builtin_ctzll(later)] & s->w;
	obs = rel_or(n, obs, wide);
	for (int e = 0; e < n; e++)
		for (set to = obs.row[e]; to; to &= to - 1)
			wide.row[e] |= s->class[__builtin_ctzll(to)];
	return rel_acyclic(n, rel_or(n, rel_or(n, obs, wide), s->fixed));
}

/*
 * Computes values; false: a value depends on itself, or a compare-exchange does not find what it
 * should.
 */
static bool values(const struct search *s, struct b_final *final)
{
	uint64_t stored[MAX_OPS] = { 0 };
	unsigned known = 0;

	memset(final, 0, sizeof(*final));
	for (int turn = 0; turn < s->nr; turn++)
		for (int i = 0; i < s->nr; i++) {
			const struct step *y = s->op[i].s;
			uint64_t old = 0, *reg = final->reg[s->op[i].thread];
			unsigned needs = 0;

			for (int j = 0; j < s->nr; j++)
				if (after(s, j, i) && b_reads(s->op[j].s) &&
				    y->data == s->op[j].s->slot)
					needs |= 1u << j;
			for (unsigned k = 0; b_reads(y) && k < y->size; k++) {
				int from = from_of(s, s->op[i].read[k]);

				if (from == INITIAL)
					continue;
				needs |= 1u << from;
				old |= (stored[from] >> 8 * (b_first(y) + k -
							     b_first(s->op[from].s)) & 255) <<
				       8 * k;
			}
			if (needs & ~known)
				continue;
			if (s->op[i].compares && (old == y->expect) == s->op[i].fails)
				return false;
			stored[i] = b_stored(y, reg, old);
			if (b_reads(y))
				reg[y->slot] = old;
			known |= 1u << i;
			for (unsigned k = 0; b_writes(y) && k < y->size; k++) {
				unsigned byte = b_first(y) + k;
				bool last = true;

				for (int j = 0; j < s->nr; j++)
					last &= !(b_writes(s->op[j].s) && b_has(s->op[j].s, byte) &&
						  j != i && in_order(s, byte, i, j));
				if (last)
					final->memory[byte] = (uint8_t)(stored[i] >> 8 * k);
			}
		}
	return known == (1u << s->nr) - 1;
}

static void combine(struct search *s, unsigned byte)
{
	struct b_final final;

	while (byte < B_BYTES && !s->choices[byte])
		byte++;
	if (byte == B_BYTES) {
		if (is_allowed(s) && values(s, &final))
			s->too_many |= !b_found(s->p, &final, s->states);
		return;
	}
	for (unsigned i = 0; i < s->choices[byte] && !s->too_many; i++) {
		s->chosen[byte] = &s->choice[byte][i];
		combine(s, byte + 1);
	}
}

static void add_events(struct search *s, int op)
{
	const struct step *step = s->op[op].s;

	for (unsigned k = 0; k < step->size; k++)
		for (int write = 0; write < 2; write++) {
			int *event = write ? &s->op[op].write[k] : &s->op[op].read[k];

			*event = -1;
			if (!(write ? b_writes(step) : b_reads(step)))
				continue;
			if (s->n == MAX_EVENTS) {
				s->too_many = true;
				return;
			}
			*event = s->n++;
			s->op_of[*event] = op;
			s->byte_of[*event] = b_first(step) + k;
			*(write ? &s->w : &s->r) |= UINT64_C(1) << *event;
		}
}

static void add_operation(struct search *s, struct access op)
{
	bool cas = op.s->kind == B_CAS;

	if (cas) {
		s->as[s->nr] = b_compared(op.s, op.fails);
		op.s = &s->as[s->nr];
	}
	op.compares = cas;
	/*
	 * A load-exclusive pair is one class only if its store-exclusive stores (the manual,
	 * B2.2.1).
	 */
	op.halves = op.s->kind == B_LX && op.s->wide && op.s->size * s->p->scale == 16;
	if (op.paired >= 0)
		s->op[op.paired].halves = false;
	s->op[s->nr] = op;
	add_events(s, s->nr++);
}

/*
 * Makes the operations, given which store-exclusives and compare-exchanges fail; false: a
 * store-exclusive would store without its load-exclusive, or there are too many events.
 */
static bool make_operations(struct search *s, unsigned fails)
{
	unsigned choice = 0;

	for (unsigned t = 0; t < s->p->threads; t++) {
		int reserved = -1;

		for (unsigned i = 0; i < s->p->nr[t]; i++) {
			const struct step *step = &s->p->step[t][i];
			bool store = step->kind == B_SX, chosen = store || step->kind == B_CAS;
			bool fail = chosen && fails >> choice++ & 1, skip = store && fail;

			if (store && !skip && reserved < 0)
				return false;
			if (b_access(step) && !skip)
				add_operation(s, (struct access) { .thread = (int)t,
					.pc = (int)i - step->second_half, .s = step,
					.paired = store ? reserved : -1, .fails = fail });
			reserved = step->kind == B_LX ? s->nr - 1 : store ? -1 : reserved;
		}
	}
	return !s->too_many;
}

/*
 * Finds the choices of a byte. If the byte before it is in the same operations, the choices are the
 * same, too.
 */
static void find_choices(struct search *s, unsigned byte)
{
	struct choice c;
	bool any = false, same = byte > 0;

	for (int i = 0; i < s->nr; i++) {
		any |= b_has(s->op[i].s, byte);
		same &= byte > 0 && b_has(s->op[i].s, byte) == b_has(s->op[i].s, byte - 1);
	}
	memset(&c, 0, sizeof(c));
	s->tries = 0;
	if (any && same) {
		s->choices[byte] = s->choices[byte - 1];
		memcpy(s->choice[byte], s->choice[byte - 1], s->choices[byte] * sizeof(c));
	} else if (any) {
		choose_order(s, byte, &c, 0, 0);
	}
}

static void try_choice(struct search *s, unsigned fails)
{
	double combined = 1;

	if (!make_operations(s, fails))
		return;
	order_operations(s);
	find_classes(s);
	find_successors(s);
	order_through_memory(s);
	for (unsigned byte = 0; byte < B_BYTES && combined <= MAX_COMBINED; byte++) {
		find_choices(s, byte);
		combined *= s->choices[byte] ? s->choices[byte] : 1;
	}
	s->too_many |= combined > MAX_COMBINED;
	if (!s->too_many)
		combine(s, 0);
}

bool bytes_armv8(const struct b_program *p, struct b_states *states)
{
	static struct search s;
	unsigned exclusives = 0;
	bool too_many = false;

	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->nr[t]; i++)
			exclusives += p->step[t][i].kind == B_SX || p->step[t][i].kind == B_CAS;
	for (unsigned fails = 0; fails < 1u << exclusives && !too_many; fails++) {
		memset(&s, 0, offsetof(struct search, choice));
		memset(&s.fixed, 0, sizeof(s) - offsetof(struct search, fixed));
		s.p = p;
		s.states = states;
		try_choice(&s, fails);
		too_many = s.too_many;
	}
	return !too_many;
}
