/* SPDX-License-Identifier: MIT */
/* RISC-V assembly: results in x5 to x9, addresses in x10 and up, x21 and x22 are for values. */
#include <string.h>

#include "brute.h"

static const char *name(int reg)
{
	return reg_name(RVWMO, reg);
}

static const char *value_reg(char *text, const struct insn *i)
{
	if (i->data >= 0 && !i->data_xor)
		return name(i->data);
	if (i->data >= 0) {
		text_add(text, "xor x21,%s,%s\n", name(i->data), name(i->data));
		text_add(text, "ori x21,x21,%d\n", i->value);
	} else {
		text_add(text, "ori x21,x0,%d\n", i->value);
	}
	return "x21";
}

static const char *suffix(unsigned ord)
{
	return ord & ORD_ACQ ? ord & ORD_REL ? ".aqrl" : ".aq" : ord & ORD_REL ? ".rl" : "";
}

static void access_one(char *text, const struct insn *i)
{
	static const char *const amo[] = { [OP_SWAP] = "amoswap", [OP_ADD] = "amoadd",
					   [OP_OR] = "amoor" };
	const char *value = i->op == OP_LOAD || i->op == OP_LX ? NULL : value_reg(text, i);
	int at = 10 + i->loc;

	if (i->addr >= 0) {
		text_add(text, "xor x22,%s,%s\n", name(i->addr), name(i->addr));
		text_add(text, "add x22,x22,x%d\n", at);
		at = 22;
	}
	if (i->op == OP_LOAD)
		text_add(text, "lw %s,0(x%d)\n", name(i->reg), at);
	else if (i->op == OP_STORE)
		text_add(text, "sw %s,0(x%d)\n", value, at);
	else if (i->op == OP_LX)
		text_add(text, "lr.w%s %s,0(x%d)\n", suffix(i->ord), name(i->reg), at);
	else if (i->op == OP_SX)
		text_add(text, "sc.w%s %s,%s,0(x%d)\n", suffix(i->ord), name(i->status), value, at);
	else
		text_add(text, "%s.w%s %s,%s,(x%d)\n", amo[i->op], suffix(i->ord), name(i->reg),
			 value, at);
}

static void fence(char *text, const struct insn *i)
{
	static const char *const sets[] = { "", "r", "w", "rw" };

	if (i->fence == FN_TSO)
		text_add(text, "fence.tso\n");
	else
		text_add(text, "fence %s,%s\n", sets[i->pred], sets[i->succ]);
}

static void branch(char *text, const struct insn *i, int thread, int label)
{
	text_add(text, "%s %s,x0,LC%d%d\n", i->if_equal ? "bne" : "beq", name(i->reg), thread,
		 label);
}

const struct assembly riscv_assembly = { access_one, fence, branch, "ori x21,x0,0" };
