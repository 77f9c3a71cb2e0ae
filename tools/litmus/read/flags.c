// SPDX-License-Identifier: MIT
/*
 * Flags are kept as what was compared, extended to 8 bytes with its sign: extended so, numbers
 * without sign keep their order, too. A condition compares the two when it is asked for.
 */
#include "read/assembly.h"

static const enum alu alu_of[] = {
	[COND_EQ] = ALU_EQ, [COND_NE] = ALU_NE, [COND_LT] = ALU_LT, [COND_LE] = ALU_LE,
	[COND_GT] = ALU_GT, [COND_GE] = ALU_GE, [COND_LTU] = ALU_LTU, [COND_LEU] = ALU_LEU,
	[COND_GTU] = ALU_GTU, [COND_GEU] = ALU_GEU,
};

static const enum condition opposite[] = {
	[COND_EQ] = COND_NE, [COND_NE] = COND_EQ, [COND_LT] = COND_GE, [COND_LE] = COND_GT,
	[COND_GT] = COND_LE, [COND_GE] = COND_LT, [COND_LTU] = COND_GEU, [COND_LEU] = COND_GTU,
	[COND_GTU] = COND_LEU, [COND_GEU] = COND_LTU, [COND_NEGATIVE] = COND_POSITIVE,
	[COND_POSITIVE] = COND_NEGATIVE, [COND_OVERFLOW] = COND_NO_OVERFLOW,
	[COND_NO_OVERFLOW] = COND_OVERFLOW, [COND_ALWAYS] = COND_ALWAYS,
};

enum condition condition_of(const struct condition_name *names, const char *begin, const char *end)
{
	for (; names->name; names++)
		if (same_word(begin, end, names->name))
			return names->condition;
	return NR_CONDITIONS;
}

enum condition condition_not(enum condition condition)
{
	return opposite[condition];
}

static void keep(struct line *line, int *flag, unsigned size, struct operand value)
{
	if (*flag < 0)
		*flag = (int)test_temporary(line->test, line->thread);
	line_set(line, *flag, ALU_SEXT, 8, value, operand_value(size));
}

void flags_compared(struct line *line, unsigned size, struct operand a, struct operand b,
		    struct operand result)
{
	struct reading *reading = reading_of(line->test, line->thread);

	keep(line, &reading->left, size, a);
	keep(line, &reading->right, size, b);
	keep(line, &reading->result, size, result);
	reading->no_carry = false;
}

void flags_result(struct line *line, unsigned size, struct operand result, bool carry)
{
	flags_compared(line, size, result, operand_value(0), result);
	reading_of(line->test, line->thread)->no_carry = !carry;
}

static struct operand overflow(struct line *line, struct operand left, struct operand right,
			       struct operand result)
{
	struct operand less = line_compute(line, ALU_LT, 8, left, right);
	struct operand negative = line_compute(line, ALU_LT, 8, result, operand_value(0));

	return line_compute(line, ALU_XOR, 8, less, negative);
}

/* A thread that asks before any flag was set finds them as a comparison of 0 with 0 leaves them. */
static struct operand flag(struct line *line, int *flag)
{
	if (*flag < 0)
		*flag = (int)test_temporary(line->test, line->thread);
	return operand_reg((unsigned)*flag);
}

struct operand flags_hold(struct line *line, enum condition condition)
{
	struct reading *reading = reading_of(line->test, line->thread);
	struct operand left = flag(line, &reading->left), right = flag(line, &reading->right);
	struct operand result = flag(line, &reading->result);

	if (reading->no_carry && condition >= COND_LTU && condition <= COND_GEU)
		text_fail(line->words.text, line->at,
			  "expected a comparison before: the carry of a sum is not kept");
	switch (condition) {
	case COND_NEGATIVE:
		return line_compute(line, ALU_LT, 8, result, operand_value(0));
	case COND_POSITIVE:
		return line_compute(line, ALU_GE, 8, result, operand_value(0));
	case COND_OVERFLOW:
		return overflow(line, left, right, result);
	case COND_NO_OVERFLOW:
		return line_compute(line, ALU_XOR, 8, overflow(line, left, right, result),
				    operand_value(1));
	case COND_ALWAYS:
	case NR_CONDITIONS:
		return operand_value(1);
	default:
		return line_compute(line, alu_of[condition], 8, left, right);
	}
}

void line_select(struct line *line, int dst, unsigned size, struct operand condition,
		 struct operand a, struct operand b)
{
	unsigned first = label_fresh(line->test, line->thread);
	unsigned end = label_fresh(line->test, line->thread);
	struct instruction *pick;

	if (dst < 0)
		return;
	line_add(line, OP_ARM_BEGIN, 8);
	line_go(line, OP_BRANCH, condition, first);
	line_set(line, dst, ALU_FIRST, size, b, operand_value(0));
	line_go(line, OP_JUMP, operand_value(0), end);
	label_place(line->test, line->thread, first);
	line_set(line, dst, ALU_FIRST, size, a, operand_value(0));
	label_place(line->test, line->thread, end);
	line_add(line, OP_ARM_END, 8);
	/* The value is there; that the condition chose it is said behind the arm. */
	line_set(line, dst, ALU_FIRST, size, operand_reg((unsigned)dst), condition);
	pick = &line->test->thread[line->thread].code[line->test->thread[line->thread].nr - 1];
	pick->pick = true;
}
