/* SPDX-License-Identifier: MIT */
/* The common part of the readers of RISC-V's instructions. */
#ifndef NAP_LITMUS_RISCV_H
#define NAP_LITMUS_RISCV_H

#include "read/assembly.h"

/* riscv_operands.c: returns the register's number, or -1. */
int rv_register(const char *begin, const char *end);
struct operand rv_source(struct line *line, unsigned i);
int rv_target(struct line *line, unsigned i);			/* -1: x0 */
/* Returns the second register of the pair that the even register of word @i begins; -1: x0. */
int rv_second(struct line *line, unsigned i);
uint64_t rv_number(const struct line *line, unsigned i);
/* Reads 4(x5) or (x5); @offset: whether a number may come first. */
struct operand rv_address(struct line *line, unsigned i, bool offset);

/* Each function reads the line if its table has the instruction, else returns false. */
bool rv_data(struct line *line);
bool rv_branch(struct line *line);
bool rv_memory(struct line *line);
bool rv_atomic(struct line *line);
bool rv_fence(struct line *line);

/* riscv_atomic.c: reads what follows a dot: aq, rl, aqrl, aq.rl. */
struct rv_order {
	bool aq, rl;
};
bool rv_read_order(const char *at, const char *end, struct rv_order *order);

#endif /* NAP_LITMUS_RISCV_H */
