/* SPDX-License-Identifier: MIT */
/* Instructions that compute, from registers to registers and flags. */
#include "read/aarch64.h"

enum shape { THREE, COMPARE, TWO, MOVE, WIDE, EXTEND, FIELD, PRODUCT };

static const struct data {
	const char *name;
	enum shape shape;
	enum alu alu;
	bool flags;
} table[] = {
	{ "ADD", THREE, ALU_ADD, false },     { "ADDS", THREE, ALU_ADD, true },
	{ "SUB", THREE, ALU_SUB, false },     { "SUBS", THREE, ALU_SUB, true },
	{ "AND", THREE, ALU_AND, false },     { "ANDS", THREE, ALU_AND, true },
	{ "BIC", THREE, ALU_BIC, false },     { "BICS", THREE, ALU_BIC, true },
	{ "ORR", THREE, ALU_OR, false },      { "ORN", THREE, ALU_ORN, false },
	{ "EOR", THREE, ALU_XOR, false },     { "MUL", THREE, ALU_MUL, false },
	{ "LSL", THREE, ALU_SHL, false },     { "LSLV", THREE, ALU_SHL, false },
	{ "LSR", THREE, ALU_SHR, false },     { "LSRV", THREE, ALU_SHR, false },
	{ "ASR", THREE, ALU_SAR, false },     { "ASRV", THREE, ALU_SAR, false },
	{ "CMP", COMPARE, ALU_SUB, true },    { "CMN", COMPARE, ALU_ADD, true },
	{ "TST", COMPARE, ALU_AND, true },    { "NEG", TWO, ALU_SUB, false },
	{ "NEGS", TWO, ALU_SUB, true },       { "MVN", TWO, ALU_ORN, false },
	{ "MOV", MOVE, ALU_FIRST, false },    { "MOVZ", WIDE, ALU_FIRST, false },
	{ "MOVN", WIDE, ALU_ORN, false },     { "MOVK", WIDE, ALU_OR, false },
	{ "SXTB", EXTEND, ALU_SEXT, false },  { "SXTH", EXTEND, ALU_SEXT, false },
	{ "SXTW", EXTEND, ALU_SEXT, false },  { "UXTB", EXTEND, ALU_FIRST, false },
	{ "UXTH", EXTEND, ALU_FIRST, false }, { "UXTW", EXTEND, ALU_FIRST, false },
	{ "UBFX", FIELD, ALU_SHR, false },    { "SBFX", FIELD, ALU_SAR, false },
	{ "MADD", PRODUCT, ALU_ADD, false },  { "MSUB", PRODUCT, ALU_SUB, false },
};

static const struct operand nothing;

/* Sets the flags of @alu with @a and @b, before the register that holds one of them changes. */
static void keep_flags(struct line *line, enum alu alu, unsigned size, struct operand a,
		       struct operand b)
{
	struct operand result = line_compute(line, alu, size, a, b);

	if (alu == ALU_SUB)
		flags_compared(line, size, a, b, result);
	else if (alu == ALU_ADD)
		flags_summed(line, size, a, b, result, false);
	else				/* neither carry nor overflow */
		flags_summed(line, size, result, operand_value(0), result, false);
}

static void combine(struct line *line, const struct data *data, int dst, unsigned size,
		    struct operand a, struct operand b)
{
	if (data->flags)
		keep_flags(line, data->alu, size, a, b);
	line_set(line, dst, data->alu, size, a, b);
}

static void read_three(struct line *line, const struct data *data)
{
	struct a64_reg target = a64_reg(line, 1);
	struct operand a, b;

	line_operands(line, 3, 4);
	a = a64_operand(line, 2);
	b = a64_flexible(line, 3, target.size);
	combine(line, data, a64_target(line, target), target.size, a, b);
}

static void read_compare(struct line *line, const struct data *data)
{
	struct a64_reg first = a64_reg(line, 1);
	struct operand b;

	line_operands(line, 2, 3);
	b = a64_flexible(line, 2, first.size);
	combine(line, data, -1, first.size, a64_source(line, first), b);
}

static void read_two(struct line *line, const struct data *data)
{
	struct a64_reg target = a64_reg(line, 1);
	struct operand b;

	line_operands(line, 2, 3);
	b = a64_flexible(line, 2, target.size);
	combine(line, data, a64_target(line, target), target.size, nothing, b);
}

static void read_move(struct line *line)
{
	struct a64_reg target = a64_reg(line, 1);
	struct operand value;

	line_operands(line, 2, 2);
	value = a64_flexible(line, 2, target.size);
	line_set(line, a64_target(line, target), ALU_FIRST, target.size, value, nothing);
}

/* Returns by how much LSL #16 and the like shift the 16 bits of MOVZ, MOVN and MOVK. */
static unsigned wide_shift(const struct line *line, unsigned size)
{
	const char *rest;
	uint64_t by;

	if (line->words.nr < 4)
		return 0;
	if (!has_prefix(line->words.word[3].begin, line->words.word[3].end, "LSL", &rest) ||
	    !read_number(rest, line->words.word[3].end, '#', &by) || by % 16 || by >= 8 * size)
		line_fail(line, 3, "LSL #16 or the like");
	return (unsigned)by;
}

static void read_wide(struct line *line, const struct data *data)
{
	struct a64_reg target = a64_reg(line, 1);
	int dst = a64_target(line, target);
	struct operand value = operand_value(a64_number(line, 2)), kept;
	unsigned by = wide_shift(line, target.size);

	line_operands(line, 2, 3);
	if (value.value > 0xffff)
		line_fail(line, 2, "a number of 16 bits");
	value.value <<= by;
	if (data->alu == ALU_OR) {
		kept = line_compute(line, ALU_BIC, target.size, a64_source(line, target),
				    operand_value(0xffffull << by));
		line_set(line, dst, ALU_OR, target.size, kept, value);
	} else if (data->alu == ALU_ORN) {
		line_set(line, dst, ALU_ORN, target.size, nothing, value);
	} else {
		line_set(line, dst, ALU_FIRST, target.size, value, nothing);
	}
}

static void read_extend(struct line *line, const struct data *data)
{
	struct a64_reg target = a64_reg(line, 1), source = a64_reg(line, 2);
	char from = line->at[3];
	unsigned size = from == 'B' || from == 'b' ? 1 : from == 'H' || from == 'h' ? 2 : 4;
	int dst = a64_target(line, target);

	line_operands(line, 2, 2);
	if (data->alu == ALU_SEXT)
		line_set(line, dst, ALU_SEXT, target.size, a64_source(line, source),
			 operand_value(size));
	else
		line_set(line, dst, ALU_FIRST, size, a64_source(line, source), nothing);
}

/* Reads UBFX Wd,Wn,#lsb,#width: shifts the field to the left end, and back down. */
static void read_field(struct line *line, const struct data *data)
{
	struct a64_reg target = a64_reg(line, 1);
	uint64_t bits = 8 * target.size, low, width;
	struct operand value;

	line_operands(line, 4, 4);
	value = a64_operand(line, 2);
	low = a64_number(line, 3);
	width = a64_number(line, 4);
	if (low >= bits || !width || width > bits - low)
		line_fail(line, 4, "a width that fits");
	value = line_compute(line, ALU_SHL, target.size, value, operand_value(bits - low - width));
	line_set(line, a64_target(line, target), data->alu, target.size, value,
		 operand_value(bits - width));
}

static void read_product(struct line *line, const struct data *data)
{
	struct a64_reg target = a64_reg(line, 1);
	struct operand product;

	line_operands(line, 4, 4);
	product = line_compute(line, ALU_MUL, target.size, a64_operand(line, 2),
			       a64_operand(line, 3));
	line_set(line, a64_target(line, target), data->alu, target.size, a64_operand(line, 4),
		 product);
}

static void read_shape(struct line *line, const struct data *data)
{
	switch (data->shape) {
	case THREE: read_three(line, data); break;
	case COMPARE: read_compare(line, data); break;
	case TWO: read_two(line, data); break;
	case MOVE: read_move(line); break;
	case WIDE: read_wide(line, data); break;
	case EXTEND: read_extend(line, data); break;
	case FIELD: read_field(line, data); break;
	case PRODUCT: read_product(line, data); break;
	}
}

bool a64_data(struct line *line)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (line_is(line, 0, table[i].name)) {
			read_shape(line, &table[i]);
			return true;
		}
	return false;
}
