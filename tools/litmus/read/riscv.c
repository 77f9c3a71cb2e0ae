/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "read/riscv.h"

static const char *rv_register_name(struct arena *arena, const char *begin, const char *end)
{
	int number = rv_register(begin, end);
	char name[16];

	snprintf(name, sizeof(name), "x%d", number);
	return number < 0 ? NULL : arena_text(arena, name, strlen(name));
}

static void rv_instruction(struct test *test, unsigned thread, const char *begin, const char *end)
{
	struct line line;

	line_start(&line, test, thread, begin, before_remark(begin, end, "#"));
	if (!rv_data(&line) && !rv_branch(&line) && !rv_memory(&line) && !rv_atomic(&line) &&
	    !rv_fence(&line) && !line_is(&line, 0, "nop"))
		line_fail(&line, 0, "a RISC-V instruction");
}

const struct isa isa_riscv = {
	.name = "RISCV",
	.dialect = DIALECT_RISCV,
	.register_name = rv_register_name,
	.instruction = rv_instruction,
};
