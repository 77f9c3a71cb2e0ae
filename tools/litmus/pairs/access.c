/* SPDX-License-Identifier: MIT */
/*
 * From a load R to a later store W: what tools/check/model/armv8.model, rvwmo.model and tso.model
 * say of [R]; ...; [W] within a thread. A dependency that only chooses between values (pick) orders
 * stores, too.
 */
#include "pairs/walk.h"

static bool is_riscv(const struct walk *walk)
{
	return walk->program->test->dialect == DIALECT_RISCV;
}

/* Begins a walk, unless the load itself orders all that follows it: LDAR, .aq; any load of x86. */
bool access_begins(struct walk *walk, struct state *state)
{
	const struct instruction *load = program_code(walk->program, state->ir);
	int reg;

	walk->load_tags = load->read_tags;
	if (walk->program->test->dialect == DIALECT_X86)
		return !walk_fenced(walk, state, BY_MACHINE);
	if (load->read_tags & (BIT(TAG_ACQUIRE) | BIT(TAG_ACQUIRE_PC)))
		return !walk_fenced(walk, state, BY_ACQUIRE);
	state->base = state->after = -1;
	if (access_address(walk->program, state->ir, &reg, &state->offset))
		state->base = reg;
	state_changed(walk, state, load->dst, true);
	if (state->base < 0)
		state->offset = 0;
	return true;
}

/* Whether a fence orders later stores after the load. DMB LD does not order STADD's read. */
bool access_fence(struct walk *walk, const struct state *state, uint64_t tags)
{
	bool orders = tags & BIT(TAG_FULL);

	if (is_riscv(walk))
		orders |= (tags & BIT(TAG_PRED_R) && tags & BIT(TAG_SUCC_W)) || tags & BIT(TAG_TSO);
	else
		orders |= tags & BIT(TAG_FENCE_LD) && !(walk->load_tags & BIT(TAG_NORETURN));
	return !orders || !walk_fenced(walk, state, BY_FENCE);
}

static bool writes(const struct instruction *access)
{
	return access->op != OP_LOAD && access->op != OP_LOAD_EXCLUSIVE;
}

/* Whether the written data depends on the load, or the decision to write. */
static bool data_depends(const struct state *state, const struct instruction *access)
{
	return state_depends(state, access->a) ||
		(access->op == OP_CAS && state_depends(state, access->b));
}

static bool is_same_location(const struct walk *walk, const struct state *state)
{
	int64_t offset;
	int reg;

	return state->base >= 0 && access_address(walk->program, state->ir, &reg, &offset) &&
		reg == state->base && offset == state->offset;
}

/* Whether the store comes after a store to its location that is ordered after the load. */
static bool is_behind_one(const struct walk *walk, const struct state *state)
{
	int64_t offset;
	int reg;

	return state->after >= 0 && access_address(walk->program, state->ir, &reg, &offset) &&
		reg == state->after && offset == state->after_offset;
}

static void note_ordered(const struct walk *walk, struct state *state)
{
	if (!access_address(walk->program, state->ir, &state->after, &state->after_offset))
		state->after = -1;
	if (state->after < 0)
		state->after_offset = 0;
}

/* Returns what orders the store, or NR_BY. Address dependencies were taken into account before. */
static enum by ordered_by(const struct walk *walk, const struct state *state,
			  const struct instruction *store)
{
	if (store->write_tags & BIT(TAG_RELEASE))
		return BY_RELEASE;
	if (data_depends(state, store))
		return BY_DATA;
	return is_same_location(walk, state) || is_behind_one(walk, state) ? BY_SAME : NR_BY;
}

/*
 * Whether the access is a spill. A spill is no atomic access, even if the compiler gives it the
 * source line of one.
 */
bool access_is_spill(const struct walk *walk, unsigned ir)
{
	enum op op = program_code(walk->program, ir)->op;
	int64_t offset;
	int reg;

	return (op == OP_LOAD || op == OP_STORE) &&
		access_address(walk->program, ir, &reg, &offset) &&
		(unsigned)reg == walk->sp;
}

static bool is_the_store(const struct walk *walk, unsigned ir)
{
	const struct insn *insn = &walk->program->insn[walk->program->insn_of[ir]];

	return walk->store && insn->atomic && insn->place == walk->store &&
		!access_is_spill(walk, ir);
}

/*
 * Judges a store of the candidate; another such store may follow. A store that nothing orders is no
 * fault if no instruction uses what was read: the walk finds this out later.
 */
static bool judge_store(struct walk *walk, struct state *state, const struct instruction *store)
{
	enum by by = ordered_by(walk, state, store);

	walk->reached = true;
	if (by != NR_BY)
		walk->by |= 1u << by;
	else if (state->doubt)
		walk->doubtful = (int)state->doubt - 1;
	else if (state->used)
		walk->unordered = (int)walk->program->insn_of[state->ir];
	else
		state->passed = 1 + walk->program->insn_of[state->ir];
	return by != NR_BY || (!state->doubt && !state->used);
}

/*
 * Notes that the written data depends on the load, and so do later reads of this data. False: a
 * store that nothing orders came before.
 */
static bool access_uses(struct walk *walk, struct state *state)
{
	state->used = USED;
	note_ordered(walk, state);
	if (state->passed)
		walk->unordered = (int)state->passed - 1;
	return !state->passed;
}

/*
 * Passes a one-instruction read-modify-write. Arm: one that acquires and releases is a fence for
 * the accesses before it. RISC-V: what orders one half orders the other half.
 */
static bool passes_rmw(struct walk *walk, struct state *state, const struct instruction *rmw)
{
	bool acquire = rmw->read_tags & BIT(TAG_ACQUIRE);
	bool release = rmw->write_tags & BIT(TAG_RELEASE);
	bool depends = data_depends(state, rmw), after = release || depends;

	if (depends && !access_uses(walk, state))
		return false;
	/* On success, Arm's CAS leaves the value that it read or the value that it compared. */
	if (rmw->op == OP_CAS) {
		if (acquire || release || depends)
			state_doubt(state, walk->program->insn_of[state->ir]);
		state_changed(walk, state, rmw->dst, false);
		state->after = -1;
		state->after_offset = 0;
		return true;
	}
	if (acquire && (release || (after && is_riscv(walk))))
		return !walk_fenced(walk, state, release ? BY_FENCE : BY_DATA);
	state_changed(walk, state, rmw->dst, after && is_riscv(walk));
	return true;
}

/*
 * Passes a store-exclusive. If the load is the first half of the same operation, the store is no
 * use of the loaded value. RISC-V: what depends on the success of a store-conditional depends on
 * the store.
 */
static bool passes_exclusive(struct walk *walk, struct state *state,
			     const struct instruction *store)
{
	bool depends = data_depends(state, store);

	if (depends && !is_same_location(walk, state)) {
		bool before = state->used == USED;

		if (!access_uses(walk, state))
			return false;
		state->used = before ? USED : USED_IF_STORED;
	}
	state_changed(walk, state, store->dst,
		      (store->write_tags & BIT(TAG_RELEASE) || depends) && is_riscv(walk));
	state_is_status(state, store->dst);
	return true;
}

/* Whether the access is to the stack; @at gets the slot, or -1. */
static bool is_stack(const struct walk *walk, const struct state *state, int64_t *at)
{
	int reg;

	if (!access_address(walk->program, state->ir, &reg, at) || (unsigned)reg != walk->sp)
		return false;
	*at += state->sp;
	return true;
}

static bool passes_store(struct walk *walk, struct state *state, const struct instruction *store)
{
	bool depends = data_depends(state, store);
	int64_t at;

	if (is_stack(walk, state, &at))
		state_slot_written(state, at, store->size, depends);
	else if (depends)
		return access_uses(walk, state);
	return true;
}

/*
 * Passes a later load of the same location. It cannot read an older write than the first load. So
 * what the later load orders, it orders for the first load, too: if the first load had read a write
 * that comes from a later store, so would the later load.
 */
static bool reads_again(struct walk *walk, struct state *state, const struct instruction *access)
{
	if (access->read_tags & (BIT(TAG_ACQUIRE) | BIT(TAG_ACQUIRE_PC)) &&
	    walk_fenced(walk, state, BY_ACQUIRE))
		return false;
	state_changed(walk, state, access->dst, true);
	return true;
}

/*
 * Whether the access is a store to the load's location. A later load may read this store. No
 * other thread has a pointer to the stack.
 */
static bool may_overwrite(const struct walk *walk, const struct state *state,
			  const struct instruction *access)
{
	int64_t offset;
	int reg;

	if (!writes(access) || access_is_spill(walk, state->ir))
		return false;
	if (state->base < 0 || !access_address(walk->program, state->ir, &reg, &offset) ||
	    reg != state->base)
		return true;
	return offset < state->offset + 8 && state->offset < offset + 8;
}

static bool passes_load(struct walk *walk, struct state *state, const struct instruction *load)
{
	int64_t at;

	state_changed(walk, state, load->dst,
		      is_stack(walk, state, &at) && state_slot_tainted(state, at));
	return true;
}

static bool passes(struct walk *walk, struct state *state, const struct instruction *access)
{
	switch (access->op) {
	case OP_RMW:
	case OP_CAS:
		return passes_rmw(walk, state, access);
	case OP_STORE_EXCLUSIVE:
		return passes_exclusive(walk, state, access);
	case OP_STORE:
		return passes_store(walk, state, access);
	default:
		return passes_load(walk, state, access);
	}
}

bool access_passes(struct walk *walk, struct state *state)
{
	const struct instruction *access = program_code(walk->program, state->ir);
	bool again = is_same_location(walk, state) && !state->written;

	if (state_depends(state, access->address)) {
		walk->reached |= is_the_store(walk, state->ir);
		walk_depends(walk, state, BY_ADDRESS);
		return false;
	}
	if (writes(access) && is_the_store(walk, state->ir) && !judge_store(walk, state, access))
		return false;
	state->written |= may_overwrite(walk, state, access);
	if (!passes(walk, state, access))
		return false;
	if (again && access->op != OP_STORE && access->op != OP_STORE_EXCLUSIVE)
		return reads_again(walk, state, access);
	return true;
}
