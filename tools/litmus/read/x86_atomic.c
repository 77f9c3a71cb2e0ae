/* SPDX-License-Identifier: MIT */
/* xchg, which locks without a prefix, xadd, cmpxchg and bts; and the fences. */
#include "read/x86.h"

#define BOTH (BIT(TAG_LOCKED) | BIT(TAG_AMO))

/* Returns which of two operands is memory, in either order. The other has to be a register. */
static unsigned memory_of(struct x86 *x86)
{
	unsigned memory;

	x86_operands(x86, 2, 2);
	memory = x86->operand[0].kind == X86_MEMORY ? 0 : 1;
	if (x86->operand[!memory].kind != X86_REGISTER)
		x86_fail(x86, !memory, "a register");
	return memory;
}

static void need_lock(const struct x86 *x86)
{
	if (!x86->locked)
		line_fail(&x86->line, 0, "lock before it");
}

static void summed(struct x86 *x86, unsigned size, struct operand a, struct operand b)
{
	flags_summed(&x86->line, size, a, b, line_compute(&x86->line, ALU_ADD, size, a, b), true);
}

/* Adds an exchange: the register gets what was in memory. */
static void exchange(struct x86 *x86, unsigned memory, enum alu alu)
{
	const struct x86_operand *reg = &x86->operand[!memory];
	unsigned size = x86_size(x86);
	struct operand with = x86_value(x86, reg, size);
	int dst = size < 4 ? (int)line_scratch(&x86->line) : (int)reg->value.reg;
	struct operand old = with;
	struct instruction *rmw;

	if (alu == ALU_ADD) {		/* the operation overwrites the register */
		old = operand_reg(line_scratch(&x86->line));
		line_set(&x86->line, (int)old.reg, ALU_FIRST, size, with, operand_value(0));
	}
	rmw = line_add(&x86->line, OP_RMW, size);
	rmw->alu = alu;
	rmw->dst = dst;
	rmw->address = x86->operand[memory].value;
	rmw->a = with;
	rmw->read_tags = rmw->write_tags = BOTH;
	if (alu == ALU_ADD)
		summed(x86, size, operand_reg((unsigned)dst), old);
	if (size < 4)
		x86_write(x86, reg, size, operand_reg((unsigned)dst));
}

static void read_xchg(struct x86 *x86)
{
	unsigned memory = memory_of(x86), size;
	struct operand first;

	if (x86->operand[memory].kind == X86_MEMORY) {
		exchange(x86, memory, ALU_SECOND);
		return;
	}
	if (x86->locked)
		x86_fail(x86, 1, "memory behind lock");
	size = x86_size(x86);
	first = line_compute(&x86->line, ALU_FIRST, 8, x86_value(x86, &x86->operand[0], size),
			     operand_value(0));
	x86_write(x86, &x86->operand[0], size, x86_value(x86, &x86->operand[1], size));
	x86_write(x86, &x86->operand[1], size, first);
}

static void read_xadd(struct x86 *x86)
{
	unsigned memory = memory_of(x86);

	need_lock(x86);
	if (x86->operand[memory].kind != X86_MEMORY)
		x86_fail(x86, memory, "memory");
	exchange(x86, memory, ALU_ADD);
}

/* Reads cmpxchg: compares with rax, which gets the old value. */
static void read_cmpxchg(struct x86 *x86)
{
	unsigned memory = memory_of(x86), size = x86_size(x86), found;
	struct x86_operand rax = x86_accumulator(x86);
	struct operand value;
	struct instruction *cas;

	need_lock(x86);
	if (x86->operand[memory].kind != X86_MEMORY)
		x86_fail(x86, memory, "memory");
	found = line_scratch(&x86->line);
	value = x86_value(x86, &x86->operand[!memory], size);
	cas = line_add(&x86->line, OP_CAS, size);
	cas->dst = (int)found;
	cas->address = x86->operand[memory].value;
	cas->a = rax.value;
	cas->b = value;
	cas->read_tags = cas->write_tags = cas->fail_tags = BOTH;
	value = line_compute(&x86->line, ALU_SUB, size, rax.value, operand_reg(found));
	flags_compared(&x86->line, size, rax.value, operand_reg(found), value);
	x86_write(x86, &rax, size, operand_reg(found));
}

static struct operand register_named(struct x86 *x86, const char *name)
{
	return operand_reg(line_register(&x86->line, name));
}

/* Reads cmpxchg16b: compares 16 bytes with rdx and rax, and stores rcx and rbx. */
static void read_cmpxchg16b(struct x86 *x86)
{
	struct line *line = &x86->line;
	struct operand rax = register_named(x86, "rax"), rdx = register_named(x86, "rdx");
	struct operand same, low;
	unsigned found = line_scratch(line), found_high = line_scratch(line);
	struct instruction *cas;

	x86_operands(x86, 1, 1);
	need_lock(x86);
	if (x86->operand[0].kind != X86_MEMORY)
		x86_fail(x86, 0, "memory");
	cas = line_add(line, OP_CAS, 16);
	cas->dst = (int)found;
	cas->high = (int)found_high;
	cas->address = x86->operand[0].value;
	cas->a = rax;
	cas->high_a = rdx;
	cas->b = register_named(x86, "rbx");
	cas->high_b = register_named(x86, "rcx");
	cas->read_tags = cas->write_tags = cas->fail_tags = BOTH;
	low = line_compute(line, ALU_XOR, 8, rax, operand_reg(found));
	same = line_compute(line, ALU_XOR, 8, rdx, operand_reg(found_high));
	same = line_compute(line, ALU_OR, 8, low, same);
	flags_compared(line, 8, same, operand_value(0), same);
	line_set(line, (int)rax.reg, ALU_FIRST, 8, operand_reg(found), operand_value(0));
	line_set(line, (int)rdx.reg, ALU_FIRST, 8, operand_reg(found_high), operand_value(0));
}

/* Reads lock bts $3,(x): the carry becomes the old bit; jc and jnc ask for it. */
static void read_bit(struct x86 *x86, enum alu alu)
{
	struct line *line = &x86->line;
	struct operand bit;
	struct instruction *rmw;
	unsigned size, old;

	x86_operands(x86, 2, 2);
	need_lock(x86);
	size = x86_size(x86);
	if (x86->operand[0].kind != X86_NUMBER || x86->operand[0].value.value >= 8 * size)
		x86_fail(x86, 0, "the number of a bit");
	if (x86->operand[1].kind != X86_MEMORY)
		x86_fail(x86, 1, "memory");
	old = line_scratch(line);
	rmw = line_add(line, OP_RMW, size);
	rmw->alu = alu;
	rmw->dst = (int)old;
	rmw->address = x86->operand[1].value;
	rmw->a = operand_value(1ull << x86->operand[0].value.value);
	rmw->read_tags = rmw->write_tags = BOTH;
	bit = line_compute(line, ALU_AND, 8, operand_reg(old),
			   operand_value(1ull << x86->operand[0].value.value));
	bit = line_compute(line, ALU_NE, 8, bit, operand_value(0));
	flags_compared(line, 8, operand_value(0), bit, bit);
}

/* Reads a fence. x86 orders loads, and stores, itself: lfence and sfence order nothing more. */
static bool read_fence(struct x86 *x86)
{
	bool full = line_is(&x86->line, 0, "mfence");

	if (x86->locked ||
	    (!full && !line_is(&x86->line, 0, "lfence") && !line_is(&x86->line, 0, "sfence")))
		return false;
	x86_operands(x86, 0, 0);
	line_add(&x86->line, OP_FENCE, 8)->read_tags = full ? BIT(TAG_FULL) : 0;
	return true;
}

bool x86_atomic(struct x86 *x86)
{
	if (x86_is(x86, "xchg"))
		read_xchg(x86);
	else if (x86_is(x86, "xadd"))
		read_xadd(x86);
	else if (x86_is(x86, "cmpxchg"))
		read_cmpxchg(x86);
	else if (line_is(&x86->line, 0, "cmpxchg16b"))
		read_cmpxchg16b(x86);
	else if (x86_is(x86, "bts"))
		read_bit(x86, ALU_OR);
	else if (x86_is(x86, "btr"))
		read_bit(x86, ALU_BIC);
	else if (x86_is(x86, "btc"))
		read_bit(x86, ALU_XOR);
	else
		return read_fence(x86);
	return true;
}
