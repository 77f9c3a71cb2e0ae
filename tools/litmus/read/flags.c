/* SPDX-License-Identifier: MIT */
/*
 * The flags are the two values that were compared, extended to 8 bytes with their sign. Numbers
 * without a sign keep their order in this form, too. A condition compares the two values when an
 * instruction asks for the condition.
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
	reading->no_carry = reading->summed = false;
}

void flags_result(struct line *line, unsigned size, struct operand result)
{
	flags_compared(line, size, result, operand_value(0), result);
	reading_of(line->test, line->thread)->no_carry = true;
}

void flags_summed(struct line *line, unsigned size, struct operand a, struct operand b,
		  struct operand result, bool borrow)
{
	flags_compared(line, size, a, b, result);
	reading_of(line->test, line->thread)->summed = true;
	reading_of(line->test, line->thread)->borrow = borrow;
}

/* Returns a flag. Before any flag was set, flags are as after a comparison of 0 with 0. */
static struct operand flag(struct line *line, int *flag)
{
	if (*flag < 0)
		*flag = (int)test_temporary(line->test, line->thread);
	return operand_reg((unsigned)*flag);
}

static struct operand negative(struct line *line, struct operand value)
{
	return line_compute(line, ALU_LT, 8, value, operand_value(0));
}

/* Computes whether the result overflows. A difference does if its sign is not the comparison's. */
static struct operand overflow(struct line *line, const struct reading *reading,
			       struct operand left, struct operand right, struct operand result)
{
	if (!reading->summed)
		return line_compute(line, ALU_XOR, 8, line_compute(line, ALU_LT, 8, left, right),
				    negative(line, result));
	/* A sum overflows if its sign is that of neither term. */
	left = line_compute(line, ALU_XOR, 8, left, result);
	right = line_compute(line, ALU_XOR, 8, right, result);
	return negative(line, line_compute(line, ALU_AND, 8, left, right));
}

/* Computes a condition from the flags of a sum, which no comparison would leave. */
static struct operand sum_holds(struct line *line, enum condition condition, struct operand left,
				struct operand right, struct operand result)
{
	const struct reading *reading = reading_of(line->test, line->thread);
	struct operand holds, zero;

	switch (condition) {
	case COND_EQ:
		return line_compute(line, ALU_EQ, 8, result, operand_value(0));
	case COND_GEU:			/* a carry: the sum is less than its terms */
		return line_compute(line, reading->borrow ? ALU_GEU : ALU_LTU, 8, result, left);
	case COND_LT:
		holds = overflow(line, reading, left, right, result);
		return line_compute(line, ALU_XOR, 8, holds, negative(line, result));
	case COND_LE:
		holds = sum_holds(line, COND_LT, left, right, result);
		zero = sum_holds(line, COND_EQ, left, right, result);
		return line_compute(line, ALU_OR, 8, holds, zero);
	case COND_GTU:
		holds = sum_holds(line, COND_GEU, left, right, result);
		zero = sum_holds(line, COND_EQ, left, right, result);
		return line_compute(line, ALU_BIC, 8, holds, zero);
	default:			/* the opposite of a condition above */
		holds = sum_holds(line, condition_not(condition), left, right, result);
		return line_compute(line, ALU_XOR, 8, holds, operand_value(1));
	}
}

struct operand flags_hold(struct line *line, enum condition condition)
{
	struct reading *reading = reading_of(line->test, line->thread);
	struct operand left = flag(line, &reading->left), right = flag(line, &reading->right);
	struct operand result = flag(line, &reading->result);

	if (reading->no_carry && condition >= COND_LTU && condition <= COND_GEU)
		text_fail(line->words.text, line->at,
			  "expected an instruction before that sets the carry");
	switch (condition) {
	case COND_NEGATIVE:
		return negative(line, result);
	case COND_POSITIVE:
		return line_compute(line, ALU_GE, 8, result, operand_value(0));
	case COND_OVERFLOW:
		return overflow(line, reading, left, right, result);
	case COND_NO_OVERFLOW:
		return line_compute(line, ALU_XOR, 8, overflow(line, reading, left, right, result),
				    operand_value(1));
	case COND_ALWAYS:
	case NR_CONDITIONS:
		return operand_value(1);
	default:
		return reading->summed ? sum_holds(line, condition, left, right, result) :
			line_compute(line, alu_of[condition], 8, left, right);
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
	/* The value is in @dst. After the arm a pick says that the condition chose the value. */
	line_set(line, dst, ALU_FIRST, size, operand_reg((unsigned)dst), condition);
	pick = &line->test->thread[line->thread].code[line->test->thread[line->thread].nr - 1];
	pick->pick = true;
}
