/* SPDX-License-Identifier: MIT */
/* Prints the two C dialects: the kernel's and C11's. */
#include <string.h>

#include "brute.h"

static const char *kernel_order(const struct insn *i)
{
	if (i->ord & ORD_MB)
		return "";
	return i->ord & ORD_ACQ ? "_acquire" : i->ord & ORD_REL ? "_release" : "_relaxed";
}

static const char *c11_order(unsigned ord)
{
	if (ord & ORD_SC)
		return "memory_order_seq_cst";
	if ((ord & ORD_ACQ) && (ord & ORD_REL))
		return "memory_order_acq_rel";
	return ord & ORD_ACQ ? "memory_order_acquire" : ord & ORD_REL ? "memory_order_release" :
	       "memory_order_relaxed";
}

static const char *operand(const struct insn *i)
{
	static char text[16];

	text[0] = '\0';
	if (i->data >= 0)
		snprintf(text, sizeof(text), "%s", reg_name(LKMM, i->data));
	else
		snprintf(text, sizeof(text), "%d", i->value);
	return text;
}

/* Prints a fence of RCU, or of SRCU. The cookie c of a section of SRCU is in no final state. */
static void fence_rcu(FILE *f, const struct insn *i)
{
	static const char *const rcu[] = { [FN_RCU_LOCK] = "rcu_read_lock()",
		[FN_RCU_UNLOCK] = "rcu_read_unlock()", [FN_RCU_SYNC] = "synchronize_rcu()" };
	static const char *const srcu[] = { [FN_RCU_LOCK] = "c = srcu_read_lock(s)",
		[FN_RCU_UNLOCK] = "srcu_read_unlock(s, c)", [FN_RCU_SYNC] = "synchronize_srcu(s)" };

	fprintf(f, "%s;\n", (i->pred ? srcu : rcu)[i->fence]);
}

static bool has_srcu(const struct program *p, int t)
{
	for (int n = 0; n < p->len[t]; n++)
		if (p->insn[t][n].fence >= FN_RCU_LOCK && p->insn[t][n].pred)
			return true;
	return false;
}

static void access_kernel(FILE *f, const struct insn *i)
{
	static const char *const fence_name[] = { [FN_FULL] = "smp_mb", [FN_LD] = "smp_rmb",
						  [FN_ST] = "smp_wmb" };
	const char *loc = i->op == OP_FENCE ? "" : loc_name(i->loc);

	if (i->fence >= FN_RCU_LOCK)
		fence_rcu(f, i);
	else if (i->op == OP_FENCE)
		fprintf(f, "%s();\n", fence_name[i->fence]);
	else if (i->op == OP_LOAD)
		fprintf(f, i->ord ? "smp_load_acquire(%s);\n" : "READ_ONCE(*%s);\n", loc);
	else if (i->op == OP_STORE)
		fprintf(f, i->ord ? "smp_store_release(%s, %s);\n" : "WRITE_ONCE(*%s, %s);\n", loc,
			operand(i));
	else if (i->op == OP_SWAP)
		fprintf(f, "xchg%s(%s, %s);\n", kernel_order(i), loc, operand(i));
	else if (i->op == OP_CAS)
		fprintf(f, "cmpxchg%s(%s, %d, %s);\n", kernel_order(i), loc, i->expect, operand(i));
	else
		fprintf(f, "atomic_%s%s(%s, %s);\n", i->new_value ? "add_return" : "fetch_add",
			kernel_order(i), operand(i), loc);
}

static void access_c11(FILE *f, const struct insn *i)
{
	if (i->fence == FN_LIGHT)
		fputs("atomic_signal_fence(memory_order_seq_cst);\n", f);
	else if (i->fence == FN_HEAVY)
		fputs("check_membarrier();\n", f);
	else if (i->op == OP_FENCE)
		fprintf(f, "atomic_thread_fence(%s);\n", c11_order(i->ord));
	else if (i->op == OP_CAS)
		fprintf(f, "%d;\n\tatomic_compare_exchange_strong_explicit(%s, &%s, %s, %s, %s);\n",
			i->expect, loc_name(i->loc), reg_name(RC11, i->reg), operand(i),
			c11_order(i->ord), c11_order(i->failure));
	else if (i->op == OP_LOAD)
		fprintf(f, "atomic_load_explicit(%s, %s);\n", loc_name(i->loc), c11_order(i->ord));
	else
		fprintf(f, "atomic_%s_explicit(%s, %s, %s);\n", i->op == OP_STORE ? "store" :
			i->op == OP_SWAP ? "exchange" : "fetch_add", loc_name(i->loc), operand(i),
			c11_order(i->ord));
}

static bool reads(const struct insn *i)
{
	return i->op == OP_LOAD || (i->op >= OP_SWAP && i->op <= OP_CAS);
}

/*
 * Declares registers at the top: all of them in the kernel's dialect; in C11, only those whose
 * first load is inside an if and so cannot declare them. A register with its first load in an if
 * gets a value, because the load may not be executed.
 */
static unsigned declare(FILE *f, const struct program *p, int t)
{
	unsigned seen = 0, declared = 0;
	int body_end = 0;

	for (int n = 0; n < p->len[t]; n++) {
		const struct insn *i = &p->insn[t][n];

		if (i->op == OP_BRANCH)
			body_end = n + 1 + i->body;
		if (!reads(i) || seen >> i->reg & 1)
			continue;
		seen |= 1u << i->reg;
		if (n >= body_end && in_c11(p->model) && loop_from(p, t, -1) < 0)
			continue;
		declared |= 1u << i->reg;
		fprintf(f, "\tint %s%s;\n", reg_name(p->model, i->reg), n < body_end ? " = 0" : "");
	}
	if (declared)
		fputs("\n", f);
	return declared;
}

static void print_body(FILE *f, const struct program *p, int t)
{
	unsigned declared = declare(f, p, t);
	int body_end = 0;

	for (int n = 0; n < p->len[t]; n++) {
		const struct insn *i = &p->insn[t][n];

		if (loop_from(p, t, n) >= 0)
			fputs("\tdo {\n", f);
		if (i->op == OP_AGAIN) {
			fprintf(f, "\t} while (%s %s %d);\n", reg_name(p->model, i->reg),
				i->if_equal ? "==" : "!=", i->value);
			continue;
		}
		if (i->op == OP_BRANCH) {
			body_end = n + 1 + i->body;
			fprintf(f, "\tif (%s%s) {\n", reg_name(p->model, i->reg),
				i->if_equal ? " == 0" : "");
			continue;
		}
		fputs(n < body_end ? "\t\t" : "\t", f);
		if (reads(i)) {
			bool first = !(declared >> i->reg & 1);

			fprintf(f, "%s%s = ", first ? "int " : "", reg_name(p->model, i->reg));
			declared |= 1u << i->reg;
		}
		if (in_c11(p->model))
			access_c11(f, i);
		else
			access_kernel(f, i);
		if (n + 1 == body_end)
			fputs("\t}\n", f);
	}
}

static bool used(const struct program *p, int t, int loc)
{
	for (int n = 0; n < p->len[t]; n++)
		if (p->insn[t][n].op < OP_FENCE && p->insn[t][n].loc == loc)
			return true;
	return false;
}

/* Whether the kernel's atomic_t operations are used on a location. */
static bool is_atomic_t(const struct program *p, int loc)
{
	for (int t = 0; t < p->threads; t++)
		for (int n = 0; n < p->len[t]; n++)
			if (p->insn[t][n].op == OP_ADD && p->insn[t][n].loc == loc)
				return true;
	return false;
}

void print_c(FILE *f, const struct program *p)
{
	fprintf(f, "C %s\n\n{\n", p->name);
	for (int l = 0; l < p->locs; l++)
		fprintf(f, "\t%s=%d;\n", loc_name(l), p->init[l]);
	fputs("}\n", f);
	for (int t = 0; t < p->threads; t++) {
		const char *comma = "";

		fprintf(f, "\nP%d(", t);
		for (int l = 0; l < p->locs; l++) {
			if (!used(p, t, l))
				continue;
			fprintf(f, "%s%s%s", comma, in_c11(p->model) ? "atomic_int* " :
				is_atomic_t(p, l) ? "atomic_t *" : "int *", loc_name(l));
			comma = ", ";
		}
		if (has_srcu(p, t))
			fprintf(f, "%sstruct srcu_struct *s", comma);
		fputs(")\n{\n", f);
		if (has_srcu(p, t))
			fputs("\tint c;\n", f);
		print_body(f, p, t);
		fputs("}\n", f);
	}
	fputs("\n", f);
}
