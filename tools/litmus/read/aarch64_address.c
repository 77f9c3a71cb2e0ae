/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "read/aarch64.h"

/* Returns the words in the brackets of word @i as a line of its own: base, offset, extension. */
static struct words brackets(const struct line *line, unsigned i, bool *before)
{
	struct words words = { .text = line->words.text };
	const char *begin, *end, *p;

	if (i >= line->words.nr)
		line_fail(line, i, "an address [Xn]");
	begin = line->words.word[i].begin;
	end = line->words.word[i].end;
	*before = end[-1] == '!';
	end -= *before;
	if (*begin != '[' || end[-1] != ']' || end - begin < 3)
		line_fail(line, i, "an address [Xn]");
	end--;
	for (p = ++begin; p <= end; p++) {
		if (p < end && *p != ',')
			continue;
		if (words.nr == 3)
			line_fail(line, i, "an address [Xn,Xm,LSL #2] or simpler");
		words.word[words.nr].begin = begin;
		words.word[words.nr].end = p;
		trim(&words.word[words.nr].begin, &words.word[words.nr].end);
		words.nr++;
		begin = p + 1;
	}
	return words;
}

static struct operand base_of(struct line *line, unsigned i, const struct words *words)
{
	struct a64_reg reg = a64_reg_named(words->word[0].begin, words->word[0].end);

	if (!reg.is_register || reg.zero || reg.size != 8)
		line_fail(line, i, "an address with a base X0 to X30 or SP");
	return operand_reg(line_register(line, reg.name));
}

static struct operand sum(struct line *line, struct operand a, struct operand b)
{
	return !b.is_register && !b.value ? a : line_compute(line, ALU_ADD, 8, a, b);
}

struct a64_address a64_address(struct line *line, unsigned i)
{
	bool before;
	struct words words = brackets(line, i, &before), all = line->words;
	struct a64_address address = { .base = -1 };
	struct operand offset = operand_value(0);

	address.address = base_of(line, i, &words);
	if (words.nr > 1) {		/* an ADD has the same words after its first operand */
		line->words = words;
		offset = a64_flexible(line, 1, 8);
		line->words = all;
	}
	if (before || i + 1 < line->words.nr) {
		if (offset.is_register || (before && i + 1 < line->words.nr))
			line_fail(line, i, "an address that changes by a number");
		address.base = (int)address.address.reg;
		address.by = before ? offset.value : a64_number(line, i + 1);
		if (!before)
			return address;
	}
	address.address = sum(line, address.address, offset);
	return address;
}

struct operand a64_plain_address(struct line *line, unsigned i)
{
	struct a64_address address = a64_address(line, i);

	if (address.base >= 0 || !line->test->thread[line->thread].reg[address.address.reg].name)
		line_fail(line, i, "an address [Xn]");
	return address.address;
}

void a64_writeback(struct line *line, const struct a64_address *address)
{
	if (address->base >= 0)
		line_set(line, address->base, ALU_ADD, 8, operand_reg((unsigned)address->base),
			 operand_value(address->by));
}
