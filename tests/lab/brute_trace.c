/* SPDX-License-Identifier: MIT */
/*
 * Runs each thread alone, with every value that a read could return, and writes down the events
 * of each run. This gives every outcome of the thread's control flow. A round has the values that
 * the rounds before it have written. Each write passes a value on at most once, so as many rounds
 * as there are writes are enough.
 */
#include <stdlib.h>
#include <string.h>

#include "brute.h"

#define MAX_TRACES 20000

struct run {
	const struct program *p;
	int thread;
	struct trace t;
	uint32_t taint[MAX_REGS];	/* the reads from which a register's value was made */
	uint32_t pick[MAX_REGS];	/* Arm: the reads that only chose a register's value */
	uint32_t ctrl, pick_ctrl;	/* the reads that the branches so far depend on */
	int body_end;			/* where the ctrl of an if in C ends */
	uint32_t ctrl_outside;
	int exclusive;			/* the load exclusive that is open, or -1 */
	int turns;			/* how often the thread's loop has gone back */
	uint32_t ctrl_before;		/* in C: the ctrl before the loop */
};

static uint32_t domain[MAX_LOCS], written[MAX_LOCS];
static bool too_many;

static struct event *event(struct run *r, const struct insn *i)
{
	int n = r->t.n++;
	struct event *e = &r->t.ev[n];

	if (r->t.n > MAX_LOCAL)
		abort();
	*e = (struct event){ .thread = r->thread, .loc = i->loc, .ord = i->ord };
	r->t.ctrl[n] = r->ctrl;
	r->t.pick_ctrl[n] = r->pick_ctrl;
	r->t.addr[n] = r->t.data[n] = r->t.pick_addr[n] = r->t.pick_data[n] = 0;
	r->t.own_sum[n] = r->t.own_choice[n] = 0;
	r->t.rmw_of[n] = -1;
	return e;
}

static void emit_fence(struct run *r, const struct insn *i, enum fence fence)
{
	struct event *e = event(r, i);

	e->loc = -1;
	e->fence = fence;
	e->pred = i->pred;
	e->succ = i->succ;
}

static void take_address(struct run *r, const struct insn *i)
{
	if (i->addr >= 0) {
		r->t.addr[r->t.n - 1] = r->taint[i->addr];
		r->t.pick_addr[r->t.n - 1] = r->pick[i->addr];
	}
}

static int emit_read(struct run *r, const struct insn *i, int val)
{
	struct event *e = event(r, i);

	e->r = true;
	e->val = val;
	e->amo = i->op >= OP_SWAP && i->op <= OP_CAS;
	e->exclusive = i->op == OP_LX;
	take_address(r, i);
	return r->t.n - 1;
}

/*
 * Adds a write of @val. Returns false if @val is above the bound: no execution has such a value,
 * because the number of rounds bounds the values.
 */
static bool emit_write(struct run *r, const struct insn *i, int val, int rmw_of)
{
	struct event *e = event(r, i);

	if (val > MAX_VALUE)
		return false;
	written[i->loc] |= UINT32_C(1) << val;
	e->w = true;
	e->val = val;
	e->amo = i->op >= OP_SWAP && i->op <= OP_CAS;
	e->exclusive = i->op == OP_SX;
	take_address(r, i);
	if (i->data >= 0) {
		r->t.data[r->t.n - 1] = r->taint[i->data];
		r->t.pick_data[r->t.n - 1] = r->pick[i->data];
	}
	r->t.rmw_of[r->t.n - 1] = rmw_of;
	return true;
}

static void assign(struct run *r, int reg, int val, int from)
{
	r->t.reg[reg] = val;
	r->taint[reg] = from < 0 ? 0 : UINT32_C(1) << from;
	r->pick[reg] = 0;
}

static int operand(const struct run *r, const struct insn *i)
{
	return i->data < 0 || i->data_xor ? i->value : r->t.reg[i->data];
}

/* Runs a read-modify-write that is one instruction and reads @val. */
static bool modify(struct run *r, const struct insn *i, int val)
{
	enum model m = r->p->model;
	int expected = i->expect_reg ? r->t.reg[i->expect] : i->expect;
	bool fails = i->op == OP_CAS && val != expected;
	struct insn plain = *i;
	int operand_val = operand(r, i), sum = val, read;

	/* In the kernel a compare-exchange that fails orders nothing. */
	if (m == LKMM)
		plain.ord &= fails ? 0 : ~(unsigned)ORD_MB;
	if (in_c11(m) && fails)
		plain.ord = i->failure;
	if (i->ord & ORD_MB && !fails)
		emit_fence(r, &plain, FN_FULL);
	read = emit_read(r, &plain, val);
	if (i->op == OP_ADD)
		sum = val + operand_val;
	else if (i->op == OP_OR)
		sum = val | operand_val;
	else if (!fails)
		sum = operand_val;
	if (!fails && !emit_write(r, &plain, sum, read))
		return false;
	/*
	 * In C the sum depends on the read as data, because the models of C speak of values. A
	 * machine's model has the rmw edge instead: its dependencies are between instructions.
	 */
	if (in_c(m) && (i->op == OP_ADD || i->op == OP_OR))
		r->t.data[r->t.n - 1] |= UINT32_C(1) << read;
	if (i->ord & ORD_MB && !fails)
		emit_fence(r, &plain, FN_FULL);
	if (!fails && (i->op == OP_ADD || i->op == OP_OR))
		r->t.own_sum[r->t.n - 1] = UINT32_C(1) << read;
	if (!fails && i->op == OP_CAS)
		r->t.own_choice[r->t.n - 1] = UINT32_C(1) << read;
	assign(r, i->reg, i->new_value ? sum : val, read);
	/*
	 * Arm's CAS that stores may leave in the register the value that it compared with. Then the
	 * value that was read has only chosen the register's value.
	 */
	if (m == ARMV8 && i->op == OP_CAS && !fails) {
		r->pick[i->reg] = r->taint[i->reg];
		r->taint[i->reg] = 0;
	}
	return true;
}

static void step(struct run r, int pc, struct traces *out);

static void keep(const struct run *r, struct traces *out)
{
	if (out->n == MAX_TRACES) {
		too_many = true;
		return;
	}
	if (out->n == out->size) {
		out->size = out->size ? 2 * out->size : 64;
		out->trace = realloc(out->trace, (size_t)out->size * sizeof(*out->trace));
		if (!out->trace)
			abort();
	}
	out->trace[out->n++] = r->t;
}

/* Runs a read, once for each value that the location may have. */
static void step_read(const struct run *r, int pc, struct traces *out)
{
	const struct insn *i = &r->p->insn[r->thread][pc];

	for (int val = 0; val <= MAX_VALUE; val++) {
		struct run next = *r;

		if (!(domain[i->loc] >> val & 1))
			continue;
		if (i->op == OP_LOAD || i->op == OP_LX) {
			int read = emit_read(&next, i, val);

			assign(&next, i->reg, val, read);
			if (i->op == OP_LX)
				next.exclusive = read;
		} else if (!modify(&next, i, val)) {
			continue;
		}
		step(next, pc + 1, out);
	}
}

/* Runs a store exclusive, which may fail for no reason; its status carries no dependency. */
static void step_exclusive(const struct run *r, int pc, struct traces *out)
{
	const struct insn *i = &r->p->insn[r->thread][pc];
	struct run fails = *r, stores = *r;

	fails.exclusive = stores.exclusive = -1;
	assign(&fails, i->status, 1, -1);
	step(fails, pc + 1, out);
	if (r->exclusive < 0 || !emit_write(&stores, i, operand(r, i), r->exclusive))
		return;
	assign(&stores, i->status, 0, -1);
	step(stores, pc + 1, out);
}

/* Runs the end of a loop: goes back, or on. In C, what comes after a loop does not depend on it. */
static void step_again(struct run *r, int pc, struct traces *out)
{
	const struct insn *i = &r->p->insn[r->thread][pc];
	bool again = (r->t.reg[i->reg] == i->value) == i->if_equal;

	r->ctrl |= r->taint[i->reg];
	r->pick_ctrl |= r->pick[i->reg];
	if (!again && in_c(r->p->model))
		r->ctrl = r->ctrl_before;
	if (!again)
		step(*r, pc + 1, out);
	else if (r->turns++ < MAX_TURNS)
		step(*r, pc - i->body, out);
}

bool has_membarrier(const struct program *p)
{
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < p->len[t]; i++)
			if (p->insn[t][i].fence == FN_HEAVY)
				return true;
	return false;
}

/*
 * Whether the thread may stop before @i. Stopping before an instruction whose effect no thread
 * could see makes no difference.
 */
static bool may_stop_before(const struct run *r, const struct insn *i)
{
	return r->p->may_stop >> r->thread & 1 && i->op != OP_BRANCH &&
	       (i->fence != FN_LIGHT || has_membarrier(r->p));
}

static void step(struct run r, int pc, struct traces *out)
{
	const struct insn *i = &r.p->insn[r.thread][pc];
	bool taken;

	/* In C, code after an if does not depend on the condition; code after a jump does. */
	if (in_c(r.p->model) && r.body_end && pc >= r.body_end) {
		r.ctrl = r.ctrl_outside;
		r.body_end = 0;
	}
	if (!r.turns && loop_from(r.p, r.thread, pc) >= 0)
		r.ctrl_before = r.ctrl;
	r.t.weight = 1;
	if (pc >= r.p->len[r.thread]) {
		/* The thread has come to its end, or stops here. */
		r.t.weight += r.p->may_stop >> r.thread & 1;
		keep(&r, out);
		return;
	}
	if (may_stop_before(&r, i))
		keep(&r, out);
	switch (i->op) {
	case OP_STORE:
		if (!emit_write(&r, i, operand(&r, i), -1))
			return;
		break;
	case OP_FENCE:
		emit_fence(&r, i, i->fence);
		break;
	case OP_BRANCH:
		r.ctrl_outside = r.ctrl;
		r.body_end = pc + 1 + i->body;
		r.ctrl |= r.taint[i->reg];
		r.pick_ctrl |= r.pick[i->reg];
		taken = (r.t.reg[i->reg] == i->value) != i->if_equal;
		pc += taken ? i->body : 0;
		break;
	case OP_AGAIN:
		step_again(&r, pc, out);
		return;
	case OP_SX:
		step_exclusive(&r, pc, out);
		return;
	default:
		step_read(&r, pc, out);
		return;
	}
	step(r, pc + 1, out);
}

/*
 * Whether @i counts as a write. Under C20 a branch orders nothing, so a read before the branch can
 * get what a store after the branch writes. So under C20 stored constants count as written from the
 * beginning.
 */
static bool note_constant(const struct program *p, const struct insn *i)
{
	if (i->op == OP_LOAD || i->op >= OP_FENCE || i->op == OP_LX)
		return i->op == OP_LX;
	if (p->model == C20 && (i->data < 0 || i->data_xor))
		written[i->loc] |= UINT32_C(1) << i->value;
	return true;
}

bool trace_program(const struct program *p, struct traces traces[MAX_THREADS])
{
	int writes = 0;

	memset(domain, 0, sizeof(domain));
	memset(written, 0, sizeof(written));
	for (int l = 0; l < p->locs; l++)
		written[l] = UINT32_C(1) << p->init[l];
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < p->len[t]; i++)
			writes += note_constant(p, &p->insn[t][i]) *
				  (loop_from(p, t, -1) < 0 ? 1 : 1 + MAX_TURNS);
	too_many = false;
	for (int round = 0; round <= writes && memcmp(domain, written, sizeof(domain)); round++) {
		memcpy(domain, written, sizeof(domain));
		for (int t = 0; t < p->threads && !too_many; t++) {
			struct run r = { .p = p, .thread = t, .exclusive = -1 };

			traces[t].n = 0;
			step(r, 0, &traces[t]);
		}
	}
	return !too_many;
}

void traces_free(struct traces traces[MAX_THREADS])
{
	for (int t = 0; t < MAX_THREADS; t++)
		free(traces[t].trace);
}
