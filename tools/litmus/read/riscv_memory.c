/* SPDX-License-Identifier: MIT */
/* Loads and stores, which herd's tests also have with .aq and .rl; and fences. */
#include <string.h>

#include "read/riscv.h"

static const struct access {
	const char *name;
	unsigned size;
	bool load, sign;
} table[] = {
	{ "lb", 1, true, true }, { "lbu", 1, true, false }, { "lh", 2, true, true },
	{ "lhu", 2, true, false }, { "lw", 4, true, true }, { "lwu", 4, true, false },
	{ "ld", 8, true, false }, { "sb", 1, false, false }, { "sh", 2, false, false },
	{ "sw", 4, false, false }, { "sd", 8, false, false },
};

static void read_access(struct line *line, const struct access *access, uint64_t tags)
{
	struct operand at, value = operand_value(0);
	struct instruction *instruction;
	int dst = -1;

	line_operands(line, 2, 2);
	if (access->load)
		dst = rv_target(line, 1);
	else
		value = rv_source(line, 1);
	at = rv_address(line, 2, true);
	instruction = line_add(line, access->load ? OP_LOAD : OP_STORE, access->size);
	instruction->dst = dst;
	instruction->address = at;
	instruction->a = value;
	instruction->sign = access->sign;
	if (access->load)
		instruction->read_tags = tags;
	else
		instruction->write_tags = tags;
}

bool rv_memory(struct line *line)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rv_order order;
		const char *rest;

		if (!has_prefix(line->at, line->words.word[0].end, table[i].name, &rest) ||
		    !rv_read_order(rest, line->words.word[0].end, &order))
			continue;
		if (table[i].load ? order.rl && !order.aq : order.aq && !order.rl)
			continue;
		read_access(line, &table[i], (order.aq ? BIT(TAG_ACQUIRE) : 0) |
			    (order.rl ? BIT(TAG_RELEASE) : 0));
		return true;
	}
	return false;
}

/* Reads rw, iorw, w: no test has devices. */
static uint64_t read_set(const struct line *line, unsigned i, uint64_t reads, uint64_t writes)
{
	uint64_t tags = 0;

	for (const char *p = line->words.word[i].begin; p < line->words.word[i].end; p++) {
		if (*p == 'r' || *p == 'R')
			tags |= reads;
		else if (*p == 'w' || *p == 'W')
			tags |= writes;
		else if (!strchr("ioIO", *p))
			line_fail(line, i, "some of i, o, r and w");
	}
	return tags;
}

bool rv_fence(struct line *line)
{
	uint64_t tags = BIT(TAG_PRED_R) | BIT(TAG_PRED_W) | BIT(TAG_SUCC_R) | BIT(TAG_SUCC_W);

	if (line_is(line, 0, "fence.tso") || line_is(line, 0, "fence.i")) {
		line_operands(line, 0, 0);
		tags = line_is(line, 0, "fence.tso") ? BIT(TAG_TSO) : BIT(TAG_ISB);
	} else if (!line_is(line, 0, "fence")) {
		return false;
	} else if (line->words.nr > 1) {
		line_operands(line, 2, 2);
		tags = read_set(line, 1, BIT(TAG_PRED_R), BIT(TAG_PRED_W)) |
			read_set(line, 2, BIT(TAG_SUCC_R), BIT(TAG_SUCC_W));
	}
	line_add(line, OP_FENCE, 8)->read_tags = tags;
	return true;
}
