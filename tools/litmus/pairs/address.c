/* SPDX-License-Identifier: MIT */
#include "pairs/walk.h"

/* Follows a register of the reader's own back to the start of the instruction. */
static bool origin(const struct program *program, unsigned ir, unsigned wanted, int *reg,
		   int64_t *offset)
{
	const struct thread *thread = &program->test->thread[0];
	unsigned first = program->insn[program->insn_of[ir]].first;

	if (thread->reg[wanted].name) {
		*reg = (int)wanted;
		return true;
	}
	while (ir-- > first) {
		const struct instruction *set = &thread->code[ir];

		if (set->dst != (int)wanted)
			continue;
		if (set->op != OP_SET || set->alu != ALU_ADD || !set->a.is_register ||
		    set->b.is_register)
			return false;
		*offset += (int64_t)set->b.value;
		return origin(program, ir, set->a.reg, reg, offset);
	}
	return false;
}

bool access_address(const struct program *program, unsigned ir, int *reg, int64_t *offset)
{
	const struct operand *address = &program_code(program, ir)->address;

	*offset = 0;
	return address->is_register && origin(program, ir, address->reg, reg, offset);
}
