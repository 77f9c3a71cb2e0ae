// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "read/riscv.h"

static const char *register_name(struct arena *arena, const char *begin, const char *end)
{
	int number = rv_register(begin, end);
	char name[16];

	snprintf(name, sizeof(name), "x%d", number);
	return number < 0 ? NULL : arena_text(arena, name, strlen(name));
}

/* objdump explains addresses after a #. */
static const char *before_remark(const char *begin, const char *end)
{
	const char *remark = memchr(begin, '#', (size_t)(end - begin));

	return remark ? remark : end;
}

static void instruction(struct test *test, unsigned thread, const char *begin, const char *end)
{
	struct line line;

	line_start(&line, test, thread, begin, before_remark(begin, end));
	if (!rv_data(&line) && !rv_branch(&line) && !rv_memory(&line) && !rv_atomic(&line) &&
	    !rv_fence(&line) && !line_is(&line, 0, "nop"))
		line_fail(&line, 0, "a RISC-V instruction");
}

const struct isa isa_riscv = {
	.name = "RISCV",
	.dialect = DIALECT_RISCV,
	.register_name = register_name,
	.instruction = instruction,
};
