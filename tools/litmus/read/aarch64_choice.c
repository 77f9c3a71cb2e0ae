/* SPDX-License-Identifier: MIT */
/* CSEL and its kin: one of two registers, the second of which may be changed first. */
#include "read/aarch64.h"

enum change { AS_IT_IS, INCREMENT, INVERT, NEGATE };

static const struct choice {
	const char *name;
	enum change change;
	unsigned operands; /* operands before the condition: a target, and 2, 1 or 0 sources */
} table[] = {
	{ "CSEL", AS_IT_IS, 3 }, { "CSINC", INCREMENT, 3 }, { "CSINV", INVERT, 3 },
	{ "CSNEG", NEGATE, 3 },  { "CINC", INCREMENT, 2 },  { "CINV", INVERT, 2 },
	{ "CNEG", NEGATE, 2 },   { "CSET", INCREMENT, 1 },  { "CSETM", INVERT, 1 },
};

static struct operand changed(struct line *line, enum change change, unsigned size,
			      struct operand value)
{
	switch (change) {
	case INCREMENT:
		return line_compute(line, ALU_ADD, size, value, operand_value(1));
	case INVERT:
		return line_compute(line, ALU_XOR, size, value, operand_value(~0ull));
	case NEGATE:
		return line_compute(line, ALU_SUB, size, operand_value(0), value);
	default:
		return value;
	}
}

/*
 * Reads a choice. With fewer than two sources the changed source is chosen if the condition holds.
 */
static void read_choice(struct line *line, const struct choice *choice)
{
	struct a64_reg target = a64_reg(line, 1);
	enum condition condition = a64_condition(line, choice->operands + 1);
	struct operand holds, a = operand_value(0), b = operand_value(0);

	line_operands(line, choice->operands + 1, choice->operands + 1);
	if (choice->operands > 1)
		a = b = a64_operand(line, 2);
	if (choice->operands > 2)
		b = a64_operand(line, 3);
	else
		condition = condition_not(condition);
	holds = flags_hold(line, condition);
	b = changed(line, choice->change, target.size, b);
	line_select(line, a64_target(line, target), target.size, holds, a, b);
}

bool a64_choice(struct line *line)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (line_is(line, 0, table[i].name)) {
			read_choice(line, &table[i]);
			return true;
		}
	return false;
}
