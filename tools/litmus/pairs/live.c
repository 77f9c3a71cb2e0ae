/* SPDX-License-Identifier: MIT */
/*
 * The registers that a later instruction may still read. A state forgets the others. Otherwise a
 * walk would carry the loaded value on to the end of the program.
 */
#include <string.h>

#include "pairs/walk.h"

static bool join(struct live *to, const struct live *from)
{
	bool more = false;

	for (int i = 0; i < REG_WORDS; i++) {
		more |= from->reg[i] & ~to->reg[i];
		to->reg[i] |= from->reg[i];
	}
	return more;
}

static void live_add(struct live *live, struct operand operand)
{
	if (operand.is_register)
		live->reg[operand.reg / 64] |= 1ull << operand.reg % 64;
}

static void remove_reg(struct live *live, int reg)
{
	if (reg >= 0)
		live->reg[reg / 64] &= ~(1ull << reg % 64);
}

/* Adds what a followed call reads. Registers that the function only saves do not count. */
static void through_call(const struct program *program, const struct insn *insn, struct live *live)
{
	const struct insn *target = insn_at(program, insn->target);
	int nr = (int)program->test->thread[0].nr_registers;

	for (int reg = 0; reg < nr; reg++)
		if (!abi_keeps(program, reg) &&
		    (!target || program->live[target->first].reg[reg / 64] >> reg % 64 & 1))
			live_add(live, operand_reg((unsigned)reg));
}

/*
 * Goes backwards over an instruction that has a kind, a call for example: turns the registers that
 * are read after the instruction into those that are read from it on.
 */
static void through_marker(const struct program *program, const struct insn *insn,
			   struct live *live)
{
	int nr = (int)program->test->thread[0].nr_registers;

	for (int reg = 0; reg < nr; reg++) {
		struct operand operand = operand_reg((unsigned)reg);

		switch (insn->kind) {
		case INSN_RETURN:
			remove_reg(live, reg);
			if (abi_keeps(program, reg) || abi_returns(program, reg, true))
				live_add(live, operand);
			break;
		case INSN_CALL_UNKNOWN:
			if (!abi_keeps(program, reg))
				remove_reg(live, reg);
			/* fall through */
			if (abi_passes(program, reg) || opaque_names(program, insn, (unsigned)reg))
				live_add(live, operand);
			break;
		case INSN_TRAP:
			remove_reg(live, reg);
			break;
		case INSN_TLS:
			break;
		case INSN_JUMP_UNKNOWN:	/* a jump to a function, or to an unknown place */
			remove_reg(live, reg);
			if (!insn->stub || abi_passes(program, reg) || abi_keeps(program, reg))
				live_add(live, operand);
			break;
		default:
			if (opaque_names(program, insn, (unsigned)reg) || abi_passes(program, reg))
				live_add(live, operand);
		}
	}
}

static void through(const struct program *program, unsigned ir, struct live *live)
{
	const struct instruction *instruction = program_code(program, ir);

	if (instruction->op == OP_FENCE) {
		const struct insn *insn = &program->insn[program->insn_of[ir]];

		if (insn->kind == INSN_CALL)
			through_call(program, insn, live);
		else if (insn->kind != INSN_READ)
			through_marker(program, insn, live);
		return;
	}
	remove_reg(live, instruction->dst);
	remove_reg(live, instruction->stored);
	live_add(live, instruction->address);
	live_add(live, instruction->a);
	live_add(live, instruction->b);
}

static void before(const struct program *program, unsigned ir, struct live *live)
{
	const struct instruction *instruction = program_code(program, ir);
	bool goes = instruction->op == OP_JUMP || instruction->op == OP_BRANCH;
	int target = goes ? program_target(program, ir) : -1;

	if (instruction->op == OP_JUMP)
		*live = (struct live) { 0 };
	if (target >= 0)
		join(live, &program->live[target]);
	else if (goes)			/* unknown target */
		memset(live, 0xff, sizeof(*live));
	through(program, ir, live);
}

void live_compute(struct program *program)
{
	unsigned nr = program->test->thread[0].nr;
	bool more = true;

	program->live = arena_alloc(program->test->arena, (nr + 1) * sizeof(*program->live));
	while (more) {
		more = false;
		for (unsigned ir = nr; ir-- > 0;) {
			struct live live = program->live[ir + 1];

			before(program, ir, &live);
			more |= join(&program->live[ir], &live);
		}
	}
}
