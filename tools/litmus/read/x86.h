/* SPDX-License-Identifier: MIT */
/*
 * The common part of the readers of x86's instructions. Operands are in AT&T's order, the
 * destination last, whatever order the test has.
 */
#ifndef NAP_LITMUS_X86_H
#define NAP_LITMUS_X86_H

#include "read/assembly.h"

enum x86_kind { X86_NUMBER, X86_REGISTER, X86_MEMORY };

struct x86_operand {
	enum x86_kind kind;
	struct operand value;		/* the number; the whole register; the address */
	unsigned size;			/* of a register; else 0 */
	bool high;			/* %ah */
	bool stack;			/* memory that %rsp leads to: the thread's own */
};

struct x86 {
	struct line line;
	bool locked;
	unsigned size;			/* said by the mnemonic; 0: not said */
	unsigned nr;
	struct x86_operand operand[3];
};

/* x86_registers.c: returns the name in states, or NULL; @intel: EAX, else rax. */
const char *x86_register(const char *begin, const char *end, bool intel,
			 struct x86_operand *operand);

/* x86_operands.c */
void x86_operands(struct x86 *x86, unsigned least, unsigned most);
struct x86_operand x86_accumulator(struct x86 *x86);	/* the whole of rax */
void x86_fail(const struct x86 *x86, unsigned i, const char *what) __attribute__((noreturn));
/* Returns the mnemonic's size, else the size of a register, else fails. */
unsigned x86_size(const struct x86 *x86);
struct operand x86_value(struct x86 *x86, const struct x86_operand *operand, unsigned size);
void x86_write(struct x86 *x86, const struct x86_operand *operand, unsigned size,
	       struct operand value);

/* x86.c: whether the mnemonic is @name, or @name and a letter for the size. */
bool x86_is(struct x86 *x86, const char *name);
/* Whether the mnemonic is @name and a condition. */
bool x86_is_conditional(struct x86 *x86, const char *name, enum condition *condition);

/* Each function reads the line if its table has the instruction, else returns false. */
bool x86_move(struct x86 *x86);
bool x86_arithmetic(struct x86 *x86);
bool x86_atomic(struct x86 *x86);
bool x86_control(struct x86 *x86);

#endif /* NAP_LITMUS_X86_H */
