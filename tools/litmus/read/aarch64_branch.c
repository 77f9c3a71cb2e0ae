/* SPDX-License-Identifier: MIT */
#include "read/aarch64.h"

/* Reads CBZ, CBNZ: a register and a label. */
static void compare_branch(struct line *line, enum alu alu)
{
	struct a64_reg reg = a64_reg(line, 1);
	struct operand condition;

	line_operands(line, 2, 2);
	condition = line_compute(line, alu, reg.size, a64_source(line, reg), operand_value(0));
	line_branch(line, condition, 2);
}

/* Reads TBZ, TBNZ: one bit of a register, and a label. */
static void bit_branch(struct line *line, enum alu alu)
{
	struct a64_reg reg = a64_reg(line, 1);
	struct operand condition;
	uint64_t bit = a64_number(line, 2);

	line_operands(line, 3, 3);
	if (bit >= 8 * reg.size)
		line_fail(line, 2, "the number of a bit");
	condition =
		line_compute(line, ALU_AND, 8, a64_source(line, reg), operand_value(1ull << bit));
	condition = line_compute(line, alu, 8, condition, operand_value(0));
	line_branch(line, condition, 3);
}

static bool conditional(struct line *line)
{
	enum condition condition;
	const char *rest;

	if (!has_prefix(line->at, line->words.word[0].end, "B.", &rest) &&
	    !has_prefix(line->at, line->words.word[0].end, "B", &rest))
		return false;
	condition = condition_of(a64_conditions, rest, line->words.word[0].end);
	if (condition == NR_CONDITIONS)
		return false;
	line_operands(line, 1, 1);
	if (condition == COND_ALWAYS)
		line_jump(line, 1);
	else
		line_branch(line, flags_hold(line, condition), 1);
	return true;
}

bool a64_branch(struct line *line)
{
	if (line_is(line, 0, "CBZ")) {
		compare_branch(line, ALU_EQ);
	} else if (line_is(line, 0, "CBNZ")) {
		compare_branch(line, ALU_NE);
	} else if (line_is(line, 0, "TBZ")) {
		bit_branch(line, ALU_EQ);
	} else if (line_is(line, 0, "TBNZ")) {
		bit_branch(line, ALU_NE);
	} else if (line_is(line, 0, "B")) {
		line_operands(line, 1, 1);
		line_jump(line, 1);
	} else if (line_is(line, 0, "RET")) {
		line_operands(line, 0, 1);
		line_return(line);
	} else {
		return conditional(line);
	}
	return true;
}
