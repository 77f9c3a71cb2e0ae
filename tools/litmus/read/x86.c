/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "read/x86.h"

static const char *x86_name_of(struct arena *arena, const char *begin, const char *end, bool intel)
{
	struct x86_operand operand;
	const char *name = x86_register(begin, end, intel, &operand);

	return name ? arena_text(arena, name, strlen(name)) : NULL;
}

static const char *x86_register_of(struct arena *arena, const char *begin, const char *end)
{
	return x86_name_of(arena, begin, end, false);
}

static const char *intel_register_name(struct arena *arena, const char *begin, const char *end)
{
	return x86_name_of(arena, begin, end, true);
}

static bool read_size(struct x86 *x86, const char *rest)
{
	static const struct { const char *letter; unsigned size; } sizes[] = {
		{ "", 0 }, { "b", 1 }, { "w", 2 }, { "l", 4 }, { "q", 8 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (same_word(rest, x86->line.words.word[0].end, sizes[i].letter)) {
			x86->size = sizes[i].size;
			return true;
		}
	return false;
}

bool x86_is(struct x86 *x86, const char *name)
{
	const char *rest;

	return has_prefix(x86->line.at, x86->line.words.word[0].end, name, &rest) &&
		read_size(x86, rest);
}

static const struct condition_name conditions[] = {
	{ "e", COND_EQ },           { "z", COND_EQ },        { "ne", COND_NE },
	{ "nz", COND_NE },          { "b", COND_LTU },       { "c", COND_LTU },
	{ "nae", COND_LTU },        { "ae", COND_GEU },      { "nb", COND_GEU },
	{ "nc", COND_GEU },         { "be", COND_LEU },      { "na", COND_LEU },
	{ "a", COND_GTU },          { "nbe", COND_GTU },     { "l", COND_LT },
	{ "lt", COND_LT },          { "nge", COND_LT },      { "ge", COND_GE },
	{ "nl", COND_GE },          { "le", COND_LE },       { "ng", COND_LE },
	{ "g", COND_GT },           { "gt", COND_GT },       { "nle", COND_GT },
	{ "s", COND_NEGATIVE },     { "ns", COND_POSITIVE }, { "o", COND_OVERFLOW },
	{ "no", COND_NO_OVERFLOW }, { NULL, COND_ALWAYS },
};

/* Whether the mnemonic is @name and a condition; the b of cmovb is no size. */
bool x86_is_conditional(struct x86 *x86, const char *name, enum condition *condition)
{
	const char *end = x86->line.words.word[0].end, *rest;

	if (!has_prefix(x86->line.at, end, name, &rest))
		return false;
	*condition = condition_of(conditions, rest, end);
	if (*condition == NR_CONDITIONS && end - rest > 1) {
		*condition = condition_of(conditions, rest, end - 1);
		return *condition != NR_CONDITIONS && read_size(x86, end - 1);
	}
	return *condition != NR_CONDITIONS;
}

bool x86_control(struct x86 *x86)
{
	static const char *const idle[] = { "nop", "endbr64", "endbr32", "pause" };
	enum condition condition;

	if (x86_is(x86, "jmp")) {
		line_operands(&x86->line, 1, 1);
		line_jump(&x86->line, 1);
		return true;
	}
	if (x86_is(x86, "ret")) {
		line_return(&x86->line);
		return true;
	}
	if (x86_is_conditional(x86, "j", &condition)) {
		line_operands(&x86->line, 1, 1);
		line_branch(&x86->line, flags_hold(&x86->line, condition), 1);
		return true;
	}
	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++)
		if (x86_is(x86, idle[i]))
			return true;
	return false;
}

/* Returns the position after the word, if the word is a prefix of instructions. */
static const char *behind_prefix(const char *begin, const char *end, bool *locked)
{
	static const char *const prefixes[] = { "lock", "rep",     "repz",   "repe", "repnz",
						"bnd",  "notrack", "data16", "cs",   "ds" };
	const char *p = begin;

	while (p < end && !isspace((unsigned char)*p))
		p++;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (same_word(begin, p, prefixes[i])) {
			*locked |= !i;
			while (p < end && isspace((unsigned char)*p))
				p++;
			return p;
		}
	return begin;
}

static void x86_instruction(struct test *test, unsigned thread, const char *begin, const char *end)
{
	struct x86 x86 = { .nr = 0 };
	const char *behind;

	end = before_remark(begin, end, "#");
	while ((behind = behind_prefix(begin, end, &x86.locked)) != begin)
		begin = behind;
	line_start(&x86.line, test, thread, begin, end);
	if (!x86_arithmetic(&x86) && !x86_atomic(&x86) &&
	    (x86.locked || (!x86_move(&x86) && !x86_control(&x86))))
		line_fail(&x86.line, 0, x86.locked ? "an instruction that may be locked" :
			  "an x86 instruction");
}

const struct isa isa_x86 = {
	.name = "X86_64",
	.dialect = DIALECT_X86,
	.register_name = x86_register_of,
	.instruction = x86_instruction,
};

const struct isa isa_x86_intel = {
	.name = "X86",
	.dialect = DIALECT_X86,
	.register_name = intel_register_name,
	.instruction = x86_instruction,
};
