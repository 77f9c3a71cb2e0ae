/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/riscv.h"

static const char *const abi_names[32] = {
	"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

int rv_register(const char *begin, const char *end)
{
	int number;

	for (int i = 0; i < 32; i++)
		if (same_word(begin, end, abi_names[i]))
			return i;
	if (same_word(begin, end, "fp"))
		return 8;
	if (end - begin < 2 || end - begin > 3 || (*begin != 'x' && *begin != 'X'))
		return -1;
	for (const char *p = begin + 1; p < end; p++)
		if (!isdigit((unsigned char)*p))
			return -1;
	number = atoi(begin + 1);
	return number < 32 && (begin[1] != '0' || end - begin == 2) ? number : -1;
}

static int register_of(const struct line *line, unsigned i)
{
	int number = -1;

	if (i < line->words.nr)
		number = rv_register(line->words.word[i].begin, line->words.word[i].end);
	if (number < 0)
		line_fail(line, i, "a register x0 to x31, or a0 and the like");
	return number;
}

static int numbered(struct line *line, int number)
{
	char name[16];

	snprintf(name, sizeof(name), "x%d", number);
	return number ? (int)line_register(line, name) : -1;
}

int rv_target(struct line *line, unsigned i)
{
	return numbered(line, register_of(line, i));
}

int rv_second(struct line *line, unsigned i)
{
	int number = register_of(line, i);

	if (number % 2)
		line_fail(line, i, "an even register, the first of a pair");
	return numbered(line, number ? number + 1 : 0);
}

struct operand rv_source(struct line *line, unsigned i)
{
	int reg = rv_target(line, i);

	return reg < 0 ? operand_value(0) : operand_reg((unsigned)reg);
}

uint64_t rv_number(const struct line *line, unsigned i)
{
	uint64_t value;

	if (i >= line->words.nr ||
	    !read_number(line->words.word[i].begin, line->words.word[i].end, 0, &value))
		line_fail(line, i, "a number");
	return value;
}

struct operand rv_address(struct line *line, unsigned i, bool offset)
{
	struct line base = *line;
	const char *begin, *end, *open;
	struct operand reg;
	uint64_t by = 0;

	if (i >= line->words.nr)
		line_fail(line, i, "an address 0(x5)");
	begin = line->words.word[i].begin;
	end = line->words.word[i].end;
	open = memchr(begin, '(', (size_t)(end - begin));
	if (!open || end[-1] != ')' || (open > begin && !read_number(begin, open, 0, &by)) ||
	    (by && !offset))
		line_fail(line, i, "an address 0(x5)");
	base.words.word[i].begin = open + 1;
	base.words.word[i].end = end - 1;
	trim(&base.words.word[i].begin, &base.words.word[i].end);
	reg = rv_source(&base, i);
	return by ? line_compute(line, ALU_ADD, 8, reg, operand_value(by)) : reg;
}
