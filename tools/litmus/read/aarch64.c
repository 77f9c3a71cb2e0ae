/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "read/aarch64.h"

static const char *a64_register_name(struct arena *arena, const char *begin, const char *end)
{
	struct a64_reg reg = a64_reg_named(begin, end);

	return reg.is_register ? arena_text(arena, reg.name, strlen(reg.name)) : NULL;
}

/* Instructions whose effect no test can see. */
static const char *const idle[] = { "NOP", "HINT", "YIELD", "BTI", "PACIASP", "AUTIASP", "PRFM" };

static bool does_nothing(const struct line *line)
{
	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++)
		if (line_is(line, 0, idle[i]))
			return true;
	return false;
}

static void a64_instruction(struct test *test, unsigned thread, const char *begin, const char *end)
{
	struct line line;

	line_start(&line, test, thread, begin, before_remark(begin, end, "//"));
	if (!a64_data(&line) && !a64_choice(&line) && !a64_branch(&line) && !a64_memory(&line) &&
	    !a64_pair(&line) && !a64_exclusive(&line) && !a64_atomic(&line) && !a64_fence(&line) &&
	    !does_nothing(&line))
		line_fail(&line, 0, "an AArch64 instruction");
}

const struct isa isa_aarch64 = {
	.name = "AArch64",
	.dialect = DIALECT_AARCH64,
	.register_name = a64_register_name,
	.instruction = a64_instruction,
};
