/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "read/x86.h"

static bool is_intel(const struct x86 *x86)
{
	return x86->line.test->isa == &isa_x86_intel;
}

/* Returns the index of the word that operand @i was. */
static unsigned word_of(const struct x86 *x86, unsigned i)
{
	return is_intel(x86) ? x86->line.words.nr - 1 - i : i + 1;
}

/* The advice for a test whose operands are in the order of the other x86 dialect. */
static const char *other_order(const struct x86 *x86)
{
	return is_intel(x86) ?
	       "an X86 test is in Intel's order, MOV [x],$1; AT&T's is an X86_64 test's" :
	       "an X86_64 test is in AT&T's order, movl $1,(x); Intel's is an X86 test's";
}

/*
 * Fails at a register that is written as in the other dialect (with a %, or without one): otherwise
 * source and destination would be taken for each other.
 */
static void must_be_own(const struct x86 *x86, const char *begin, const char *end)
{
	bool percent = *begin == '%';

	if (percent == is_intel(x86))
		text_fail(x86->line.words.text, begin, "expected a register %s a %%, not %.*s: %s",
			  percent ? "without" : "with", (int)(end - begin), begin,
			  other_order(x86));
}

void x86_fail(const struct x86 *x86, unsigned i, const char *what)
{
	unsigned word = i < x86->nr ? word_of(x86, i) : x86->line.words.nr;

	if (word < x86->line.words.nr)
		text_fail(x86->line.words.text, x86->line.words.word[word].begin,
			  "expected %s, not %.*s: %s", what,
			  (int)(x86->line.words.word[word].end - x86->line.words.word[word].begin),
			  x86->line.words.word[word].begin, other_order(x86));
	line_fail(&x86->line, word, what);
}

/* Reads the whole register, if the operand is one. */
static bool read_x86_register(struct x86 *x86, const char *begin, const char *end,
			      struct x86_operand *operand)
{
	const char *name = x86_register(begin, end, is_intel(x86), operand);

	if (!name)
		return false;
	must_be_own(x86, begin, end);
	operand->value = operand_reg(line_register(&x86->line, name));
	operand->stack = same_word(name, name + strlen(name), "rsp");
	return true;
}

struct x86_operand x86_accumulator(struct x86 *x86)
{
	const char *rax = is_intel(x86) ? "rax" : "%rax";
	struct x86_operand operand;

	read_x86_register(x86, rax, rax + strlen(rax), &operand);
	return operand;
}

static struct operand x86_sum(struct x86 *x86, struct operand a, struct operand b)
{
	if (!a.is_register && !a.value)
		return b;
	if (!b.is_register && !b.value)
		return a;
	return line_compute(&x86->line, ALU_ADD, 8, a, b);
}

/* Reads x, x+4, 4 or -4, alone or before a parenthesis. */
static bool read_displacement(struct x86 *x86, const char *begin, const char *end,
			      struct operand *value)
{
	const char *p = begin;
	char name[72];
	uint64_t by = 0;

	*value = operand_value(0);
	if (begin == end || read_number(begin, end, 0, &value->value))
		return true;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	if (p == begin || isdigit((unsigned char)*begin) || p - begin > 70 ||
	    (p < end && *p != '+' && *p != '-') || (p < end && !read_number(p, end, '+', &by)))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(p - begin), begin);
	value->value = address_of(x86->line.test, name) + by;
	return true;
}

/* Reads (base), (base,index), (base,index,scale), (,index,scale), (x), (%rip). */
static bool read_inner(struct x86 *x86, const char *begin, const char *end,
		       struct x86_operand *operand)
{
	struct x86_operand part;
	struct operand sums = operand_value(0), value;
	uint64_t scale = 1;
	unsigned nr = 0;

	for (const char *p = begin; p <= end; p++) {
		const char *from = begin, *to = p;

		if (p < end && *p != ',')
			continue;
		trim(&from, &to);
		begin = p + 1;
		if (nr == 2 && read_number(from, to, 0, &scale) && scale < 16)
			sums = x86_sum(x86, sums, line_compute(&x86->line, ALU_MUL, 8, value,
							       operand_value(scale)));
		else if (nr < 2 && read_x86_register(x86, from, to, &part))
			value = part.value;
		else if (nr == 0 && same_word(from, to, "%rip"))
			value = operand_value(0);
		else if (nr == 0 && read_displacement(x86, from, to, &value))
			part = (struct x86_operand) { 0 };
		else
			return false;
		if (nr == 0) {
			sums = value;
			operand->stack = part.stack;
		} else if (nr == 1 && p == end) {
			sums = x86_sum(x86, sums, value);
		}
		nr++;
	}
	operand->value = sums;
	return true;
}

static bool read_memory(struct x86 *x86, const char *begin, const char *end,
			struct x86_operand *operand)
{
	const char *open = begin;
	struct operand displacement;

	while (open < end && *open != '(' && *open != '[')
		open++;
	*operand = (struct x86_operand) { .kind = X86_MEMORY };
	if (open == end || end - open < 3 || end[-1] != (*open == '(' ? ')' : ']') ||
	    !read_displacement(x86, begin, open, &displacement) ||
	    !read_inner(x86, open + 1, end - 1, operand))
		return false;
	operand->value = x86_sum(x86, operand->value, displacement);
	return true;
}

static void read_operand(struct x86 *x86, unsigned i)
{
	const char *begin = x86->line.words.word[word_of(x86, i)].begin;
	const char *end = x86->line.words.word[word_of(x86, i)].end;
	struct x86_operand *operand = &x86->operand[i];
	uint64_t number;

	if (read_x86_register(x86, begin, end, operand))
		return;
	if (read_number(begin, end, '$', &number))
		*operand = (struct x86_operand) { .kind = X86_NUMBER, .value.value = number };
	else if (*begin == '%')
		x86_fail(x86, i, "a register");
	else if (!read_memory(x86, begin, end, operand))
		x86_fail(x86, i, "a register, $1, (x) or 4(%rax)");
}

void x86_operands(struct x86 *x86, unsigned least, unsigned most)
{
	line_operands(&x86->line, least, most);
	x86->nr = x86->line.words.nr - 1;
	for (unsigned i = 0; i < x86->nr; i++)
		read_operand(x86, i);
}

unsigned x86_size(const struct x86 *x86)
{
	if (x86->size)
		return x86->size;
	for (unsigned i = x86->nr; i-- > 0;)
		if (x86->operand[i].kind == X86_REGISTER)
			return x86->operand[i].size;
	if (!is_intel(x86))
		line_fail(&x86->line, 0,
			  "a mnemonic that ends with b, w, l or q (AT&T's; Intel's order is an "
			  "X86 test's)");
	return 4;
}

struct operand x86_value(struct x86 *x86, const struct x86_operand *operand, unsigned size)
{
	struct instruction *load;
	unsigned scratch;

	if (operand->high)
		return line_compute(&x86->line, ALU_SHR, 2, operand->value, operand_value(8));
	if (operand->kind != X86_MEMORY)
		return operand->value;
	scratch = line_scratch(&x86->line);
	load = line_add(&x86->line, OP_LOAD, size);
	load->dst = (int)scratch;
	load->address = operand->value;
	return operand_reg(scratch);
}

/* Writes a part of the register. The other bytes stay. */
static void write_part(struct x86 *x86, const struct x86_operand *operand, unsigned size,
		       struct operand value)
{
	struct line *line = &x86->line;
	uint64_t mask = (size == 1 ? 0xffull : 0xffffull) << (operand->high ? 8 : 0);
	struct operand kept = line_compute(line, ALU_BIC, 8, operand->value, operand_value(mask));

	value = line_compute(line, ALU_FIRST, size, value, operand_value(0));
	if (operand->high)
		value = line_compute(line, ALU_SHL, 8, value, operand_value(8));
	line_set(line, (int)operand->value.reg, ALU_OR, 8, kept, value);
}

void x86_write(struct x86 *x86, const struct x86_operand *operand, unsigned size,
	       struct operand value)
{
	struct instruction *store;

	if (operand->kind == X86_REGISTER && size < 4) {
		write_part(x86, operand, size, value);
	} else if (operand->kind == X86_REGISTER) {
		line_set(&x86->line, (int)operand->value.reg, ALU_FIRST, size, value,
			 operand_value(0));
	} else if (operand->kind == X86_MEMORY) {
		store = line_add(&x86->line, OP_STORE, size);
		store->address = operand->value;
		store->a = value;
	} else {
		x86_fail(x86, x86->nr - 1, "a register or memory");
	}
}
