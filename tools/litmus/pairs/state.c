/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "pairs/walk.h"

bool state_has(const uint64_t *set, int reg)
{
	return reg >= 0 && set[reg / 64] >> reg % 64 & 1;
}

static void put_slot(uint64_t *set, int reg, bool in)
{
	if (reg >= 0)
		set[reg / 64] = (set[reg / 64] & ~(1ull << reg % 64)) | (uint64_t)in << reg % 64;
}

bool state_depends(const struct state *state, struct operand operand)
{
	return operand.is_register && state_has(state->tainted, (int)operand.reg);
}

static bool is_status(const struct state *state, struct operand operand)
{
	return operand.is_register && state_has(state->status, (int)operand.reg);
}

void state_is_status(struct state *state, int reg)
{
	put_slot(state->status, reg, true);
}

static void forget_base(struct state *state, int reg)
{
	if (reg == state->base)
		state->base = -1;
	if (reg == state->after)
		state->after = -1;
}

void state_changed(struct walk *walk, struct state *state, int reg, bool tainted)
{
	if (reg < 0)
		return;
	put_slot(state->tainted, reg, tainted);
	put_slot(state->status, reg, false);
	forget_base(state, reg);
	if ((unsigned)reg == walk->sp)
		state_forget_slots(walk, state);
}

/* Whether the instruction moves the stack pointer by a number. Notes this; the slots stay known. */
static bool moves_stack(struct walk *walk, struct state *state, const struct instruction *set)
{
	if (set->dst != (int)walk->sp || !set->a.is_register || set->a.reg != walk->sp ||
	    set->b.is_register)
		return false;
	if (set->alu == ALU_ADD)
		state->sp += (int64_t)set->b.value;
	else if (set->alu == ALU_SUB)
		state->sp -= (int64_t)set->b.value;
	else
		return false;
	forget_base(state, (int)walk->sp);
	return true;
}

void state_computed(struct walk *walk, struct state *state)
{
	const struct instruction *set = program_code(walk->program, state->ir);
	bool status = is_status(state, set->a) || is_status(state, set->b);

	if (moves_stack(walk, state, set))
		return;
	state_changed(walk, state, set->dst,
		      state_depends(state, set->a) || state_depends(state, set->b));
	if (status)
		state_is_status(state, set->dst);
}

void state_doubt(struct state *state, unsigned insn)
{
	if (!state->doubt)
		state->doubt = 1 + insn;
}

/* Passes an unknown instruction: each register that it names may depend on the load, or not. */
void state_opaque(struct walk *walk, struct state *state, unsigned insn)
{
	const struct insn *opaque = &walk->program->insn[insn];
	int nr = (int)walk->program->test->thread[0].nr_registers;

	for (int reg = 0; reg < nr; reg++) {
		if (!state_has(state->tainted, reg) && reg != state->base && reg != state->after)
			continue;
		if (!opaque_names(walk->program, opaque, (unsigned)reg))
			continue;
		if (state_has(state->tainted, reg))
			state_doubt(state, insn);
		put_slot(state->tainted, reg, false);
		forget_base(state, reg);
	}
	/* The instruction may write to the stack, or move the stack pointer. */
	if (state->nr_slots && opaque_names(walk->program, opaque, walk->sp)) {
		state_doubt(state, insn);
		state->nr_slots = 0;
		memset(state->slot, 0, sizeof(state->slot));
	}
}

static void remove_slot(struct state *state, uint32_t i)
{
	state->slot[i] = state->slot[--state->nr_slots];
	state->slot[state->nr_slots] = 0;
}

void state_slot_written(struct state *state, int64_t slot, unsigned size, bool tainted)
{
	for (uint32_t i = state->nr_slots; i-- > 0;)
		if (state->slot[i] < slot + (int64_t)size && slot < state->slot[i] + 8)
			remove_slot(state, i);
	if (!tainted)
		return;
	if (state->nr_slots == MAX_SLOTS)
		remove_slot(state, 0);
	state->slot[state->nr_slots++] = slot;
}

bool state_slot_tainted(const struct state *state, int64_t slot)
{
	for (uint32_t i = 0; i < state->nr_slots; i++)
		if (state->slot[i] == slot)
			return true;
	return false;
}

void state_forget_slots(struct walk *walk, struct state *state)
{
	if (state->nr_slots)
		state_doubt(state, walk->program->insn_of[state->ir]);
	state->nr_slots = 0;
	memset(state->slot, 0, sizeof(state->slot));
}

void state_forget_dead(const struct walk *walk, struct state *state)
{
	for (int i = 0; i < REG_WORDS; i++)
		state->tainted[i] &= walk->program->live[state->ir].reg[i];
}

bool state_is_dropped(const struct state *state)
{
	uint64_t any = state->nr_slots || state->used || state->doubt;

	for (int i = 0; i < REG_WORDS; i++)
		any |= state->tainted[i];
	return !any;
}
