/* SPDX-License-Identifier: MIT */
/* Instructions that move: mov, with or without an extension, lea, cmov and set. */
#include "read/x86.h"

static void read_mov(struct x86 *x86)
{
	const struct x86_operand *from = &x86->operand[0], *to = &x86->operand[1];
	struct instruction *load;
	unsigned size;

	x86_operands(x86, 2, 2);
	size = x86_size(x86);
	if (from->kind == X86_MEMORY && to->kind == X86_MEMORY)
		x86_fail(x86, 0, "a register or a number");
	if (from->kind != X86_MEMORY || to->kind != X86_REGISTER || size < 4) {
		x86_write(x86, to, size, x86_value(x86, from, size));
		return;
	}
	load = line_add(&x86->line, OP_LOAD, size);
	load->dst = (int)to->value.reg;
	load->address = from->value;
}

/* The mnemonic may have two sizes, movzbl. Else the registers tell, or the source is a byte. */
static const struct extension {
	const char *name;
	bool sign;
	unsigned from, to;		/* 0: the operand's */
} extensions[] = {
	{ "movzbw", false, 1, 2 }, { "movzbl", false, 1, 4 }, { "movzbq", false, 1, 8 },
	{ "movzwl", false, 2, 4 }, { "movzwq", false, 2, 8 }, { "movsbw", true, 1, 2 },
	{ "movsbl", true, 1, 4 }, { "movsbq", true, 1, 8 }, { "movswl", true, 2, 4 },
	{ "movswq", true, 2, 8 }, { "movslq", true, 4, 8 }, { "movsxd", true, 4, 8 },
	{ "movzb", false, 1, 0 }, { "movzw", false, 2, 0 }, { "movzx", false, 0, 0 },
	{ "movsx", true, 0, 0 },
};

static void read_extension(struct x86 *x86, const struct extension *extension)
{
	struct x86_operand *from = &x86->operand[0];
	struct operand value;
	unsigned size;

	x86_operands(x86, 2, 2);
	if (x86->operand[1].kind != X86_REGISTER)
		x86_fail(x86, 1, "a register");
	size = extension->from ? extension->from : from->size;
	if (!size)
		x86_fail(x86, 0, "a register: how wide the memory is, movzbl and the like say");
	value = x86_value(x86, from, size);
	value = line_compute(&x86->line, extension->sign ? ALU_SEXT : ALU_FIRST,
			     extension->sign ? 8 : size, value,
			     operand_value(extension->sign ? size : 0));
	x86_write(x86, &x86->operand[1], extension->to ? extension->to : x86->operand[1].size,
		  value);
}

static void read_lea(struct x86 *x86)
{
	x86_operands(x86, 2, 2);
	if (x86->operand[0].kind != X86_MEMORY)
		x86_fail(x86, 0, "an address");
	if (x86->operand[1].kind != X86_REGISTER)
		x86_fail(x86, 1, "a register");
	x86_write(x86, &x86->operand[1], x86_size(x86), x86->operand[0].value);
}

/* Reads cmov. It writes 4 bytes even if the condition does not hold: the upper half becomes 0. */
static void read_cmov(struct x86 *x86, enum condition condition)
{
	const struct x86_operand *to = &x86->operand[1];
	struct operand value, holds;
	unsigned size, chosen;

	x86_operands(x86, 2, 2);
	if (to->kind != X86_REGISTER)
		x86_fail(x86, 1, "a register");
	size = x86_size(x86);
	value = x86_value(x86, &x86->operand[0], size);
	holds = flags_hold(&x86->line, condition);
	chosen = line_scratch(&x86->line);
	line_select(&x86->line, (int)chosen, size, holds, value, to->value);
	x86_write(x86, to, size, operand_reg(chosen));
}

static void read_x86_set(struct x86 *x86, enum condition condition)
{
	x86_operands(x86, 1, 1);
	x86_write(x86, &x86->operand[0], 1, flags_hold(&x86->line, condition));
}

/* Reads cltq and cwtl: the accumulator's lower half, sign-extended over the whole. */
static void read_accumulator(struct x86 *x86, unsigned from, unsigned to)
{
	struct operand rax = x86_accumulator(x86).value;

	x86_operands(x86, 0, 0);
	line_set(&x86->line, (int)rax.reg, ALU_SEXT, to, rax, operand_value(from));
}

bool x86_move(struct x86 *x86)
{
	enum condition condition;

	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++)
		if (line_is(&x86->line, 0, extensions[i].name)) {
			read_extension(x86, &extensions[i]);
			return true;
		}
	if (x86_is(x86, "mov") || x86_is(x86, "movabs"))
		read_mov(x86);
	else if (x86_is(x86, "lea"))
		read_lea(x86);
	else if (x86_is_conditional(x86, "cmov", &condition))
		read_cmov(x86, condition);
	else if (x86_is_conditional(x86, "set", &condition))
		read_x86_set(x86, condition);
	else if (x86_is(x86, "cltq") || x86_is(x86, "cdqe"))
		read_accumulator(x86, 4, 8);
	else if (x86_is(x86, "cwtl") || x86_is(x86, "cwde"))
		read_accumulator(x86, 2, 4);
	else
		return false;
	return true;
}
