/* SPDX-License-Identifier: MIT */
/* Loads and stores, also exclusive ones; and fences. */
#include "read/aarch64.h"

static const struct memory {
	const char *name;
	enum op op;
	uint64_t tags;
	bool plain;			/* the address has to be [Xn] */
} table[] = {
	{ "LDR", OP_LOAD, 0, false },
	{ "LDUR", OP_LOAD, 0, false },
	{ "LDAR", OP_LOAD, BIT(TAG_ACQUIRE), true },
	{ "LDAPR", OP_LOAD, BIT(TAG_ACQUIRE_PC), true },
	{ "LDAPUR", OP_LOAD, BIT(TAG_ACQUIRE_PC), false },
	{ "LDXR", OP_LOAD_EXCLUSIVE, BIT(TAG_EXCLUSIVE), true },
	{ "LDAXR", OP_LOAD_EXCLUSIVE, BIT(TAG_EXCLUSIVE) | BIT(TAG_ACQUIRE), true },
	{ "STR", OP_STORE, 0, false },
	{ "STUR", OP_STORE, 0, false },
	{ "STLR", OP_STORE, BIT(TAG_RELEASE), true },
	{ "STLUR", OP_STORE, BIT(TAG_RELEASE), false },
	{ "STXR", OP_STORE_EXCLUSIVE, BIT(TAG_EXCLUSIVE), true },
	{ "STLXR", OP_STORE_EXCLUSIVE, BIT(TAG_EXCLUSIVE) | BIT(TAG_RELEASE), true },
};

/* The suffix of the mnemonic: how many bytes, and what the upper ones become. */
struct width {
	const char *name;
	unsigned size;			/* 0: the register's size */
	bool sign, loads;
};
static const struct width widths[] = {
	{ "", 0, false, false }, { "B", 1, false, false }, { "H", 2, false, false },
	{ "SB", 1, true, true }, { "SH", 2, true, true }, { "SW", 4, true, true },
};

static struct operand address_of_access(struct line *line, const struct memory *memory, unsigned i,
					struct a64_address *address)
{
	if (memory->plain)
		address->address = a64_plain_address(line, i);
	else
		*address = a64_address(line, i);
	return address->address;
}

static void read_load(struct line *line, const struct memory *memory, const struct width *width)
{
	struct a64_reg target = a64_reg(line, 1);
	struct a64_address address = { .base = -1 };
	struct operand at;
	struct instruction *load;
	int dst = a64_target(line, target);

	line_operands(line, 2, 3);
	at = address_of_access(line, memory, 2, &address);
	load = line_add(line, memory->op, width->size ? width->size : target.size);
	load->dst = dst;
	load->address = at;
	load->sign = width->sign;
	load->read_tags = memory->tags;
	if (width->sign && target.size == 4)	/* an X register's upper half is 0 */
		line_set(line, dst, ALU_FIRST, 4, operand_reg((unsigned)dst), operand_value(0));
	a64_writeback(line, &address);
}

/* Reads a store. The status of an exclusive store is the first operand. */
static void read_store(struct line *line, const struct memory *memory, const struct width *width)
{
	unsigned i = memory->op == OP_STORE_EXCLUSIVE ? 2 : 1;
	struct a64_reg source = a64_reg(line, i);
	struct operand value = a64_source(line, source), at;
	struct a64_address address = { .base = -1 };
	struct instruction *store;
	int status = i == 2 ? a64_target(line, a64_reg(line, 1)) : -1;

	line_operands(line, i + 1, i + (memory->op == OP_STORE ? 2 : 1));
	at = address_of_access(line, memory, i + 1, &address);
	store = line_add(line, memory->op, width->size ? width->size : source.size);
	store->dst = status;
	store->address = at;
	store->a = value;
	store->write_tags = memory->tags;
	a64_writeback(line, &address);
}

static bool is_access(struct line *line, const struct memory *memory)
{
	bool load = memory->op == OP_LOAD || memory->op == OP_LOAD_EXCLUSIVE;
	const char *rest;

	if (!has_prefix(line->at, line->words.word[0].end, memory->name, &rest))
		return false;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		if (!same_word(rest, line->words.word[0].end, widths[i].name) ||
		    (widths[i].loads && (!load || memory->plain)))
			continue;
		if (load)
			read_load(line, memory, &widths[i]);
		else
			read_store(line, memory, &widths[i]);
		return true;
	}
	return false;
}

bool a64_memory(struct line *line)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (is_access(line, &table[i]))
			return true;
	return false;
}

static const struct { const char *name; uint64_t tags; } domains[] = {
	{ "SY", BIT(TAG_FULL) },        { "ISH", BIT(TAG_FULL) },
	{ "OSH", BIT(TAG_FULL) },       { "NSH", BIT(TAG_FULL) },
	{ "LD", BIT(TAG_FENCE_LD) },    { "ISHLD", BIT(TAG_FENCE_LD) },
	{ "OSHLD", BIT(TAG_FENCE_LD) }, { "NSHLD", BIT(TAG_FENCE_LD) },
	{ "ST", BIT(TAG_FENCE_ST) },    { "ISHST", BIT(TAG_FENCE_ST) },
	{ "OSHST", BIT(TAG_FENCE_ST) }, { "NSHST", BIT(TAG_FENCE_ST) },
};

bool a64_fence(struct line *line)
{
	uint64_t dsb;

	if (line_is(line, 0, "CLREX")) {
		line_operands(line, 0, 1);
		line_add(line, OP_CLEAR_EXCLUSIVE, 8);
		return true;
	}
	if (line_is(line, 0, "ISB")) {
		line_operands(line, 0, 1);
		line_add(line, OP_FENCE, 8)->read_tags = BIT(TAG_ISB);
		return true;
	}
	if (!line_is(line, 0, "DMB") && !line_is(line, 0, "DSB"))
		return false;
	dsb = line_is(line, 0, "DSB") ? BIT(TAG_DSB) : 0;
	line_operands(line, 1, 1);
	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++)
		if (line_is(line, 1, domains[i].name)) {
			line_add(line, OP_FENCE, 8)->read_tags = domains[i].tags | dsb;
			return true;
		}
	line_fail(line, 1, "SY, LD, ST, ISH, ISHLD or ISHST");
}
