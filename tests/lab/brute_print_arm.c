/* SPDX-License-Identifier: MIT */
/* AArch64 assembly: results in W0 to W7, addresses in X10 and up, W20 and W21 are for values. */
#include "brute.h"

/* Returns the register that holds the value to be stored. */
static int value_reg(char *text, const struct insn *i)
{
	if (i->data >= 0 && !i->data_xor)
		return i->data;
	if (i->data >= 0) {
		text_add(text, "EOR W20,W%d,W%d\n", i->data, i->data);
		text_add(text, "ADD W20,W20,#%d\n", i->value);
	} else {
		text_add(text, "MOV W20,#%d\n", i->value);
	}
	return 20;
}

static const char *suffix(unsigned ord)
{
	return ord & ORD_ACQ ? ord & ORD_REL ? "AL" : "A" : ord & ORD_REL ? "L" : "";
}

static void access_exclusive(char *text, const struct insn *i)
{
	int reg = i->op == OP_LX ? i->reg : value_reg(text, i);

	if (i->op == OP_LX)
		text_add(text, "%s W%d,[X1%d]\n", i->ord & ORD_ACQ ? "LDAXR" : "LDXR", reg, i->loc);
	else
		text_add(text, "%s W%d,W%d,[X1%d]\n", i->ord & ORD_REL ? "STLXR" : "STXR",
			 i->status, reg, i->loc);
}

static void load_or_store(char *text, const struct insn *i)
{
	int reg = i->op == OP_STORE ? value_reg(text, i) : i->reg;
	const char *name = i->op == OP_STORE ? i->ord & ORD_REL ? "STLR" : "STR" :
			   i->ord & ORD_ACQ ? "LDAR" : i->ord & ORD_PC ? "LDAPR" : "LDR";

	if (i->addr >= 0) {
		text_add(text, "EOR W21,W%d,W%d\n", i->addr, i->addr);
		text_add(text, "%s W%d,[X1%d,W21,SXTW]\n", name, reg, i->loc);
	} else {
		text_add(text, "%s W%d,[X1%d]\n", name, reg, i->loc);
	}
}

static void modify(char *text, const struct insn *i)
{
	int reg = value_reg(text, i);

	if (i->op == OP_CAS) {
		text_add(text, "MOV W%d,#%d\n", i->reg, i->expect);
		text_add(text, "CAS%s W%d,W%d,[X1%d]\n", suffix(i->ord), i->reg, reg, i->loc);
	} else {
		text_add(text, "%s%s W%d,W%d,[X1%d]\n", i->op == OP_ADD ? "LDADD" : "SWP",
			 suffix(i->ord), reg, i->reg, i->loc);
	}
}

static void fence(char *text, const struct insn *i)
{
	static const char *const names[] = { [FN_FULL] = "DMB SY", [FN_LD] = "DMB LD",
					     [FN_ST] = "DMB ST", [FN_ISB] = "ISB" };

	text_add(text, "%s\n", names[i->fence]);
}

static void access_one(char *text, const struct insn *i)
{
	if (i->op == OP_LOAD || i->op == OP_STORE)
		load_or_store(text, i);
	else if (i->op == OP_LX || i->op == OP_SX)
		access_exclusive(text, i);
	else
		modify(text, i);
}

static void branch(char *text, const struct insn *i, int thread, int label)
{
	text_add(text, "%s W%d,LC%d%d\n", i->if_equal ? "CBNZ" : "CBZ", i->reg, thread, label);
}

const struct assembly armv8_assembly = { access_one, fence, branch, "MOV W20,#0" };
