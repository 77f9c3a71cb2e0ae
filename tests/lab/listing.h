/* SPDX-License-Identifier: MIT */
/* Lists a thread's instructions, one a line, in words that a test can compare. */
#ifndef NAP_TESTS_LISTING_H
#define NAP_TESTS_LISTING_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "test/test.h"

static const char *const op_names[] = {
	[OP_SET] = "set", [OP_LOAD] = "load", [OP_STORE] = "store", [OP_RMW] = "rmw",
	[OP_CAS] = "cas", [OP_LOAD_EXCLUSIVE] = "ldx", [OP_CLEAR_EXCLUSIVE] = "clrex",
	[OP_STORE_EXCLUSIVE] = "stx", [OP_FENCE] = "fence", [OP_BRANCH] = "branch",
	[OP_JUMP] = "jump", [OP_ARM_BEGIN] = "arm", [OP_ARM_END] = "end",
};
static const char *const alu_names[] = { "first", "second", "add", "sub", "and", "or", "xor", "bic",
	"orn", "mul", "shl", "shr", "sar", "eq", "ne", "lt", "le", "gt", "ge", "ltu", "leu", "gtu",
	"geu", "min", "max", "minu", "maxu", "sext" };
static const char *const tag_names[NR_TAGS] = {
	[TAG_ACQUIRE] = "acquire", [TAG_ACQUIRE_PC] = "acquire_pc", [TAG_RELEASE] = "release",
	[TAG_SC] = "sc", [TAG_RELAXED] = "relaxed", [TAG_PLAIN] = "plain", [TAG_ONCE] = "once",
	[TAG_NORETURN] = "noreturn", [TAG_RMW] = "rmw", [TAG_EXCLUSIVE] = "exclusive",
	[TAG_AMO] = "amo", [TAG_LOCKED] = "locked", [TAG_LOCK] = "lock", [TAG_UNLOCK] = "unlock",
	[TAG_FULL] = "full",
	[TAG_FENCE_LD] = "ld", [TAG_FENCE_ST] = "st", [TAG_DSB] = "dsb", [TAG_ISB] = "isb",
	[TAG_PRED_R] = "pr", [TAG_PRED_W] = "pw", [TAG_SUCC_R] = "sr", [TAG_SUCC_W] = "sw",
	[TAG_TSO] = "tso", [TAG_WMB] = "wmb", [TAG_RMB] = "rmb",
	[TAG_BEFORE_ATOMIC] = "before_atomic", [TAG_AFTER_ATOMIC] = "after_atomic",
	[TAG_AFTER_SPINLOCK] = "after_spinlock", [TAG_AFTER_UNLOCK_LOCK] = "after_unlock_lock",
	[TAG_AFTER_SRCU_UNLOCK] = "after-srcu-unlock", [TAG_RCU_LOCK] = "rcu-lock",
	[TAG_RCU_UNLOCK] = "rcu-unlock", [TAG_RCU_SYNC] = "rcu-sync", [TAG_SRCU_LOCK] = "srcu-lock",
	[TAG_SRCU_UNLOCK] = "srcu-unlock", [TAG_SRCU_SYNC] = "srcu-sync",
	[TAG_COMPILER] = "compiler",
};

struct listing {
	const struct test *test;
	const struct thread *thread;
	size_t length;
	char text[8192];
};

__attribute__((format(printf, 2, 3)))
static void say(struct listing *listing, const char *format, ...)
{
	size_t room = sizeof(listing->text) - listing->length;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(listing->text + listing->length, room, format, arguments);
	va_end(arguments);
	listing->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* Writes an operand: a register without a name as t2, an address by the name of its location. */
static void say_operand(struct listing *listing, struct operand operand)
{
	int location = operand.is_register ? -1 : test_location_at(listing->test, operand.value);

	if (operand.is_register && listing->thread->reg[operand.reg].name)
		say(listing, " %s", listing->thread->reg[operand.reg].name);
	else if (operand.is_register)
		say(listing, " t%u", operand.reg);
	else if (location >= 0)
		say(listing, " &%s", listing->test->location[location].name);
	else
		say(listing, " %lld", (long long)operand.value);
}

static void say_tags(struct listing *listing, const char *before, uint64_t tags)
{
	const char *between = before;

	for (unsigned i = 0; i < NR_TAGS; i++)
		if (tags & BIT(i)) {
			say(listing, "%s%s", between, tag_names[i]);
			between = "+";
		}
}

static void say_operands(struct listing *listing, const struct instruction *code)
{
	if (code->op == OP_SET || code->op == OP_RMW)
		say(listing, " %s", alu_names[code->alu]);
	if ((code->op >= OP_LOAD && code->op <= OP_STORE_EXCLUSIVE) || code->located) {
		say(listing, " [");
		say_operand(listing, code->address);
		say(listing, " ]");
	}
	if (code->op != OP_LOAD && code->op != OP_FENCE && code->op < OP_JUMP)
		say_operand(listing, code->a);
	if (code->op == OP_SET || code->op == OP_CAS || code->unless)
		say_operand(listing, code->b);
	if (code->op == OP_BRANCH || code->op == OP_JUMP)
		say(listing, " %u", code->target);
}

static void say_instruction(struct listing *listing, const struct instruction *code)
{
	say(listing, "%s", op_names[code->op]);
	if (code->op <= OP_STORE_EXCLUSIVE && (code->size != 4 || !code->sign))
		say(listing, ".%u%s", code->size, code->sign ? "s" : "");
	if (code->dst >= 0) {
		say_operand(listing, operand_reg((unsigned)code->dst));
		say(listing, " =");
	}
	say_operands(listing, code);
	say_tags(listing, " r:", code->read_tags);
	say_tags(listing, " w:", code->write_tags);
	say_tags(listing, " fail:", code->fail_tags);
	say_tags(listing, " around:", code->around);
	say(listing, "%s%s%s", code->must ? " must" : "", code->weak ? " weak" : "",
	    code->unless ? " unless" : "");
	if (code->stored >= 0) {
		say(listing, " stored");
		say_operand(listing, operand_reg((unsigned)code->stored));
	}
	say(listing, "\n");
}

static const char *list(struct listing *listing, const struct test *test, unsigned thread)
{
	listing->test = test;
	listing->thread = &test->thread[thread];
	listing->length = 0;
	listing->text[0] = 0;
	for (unsigned i = 0; i < listing->thread->nr; i++)
		say_instruction(listing, &listing->thread->code[i]);
	return listing->text;
}

#endif /* NAP_TESTS_LISTING_H */
