/* SPDX-License-Identifier: MIT */
/*
 * Prints programs as litmus tests: the frame of all dialects, and the table of the assembly
 * dialects.
 */
#include <string.h>

#include "brute.h"

/* Prints the instructions of a thread, one a line. A label stands in front of an instruction. */
static void thread_text(char *text, const struct program *p, int thread, const struct assembly *as)
{
	int label_at[MAX_INSNS + 1] = { 0 };

	for (int n = 0; n < p->len[thread]; n++) {
		const struct insn *i = &p->insn[thread][n];

		if (loop_from(p, thread, n) >= 0 && !label_at[n])
			label_at[n] = MAX_INSNS + 1;
		if (label_at[n])
			text_add(text, "LC%d%d:\n", thread, label_at[n] - 1);
		if (i->op == OP_BRANCH) {
			/* Two branches to one place have one label. */
			int *label = &label_at[n + 1 + i->body];

			*label = *label ? *label : n + 1;
			as->branch(text, i, thread, *label - 1);
		} else if (i->op == OP_AGAIN) {
			struct insn back = *i;

			/* A branch jumps if its body does not run. */
			back.if_equal = !i->if_equal;
			as->branch(text, &back, thread, label_at[n - i->body] - 1);
		} else if (i->op == OP_FENCE) {
			as->fence(text, i);
		} else {
			as->access(text, i);
		}
	}
	if (label_at[p->len[thread]])
		text_add(text, "LC%d%d:\n%s\n", thread, label_at[p->len[thread]] - 1, as->nothing);
}

/* Makes a column of each thread's text, in which each instruction has a line. */
static void print_table(FILE *f, const struct program *p)
{
	const struct assembly *as = p->model == TSO ? &x86_assembly : p->model == ARMV8 ?
				    &armv8_assembly : &riscv_assembly;
	static char text[MAX_THREADS][MAX_TEXT];
	const char *next[MAX_THREADS];
	int width[MAX_THREADS];
	bool more = true;

	for (int t = 0; t < p->threads; t++) {
		text[t][0] = '\0';
		width[t] = 2;
		thread_text(text[t], p, t, as);
		next[t] = text[t];
		for (const char *line = text[t]; *line; line += strcspn(line, "\n") + 1)
			if ((int)strcspn(line, "\n") > width[t])
				width[t] = (int)strcspn(line, "\n");
	}
	for (int t = 0; t < p->threads; t++)
		fprintf(f, " P%-*d %s", width[t] - 1, t, t + 1 < p->threads ? "|" : ";\n");
	while (more) {
		more = false;
		for (int t = 0; t < p->threads; t++) {
			int len = (int)strcspn(next[t], "\n");

			fprintf(f, " %-*.*s %s", width[t], len, next[t],
				t + 1 < p->threads ? "|" : ";\n");
			next[t] += len + (next[t][len] == '\n');
			more |= *next[t] != '\0';
		}
	}
}

static const char *address_base(enum model m)
{
	return m == ARMV8 ? "X1" : "x1";
}

static void print_assembly(FILE *f, const struct program *p)
{
	static const char *const dialect[MODELS] = { [TSO] = "X86_64", [ARMV8] = "AArch64",
						     [RVWMO] = "RISCV" };

	fprintf(f, "%s %s\n{", dialect[p->model], p->name);
	for (int l = 0; l < p->locs; l++)
		fprintf(f, " %s=%d;", loc_name(l), p->init[l]);
	/* Addresses are in registers 10 and up. */
	for (int t = 0; t < p->threads && p->model != TSO; t++) {
		fputs("\n", f);
		for (int l = 0; l < p->locs; l++)
			fprintf(f, "%s%d:%s%d=%s;", l ? " " : "", t, address_base(p->model), l,
				loc_name(l));
	}
	fprintf(f, "%s}\n", p->model == TSO ? " " : "\n");
	print_table(f, p);
}

static void print_key(FILE *f, const struct program *p, const struct key *key, bool brackets)
{
	if (key->thread >= 0)
		fprintf(f, "%d:%s", key->thread, reg_name(p->model, key->index));
	else
		fprintf(f, brackets ? "[%s]" : "%s", loc_name(key->index));
}

void print_locations(FILE *f, const struct program *p, const struct states *s)
{
	fputs("locations [", f);
	for (int k = 0; k < s->keys; k++) {
		fputs(k ? " " : "", f);
		print_key(f, p, &s->key[k], false);
		fputs(";", f);
	}
	fputs("]\n", f);
}

void print_question(FILE *f, const struct program *p, const struct states *s,
		    const struct condition *c)
{
	static const char *const quantifiers[] = { [EXISTS] = "exists", [NOT_EXISTS] = "~exists",
						   [FORALL] = "forall" };

	fprintf(f, "%s (", quantifiers[c->quantifier]);
	for (int i = 0; i < c->n; i++) {
		fputs(i ? " /\\ " : "", f);
		print_key(f, p, &s->key[c->key[i]], !in_c(p->model));
		fprintf(f, "=%d", c->val[i]);
	}
	fputs(")\n", f);
}

void print_program(FILE *f, const struct program *p, const struct states *s,
		   const struct condition *c)
{
	if (in_c(p->model))
		print_c(f, p);
	else
		print_assembly(f, p);
	print_locations(f, p, s);
	print_question(f, p, s, c);
}
