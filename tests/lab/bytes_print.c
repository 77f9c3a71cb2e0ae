/* SPDX-License-Identifier: MIT */
/* Prints programs of mixed sizes as litmus tests. The registers of slots are the dialect's own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "brute.h"
#include "bytes_print.h"

/*
 * @slot and @value: first a register for each access, then the second registers of accesses that
 * have two.
 */
static const struct dialect_names {
	const char *first, *slot[2 * B_ACCESSES], *value[2 * B_ACCESSES], *address[B_LOCS];
	void (*step)(char *text, const struct step *s, unsigned label);
} dialects_of[MACHINES] = {
	[M_TSO] = { "X86_64", { "r8", "r9", "r10", "r11", "rdi", "r12", "r13", "r14" },
		    { "rdi", "r12", "r13", "r14" }, { "r15", "rsi" }, bytes_x86 },
	[M_ARMV8] = { "AArch64", { "X0", "X1", "X2", "X3", "X12", "X13", "X14", "X15" },
		      { "X4", "X5", "X6", "X7", "X16", "X17", "X18", "X19" }, { "X10", "X11" },
		      bytes_arm },
	[M_RVWMO] = { "RISCV", { "x5", "x6", "x7", "x8", "x22", "x23", "x24", "x25" },
		      { "x18", "x19", "x20", "x21", "x1", "x2", "x3", "x4" }, { "x10", "x11" },
		      bytes_riscv },
};
static const char *const c_slots[] = { "r0", "r1", "r2", "r3" };

/* ---- a byte of the enumerator is several equal bytes of the test */

/* Returns the value of @size bytes from @at on, as the test has it. */
static uint64_t expanded(const struct b_program *p, uint64_t value, unsigned at, unsigned size)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < size * p->scale && i < 8; i++)
		all |= (value >> 8 * (at + i / p->scale) & 255) << 8 * i;
	return all;
}

static void expand_step(const struct b_program *p, struct step *s)
{
	unsigned half = s->wide ? s->size / 2 : s->size;

	s->value_high = s->wide ? expanded(p, s->value, half, half) : 0;
	s->expect_high = s->wide ? expanded(p, s->expect, half, half) : 0;
	s->value = expanded(p, s->value, 0, half);
	s->expect = expanded(p, s->expect, 0, half);
	s->size *= p->scale;
	s->offset *= p->scale;
}

static struct b_program as_printed(const struct b_program *p)
{
	struct b_program printed = *p;

	for (unsigned l = 0; l < p->locs; l++)
		printed.size[l] *= p->scale;
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->nr[t]; i++)
			expand_step(p, &printed.step[t][i]);
	return printed;
}

/* ---- the test */

/*
 * Prints a register's initial value. On x86 the instructions themselves set the second registers.
 */
static void print_value(FILE *f, unsigned thread, const char *reg, uint64_t value)
{
	if (reg)
		fprintf(f, "uint64_t %u:%s=%" PRIu64 "; ", thread, reg, value);
}

static void print_registers(FILE *f, const struct b_program *p, unsigned thread,
			    const struct step *s)
{
	const struct dialect_names *d = &dialects_of[p->machine];
	bool compares = s->kind == B_CAS && p->machine != M_TSO;

	if (b_writes(s)) {
		print_value(f, thread, d->value[s->slot], s->value);
		if (s->wide)
			print_value(f, thread, d->value[B_ACCESSES + s->slot], s->value_high);
	}
	/*
	 * A compare-exchange takes the expected value from the register in which it leaves what it
	 * has read.
	 */
	if (b_reads(s)) {
		print_value(f, thread, d->slot[s->slot], compares ? s->expect : 0);
		if (s->wide && p->machine != M_TSO)
			print_value(f, thread, d->slot[B_ACCESSES + s->slot],
				    compares ? s->expect_high : 0);
	}
}

static void print_init(FILE *f, const struct b_program *p)
{
	const struct dialect_names *d = &dialects_of[p->machine];

	fprintf(f, "%s %s\n{", d->first, p->name);
	for (unsigned l = 0; l < p->locs; l++)
		if (p->size[l] > 8)
			fprintf(f, " uint64_t %s[2]={0,0};", loc_name((int)l));
		else
			fprintf(f, " uint%u_t %s=0;", 8 * p->size[l], loc_name((int)l));
	for (unsigned t = 0; t < p->threads; t++) {
		fputs("\n", f);
		for (unsigned l = 0; l < p->locs; l++)
			fprintf(f, "%u:%s=%s; ", t, d->address[l], loc_name((int)l));
		for (unsigned i = 0; i < p->nr[t]; i++)
			print_registers(f, p, t, &p->step[t][i]);
	}
	fputs("\n}\n", f);
}

static void print_threads(FILE *f, const struct b_program *p)
{
	static char text[B_THREADS][B_TEXT];
	const char *next[B_THREADS];
	bool more = true;

	for (unsigned t = 0; t < p->threads; t++) {
		text[t][0] = '\0';
		for (unsigned i = 0; i < p->nr[t]; i++)
			dialects_of[p->machine].step(text[t], &p->step[t][i], 10 * t + i);
		next[t] = text[t];
		fprintf(f, " P%u %s", t, t + 1 < p->threads ? "|" : ";\n");
	}
	while (more) {
		more = false;
		for (unsigned t = 0; t < p->threads; t++) {
			int len = (int)strcspn(next[t], "\n");

			fprintf(f, " %-24.*s %s", len, next[t], t + 1 < p->threads ? "|" : ";\n");
			next[t] += len + (next[t][len] == '\n');
			more |= *next[t] != '\0';
		}
	}
}

/*
 * Returns the name of a part of the state: as the test has it, or (@shown) as nap-litmus shows it.
 */
static const char *key_text(const struct b_program *p, const struct b_key *key, bool shown,
			    char *text)
{
	const struct dialect_names *d = &dialects_of[p->machine];
	const char *location = key->thread < 0 ? loc_name((int)key->number) : "";

	if (key->thread >= 0)
		sprintf(text, "%d:%s", key->thread, p->c ? c_slots[key->number] :
			d->slot[key->number + (key->at ? B_ACCESSES : 0)]);
	else if (p->size[key->number] * p->scale > 8)
		sprintf(text, "%s[%u]", location, key->at ? 1 : 0);
	else
		sprintf(text, shown ? "[%s]" : "%s", location);
	return text;
}

static const struct b_program *sorted;

/* Orders registers by thread, and before memory. A shorter name comes first: r8 before r10. */
static int by_name(const void *a, const void *b)
{
	const struct b_key *x = a, *y = b;
	char tx[64], ty[64];
	size_t lx = strlen(key_text(sorted, x, true, tx));
	size_t ly = strlen(key_text(sorted, y, true, ty));

	if (x->thread != y->thread)
		return (unsigned)x->thread < (unsigned)y->thread ? -1 : 1;
	return x->thread >= 0 && lx != ly ? (lx < ly ? -1 : 1) : strcmp(tx, ty);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *state_text(const struct b_program *p, const struct b_key *key, unsigned keys,
			const uint64_t *value)
{
	char *text = calloc(1, MAX_TEXT), name[64];
	struct b_key order[B_KEYS];

	if (!text)
		abort();
	memcpy(order, key, keys * sizeof(*key));
	sorted = p;
	qsort(order, keys, sizeof(*order), by_name);
	for (unsigned k = 0; k < keys; k++) {
		unsigned of = 0;

		while (memcmp(&key[of], &order[k], sizeof(*key)))
			of++;
		text_add(text, "%s%s=%" PRId64 ";", k ? " " : "",
			 key_text(p, &order[k], true, name),
			 (int64_t)expanded(p, value[of], 0, order[k].size));
	}
	return text;
}

static void print_states(FILE *csv, const struct b_program *p, const struct b_key *key,
			 const struct b_states *states)
{
	static char *text[B_STATES];

	for (unsigned i = 0; i < states->nr; i++)
		text[i] = state_text(p, key, states->keys, states->value[i]);
	qsort(text, states->nr, sizeof(text[0]), by_text);
	for (unsigned i = 0; i < states->nr; i++) {
		fprintf(csv, "%s%s", i ? " | " : "", text[i]);
		free(text[i]);
	}
	fputs("\n", csv);
}

bool bytes_print(FILE *csv, const char *path, const char *model, const struct b_program *p,
		 const struct b_states *states, const uint64_t *asked)
{
	struct b_program printed = as_printed(p);
	struct b_key key[B_KEYS];
	unsigned keys = b_keys(p, key), yes = 0, last = keys - 1;
	FILE *f = fopen(path, "w");
	char name[64];

	if (!f)
		return false;
	if (p->c) {
		bytes_print_c(f, p);
	} else {
		print_init(f, &printed);
		print_threads(f, &printed);
	}
	fputs("locations [", f);
	for (unsigned k = 0; k < keys; k++)
		fprintf(f, "%s; ", key_text(p, &key[k], false, name));
	fprintf(f, "]\nexists (%s=%" PRIu64 ")\n", key_text(p, &key[last], false, name),
		expanded(p, asked[last], 0, key[last].size));
	for (unsigned i = 0; i < states->nr; i++)
		yes += states->value[i][last] == asked[last];
	fprintf(csv, "%s.litmus,%s,%s,", p->name, model,
		yes == states->nr ? "Always" : "Sometimes");
	print_states(csv, p, key, states);
	return !fclose(f);
}
