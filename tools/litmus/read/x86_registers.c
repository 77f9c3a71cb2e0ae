/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/x86.h"

static const struct {
	const char *name[4];		/* for 8, 4, 2 and 1 byte */
	const char *high;
} legacy[] = {
	{ { "rax", "eax", "ax", "al" }, "ah" }, { { "rbx", "ebx", "bx", "bl" }, "bh" },
	{ { "rcx", "ecx", "cx", "cl" }, "ch" }, { { "rdx", "edx", "dx", "dl" }, "dh" },
	{ { "rsi", "esi", "si", "sil" }, NULL }, { { "rdi", "edi", "di", "dil" }, NULL },
	{ { "rbp", "ebp", "bp", "bpl" }, NULL }, { { "rsp", "esp", "sp", "spl" }, NULL },
};

static const char *legacy_register(const char *begin, const char *end, bool intel,
				   struct x86_operand *operand)
{
	static const char *const upper[] = {
		"EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP"
	};

	for (size_t i = 0; i < sizeof(legacy) / sizeof(*legacy); i++) {
		const char *name = intel ? upper[i] : legacy[i].name[0];

		for (unsigned s = 0; s < 4; s++)
			if (same_word(begin, end, legacy[i].name[s])) {
				operand->size = 8 >> s;
				return name;
			}
		if (legacy[i].high && same_word(begin, end, legacy[i].high)) {
			operand->size = 1;
			operand->high = true;
			return name;
		}
	}
	return NULL;
}

/* Returns the name of r8 to r15, or of their parts. */
static const char *numbered_register(const char *begin, const char *end,
				     struct x86_operand *operand)
{
	static const char *const names[] = { "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
	static const struct { const char *suffix; unsigned size; } parts[] = {
		{ "", 8 }, { "d", 4 }, { "w", 2 }, { "b", 1 },
	};
	const char *rest;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++)
			if (has_prefix(begin, end, names[i], &rest) &&
			    same_word(rest, end, parts[p].suffix)) {
				operand->size = parts[p].size;
				return names[i];
			}
	return NULL;
}

const char *x86_register(const char *begin, const char *end, bool intel,
			 struct x86_operand *operand)
{
	const char *name;

	*operand = (struct x86_operand) { .kind = X86_REGISTER };
	if (begin < end && *begin == '%')
		begin++;
	name = legacy_register(begin, end, intel, operand);
	return name ? name : numbered_register(begin, end, operand);
}
