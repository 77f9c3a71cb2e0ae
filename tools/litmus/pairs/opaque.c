/* SPDX-License-Identifier: MIT */
/*
 * Instructions that the readers do not know. This file also decides where calls and jumps go,
 * because a litmus test has no calls. An instruction that only computes becomes code with the same
 * dependencies; its values do not matter.
 */
#include <ctype.h>
#include <string.h>

#include "pairs/pairs.h"
#include "read/aarch64.h"
#include "read/riscv.h"

struct kind_name {
	const char *name;
	enum insn_kind kind;
};

static const struct kind_name kinds_aarch64[] = {
	{ "bl", INSN_CALL }, { "blr", INSN_CALL_UNKNOWN }, { "br", INSN_JUMP_UNKNOWN },
	{ "ret", INSN_RETURN },
	{ "svc", INSN_SYSCALL }, { "brk", INSN_TRAP }, { "udf", INSN_TRAP },
	{ "hlt", INSN_TRAP }, { NULL, 0 },
};
static const struct kind_name kinds_riscv[] = {
	{ "jal", INSN_CALL }, { "jalr", INSN_CALL_UNKNOWN }, { "jr", INSN_JUMP_UNKNOWN },
	{ "ret", INSN_RETURN },
	{ "ecall", INSN_SYSCALL }, { "ebreak", INSN_TRAP }, { "unimp", INSN_TRAP }, { NULL, 0 },
};
static const struct kind_name kinds_x86[] = {
	{ "call", INSN_CALL }, { "ret", INSN_RETURN }, { "syscall", INSN_SYSCALL },
	{ "ud2", INSN_TRAP },
	{ "hlt", INSN_TRAP }, { "int3", INSN_TRAP }, { NULL, 0 },
};

static const struct kind_name *kinds_of(const struct program *program)
{
	switch (program->test->dialect) {
	case DIALECT_AARCH64: return kinds_aarch64;
	case DIALECT_RISCV: return kinds_riscv;
	default: return kinds_x86;
	}
}

static const char *mnemonic_end(const char *begin, const char *end)
{
	while (begin < end && !isspace((unsigned char)*begin))
		begin++;
	return begin;
}

/* Whether x86 jumps through a register or memory. */
static bool has_star(const char *begin, const char *end)
{
	return memchr(begin, '*', (size_t)(end - begin));
}

enum insn_kind opaque_kind(const struct program *program, const char *begin, const char *end)
{
	const char *behind = mnemonic_end(begin, end);

	for (const struct kind_name *kind = kinds_of(program); kind->name; kind++)
		if (same_word(begin, behind, kind->name))
			return kind->kind == INSN_CALL && has_star(begin, end) ? INSN_CALL_UNKNOWN :
				kind->kind;
	if (program->test->dialect == DIALECT_X86 && has_star(begin, end) &&
	    memmem(begin, (size_t)(end - begin), "jmp", 3))
		return INSN_JUMP_UNKNOWN;
	return INSN_READ;
}

/* Instructions that compute the first operand from the others, and (@itself) from its old value. */
static const struct computes {
	const char *name;
	bool itself;
} computes[] = {
	{ "adrp", false }, { "adr", false }, { "mrs", false }, { "ubfiz", false },
	{ "sbfiz", false },
	{ "bfi", true }, { "bfxil", true }, { "udiv", false }, { "sdiv", false },
	{ "umulh", false },
	{ "smulh", false }, { "umull", false }, { "smull", false }, { "umaddl", false },
	{ "smaddl", false },
	{ "clz", false }, { "rbit", false }, { "rev", false }, { "rev16", false }, { "ror", false },
	{ "extr", false }, { "mneg", false }, { "umsubl", false },
	{ "auipc", false }, { "div", false }, { "divu", false }, { "divw", false },
	{ "divuw", false },
	{ "rem", false }, { "remu", false }, { "remw", false }, { "remuw", false },
	{ "mulhu", false },
	{ "mulh", false }, { "csrr", false }, { "rdtime", false },
};

/* Returns the number of the register with this name, any of its names; -1: no register. */
static int register_at(const struct program *program, const char *begin, const char *end)
{
	const char *name = program->isa->register_name(program->test->arena, begin, end);

	return name ? test_find_register(program->test, 0, name) : -1;
}

static bool is_zero(const struct line *line, unsigned i)
{
	return line_is(line, i, "xzr") || line_is(line, i, "wzr") || line_is(line, i, "zero");
}

static void compute(struct program *program, struct line *line, bool itself)
{
	const char *name = program->isa->register_name(program->test->arena,
						       line->words.word[1].begin,
						       line->words.word[1].end);
	struct operand all = operand_value(0);
	int dst;

	if (!name || is_zero(line, 1))
		return;
	dst = (int)test_register(program->test, 0, name);
	for (unsigned i = itself ? 1 : 2; i < line->words.nr; i++) {
		int reg = is_zero(line, i) ? -1 : register_at(program, line->words.word[i].begin,
							      line->words.word[i].end);

		if (reg >= 0)
			all = line_compute(line, ALU_OR, 8, all, operand_reg((unsigned)reg));
	}
	line_set(line, dst, ALU_FIRST, 8, all, operand_value(0));
}

/* Notes that the condition chose the flags. */
static void pick_flags(struct line *line, struct operand condition)
{
	struct reading *reading = reading_of(line->test, line->thread);
	struct thread *thread = &line->test->thread[line->thread];
	int flags[] = { reading->left, reading->right, reading->result };

	for (size_t i = 0; i < 3; i++) {
		line_set(line, flags[i], ALU_FIRST, 8, operand_reg((unsigned)flags[i]), condition);
		thread->code[thread->nr - 1].pick = true;
	}
}

static struct operand register_or_number(struct line *line, unsigned i)
{
	if (a64_reg_named(line->words.word[i].begin, line->words.word[i].end).is_register)
		return a64_operand(line, i);
	return operand_value(a64_number(line, i));
}

/*
 * Reads CCMP a,b,flags,condition: compares if the condition holds, else takes the given flags.
 * The condition picks between the two.
 */
static void conditional_compare(struct line *line)
{
	struct operand a = a64_operand(line, 1), b = register_or_number(line, 2);
	struct operand holds = flags_hold(line, a64_condition(line, 4)), both;
	unsigned compared = label_fresh(line->test, line->thread);
	unsigned end = label_fresh(line->test, line->thread);

	both = line_compute(line, ALU_ADD, 8, a, b);
	line_add(line, OP_ARM_BEGIN, 8);
	line_go(line, OP_BRANCH, holds, compared);
	flags_compared(line, 8, operand_value(0), operand_value(0), operand_value(0));
	line_go(line, OP_JUMP, operand_value(0), end);
	label_place(line->test, line->thread, compared);
	flags_compared(line, 8, both, both, both);
	label_place(line->test, line->thread, end);
	line_add(line, OP_ARM_END, 8);
	pick_flags(line, holds);
}

static bool computes_something(struct program *program, struct line *line)
{
	if (program->test->dialect == DIALECT_X86)
		return false;		/* no instruction asks for the flags there */
	if (line_is(line, 0, "ccmp") || line_is(line, 0, "ccmn")) {
		conditional_compare(line);
		return true;
	}
	for (size_t i = 0; i < sizeof(computes) / sizeof(*computes); i++)
		if (line_is(line, 0, computes[i].name)) {
			compute(program, line, computes[i].itself);
			return true;
		}
	return false;
}

struct computing {
	struct program *program;
	const char *begin, *end;
	bool computes;
};

static void compute_tried(void *with)
{
	struct computing *computing = with;
	struct line line;

	line_start(&line, computing->program->test, 0, computing->begin, computing->end);
	computing->computes = line.words.nr > 1 && computes_something(computing->program, &line);
}

bool opaque_computes(struct program *program, const char *begin, const char *end)
{
	struct computing computing = { program, begin, end, false };
	unsigned first = program->test->thread[0].nr;

	program->test->text->begin = begin;
	if (!text_try(compute_tried, &computing))
		return computing.computes;
	program->test->thread[0].nr = first;
	return false;
}

bool opaque_names(const struct program *program, const struct insn *insn, unsigned reg)
{
	const struct reading *reading = program->test->thread[0].reading;
	const char *wanted = program->test->thread[0].reg[reg].name;

	if (!wanted)			/* the instruction may be about flags */
		return (int)reg == reading->left || (int)reg == reading->right ||
			(int)reg == reading->result;
	for (const char *p = mnemonic_end(insn->begin, insn->end); p < insn->end;) {
		const char *end = p, *name;

		while (end < insn->end && isalnum((unsigned char)*end))
			end++;
		name = end > p ? program->isa->register_name(program->test->arena, p, end) : NULL;
		if (name && !strcmp(name, wanted))
			return true;
		p = end + (end == p);
	}
	return false;
}
