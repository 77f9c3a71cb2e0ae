/* SPDX-License-Identifier: MIT */
/* x86-64 assembly, as AT&T writes it; %edi is for values, %eax for cmpxchg. */
#include "brute.h"

static const char *const names[MAX_REGS] = { "%eax", "%ebx", "%ecx", "%edx", "%esi" };

/* Puts the value to be stored into a register; xchg and xadd exchange that register. */
static void value_to(char *text, const struct insn *i, const char *reg)
{
	if (i->data >= 0)
		text_add(text, "movl %s,%s\n", names[i->data], reg);
	else
		text_add(text, "movl $%d,%s\n", i->value, reg);
}

static void access_one(char *text, const struct insn *i)
{
	const char *loc = loc_name(i->loc);

	if (i->op == OP_LOAD) {
		text_add(text, "movl (%s),%s\n", loc, names[i->reg]);
	} else if (i->op == OP_STORE && i->data >= 0) {
		text_add(text, "movl %s,(%s)\n", names[i->data], loc);
	} else if (i->op == OP_STORE) {
		text_add(text, "movl $%d,(%s)\n", i->value, loc);
	} else if (i->op == OP_CAS) {
		value_to(text, i, "%edi");
		text_add(text, "movl $%d,%%eax\n", i->expect);
		text_add(text, "lock cmpxchgl (%s),%%edi\n", loc);
	} else {
		value_to(text, i, names[i->reg]);
		text_add(text, i->op == OP_ADD ? "lock xaddl %s,(%s)\n" : "xchgl %s,(%s)\n",
			 names[i->reg], loc);
	}
}

static void fence(char *text, const struct insn *i)
{
	(void)i;
	text_add(text, "mfence\n");
}

static void branch(char *text, const struct insn *i, int thread, int label)
{
	text_add(text, "cmpl $0,%s\n%s LC%d%d\n", names[i->reg], i->if_equal ? "jne" : "je", thread,
		 label);
}

const struct assembly x86_assembly = { access_one, fence, branch, "movl $0,%edi" };
