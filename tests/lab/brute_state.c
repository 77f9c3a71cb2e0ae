/* SPDX-License-Identifier: MIT */
/* The final states of a program, as herd7 prints them, and the verdict on them. */
#include <stdlib.h>
#include <string.h>

#include "brute.h"

/*
 * These names have the same order as texts and as numbers, so the keys of a state have one order.
 */
static const char *const arm_names[MAX_REGS] = { "X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7" };
static const char *const riscv_names[MAX_REGS] = { "x5", "x6", "x7", "x8", "x9" };
static const char *const x86_names[MAX_REGS] = { "rax", "rbx", "rcx", "rdx", "rsi" };
static const char *const c_names[MAX_REGS] = { "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7" };

const char *reg_name(enum model m, int reg)
{
	switch (m) {
	case TSO:
		return x86_names[reg];
	case ARMV8:
		return arm_names[reg];
	case RVWMO:
		return riscv_names[reg];
	default:
		return c_names[reg];
	}
}

void states_begin(struct states *s, const struct program *p)
{
	s->keys = s->n = 0;
	for (int t = 0; t < p->threads; t++)
		for (int r = 0; r < MAX_REGS; r++)
			if (p->observed[t] >> r & 1)
				s->key[s->keys++] = (struct key){ t, r };
	for (int l = 0; l < p->locs; l++)
		s->key[s->keys++] = (struct key){ -1, l };
}

int states_find(const struct states *s, const signed char *val)
{
	for (int i = 0; i < s->n; i++)
		if (!memcmp(s->val[i], val, (size_t)s->keys))
			return i;
	return -1;
}

bool states_add(struct states *s, const signed char *val)
{
	if (s->n == MAX_STATES)
		return false;
	memcpy(s->val[s->n++], val, (size_t)s->keys);
	return true;
}

bool condition_holds(const struct condition *c, const signed char *val)
{
	for (int i = 0; i < c->n; i++)
		if (val[c->key[i]] != c->val[i])
			return false;
	return true;
}

/*
 * Returns herd7's observation: in how many of the states the proposition holds, whatever the
 * quantifier is.
 */
const char *verdict(const struct states *s, const struct condition *c)
{
	int yes = 0;

	for (int i = 0; i < s->n; i++)
		yes += condition_holds(c, s->val[i]);
	return !yes ? "Never" : yes == s->n ? "Always" : "Sometimes";
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *state_text(const struct states *s, int state, const struct program *p)
{
	char *text = malloc(MAX_KEYS * 16);

	if (!text)
		abort();
	text[0] = '\0';
	for (int k = 0; k < s->keys; k++) {
		const struct key *key = &s->key[k];
		int val = s->val[state][k];

		if (key->thread < 0)
			text_add(text, "%s[%s]=%d;", k ? " " : "", loc_name(key->index), val);
		else
			text_add(text, "%s%d:%s=%d;", k ? " " : "", key->thread,
				 reg_name(p->model, key->index), val);
	}
	return text;
}

void states_print(FILE *f, const struct states *s, const struct program *p)
{
	static char *text[MAX_STATES];

	for (int i = 0; i < s->n; i++)
		text[i] = state_text(s, i, p);
	qsort(text, (size_t)s->n, sizeof(text[0]), by_text);
	for (int i = 0; i < s->n; i++) {
		fprintf(f, "%s%s", i ? " | " : "", text[i]);
		free(text[i]);
	}
}
