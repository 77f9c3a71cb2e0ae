/* SPDX-License-Identifier: MIT */
/* Instructions that compute or branch. Results of 4 bytes are sign-extended to 8. */
#include "read/riscv.h"

static const struct operand nothing;

/* op rd,rs1,rs2 and op rd,rs1,number, of 8 bytes and (with w) of 4. */
static const struct three {
	const char *name;
	enum alu alu;
	unsigned size;
	bool number;			/* the last operand is a number */
} threes[] = {
	{ "add", ALU_ADD, 8, false },   { "addi", ALU_ADD, 8, true },
	{ "addw", ALU_ADD, 4, false },  { "addiw", ALU_ADD, 4, true },
	{ "sub", ALU_SUB, 8, false },   { "subw", ALU_SUB, 4, false },
	{ "and", ALU_AND, 8, false },   { "andi", ALU_AND, 8, true },
	{ "or", ALU_OR, 8, false },     { "ori", ALU_OR, 8, true },
	{ "xor", ALU_XOR, 8, false },   { "xori", ALU_XOR, 8, true },
	{ "andn", ALU_BIC, 8, false },  { "orn", ALU_ORN, 8, false },
	{ "mul", ALU_MUL, 8, false },   { "mulw", ALU_MUL, 4, false },
	{ "sll", ALU_SHL, 8, false },   { "slli", ALU_SHL, 8, true },
	{ "sllw", ALU_SHL, 4, false },  { "slliw", ALU_SHL, 4, true },
	{ "srl", ALU_SHR, 8, false },   { "srli", ALU_SHR, 8, true },
	{ "srlw", ALU_SHR, 4, false },  { "srliw", ALU_SHR, 4, true },
	{ "sra", ALU_SAR, 8, false },   { "srai", ALU_SAR, 8, true },
	{ "sraw", ALU_SAR, 4, false },  { "sraiw", ALU_SAR, 4, true },
	{ "slt", ALU_LT, 8, false },    { "slti", ALU_LT, 8, true },
	{ "sltu", ALU_LTU, 8, false },  { "sltiu", ALU_LTU, 8, true },
	{ "min", ALU_MIN, 8, false },   { "max", ALU_MAX, 8, false },
	{ "minu", ALU_MINU, 8, false }, { "maxu", ALU_MAXU, 8, false },
};

/* op rd,rs. */
static const struct two {
	const char *name;
	enum alu alu;
	unsigned size;
	bool second;			/* the register is operand @b */
	uint64_t value;			/* the other operand */
} twos[] = {
	{ "mv", ALU_FIRST, 8, false, 0 }, { "not", ALU_XOR, 8, false, ~0ull },
	{ "neg", ALU_SUB, 8, true, 0 }, { "negw", ALU_SUB, 4, true, 0 },
	{ "seqz", ALU_EQ, 8, false, 0 }, { "snez", ALU_NE, 8, false, 0 },
	{ "sltz", ALU_LT, 8, false, 0 }, { "sgtz", ALU_GT, 8, false, 0 },
	{ "sext.w", ALU_SEXT, 8, false, 4 }, { "sext.h", ALU_SEXT, 8, false, 2 },
	{ "sext.b", ALU_SEXT, 8, false, 1 }, { "zext.w", ALU_AND, 8, false, 0xffffffff },
	{ "zext.h", ALU_AND, 8, false, 0xffff }, { "zext.b", ALU_AND, 8, false, 0xff },
};

static void set_word(struct line *line, int dst, enum alu alu, unsigned size, struct operand a,
		     struct operand b)
{
	line_set(line, dst, alu, size, a, b);
	if (size == 4 && dst >= 0)
		line_set(line, dst, ALU_SEXT, 8, operand_reg((unsigned)dst), operand_value(4));
}

static bool read_rv_three(struct line *line)
{
	for (size_t i = 0; i < sizeof(threes) / sizeof(*threes); i++) {
		const struct three *three = &threes[i];
		struct operand a, b;
		uint64_t number;
		bool is_number;

		if (!line_is(line, 0, three->name))
			continue;
		line_operands(line, 3, 3);
		a = rv_source(line, 2);
		/* Assemblers take a number as the last operand of add, too. */
		is_number = three->number ||
			read_number(line->words.word[3].begin, line->words.word[3].end, 0, &number);
		b = is_number ? operand_value(rv_number(line, 3)) : rv_source(line, 3);
		set_word(line, rv_target(line, 1), three->alu, three->size, a, b);
		return true;
	}
	return false;
}

static bool read_rv_two(struct line *line)
{
	for (size_t i = 0; i < sizeof(twos) / sizeof(*twos); i++) {
		const struct two *two = &twos[i];
		struct operand reg, value = operand_value(two->value);

		if (!line_is(line, 0, two->name))
			continue;
		line_operands(line, 2, 2);
		reg = rv_source(line, 2);
		set_word(line, rv_target(line, 1), two->alu, two->size,
			 two->second ? value : reg, two->second ? reg : value);
		return true;
	}
	return false;
}

bool rv_data(struct line *line)
{
	uint64_t number;

	if (line_is(line, 0, "li")) {
		line_operands(line, 2, 2);
		number = rv_number(line, 2);
	} else if (line_is(line, 0, "lui")) {
		line_operands(line, 2, 2);
		number = extended(rv_number(line, 2) << 12, 4, true);
	} else {
		return read_rv_three(line) || read_rv_two(line);
	}
	line_set(line, rv_target(line, 1), ALU_FIRST, 8, operand_value(number), nothing);
	return true;
}

/* beq a,b,label. Then branches on one register, compared with 0: beqz a,label. */
static const struct branch {
	const char *name;
	enum alu alu;
} branches[] = {
	{ "beq", ALU_EQ }, { "bne", ALU_NE }, { "blt", ALU_LT },
	{ "bge", ALU_GE }, { "bltu", ALU_LTU }, { "bgeu", ALU_GEU },
	{ "bgt", ALU_GT }, { "ble", ALU_LE }, { "bgtu", ALU_GTU },
	{ "bleu", ALU_LEU },
}, zero_branches[] = {
	{ "beqz", ALU_EQ }, { "bnez", ALU_NE }, { "bltz", ALU_LT },
	{ "bgez", ALU_GE }, { "bgtz", ALU_GT }, { "blez", ALU_LE },
};

static bool read_branch(struct line *line, const struct branch *table, size_t nr,
			unsigned registers)
{
	for (size_t i = 0; i < nr; i++) {
		struct operand a, b = nothing;

		if (!line_is(line, 0, table[i].name))
			continue;
		line_operands(line, registers + 1, registers + 1);
		a = rv_source(line, 1);
		if (registers == 2)
			b = rv_source(line, 2);
		line_branch(line, line_compute(line, table[i].alu, 8, a, b), registers + 1);
		return true;
	}
	return false;
}

bool rv_branch(struct line *line)
{
	if (line_is(line, 0, "j")) {
		line_operands(line, 1, 1);
		line_jump(line, 1);
		return true;
	}
	if (line_is(line, 0, "ret") || (line_is(line, 0, "jr") && line_is(line, 1, "ra"))) {
		line_return(line);
		return true;
	}
	return read_branch(line, branches, sizeof(branches) / sizeof(*branches), 2) ||
		read_branch(line, zero_branches, sizeof(zero_branches) / sizeof(*zero_branches), 1);
}
