/* SPDX-License-Identifier: MIT */
/* The registers that a function preserves for its caller, by the procedure call standards. */
#include <stdlib.h>

#include "pairs/walk.h"

static int number_of(const struct program *program, int reg)
{
	const char *name = program->test->thread[0].reg[reg].name;

	return name && (name[0] == 'X' || name[0] == 'x') ? atoi(name + 1) : -1;
}

static bool is_aarch64(const struct program *program)
{
	return program->test->dialect == DIALECT_AARCH64;
}

bool abi_passes(const struct program *program, int reg)
{
	int number = number_of(program, reg);

	return is_aarch64(program) ? number >= 0 && number <= 8 : number >= 10 && number <= 17;
}

bool abi_returns(const struct program *program, int reg, bool wide)
{
	int first = is_aarch64(program) ? 0 : 10, number = number_of(program, reg);

	return number == first || (wide && number == first + 1);
}

/* Whether a call keeps the register; the stack pointer is kept, too. */
bool abi_keeps(const struct program *program, int reg)
{
	const char *name = program->test->thread[0].reg[reg].name;
	int number = number_of(program, reg);

	if (is_aarch64(program))
		return (number >= 19 && number <= 29) || (name && name[0] == 'S');
	return number == 2 || number == 8 || number == 9 || (number >= 18 && number <= 27);
}
