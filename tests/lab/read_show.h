/* SPDX-License-Identifier: MIT */
/* Shows a thread's instructions as text, in the form that the tests expect. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "test/test.h"

static char shown[4096];

static void show(const char *format, ...)
{
	size_t length = strlen(shown);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(shown + length, sizeof(shown) - length, format, arguments);
	va_end(arguments);
}

static void show_operand(const struct test *test, struct operand operand)
{
	if (operand.is_register && test->thread[0].reg[operand.reg].name)
		show("%s", test->thread[0].reg[operand.reg].name);
	else if (operand.is_register)
		show("t%u", operand.reg);
	else if (test_location_at(test, operand.value) == 0)
		show("@");
	else
		show("%lld", (long long)operand.value);
}

static void show_tags(const char *what, uint64_t tags)
{
	static const struct { enum tag tag; char letter; } letters[] = {
		{ TAG_ACQUIRE, 'A' },  { TAG_ACQUIRE_PC, 'Q' }, { TAG_RELEASE, 'L' },
		{ TAG_SC, 'S' },       { TAG_EXCLUSIVE, 'X' },  { TAG_NORETURN, 'N' },
		{ TAG_AMO, 'a' },      { TAG_LOCKED, 'K' },     { TAG_FULL, 'F' },
		{ TAG_FENCE_LD, 'l' }, { TAG_FENCE_ST, 's' },   { TAG_ISB, 'I' },
		{ TAG_DSB, 'D' },
		{ TAG_TSO, 'T' },      { TAG_PRED_R, '1' },     { TAG_PRED_W, '2' },
		{ TAG_SUCC_R, '3' },   { TAG_SUCC_W, '4' },
	};

	if (tags)
		show(" %s:", what);
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (tags & BIT(letters[i].tag))
			show("%c", letters[i].letter);
}

static const char *const alus[] = {
	[ALU_SECOND] = " second ", [ALU_ADD] = "+",       [ALU_SUB] = "-",
	[ALU_AND] = "&",           [ALU_OR] = "|",        [ALU_XOR] = "^",
	[ALU_BIC] = " bic ",       [ALU_MUL] = "*",       [ALU_SHL] = "<<",
	[ALU_SHR] = ">>",	   [ALU_EQ] = "==",           [ALU_NE] = "!=",       [ALU_LT] = "<",
	[ALU_MAXU] = " maxu ",     [ALU_SEXT] = " sext ",
};

static void show_set(const struct test *test, const struct instruction *one)
{
	show_operand(test, one->a);
	if (one->alu != ALU_FIRST) {
		show("%s", alus[one->alu]);
		show_operand(test, one->b);
	}
}

/* Shows an operand; of a pair, both. */
static void show_half(const struct test *test, struct operand low, struct operand high,
		      unsigned size)
{
	show_operand(test, low);
	if (size > 8) {
		show(":");
		show_operand(test, high);
	}
}

static void show_access(const struct test *test, const struct instruction *one)
{
	const char *name = alus[one->alu] ? alus[one->alu] + (*alus[one->alu] == ' ') : "";

	show("[");
	show_operand(test, one->address);
	show("]");
	if (one->op == OP_RMW)
		show(" %.*s", (int)strcspn(name, " "), name);
	if (one->op != OP_LOAD && one->op != OP_LOAD_EXCLUSIVE) {
		show(" ");
		show_half(test, one->a, one->high_a, one->size);
	}
	if (one->op == OP_CAS) {
		show(" ");
		show_half(test, one->b, one->high_b, one->size);
	}
	show_tags("r", one->read_tags);
	show_tags("w", one->write_tags);
	show_tags("f", one->fail_tags);
}

static void show_instruction(const struct test *test, const struct instruction *one)
{
	static const char *const ops[] = {
		[OP_SET] = "set", [OP_LOAD] = "load", [OP_STORE] = "store", [OP_RMW] = "rmw",
		[OP_CAS] = "cas", [OP_LOAD_EXCLUSIVE] = "ldx", [OP_CLEAR_EXCLUSIVE] = "clrex",
		[OP_STORE_EXCLUSIVE] = "stx", [OP_FENCE] = "fence", [OP_BRANCH] = "branch ",
		[OP_JUMP] = "jump", [OP_ARM_BEGIN] = "arm", [OP_ARM_END] = "end",
	};

	show("%s", ops[one->op]);
	if (one->op <= OP_STORE_EXCLUSIVE)
		show("%u%s ", one->size, one->sign ? "s" : "");
	if (one->dst >= 0) {
		show_half(test, operand_reg((unsigned)one->dst), operand_reg((unsigned)one->high),
			  one->high < 0 ? 8 : one->size);
		show("=");
	}
	if (one->op == OP_SET)
		show_set(test, one);
	else if (one->op <= OP_STORE_EXCLUSIVE)
		show_access(test, one);
	else if (one->op == OP_FENCE)
		show_tags("r", one->read_tags);
	else if (one->op == OP_BRANCH)
		show_operand(test, one->a);
	if (one->op == OP_BRANCH || one->op == OP_JUMP)
		show(" ->%u", one->target);
}
