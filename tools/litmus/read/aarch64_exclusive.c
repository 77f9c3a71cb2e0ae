/* SPDX-License-Identifier: MIT */
/*
 * LDXP, STXP, CASP, SWPP, LDCLRP and LDSETP: a pair of registers that is one access. A pair of
 * words is one access of 8 bytes.
 */
#include "read/aarch64.h"

/* A pair of registers of an instruction. */
struct both {
	struct a64_reg low, high;
	struct operand a, b;
};

static struct both both_at(struct line *line, unsigned i)
{
	struct both both = { .low = a64_reg(line, i), .high = a64_reg(line, i + 1) };

	if (both.low.size != both.high.size)
		line_fail(line, i + 1, "a register as wide as the first");
	both.a = a64_source(line, both.low);
	both.b = a64_source(line, both.high);
	return both;
}

/* Returns the 8 bytes of two words. */
static struct operand words_joined(struct line *line, const struct both *both)
{
	struct operand low = line_compute(line, ALU_FIRST, 4, both->a, operand_value(0));
	struct operand high = line_compute(line, ALU_SHL, 8, both->b, operand_value(32));

	return line_compute(line, ALU_OR, 8, low, high);
}

/* Sets two words from 8 bytes. */
static void words_parted(struct line *line, const struct both *both, unsigned from)
{
	line_set(line, a64_target(line, both->low), ALU_FIRST, 4, operand_reg(from),
		 operand_value(0));
	line_set(line, a64_target(line, both->high), ALU_SHR, 8, operand_reg(from),
		 operand_value(32));
}

static void load_both(struct line *line, uint64_t tags)
{
	struct both both = both_at(line, 1);
	struct operand at = a64_plain_address(line, 3);
	unsigned whole = both.low.size == 4 ? line_scratch(line) : 0;
	int low = a64_target(line, both.low), high = a64_target(line, both.high);
	struct instruction *load;

	line_operands(line, 3, 3);
	load = line_add(line, OP_LOAD_EXCLUSIVE, 2 * both.low.size);
	load->address = at;
	load->read_tags = tags;
	load->dst = both.low.size == 4 ? (int)whole : low;
	load->high = high;
	if (both.low.size == 4)
		words_parted(line, &both, whole);
}

static void store_both(struct line *line, uint64_t tags)
{
	int status = a64_target(line, a64_reg(line, 1));
	struct both both = both_at(line, 2);
	struct operand at = a64_plain_address(line, 4), a = both.a;
	struct instruction *store;

	line_operands(line, 4, 4);
	if (both.low.size == 4)
		a = words_joined(line, &both);
	store = line_add(line, OP_STORE_EXCLUSIVE, 2 * both.low.size);
	store->dst = status;
	store->address = at;
	store->a = a;
	store->high_a = both.b;
	store->write_tags = tags;
}

static void compare_both(struct line *line, uint64_t read_tags, uint64_t write_tags)
{
	struct both with = both_at(line, 1), wanted = both_at(line, 3);
	struct operand at = a64_plain_address(line, 5), a = with.a, b = wanted.a;
	unsigned whole = with.low.size == 4 ? line_scratch(line) : 0;
	int low = a64_target(line, with.low), high = a64_target(line, with.high);
	struct instruction *cas;

	line_operands(line, 5, 5);
	if (wanted.low.size != with.low.size)
		line_fail(line, 3, "a register as wide as the first");
	if (with.low.size == 4) {
		a = words_joined(line, &with);
		b = words_joined(line, &wanted);
	}
	cas = line_add(line, OP_CAS, 2 * with.low.size);
	cas->dst = with.low.size == 4 ? (int)whole : low;
	cas->high = high;
	cas->address = at;
	cas->a = a;
	cas->high_a = with.b;
	cas->b = b;
	cas->high_b = wanted.b;
	cas->read_tags = cas->fail_tags = read_tags;
	cas->write_tags = write_tags;
	if (with.low.size == 4)
		words_parted(line, &with, whole);
}

/* The manual has no XZR here, and leaves open what happens if the two registers are the same. */
static void update_both(struct line *line, enum alu alu, uint64_t read_tags, uint64_t write_tags)
{
	struct both both = both_at(line, 1);
	struct operand at = a64_plain_address(line, 3);
	int low = a64_target(line, both.low), high = a64_target(line, both.high);
	struct instruction *rmw;

	line_operands(line, 3, 3);
	if (low < 0 || both.low.size != 8)
		line_fail(line, 1, "a register X0 to X30");
	if (high < 0 || high == low)
		line_fail(line, 2, "another register X0 to X30");
	rmw = line_add(line, OP_RMW, 16);
	rmw->alu = alu;
	rmw->dst = low;
	rmw->high = high;
	rmw->address = at;
	rmw->a = both.a;
	rmw->high_a = both.b;
	rmw->read_tags = read_tags;
	rmw->write_tags = write_tags;
}

static bool is_update(struct line *line)
{
	static const struct { const char *name; enum alu alu; } table[] = {
		{ "SWPP", ALU_SECOND }, { "LDCLRP", ALU_BIC }, { "LDSETP", ALU_OR },
	};
	uint64_t acquire = BIT(TAG_AMO) | BIT(TAG_ACQUIRE);
	uint64_t release = BIT(TAG_AMO) | BIT(TAG_RELEASE);
	const char *end = line->words.word[0].end, *rest;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		bool a, l;

		if (!has_prefix(line->at, end, table[i].name, &rest))
			continue;
		a = has_prefix(rest, end, "A", &rest);
		l = has_prefix(rest, end, "L", &rest);
		if (rest != end)
			continue;
		update_both(line, table[i].alu, a ? acquire : BIT(TAG_AMO),
			    l ? release : BIT(TAG_AMO));
		return true;
	}
	return false;
}

bool a64_exclusive(struct line *line)
{
	uint64_t acquire = BIT(TAG_ACQUIRE), release = BIT(TAG_RELEASE), amo = BIT(TAG_AMO);

	if (line_is(line, 0, "LDXP"))
		load_both(line, BIT(TAG_EXCLUSIVE));
	else if (line_is(line, 0, "LDAXP"))
		load_both(line, BIT(TAG_EXCLUSIVE) | acquire);
	else if (line_is(line, 0, "STXP"))
		store_both(line, BIT(TAG_EXCLUSIVE));
	else if (line_is(line, 0, "STLXP"))
		store_both(line, BIT(TAG_EXCLUSIVE) | release);
	else if (line_is(line, 0, "CASP"))
		compare_both(line, amo, amo);
	else if (line_is(line, 0, "CASPA"))
		compare_both(line, amo | acquire, amo);
	else if (line_is(line, 0, "CASPL"))
		compare_both(line, amo, amo | release);
	else if (line_is(line, 0, "CASPAL"))
		compare_both(line, amo | acquire, amo | release);
	else
		return is_update(line);
	return true;
}
