/* SPDX-License-Identifier: MIT */
/*
 * The shapes of random programs. They are small. Half of them are around a cycle, in which each
 * thread begins at the location at which the thread before it ended; the well-known tests are
 * such cycles. The other half is random altogether.
 */
#include <string.h>

#include "brute_generate.h"

#define MAX_ACCESSES 8

static void any_shape(struct maker *m)
{
	static const unsigned most[MAX_THREADS + 1] = { 0, 0, 5, 3, 2 };
	struct program *p = m->p;

	for (m->thread = 0; m->thread < p->threads; m->thread++) {
		int n = 1 + (int)below(m->random, most[p->threads]), last = -1;
		int before = m->accesses;

		m->loaded = 0;
		if (p->threads == 2 && n == 1 && percent(m->random, 80))
			n = 2;
		do {
			int loc = (int)below(m->random, (unsigned)p->locs);

			if (loc == last && percent(m->random, 60))
				loc = (loc + 1) % p->locs;
			last = loc;
			unit(m, loc, ANY);
		} while (m->accesses - before < n && m->accesses < MAX_ACCESSES - 1);
	}
}

/*
 * Returns what may come next at a location. After a read it is a write, because two reads would
 * have no order.
 */
static enum want after(struct maker *m, enum want before)
{
	return before == READ || percent(m->random, 40) ? WRITE : READ;
}

static void cycle_shape(struct maker *m)
{
	struct program *p = m->p;
	enum want first = percent(m->random, 50) ? READ : WRITE, want = first;
	int loc = 0;

	for (m->thread = 0; m->thread < p->threads; m->thread++) {
		bool last = m->thread == p->threads - 1;
		bool moves = last ? loc != 0 : p->threads == 2 || percent(m->random, 65);

		m->loaded = 0;
		unit(m, loc, want);
		/* Makes addr;po;[W]: a read, an access that depends on the read, and a write. */
		m->through_address = m->d->addr && m->loaded && percent(m->random, 30);
		if ((m->through_address || percent(m->random, 20)) &&
		    m->accesses < MAX_ACCESSES - 2)
			unit(m, (int)below(m->random, (unsigned)p->locs), ANY);
		m->through_address = false;
		if (moves) {
			loc = last ? 0 : (loc + 1) % p->locs;
			want = percent(m->random, 50) ? READ : WRITE;
			if (last)
				want = after(m, first);
			unit(m, loc, want);
		}
		want = after(m, want);
	}
}

void generate(struct program *p, enum model model, struct random *random)
{
	struct maker m = { .p = p, .random = random, .d = &dialects[model] };
	unsigned dice = below(random, 100);
	bool cycle = percent(random, 55), rcu = model == LKMM && percent(random, 60);

	memset(p, 0, sizeof(*p));
	p->model = model;
	p->threads = dice < 50 ? 2 : dice < 82 ? 3 : 4;
	dice = below(random, 100);
	p->locs = dice < 10 && !cycle ? 1 : dice < 75 ? 2 : 3;
	/* Several sections and grace periods are for wide cycles. */
	if (rcu && percent(random, 45)) {
		p->threads = p->locs = 3 + percent(random, 65);
		cycle = true;
	}
	for (int l = 0; l < p->locs; l++)
		p->init[l] = percent(random, 10) ? 1 : 0;
	m.modifies = model == CHECK && below(m.random, 6) == 0 ? 60 : 15;
	/* In a program of RCU its grace periods are the fences, more often than not. */
	m.fences = rcu && percent(random, 70) ? 0 : 30 * below(random, 3);
	m.often = 1 + percent(random, 50);
	if (cycle)
		cycle_shape(&m);
	else
		any_shape(&m);
	if (rcu)
		add_rcu(p, random);
}

static bool in_condition(const struct condition *c, int key)
{
	for (int i = 0; i < c->n; i++)
		if (c->key[i] == key)
			return true;
	return false;
}

/* Whether a key has more than one value; with one value it would make no question. */
static bool differs(const struct states *s, int key)
{
	for (int i = 1; i < s->n; i++)
		if (s->val[i][key] != s->val[0][key])
			return true;
	return false;
}

/*
 * Makes a condition. All its values are those of one final state, or each value is that of some
 * final state.
 */
static void conjunction(struct condition *c, const struct states *s, struct random *random,
			bool one_state)
{
	int want = 1 + (int)below(random, 4), state = (int)below(random, (unsigned)s->n);

	c->n = 0;
	for (int try = 0; try < 20 && c->n < want; try++) {
		int key = (int)below(random, (unsigned)s->keys);

		if (in_condition(c, key) || (!differs(s, key) && try < 15))
			continue;
		if (!one_state)
			state = (int)below(random, (unsigned)s->n);
		c->key[c->n] = key;
		c->val[c->n++] = s->val[state][key];
	}
	if (!c->n) {
		c->key[0] = 0;
		c->val[0] = s->val[0][0];
		c->n = 1;
	}
}

/*
 * Makes a question. In half of the cases, if possible, each value of the question occurs in some
 * state, but no state has all of them.
 */
void condition_random(struct condition *c, const struct states *s, struct random *random)
{
	unsigned dice = below(random, 100);
	bool one_state = percent(random, 50);

	c->quantifier = dice < 80 ? EXISTS : dice < 90 ? NOT_EXISTS : FORALL;
	for (int try = 0; try < 20; try++) {
		conjunction(c, s, random, one_state);
		if (one_state || !strcmp(verdict(s, c), "Never"))
			break;
	}
}
