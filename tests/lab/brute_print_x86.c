// SPDX-License-Identifier: MIT
/* x86-64 assembly, as AT&T writes it; %edi is for values, %eax for cmpxchg. */
#include "brute.h"

static const char *const names[MAX_REGS] = { "%eax", "%ebx", "%ecx", "%edx", "%esi" };

/* Puts what is stored into a register; xchg and xadd exchange theirs. */
static void value_to(char *text, const struct insn *i, const char *reg)
{
	if (i->data >= 0)
		text_add(text, "movl %s,%s\n", names[i->data], reg);
	else
		text_add(text, "movl $%d,%s\n", i->value, reg);
}

void text_x86(char *text, const struct program *p, int thread)
{
	for (int n = 0; n < p->len[thread]; n++) {
		const struct insn *i = &p->insn[thread][n];
		const char *loc = i->op == OP_FENCE ? "" : loc_name(i->loc);

		if (i->op == OP_FENCE) {
			text_add(text, "mfence\n");
		} else if (i->op == OP_LOAD) {
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
}
