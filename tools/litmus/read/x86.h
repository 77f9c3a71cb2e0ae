/* SPDX-License-Identifier: MIT */
/*
 * What the readers of x86's instructions share. Operands are in AT&T's order, the destination
 * last, whatever the test writes.
 */
#ifndef NAP_LITMUS_X86_H
#define NAP_LITMUS_X86_H

#include "read/assembly.h"

enum x86_kind { X86_NUMBER, X86_REGISTER, X86_MEMORY };

struct x86_operand {
	enum x86_kind kind;
	struct operand value;		/* the number; the register, all of it; the address */
	unsigned size;			/* of a register; else 0 */
	bool high;			/* %ah */
	bool stack;			/* memory that %rsp leads to: no other thread's */
};

struct x86 {
	struct line line;
	bool locked;
	unsigned size;			/* that the mnemonic says; 0: none */
	unsigned nr;
	struct x86_operand operand[3];
};

/* x86_registers.c: its name as states show it, or NULL; @intel: EAX, else rax. */
const char *x86_register(const char *begin, const char *end, bool intel,
			 struct x86_operand *operand);

/* x86_operands.c */
void x86_operands(struct x86 *x86, unsigned least, unsigned most);
struct x86_operand x86_accumulator(struct x86 *x86);	/* rax, all of it */
void x86_fail(const struct x86 *x86, unsigned i, const char *what) __attribute__((noreturn));
/* The mnemonic's size, or else that of a register, or else it fails. */
unsigned x86_size(const struct x86 *x86);
struct operand x86_value(struct x86 *x86, const struct x86_operand *operand, unsigned size);
void x86_write(struct x86 *x86, const struct x86_operand *operand, unsigned size,
	       struct operand value);

/* x86.c: whether the mnemonic is @name, or @name and a letter that says the size. */
bool x86_is(struct x86 *x86, const char *name);
/* Whether it is @name and a condition. */
bool x86_is_conditional(struct x86 *x86, const char *name, enum condition *condition);

/* Each reads the line if it is one of its instructions. */
bool x86_move(struct x86 *x86);
bool x86_arithmetic(struct x86 *x86);
bool x86_atomic(struct x86 *x86);
bool x86_control(struct x86 *x86);

#endif /* NAP_LITMUS_X86_H */
