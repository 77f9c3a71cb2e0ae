/* SPDX-License-Identifier: MIT */
/* Read-modify-writes that are one instruction. */
#include "read/aarch64.h"

static const struct atomic {
	const char *name;
	enum op op;
	enum alu alu;
	bool returns;			/* the old value, in the second register */
} table[] = {
	{ "CAS", OP_CAS, ALU_SECOND, true }, { "SWP", OP_RMW, ALU_SECOND, true },
	{ "LDADD", OP_RMW, ALU_ADD, true }, { "LDCLR", OP_RMW, ALU_BIC, true },
	{ "LDEOR", OP_RMW, ALU_XOR, true }, { "LDSET", OP_RMW, ALU_OR, true },
	{ "LDSMAX", OP_RMW, ALU_MAX, true }, { "LDSMIN", OP_RMW, ALU_MIN, true },
	{ "LDUMAX", OP_RMW, ALU_MAXU, true }, { "LDUMIN", OP_RMW, ALU_MINU, true },
	{ "STADD", OP_RMW, ALU_ADD, false }, { "STCLR", OP_RMW, ALU_BIC, false },
	{ "STEOR", OP_RMW, ALU_XOR, false }, { "STSET", OP_RMW, ALU_OR, false },
	{ "STSMAX", OP_RMW, ALU_MAX, false }, { "STSMIN", OP_RMW, ALU_MIN, false },
	{ "STUMAX", OP_RMW, ALU_MAXU, false }, { "STUMIN", OP_RMW, ALU_MINU, false },
};

/* The suffix of the mnemonic: A, L, AL or nothing, and B, H or nothing. */
struct suffix {
	bool acquire, release;
	unsigned size;			/* 0: the register's size */
};

static bool read_suffix(const char *at, const char *end, struct suffix *suffix)
{
	*suffix = (struct suffix) { 0 };
	suffix->acquire = has_prefix(at, end, "A", &at);
	suffix->release = has_prefix(at, end, "L", &at);
	if (has_prefix(at, end, "B", &at))
		suffix->size = 1;
	else if (has_prefix(at, end, "H", &at))
		suffix->size = 2;
	return at == end;
}

/* Returns the tags of the read. A value that is read into the zero register acquires nothing. */
static uint64_t read_tags(const struct suffix *suffix, bool returns)
{
	if (!returns)
		return BIT(TAG_AMO) | BIT(TAG_NORETURN);
	return BIT(TAG_AMO) | (suffix->acquire ? BIT(TAG_ACQUIRE) : 0);
}

/* Reads CAS Ws,Wt,[Xn]: Ws is the value to compare, and becomes the old value. */
static void read_cas(struct line *line, const struct suffix *suffix)
{
	struct a64_reg with = a64_reg(line, 1), store = a64_reg(line, 2);
	struct operand a = a64_source(line, with), b = a64_source(line, store), at;
	struct instruction *cas;
	int dst = a64_target(line, with);

	line_operands(line, 3, 3);
	if (with.size != store.size)
		line_fail(line, 2, "a register as wide as the first");
	at = a64_plain_address(line, 3);
	cas = line_add(line, OP_CAS, suffix->size ? suffix->size : with.size);
	cas->dst = dst;
	cas->address = at;
	cas->a = a;
	cas->b = b;
	cas->read_tags = cas->fail_tags = read_tags(suffix, !with.zero);
	cas->write_tags = BIT(TAG_AMO) | (suffix->release ? BIT(TAG_RELEASE) : 0);
}

/* Reads LDADD Ws,Wt,[Xn]: Ws is added, Wt becomes the old value. Also STADD Ws,[Xn]. */
static void read_rmw(struct line *line, const struct atomic *atomic, const struct suffix *suffix)
{
	unsigned i = atomic->returns ? 2 : 1;
	struct a64_reg source = a64_reg(line, 1), target = a64_reg(line, i);
	struct operand a = a64_source(line, source), at;
	struct instruction *rmw;
	int dst = atomic->returns ? a64_target(line, target) : -1;

	line_operands(line, i + 1, i + 1);
	if (source.size != target.size)
		line_fail(line, 2, "a register as wide as the first");
	at = a64_plain_address(line, i + 1);
	rmw = line_add(line, OP_RMW, suffix->size ? suffix->size : source.size);
	rmw->alu = atomic->alu;
	rmw->dst = dst;
	rmw->address = at;
	rmw->a = a;
	rmw->read_tags = read_tags(suffix, dst >= 0);
	rmw->write_tags = BIT(TAG_AMO) | (suffix->release ? BIT(TAG_RELEASE) : 0);
}

bool a64_atomic(struct line *line)
{
	struct suffix suffix;
	const char *rest;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (!has_prefix(line->at, line->words.word[0].end, table[i].name, &rest) ||
		    !read_suffix(rest, line->words.word[0].end, &suffix) ||
		    (suffix.acquire && !table[i].returns))
			continue;
		if (table[i].op == OP_CAS)
			read_cas(line, &suffix);
		else
			read_rmw(line, &table[i], &suffix);
		return true;
	}
	return false;
}
