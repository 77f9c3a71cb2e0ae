/* SPDX-License-Identifier: MIT */
/* Instructions that compute and set flags. On memory they are one step only with a lock prefix. */
#include "read/x86.h"

#define BOTH (BIT(TAG_LOCKED) | BIT(TAG_AMO))

enum flags { SUM, DIFFERENCE, LOGIC, NO_CARRY, NONE };

static const struct two {
	const char *name;
	enum alu alu;
	enum flags flags;
} twos[] = {
	{ "add", ALU_ADD, SUM }, { "sub", ALU_SUB, DIFFERENCE }, { "and", ALU_AND, LOGIC },
	{ "or", ALU_OR, LOGIC }, { "xor", ALU_XOR, LOGIC },
};

/* Instructions with one operand, and an implicit number. */
static const struct one {
	struct two two;
	uint64_t with;
} ones[] = {
	{ { "inc", ALU_ADD, NO_CARRY }, 1 }, { { "dec", ALU_SUB, NO_CARRY }, 1 },
	{ { "not", ALU_XOR, NONE }, ~0ull },
};

static const struct two shifts[] = {
	{ "shl", ALU_SHL, NO_CARRY }, { "sal", ALU_SHL, NO_CARRY }, { "shr", ALU_SHR, NO_CARRY },
	{ "sar", ALU_SAR, NO_CARRY },
};

static void keep_x86_flags(struct x86 *x86, enum flags flags, unsigned size, struct operand a,
			   struct operand b, struct operand result)
{
	if (flags == DIFFERENCE)
		flags_compared(&x86->line, size, a, b, result);
	else if (flags == SUM)
		flags_summed(&x86->line, size, a, b, result, true);
	else if (flags == LOGIC)	/* neither carry nor overflow */
		flags_compared(&x86->line, size, result, operand_value(0), result);
	else if (flags == NO_CARRY)
		flags_result(&x86->line, size, result);
}

/* Adds a locked access. Returns the old value, in scratch. */
static struct operand locked_access(struct x86 *x86, const struct x86_operand *memory, enum alu alu,
				    unsigned size, struct operand with)
{
	unsigned old = line_scratch(&x86->line);
	struct instruction *rmw = line_add(&x86->line, OP_RMW, size);

	rmw->alu = alu;
	rmw->dst = (int)old;
	rmw->address = memory->value;
	rmw->a = with;
	rmw->read_tags = rmw->write_tags = BOTH;
	return operand_reg(old);
}

/* Adds the operation: @to = @to alu @with. */
static void change(struct x86 *x86, const struct two *two, const struct x86_operand *to,
		   unsigned size, struct operand with)
{
	struct operand old, result;

	if (x86->locked && to->kind != X86_MEMORY)
		x86_fail(x86, x86->nr - 1, "memory behind lock");
	if (x86->locked && to->stack) {		/* compilers spell mfence like this, too */
		line_add(&x86->line, OP_FENCE, 8)->read_tags = BIT(TAG_FULL);
		return;
	}
	if (x86->locked)
		old = locked_access(x86, to, two->alu, size, with);
	else
		old = x86_value(x86, to, size);
	result = line_compute(&x86->line, two->alu, size, old, with);
	keep_x86_flags(x86, two->flags, size, old, with, result);
	if (!x86->locked)
		x86_write(x86, to, size, result);
}

static void read_x86_two(struct x86 *x86, const struct two *two)
{
	unsigned size;

	x86_operands(x86, 2, 2);
	size = x86_size(x86);
	if (x86->operand[0].kind == X86_MEMORY && x86->operand[1].kind == X86_MEMORY)
		x86_fail(x86, 0, "a register or a number");
	change(x86, two, &x86->operand[1], size, x86_value(x86, &x86->operand[0], size));
}

static void read_x86_one(struct x86 *x86, const struct one *one)
{
	x86_operands(x86, 1, 1);
	change(x86, &one->two, &x86->operand[0], x86_size(x86), operand_value(one->with));
}

/* Reads shl $1,%eax; shl %cl,%eax; shl %eax. */
static void read_shift(struct x86 *x86, const struct two *two)
{
	struct operand by = operand_value(1);
	struct x86_operand *to = &x86->operand[0];

	x86_operands(x86, 1, 2);
	if (x86->nr == 2) {
		if (x86->operand[0].kind == X86_MEMORY)
			x86_fail(x86, 0, "a number or %cl");
		by = x86_value(x86, &x86->operand[0], 1);
		to = &x86->operand[1];
		if (!x86->size)		/* the size of %cl does not matter */
			x86->size = to->size;
		if (!x86->size)
			line_fail(&x86->line, 0, "a mnemonic that ends with b, w, l or q");
	}
	change(x86, two, to, x86_size(x86), by);
}

static void read_neg(struct x86 *x86)
{
	struct operand old, result, zero = operand_value(0);
	unsigned size;

	x86_operands(x86, 1, 1);
	size = x86_size(x86);
	old = x86_value(x86, &x86->operand[0], size);
	result = line_compute(&x86->line, ALU_SUB, size, zero, old);
	keep_x86_flags(x86, DIFFERENCE, size, zero, old, result);
	x86_write(x86, &x86->operand[0], size, result);
}

/* Reads cmp and test, which only set flags. */
static void read_x86_compare(struct x86 *x86, enum alu alu)
{
	struct operand a, b;
	unsigned size;

	x86_operands(x86, 2, 2);
	size = x86_size(x86);
	b = x86_value(x86, &x86->operand[0], size);
	a = x86_value(x86, &x86->operand[1], size);
	keep_x86_flags(x86, alu == ALU_SUB ? DIFFERENCE : LOGIC, size, a, b,
		       line_compute(&x86->line, alu, size, a, b));
}

/* Reads imul b,a: a *= b. imul $3,b,a: a = 3 b. */
static void read_imul(struct x86 *x86)
{
	struct operand a, result;
	unsigned size, to;

	x86_operands(x86, 2, 3);
	size = x86_size(x86);
	to = x86->nr - 1;
	if (x86->operand[to].kind != X86_REGISTER)
		x86_fail(x86, to, "a register");
	a = x86_value(x86, &x86->operand[0], size);
	result = line_compute(&x86->line, ALU_MUL, size, x86_value(x86, &x86->operand[1], size), a);
	keep_x86_flags(x86, NO_CARRY, size, a, a, result);
	x86_write(x86, &x86->operand[to], size, result);
}

static bool read_listed(struct x86 *x86)
{
	for (size_t i = 0; i < sizeof(twos) / sizeof(*twos); i++)
		if (x86_is(x86, twos[i].name)) {
			read_x86_two(x86, &twos[i]);
			return true;
		}
	for (size_t i = 0; i < sizeof(ones) / sizeof(*ones); i++)
		if (x86_is(x86, ones[i].two.name)) {
			read_x86_one(x86, &ones[i]);
			return true;
		}
	for (size_t i = 0; !x86->locked && i < sizeof(shifts) / sizeof(*shifts); i++)
		if (x86_is(x86, shifts[i].name)) {
			read_shift(x86, &shifts[i]);
			return true;
		}
	return false;
}

bool x86_arithmetic(struct x86 *x86)
{
	if (x86->locked)
		return read_listed(x86);
	if (x86_is(x86, "neg"))
		read_neg(x86);
	else if (x86_is(x86, "cmp"))
		read_x86_compare(x86, ALU_SUB);
	else if (x86_is(x86, "test"))
		read_x86_compare(x86, ALU_AND);
	else if (x86_is(x86, "imul"))
		read_imul(x86);
	else
		return read_listed(x86);
	return true;
}
