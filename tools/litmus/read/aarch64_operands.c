/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/aarch64.h"

struct a64_reg a64_reg_named(const char *begin, const char *end)
{
	struct a64_reg reg = { 0 };
	const char *digits = begin + 1, *p = digits;
	int number;

	if (begin == end)
		return reg;
	reg.size = *begin == 'W' || *begin == 'w' ? 4 : 8;
	reg.zero = same_word(begin, end, "XZR") || same_word(begin, end, "WZR");
	reg.is_register = reg.zero || same_word(begin, end, "SP") || same_word(begin, end, "WSP");
	if (reg.is_register) {
		strcpy(reg.name, reg.zero ? "XZR" : "SP");
		return reg;
	}
	while (p < end && isdigit((unsigned char)*p))
		p++;
	if (!strchr("WwXx", *begin) || p != end || p == digits || end - digits > 2)
		return reg;
	number = atoi(digits);
	reg.is_register = number <= 30 && (*digits != '0' || end - digits == 1);
	snprintf(reg.name, sizeof(reg.name), "X%u", (unsigned)number % 100);
	return reg;
}

struct a64_reg a64_reg(const struct line *line, unsigned i)
{
	struct a64_reg reg = { 0 };

	if (i < line->words.nr)
		reg = a64_reg_named(line->words.word[i].begin, line->words.word[i].end);
	if (!reg.is_register)
		line_fail(line, i, "a register W0 to W30, X0 to X30, SP, WZR or XZR");
	return reg;
}

struct operand a64_source(struct line *line, struct a64_reg reg)
{
	return reg.zero ? operand_value(0) : operand_reg(line_register(line, reg.name));
}

int a64_target(struct line *line, struct a64_reg reg)
{
	return reg.zero ? -1 : (int)line_register(line, reg.name);
}

struct operand a64_operand(struct line *line, unsigned i)
{
	return a64_source(line, a64_reg(line, i));
}

uint64_t a64_number(const struct line *line, unsigned i)
{
	uint64_t value;

	if (i >= line->words.nr ||
	    !read_number(line->words.word[i].begin, line->words.word[i].end, '#', &value))
		line_fail(line, i, "a number");
	return value;
}

static const struct modifier {
	const char *name;
	enum alu alu; /* a shift by the number that follows, or an extension */
	unsigned from;			/* extends from this many bytes, before a shift left */
} modifiers[] = {
	{ "LSL", ALU_SHL, 0 }, { "LSR", ALU_SHR, 0 }, { "ASR", ALU_SAR, 0 },
	{ "UXTB", ALU_FIRST, 1 }, { "UXTH", ALU_FIRST, 2 }, { "UXTW", ALU_FIRST, 4 },
	{ "UXTX", ALU_FIRST, 8 }, { "SXTB", ALU_SEXT, 1 }, { "SXTH", ALU_SEXT, 2 },
	{ "SXTW", ALU_SEXT, 4 }, { "SXTX", ALU_SEXT, 8 },
};

static struct operand extended_by(struct line *line, const struct modifier *modifier, unsigned size,
				  struct operand value)
{
	if (modifier->alu == ALU_FIRST)
		return line_compute(line, ALU_FIRST, modifier->from, value, operand_value(0));
	if (modifier->from >= size)
		return value;
	return line_compute(line, ALU_SEXT, size, value, operand_value(modifier->from));
}

/* Changes @value by word @i: LSL #2, SXTW, UXTB #1. */
static struct operand modified(struct line *line, unsigned i, unsigned size, struct operand value)
{
	const char *begin = line->words.word[i].begin, *end = line->words.word[i].end, *p = begin;
	const struct modifier *modifier = NULL;
	uint64_t by = 0;

	while (p < end && isalpha((unsigned char)*p))
		p++;
	for (size_t m = 0; m < sizeof(modifiers) / sizeof(*modifiers); m++)
		if (same_word(begin, p, modifiers[m].name))
			modifier = &modifiers[m];
	if (!modifier || (p < end && !read_number(p, end, '#', &by)) ||
	    (p == end && !modifier->from) || by >= 8 * size)
		line_fail(line, i, "a shift or an extension");
	if (!modifier->from)
		return line_compute(line, modifier->alu, size, value, operand_value(by));
	value = extended_by(line, modifier, size, value);
	return by ? line_compute(line, ALU_SHL, size, value, operand_value(by)) : value;
}

struct operand a64_flexible(struct line *line, unsigned i, unsigned size)
{
	struct operand value;

	if (i < line->words.nr && !a64_reg_named(line->words.word[i].begin,
						 line->words.word[i].end).is_register)
		value = operand_value(a64_number(line, i));
	else
		value = a64_operand(line, i);
	return i + 1 < line->words.nr ? modified(line, i + 1, size, value) : value;
}

const struct condition_name a64_conditions[] = {
	{ "EQ", COND_EQ }, { "NE", COND_NE }, { "CS", COND_GEU }, { "HS", COND_GEU },
	{ "CC", COND_LTU }, { "LO", COND_LTU }, { "MI", COND_NEGATIVE }, { "PL", COND_POSITIVE },
	{ "VS", COND_OVERFLOW }, { "VC", COND_NO_OVERFLOW }, { "HI", COND_GTU }, { "LS", COND_LEU },
	{ "GE", COND_GE }, { "LT", COND_LT }, { "GT", COND_GT }, { "LE", COND_LE },
	{ "AL", COND_ALWAYS }, { "NV", COND_ALWAYS }, { NULL, COND_ALWAYS },
};

enum condition a64_condition(const struct line *line, unsigned i)
{
	enum condition condition = NR_CONDITIONS;

	if (i < line->words.nr)
		condition = condition_of(a64_conditions, line->words.word[i].begin,
					 line->words.word[i].end);
	if (condition == NR_CONDITIONS)
		line_fail(line, i, "a condition, EQ or another");
	return condition;
}
