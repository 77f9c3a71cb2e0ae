/* SPDX-License-Identifier: MIT */
/* The common part of the readers of AArch64's instructions. */
#ifndef NAP_LITMUS_AARCH64_H
#define NAP_LITMUS_AARCH64_H

#include "read/assembly.h"

struct a64_reg {
	bool is_register;
	bool zero;			/* WZR, XZR */
	unsigned size;			/* 4 or 8 */
	char name[4];			/* of the whole register */
};

/* aarch64_operands.c */
struct a64_reg a64_reg_named(const char *begin, const char *end);
struct a64_reg a64_reg(const struct line *line, unsigned i);	/* fails if there is no register */
struct operand a64_source(struct line *line, struct a64_reg reg);
int a64_target(struct line *line, struct a64_reg reg);	/* -1: the zero register */
struct operand a64_operand(struct line *line, unsigned i);
uint64_t a64_number(const struct line *line, unsigned i);
/* Returns a register or a number, from word @i on, with the shift or extension of word @i + 1. */
struct operand a64_flexible(struct line *line, unsigned i, unsigned size);
enum condition a64_condition(const struct line *line, unsigned i);
extern const struct condition_name a64_conditions[];

/* aarch64_address.c: [Xn], [Xn,#1], [Xn,Wm,SXTW #2], [Xn,#1]! and [Xn],#1 (words @i, @i + 1). */
struct a64_address {
	struct operand address;
	int base;			/* register that grows by @by after the access; or -1 */
	uint64_t by;
};
struct a64_address a64_address(struct line *line, unsigned i);
/* Returns the address of an atomic instruction, which is [Xn] and no other form. */
struct operand a64_plain_address(struct line *line, unsigned i);
void a64_writeback(struct line *line, const struct a64_address *address);

/* Each function reads the line if its table has the instruction, else returns false. */
bool a64_data(struct line *line);
bool a64_choice(struct line *line);
bool a64_branch(struct line *line);
bool a64_memory(struct line *line);
bool a64_pair(struct line *line);
bool a64_exclusive(struct line *line);
bool a64_atomic(struct line *line);
bool a64_fence(struct line *line);

#endif /* NAP_LITMUS_AARCH64_H */
