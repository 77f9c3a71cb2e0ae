/* SPDX-License-Identifier: MIT */
/*
 * LDP and STP: two accesses, side by side, with no order between them. LDIAPP and STILP: two
 * accesses in order, from the first register to the second. A STILP that changes its address has
 * the other order, from the second register to the first (Arm Architecture Reference Manual, C6.2,
 * STILP).
 */
#include "read/aarch64.h"

static const struct pair {
	const char *name;
	enum op op;
	bool sign;			/* LDPSW: two words, into registers of 8 bytes */
	uint64_t tags;			/* LDIAPP, STILP: what orders the halves, too */
} table[] = {
	{ "LDP", OP_LOAD, false, 0 }, { "LDNP", OP_LOAD, false, 0 }, { "LDPSW", OP_LOAD, true, 0 },
	{ "STP", OP_STORE, false, 0 }, { "STNP", OP_STORE, false, 0 },
	{ "LDIAPP", OP_LOAD, false, BIT(TAG_ACQUIRE_PC) },
	{ "STILP", OP_STORE, false, BIT(TAG_RELEASE) },
};

static void access_half(struct line *line, const struct pair *pair, unsigned size, int dst,
			struct operand value, struct operand at)
{
	struct instruction *half = line_add(line, pair->op, size);

	half->dst = dst;
	half->a = value;
	half->address = at;
	half->sign = pair->sign;
	if (pair->op == OP_LOAD)
		half->read_tags = pair->tags;
	else
		half->write_tags = pair->tags;
}

/* LDIAPP has [Xn] and [Xn],#16, STILP [Xn] and [Xn,#-16]!; of words #8. */
static void check_ordered(struct line *line, const struct pair *pair, unsigned size,
			  const struct a64_address *address)
{
	bool behind = line->words.nr > 4, load = pair->op == OP_LOAD;
	uint64_t by = load ? 2 * size : -(uint64_t)(2 * size);

	if (address->base < 0)
		a64_plain_address(line, 3);
	else if (behind != load || address->by != by)
		line_fail(line, 3, load ? "an address [Xn] or [Xn],#16, of words #8" :
			  "an address [Xn] or [Xn,#-16]!, of words #-8");
}

/* Reads a pair. A load may overwrite the base, so both addresses are computed first. */
static void read_pair(struct line *line, const struct pair *pair)
{
	struct a64_reg first = a64_reg(line, 1), second = a64_reg(line, 2);
	struct operand a = a64_source(line, first), b = a64_source(line, second), next;
	bool load = pair->op == OP_LOAD;
	unsigned size = pair->sign ? 4 : first.size;
	struct a64_address address;

	line_operands(line, 3, 4);
	if (first.size != second.size)
		line_fail(line, 2, "a register as wide as the first");
	address = a64_address(line, 3);
	if (pair->tags)
		check_ordered(line, pair, size, &address);
	next = line_compute(line, ALU_ADD, 8, address.address, operand_value(size));
	if (pair->tags && !load && address.base >= 0)
		access_half(line, pair, size, -1, b, next);
	access_half(line, pair, size, load ? a64_target(line, first) : -1,
		    load ? operand_value(0) : a, address.address);
	if (!pair->tags || load || address.base < 0)
		access_half(line, pair, size, load ? a64_target(line, second) : -1,
			    load ? operand_value(0) : b, next);
	a64_writeback(line, &address);
}

bool a64_pair(struct line *line)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (line_is(line, 0, table[i].name)) {
			read_pair(line, &table[i]);
			return true;
		}
	return false;
}
