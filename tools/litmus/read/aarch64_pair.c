/* SPDX-License-Identifier: MIT */
/* LDP and STP: two accesses, side by side, with no order between them. */
#include "read/aarch64.h"

static const struct pair {
	const char *name;
	enum op op;
	bool sign;			/* LDPSW: two words, into registers of 8 bytes */
} table[] = {
	{ "LDP", OP_LOAD, false }, { "LDNP", OP_LOAD, false }, { "LDPSW", OP_LOAD, true },
	{ "STP", OP_STORE, false }, { "STNP", OP_STORE, false },
};

static void access_half(struct line *line, const struct pair *pair, unsigned size, int dst,
			struct operand value, struct operand at)
{
	struct instruction *half = line_add(line, pair->op, size);

	half->dst = dst;
	half->a = value;
	half->address = at;
	half->sign = pair->sign;
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
	next = line_compute(line, ALU_ADD, 8, address.address, operand_value(size));
	access_half(line, pair, size, load ? a64_target(line, first) : -1,
		    load ? operand_value(0) : a, address.address);
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
