/* SPDX-License-Identifier: MIT */
/*
 * Calls within the program are followed, and so are returns to its callers. For a function
 * outside of the program only the ABI is known: the registers that the function preserves.
 */
#include "pairs/walk.h"

#define MAX_CLIMBS 3

/*
 * Passes a call of an unknown function. With the value of a preserved register the function can do
 * nothing except save it on the stack. This store depends on the load, too.
 */
static void call_unknown(struct walk *walk, struct state *state, unsigned insn)
{
	int nr = (int)walk->program->test->thread[0].nr_registers;

	for (int reg = 0; reg < nr; reg++)
		if (state_has(state->tainted, reg) && abi_passes(walk->program, reg))
			state->used = USED;
	if (!state_is_dropped(state))
		state_doubt(state, insn);
	for (int reg = 0; reg < nr; reg++)
		if (!abi_keeps(walk->program, reg))
			state_changed(walk, state, reg, false);
	state_forget_slots(walk, state);
	state->written = 1;
}

static unsigned behind(const struct walk *walk, unsigned insn)
{
	return insn + 1 < walk->program->nr ? walk->program->insn[insn + 1].first : UINT32_MAX;
}

static void outside_call(struct walk *walk, struct state *state, unsigned insn)
{
	const struct insn *target = walk->program->insn[insn].kind == INSN_CALL ?
		insn_at(walk->program, walk->program->insn[insn].target) : NULL;
	uint32_t next = behind(walk, insn);

	if (target && state->depth < MAX_DEPTH) {
		state->back[state->depth++] = next;
		state->ir = target->first;
	} else {
		call_unknown(walk, state, insn);
		state->ir = next;
	}
	walk_go_on(walk, state);
}

/* Drops what is lost at a return: registers that are neither preserved nor returned. */
static void drop_what_is_lost(struct walk *walk, struct state *state, bool wide)
{
	int nr = (int)walk->program->test->thread[0].nr_registers;

	for (int reg = 0; reg < nr; reg++)
		if (state_has(state->tainted, reg) && !abi_keeps(walk->program, reg) &&
		    !abi_returns(walk->program, reg, wide))
			state_changed(walk, state, reg, false);
}

static void climb_to(struct walk *walk, const struct state *state, unsigned call)
{
	struct state there = *state;

	there.ir = behind(walk, call);
	there.climbed++;
	walk_go_on(walk, &there);
}

/*
 * Returns to every caller of the function that begins at @entry. A jump to the function is a call
 * that returns to the caller of the function that jumps. False: there may be other callers, from
 * outside or through a register.
 */
static bool climb(struct walk *walk, const struct state *state, unsigned entry, unsigned depth)
{
	const struct program *program = walk->program;
	bool any = false, all = !program->insn[entry].exported && depth < 8;

	for (unsigned i = 0; all && i < program->nr; i++) {
		const struct insn *insn = &program->insn[i];

		if (insn->kind == INSN_CALL && insn->target == program->insn[entry].address) {
			any = true;
			climb_to(walk, state, i);
		} else if (insn->goes == (int)program->insn[entry].first &&
			   insn->function != entry) {
			any = true;
			all = climb(walk, state, insn->function, depth + 1);
		}
	}
	return all && any;
}

static void go_back(struct walk *walk, struct state *state, unsigned insn)
{
	drop_what_is_lost(walk, state, true);
	if (state->depth) {
		state->ir = state->back[--state->depth];
		state->back[state->depth] = 0;
		walk_go_on(walk, state);
	} else if (state_is_dropped(state)) {
		walk->dropped = true;
	} else if (state->climbed == MAX_CLIMBS ||
		   !climb(walk, state, walk->program->insn[insn].function, 0)) {
		/* None of these functions returns a struct. */
		drop_what_is_lost(walk, state, false);
		if (state_is_dropped(state))
			walk->dropped = true;
		else
			walk_leaves(walk, state, insn);
	}
}

static bool names_tainted(const struct walk *walk, const struct state *state,
			  const struct insn *insn)
{
	int nr = (int)walk->program->test->thread[0].nr_registers;

	for (int reg = 0; reg < nr; reg++)
		if (state_has(state->tainted, reg) &&
		    walk->program->test->thread[0].reg[reg].name &&
		    opaque_names(walk->program, insn, (unsigned)reg))
			return true;
	return false;
}

/*
 * Jumps out of the program. The return of a stub is the return of another library's function, to
 * the caller of the stub.
 */
static void outside_jump(struct walk *walk, struct state *state, unsigned insn)
{
	if (names_tainted(walk, state, &walk->program->insn[insn])) {
		walk_depends(walk, state, BY_CONTROL);
	} else if (walk->program->insn[insn].stub) {
		call_unknown(walk, state, insn);
		go_back(walk, state, insn);
	} else {
		walk_leaves(walk, state, insn);
	}
}

void outside_goes(struct walk *walk, struct state *state, const struct insn *insn)
{
	unsigned number = (unsigned)(insn - walk->program->insn);

	switch (insn->kind) {
	case INSN_CALL:
	case INSN_CALL_UNKNOWN:
		if (names_tainted(walk, state, insn) && insn->kind == INSN_CALL_UNKNOWN)
			walk_depends(walk, state, BY_CONTROL);
		else
			outside_call(walk, state, number);
		break;
	case INSN_JUMP_UNKNOWN:
		outside_jump(walk, state, number);
		break;
	case INSN_RETURN:
		go_back(walk, state, number);
		break;
	case INSN_TLS:
		state_changed(walk, state, test_find_register(walk->program->test, 0, "X0"), false);
		state->ir = behind(walk, number);
		walk_go_on(walk, state);
		break;
	case INSN_SYSCALL:
		state_doubt(state, number);
		for (int reg = 0; reg < (int)walk->program->test->thread[0].nr_registers; reg++)
			if (abi_returns(walk->program, reg, false))
				state_changed(walk, state, reg, false);
		state->ir = behind(walk, number);
		walk_go_on(walk, state);
		break;
	case INSN_OPAQUE:
		state_opaque(walk, state, number);
		state->ir = behind(walk, number);
		walk_go_on(walk, state);
		break;
	case INSN_TRAP:			/* nothing is stored after it */
	case INSN_READ:
		break;
	}
}
