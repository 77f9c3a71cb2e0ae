/* SPDX-License-Identifier: MIT */
/* Prints programs of mixed sizes in the kernel's C: each location is a union. */
#include <inttypes.h>

#include "brute.h"
#include "bytes_print.h"

static void place(char *text, const struct step *s)
{
	text_add(text, "%s->b%u[%u", loc_name((int)s->loc), s->size, s->offset / s->size);
	if (s->from >= 0 && s->from_address)
		text_add(text, " + (r%d ^ r%d)", s->from, s->from);
	text_add(text, "]");
}

static void value(char *text, const struct step *s)
{
	if (s->data >= 0)
		text_add(text, "r%d", s->data);
	else
		text_add(text, "%" PRIu64 "ull", s->value);
	if (s->data < 0 && s->from >= 0 && !s->from_address)
		text_add(text, " + (r%d ^ r%d)", s->from, s->from);
}

/* Adds NAME(PLACE, VALUE); with @pointer the function takes the address of the place. */
static void call(char *text, const struct step *s, const char *name, bool pointer)
{
	text_add(text, "%s(%s", name, pointer ? "&" : "");
	place(text, s);
	if (s->kind == B_CAS)
		text_add(text, ", %" PRIu64 "ull", s->expect);
	if (b_writes(s)) {
		text_add(text, ", ");
		value(text, s);
	}
	text_add(text, ");\n");
}

static void access(char *text, const struct step *s)
{
	if (b_reads(s))
		text_add(text, "r%d = ", s->slot);
	if (s->kind == B_LOAD)
		call(text, s, s->order ? "smp_load_acquire" : "READ_ONCE", s->order);
	else if (s->kind == B_STORE)
		call(text, s, s->order ? "smp_store_release" : "WRITE_ONCE", s->order);
	else if (s->kind == B_CAS)
		call(text, s, "cmpxchg_relaxed", true);
	else
		call(text, s, s->order & B_ACQ ? "xchg_acquire" :
		     s->order ? "xchg_release" : "xchg_relaxed", true);
}

static void fence(char *text, const struct step *s)
{
	static const char *const of[] = {
		[BF_FULL] = "smp_mb", [BF_LD] = "smp_rmb", [BF_ST] = "smp_wmb",
	};
	static const char *const sets[] = { "", "smp_rmb", "smp_wmb", "smp_mb" };

	text_add(text, "%s();\n", s->fence == BF_RW ? sets[s->pred] : of[s->fence]);
}

static void print_union(FILE *f, unsigned size)
{
	fprintf(f, "union w%u {", size);
	for (unsigned part = 1; part <= size; part *= 2)
		fprintf(f, " u%u b%u[%u];", 8 * part, part, size / part);
	fputs(" };\n", f);
}

void bytes_print_c(FILE *f, const struct b_program *p)
{
	unsigned sizes = 0;

	fprintf(f, "C %s\n{}\n", p->name);
	for (unsigned l = 0; l < p->locs; l++) {
		if (!(sizes & p->size[l]))
			print_union(f, p->size[l]);
		sizes |= p->size[l];
	}
	for (unsigned t = 0; t < p->threads; t++) {
		char text[B_TEXT] = "";

		fprintf(f, "P%u(", t);
		for (unsigned l = 0; l < p->locs; l++)
			fprintf(f, "%sunion w%u *%s", l ? ", " : "", p->size[l], loc_name((int)l));
		fputs(")\n{\nu64 r0; u64 r1; u64 r2; u64 r3;\n", f);
		for (unsigned i = 0; i < p->nr[t]; i++)
			if (b_access(&p->step[t][i]))
				access(text, &p->step[t][i]);
			else
				fence(text, &p->step[t][i]);
		fprintf(f, "%s}\n", text);
	}
}
