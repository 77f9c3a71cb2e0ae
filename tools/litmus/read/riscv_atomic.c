/* SPDX-License-Identifier: MIT */
/* lr, sc and the amos. Their orders are RCsc. */
#include "read/riscv.h"

bool rv_read_order(const char *at, const char *end, struct rv_order *order)
{
	*order = (struct rv_order) { 0 };
	if (at == end)
		return true;
	order->aq = has_prefix(at, end, ".aq", &at);
	order->rl =
		has_prefix(at, end, ".rl", &at) || (order->aq && has_prefix(at, end, "rl", &at));
	return at == end && (order->aq || order->rl);
}

static uint64_t order_tags(bool aq, bool rl)
{
	return (aq ? BIT(TAG_ACQUIRE) | BIT(TAG_SC) : 0) |
	       (rl ? BIT(TAG_RELEASE) | BIT(TAG_SC) : 0);
}

/* Reads .w.aq: the size, and the order. */
static bool read_rv_suffix(const char *at, const char *end, unsigned *size, struct rv_order *order)
{
	static const struct { const char *name; unsigned size; } sizes[] = {
		{ ".b", 1 }, { ".h", 2 }, { ".w", 4 }, { ".d", 8 }, { ".q", 16 },
	};
	const char *rest;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (has_prefix(at, end, sizes[i].name, &rest)) {
			*size = sizes[i].size;
			return rv_read_order(rest, end, order);
		}
	return false;
}

/* Reads lr. The manual gives no meaning to rl alone here, nor to aq alone on an sc. */
static void read_reserve(struct line *line, unsigned size, const struct rv_order *order)
{
	struct operand at;
	struct instruction *load;
	int dst;

	line_operands(line, 2, 2);
	dst = rv_target(line, 1);
	at = rv_address(line, 2, false);
	load = line_add(line, OP_LOAD_EXCLUSIVE, size);
	load->dst = dst;
	load->address = at;
	load->sign = true;
	load->read_tags = BIT(TAG_EXCLUSIVE) | order_tags(order->aq, order->aq && order->rl);
}

static void read_conditional(struct line *line, unsigned size, const struct rv_order *order)
{
	struct operand at, value;
	struct instruction *store;
	int dst;

	line_operands(line, 3, 3);
	dst = rv_target(line, 1);
	value = rv_source(line, 2);
	at = rv_address(line, 3, false);
	store = line_add(line, OP_STORE_EXCLUSIVE, size);
	store->dst = dst;
	store->address = at;
	store->a = value;
	store->write_tags = BIT(TAG_EXCLUSIVE) | order_tags(order->aq && order->rl, order->rl);
}

static const struct amo {
	const char *name;
	enum alu alu;
} amos[] = {
	{ "amoswap", ALU_SECOND }, { "amoadd", ALU_ADD },   { "amoand", ALU_AND },
	{ "amoor", ALU_OR },       { "amoxor", ALU_XOR },   { "amomax", ALU_MAX },
	{ "amomin", ALU_MIN },     { "amomaxu", ALU_MAXU }, { "amominu", ALU_MINU },
};

/* Reads amoadd rd,rs2,(rs1). Both halves have the whole order. */
static void read_amo(struct line *line, const struct amo *amo, unsigned size,
		     const struct rv_order *order)
{
	struct operand at, value;
	struct instruction *rmw;
	int dst;

	line_operands(line, 3, 3);
	dst = rv_target(line, 1);
	value = rv_source(line, 2);
	at = rv_address(line, 3, false);
	rmw = line_add(line, OP_RMW, size);
	rmw->alu = amo->alu;
	rmw->dst = dst;
	rmw->address = at;
	rmw->a = value;
	rmw->sign = true;
	rmw->read_tags = rmw->write_tags = BIT(TAG_AMO) | order_tags(order->aq, order->rl);
}

/*
 * Reads amocas rd,rs2,(rs1): it compares with rd, which gets the old value. A failure acquires, but
 * does not release, and is otherwise ordered as a success is (the manual, Zacas). .q has pairs of
 * registers, each from an even one on; x0 is a pair of zeros, and gets nothing.
 */
static void read_amocas(struct line *line, unsigned size, const struct rv_order *order)
{
	struct operand at, value, high_a = operand_value(0), high_b = operand_value(0);
	struct instruction *cas;
	int dst, high = -1;

	line_operands(line, 3, 3);
	dst = rv_target(line, 1);
	value = rv_source(line, 2);
	if (size == 16) {
		high = rv_second(line, 1);
		high_a = high < 0 ? high_a : operand_reg((unsigned)high);
		if (value.is_register)
			high_b = operand_reg((unsigned)rv_second(line, 2));
		else
			rv_second(line, 2);
	}
	at = rv_address(line, 3, false);
	cas = line_add(line, OP_CAS, size);
	cas->alu = ALU_SECOND;
	cas->dst = dst;
	cas->high = high;
	cas->address = at;
	cas->a = dst < 0 ? operand_value(0) : operand_reg((unsigned)dst);
	cas->high_a = high_a;
	cas->b = value;
	cas->high_b = high_b;
	cas->sign = true;
	cas->read_tags = cas->write_tags = BIT(TAG_AMO) | order_tags(order->aq, order->rl);
	cas->fail_tags = BIT(TAG_AMO) | BIT(TAG_FAILED) | order_tags(order->aq, false);
}

bool rv_atomic(struct line *line)
{
	const char *end = line->words.word[0].end, *rest;
	struct rv_order order;
	unsigned size;

	for (size_t i = 0; i < sizeof(amos) / sizeof(*amos); i++)
		if (has_prefix(line->at, end, amos[i].name, &rest) &&
		    read_rv_suffix(rest, end, &size, &order) && size <= 8) {
			read_amo(line, &amos[i], size, &order);
			return true;
		}
	if (has_prefix(line->at, end, "amocas", &rest) && read_rv_suffix(rest, end, &size, &order))
		read_amocas(line, size, &order);
	else if (has_prefix(line->at, end, "lr", &rest) &&
		 read_rv_suffix(rest, end, &size, &order) && (size == 4 || size == 8))
		read_reserve(line, size, &order);
	else if (has_prefix(line->at, end, "sc", &rest) &&
		 read_rv_suffix(rest, end, &size, &order) && (size == 4 || size == 8))
		read_conditional(line, size, &order);
	else
		return false;
	return true;
}
