/* SPDX-License-Identifier: MIT */
/* Prints programs of mixed sizes as litmus tests. The registers of slots are the dialect's own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "brute.h"
#include "bytes_print.h"

static const struct dialect_names {
	const char *first, *slot[B_ACCESSES], *value[B_ACCESSES], *address[B_LOCS];
	void (*step)(char *text, const struct step *s, unsigned label);
} dialects_of[MACHINES] = {
	[M_TSO] = { "X86_64", { "r8", "r9", "r10", "r11" }, { "rcx", "rdx", "rdi", "r12" },
		    { "rbx", "rsi" }, bytes_x86 },
	[M_ARMV8] = { "AArch64", { "X0", "X1", "X2", "X3" }, { "X4", "X5", "X6", "X7" },
		      { "X10", "X11" }, bytes_arm },
	[M_RVWMO] = { "RISCV", { "x5", "x6", "x7", "x8" }, { "x18", "x19", "x20", "x21" },
		      { "x10", "x11" }, bytes_riscv },
};

static void print_init(FILE *f, const struct b_program *p)
{
	const struct dialect_names *d = &dialects_of[p->machine];

	fprintf(f, "%s %s\n{", d->first, p->name);
	for (unsigned l = 0; l < p->locs; l++)
		fprintf(f, " uint%u_t %s=0;", 8 * p->size[l], loc_name((int)l));
	for (unsigned t = 0; t < p->threads; t++) {
		fputs("\n", f);
		for (unsigned l = 0; l < p->locs; l++)
			fprintf(f, "%u:%s=%s; ", t, d->address[l], loc_name((int)l));
		for (unsigned i = 0; i < p->nr[t]; i++) {
			const struct step *s = &p->step[t][i];

			if (b_writes(s))
				fprintf(f, "uint64_t %u:%s=%" PRIu64 "; ", t, d->value[s->slot], s->value);
			if (b_reads(s))
				fprintf(f, "uint64_t %u:%s; ", t, d->slot[s->slot]);
		}
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

static void print_key(FILE *f, const struct b_program *p, const struct b_key *key)
{
	if (key->thread >= 0)
		fprintf(f, "%d:%s", key->thread, dialects_of[p->machine].slot[key->number]);
	else
		fprintf(f, "%s", loc_name((int)key->number));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *state_text(const struct b_program *p, const struct b_key *key, unsigned keys,
			const uint64_t *value)
{
	char *text = calloc(1, MAX_TEXT);

	if (!text)
		abort();
	for (unsigned k = 0; k < keys; k++)
		if (key[k].thread >= 0)
			text_add(text, "%s%d:%s=%" PRId64 ";", k ? " " : "", key[k].thread,
				 dialects_of[p->machine].slot[key[k].number], (int64_t)value[k]);
		else
			text_add(text, "%s[%s]=%" PRId64 ";", k ? " " : "", loc_name((int)key[k].number),
				 (int64_t)value[k]);
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
	struct b_key key[B_KEYS];
	unsigned keys = b_keys(p, key), yes = 0, last = keys - 1;
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	print_init(f, p);
	print_threads(f, p);
	fputs("locations [", f);
	for (unsigned k = 0; k < keys; k++) {
		print_key(f, p, &key[k]);
		fputs("; ", f);
	}
	fprintf(f, "]\nexists (%s=%" PRIu64 ")\n", loc_name((int)key[last].number), asked[last]);
	for (unsigned i = 0; i < states->nr; i++)
		yes += states->value[i][last] == asked[last];
	fprintf(csv, "%s.litmus,%s,%s,", p->name, model, yes == states->nr ? "Always" : "Sometimes");
	print_states(csv, p, key, states);
	return !fclose(f);
}
