/* SPDX-License-Identifier: MIT */
/* What the readers of RISC-V's instructions share. */
#ifndef NAP_LITMUS_RISCV_H
#define NAP_LITMUS_RISCV_H

#include "read/assembly.h"

/* riscv_operands.c: its number, or -1. */
int rv_register(const char *begin, const char *end);
struct operand rv_source(struct line *line, unsigned i);
int rv_target(struct line *line, unsigned i);			/* -1: x0 */
uint64_t rv_number(const struct line *line, unsigned i);
/* 4(x5), (x5); @offset: whether there may be one. */
struct operand rv_address(struct line *line, unsigned i, bool offset);

/* Each reads the line if it is one of its instructions. */
bool rv_data(struct line *line);
bool rv_branch(struct line *line);
bool rv_memory(struct line *line);
bool rv_atomic(struct line *line);
bool rv_fence(struct line *line);

/* riscv_atomic.c: what follows a dot: aq, rl, aqrl, aq.rl. */
struct rv_order {
	bool aq, rl;
};
bool rv_read_order(const char *at, const char *end, struct rv_order *order);

#endif /* NAP_LITMUS_RISCV_H */
