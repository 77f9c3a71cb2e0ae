/* SPDX-License-Identifier: MIT */
/*
 *	bytes tso|armv8|rvwmo SEED COUNT DIRECTORY	random programs with accesses of different sizes
 *							to overlapping bytes, and expected.csv, their final
 *							states, as nap-litmus --against reads it
 */
#include <stdlib.h>
#include <string.h>

#include "brute.h"
#include "bytes.h"
#include "bytes_print.h"

static const char *const machines[MACHINES] = { "tso", "armv8", "rvwmo" };
static b_enumerate *const enumerators[MACHINES] = { bytes_tso, bytes_armv8, bytes_rvwmo };

/* ---- programs */

struct b_maker {
	struct b_program *p;
	struct random *random;
	unsigned thread, accesses, all;		/* of this thread, of all threads */
	unsigned loaded;			/* slots, a bit each */
	unsigned values;
	bool pairs;
};

static struct step *add(struct b_maker *m, enum b_kind kind)
{
	struct step *s = &m->p->step[m->thread][m->p->nr[m->thread]++];

	*s = (struct step) { .kind = kind, .data = -1, .from = -1 };
	return s;
}

static int some_slot(struct b_maker *m)
{
	for (;;) {
		unsigned slot = below(m->random, B_ACCESSES);

		if (m->loaded >> slot & 1)
			return (int)slot;
	}
}

/* Returns a value of which each byte is the same small number. */
static uint64_t bytes_of(unsigned number, unsigned size)
{
	return b_cut(UINT64_C(0x0101010101010101) * number, size);
}

static void place(struct b_maker *m, struct step *s, unsigned smallest)
{
	unsigned sizes = 0;

	s->loc = below(m->random, m->p->locs);
	for (unsigned size = smallest; size <= m->p->size[s->loc]; size *= 2)
		sizes++;
	s->size = smallest << below(m->random, sizes);
	s->offset = s->size * below(m->random, m->p->size[s->loc] / s->size);
}

static void operand(struct b_maker *m, struct step *s)
{
	bool machine_may = m->p->machine != M_TSO || s->kind == B_STORE;

	s->value = bytes_of(1 + m->values++ % 7, s->size);
	if (machine_may && m->loaded && percent(m->random, 20))
		s->data = some_slot(m);
}

static void dependency(struct b_maker *m, struct step *s)
{
	if (m->p->machine == M_TSO || !m->loaded || !percent(m->random, 25))
		return;
	s->from = some_slot(m);
	s->from_address = !b_writes(s) || s->data >= 0 || percent(m->random, 50);
}

static unsigned order_of(struct b_maker *m, const struct step *s)
{
	unsigned atomic = s->kind != B_LOAD && s->kind != B_STORE, order = 0;

	if (m->p->machine == M_TSO || (m->p->machine == M_RVWMO && !atomic) || percent(m->random, 50))
		return 0;
	if (b_reads(s) && percent(m->random, 60))
		order |= s->kind == B_LOAD && percent(m->random, 40) ? B_PC : B_ACQ;
	if (b_writes(s) && percent(m->random, 60))
		order |= B_REL;
	return order;
}

static void count_access(struct b_maker *m, struct step *s)
{
	s->slot = (int)m->accesses++;
	m->all++;
	if (b_reads(s))
		m->loaded |= 1u << s->slot;
}

static enum b_kind some_kind(struct b_maker *m)
{
	unsigned which = below(m->random, 100);

	if (which < 40)
		return B_LOAD;
	if (which < 75)
		return B_STORE;
	if (which < 85)
		return B_SWAP;
	if (which < 92)
		return B_ADD;
	return m->p->machine == M_TSO ? B_CAS : B_LX;
}

static void finish(struct b_maker *m, struct step *s)
{
	if (b_writes(s))
		operand(m, s);
	s->order = order_of(m, s);
	dependency(m, s);
	count_access(m, s);
}

static void add_pair(struct b_maker *m, struct step load)
{
	struct step *s;

	count_access(m, &load);
	m->p->step[m->thread][m->p->nr[m->thread] - 1] = load;
	s = add(m, B_SX);
	s->loc = load.loc;
	s->offset = load.offset;
	s->size = load.size;
	finish(m, s);
}

/* Adds LDP or STP of two words. */
static void add_halves(struct b_maker *m)
{
	struct step *first = add(m, percent(m->random, 50) ? B_LOAD : B_STORE), *second;

	first->size = 4;
	first->first_half = true;
	second = add(m, first->kind);
	second->size = second->offset = 4;
	second->second_half = true;
	if (m->loaded && percent(m->random, 30)) {
		first->from = second->from = some_slot(m);
		first->from_address = second->from_address = true;
	}
	for (int i = 0; i < 2; i++) {
		if (b_writes(first))
			operand(m, i ? second : first);
		count_access(m, i ? second : first);
	}
}

static void add_access(struct b_maker *m)
{
	enum b_kind kind = some_kind(m);
	unsigned smallest = m->p->machine == M_RVWMO && kind > B_STORE ? 4 : 1;
	struct step *s;

	if (m->p->size[0] < smallest || m->p->size[m->p->locs - 1] < smallest ||
	    (kind == B_LX && m->accesses + 2 > B_ACCESSES))
		kind = percent(m->random, 50) ? B_LOAD : B_STORE, smallest = 1;
	s = add(m, kind);
	place(m, s, smallest);
	if (kind == B_CAS)
		s->expect = bytes_of(below(m->random, 3), s->size);
	if (kind == B_LX) {
		s->order = order_of(m, s);
		add_pair(m, *s);
		return;
	}
	finish(m, s);
}

static void add_fence(struct b_maker *m)
{
	static const enum b_fence arm[] = { BF_FULL, BF_LD, BF_ST, BF_ISB };
	struct step *s = add(m, B_FENCE);

	s->fence = BF_FULL;
	if (m->p->machine == M_ARMV8)
		s->fence = arm[below(m->random, 4)];
	if (m->p->machine != M_RVWMO)
		return;
	s->fence = percent(m->random, 20) ? BF_TSO : BF_RW;
	s->pred = 1 + below(m->random, 3);
	s->succ = 1 + below(m->random, 3);
}

static void make_thread(struct b_maker *m)
{
	unsigned accesses = 1 + below(m->random, m->pairs ? 2 : 3) + (m->p->threads == 2), left = B_STEPS - B_ACCESSES;

	m->accesses = m->loaded = 0;
	while (m->accesses < accesses && m->all < 7) {
		if (m->accesses && left && percent(m->random, 30)) {
			left--;
			if (m->loaded && m->p->machine != M_TSO && percent(m->random, 40))
				add(m, B_BRANCH)->from = some_slot(m);
			else
				add_fence(m);
		}
		if (m->pairs && m->accesses + 2 <= B_ACCESSES && percent(m->random, 40))
			add_halves(m);
		else
			add_access(m);
	}
}

static void make_program(struct b_program *p, enum machine machine, struct random *random)
{
	static const unsigned sizes[] = { 2, 2, 2, 4, 4, 8 }, large[] = { 4, 4, 4, 8, 8, 2 };
	struct b_maker m = { .p = p, .random = random };

	memset(p, 0, sizeof(*p));
	p->machine = machine;
	p->threads = percent(random, 70) ? 2 : 3;
	p->locs = percent(random, 60) ? 1 : 2;
	for (unsigned l = 0; l < p->locs; l++)
		p->size[l] = (machine == M_RVWMO ? large : sizes)[below(random, 6)];
	/* A program with pairs has 8 bytes and two threads: each byte more makes more combinations. */
	m.pairs = machine == M_ARMV8 && percent(random, 15);
	if (m.pairs) {
		p->threads = 2;
		p->locs = 1;
		p->size[0] = 8;
	}
	for (m.thread = 0; m.thread < p->threads; m.thread++)
		make_thread(&m);
}

/* Whether two accesses that overlap differ in size. */
static bool is_mixed(const struct b_program *p)
{
	for (unsigned t = 0; t < p->threads * B_STEPS; t++)
		for (unsigned u = 0; u < t; u++) {
			const struct step *a = &p->step[t / B_STEPS][t % B_STEPS], *b = &p->step[u / B_STEPS][u % B_STEPS];

			if (a->size && b->size && a->size != b->size && b_first(a) < b_first(b) + b->size &&
			    b_first(b) < b_first(a) + a->size)
				return true;
		}
	return false;
}

/* ---- states */

unsigned b_keys(const struct b_program *p, struct b_key *key)
{
	unsigned nr = 0;

	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->nr[t]; i++)
			if (b_reads(&p->step[t][i]))
				key[nr++] = (struct b_key) { (int)t, (unsigned)p->step[t][i].slot };
	for (unsigned l = 0; l < p->locs; l++)
		key[nr++] = (struct b_key) { -1, l };
	return nr;
}

bool b_found(const struct b_program *p, const struct b_final *final, struct b_states *states)
{
	struct b_key key[B_KEYS];
	uint64_t value[B_KEYS] = { 0 };

	states->keys = b_keys(p, key);
	for (unsigned k = 0; k < states->keys; k++)
		if (key[k].thread >= 0)
			value[k] = final->reg[key[k].thread][key[k].number];
		else
			for (unsigned i = 0; i < p->size[key[k].number]; i++)
				value[k] |= (uint64_t)final->memory[8 * key[k].number + i] << 8 * i;
	for (unsigned i = 0; i < states->nr; i++)
		if (!memcmp(states->value[i], value, sizeof(value)))
			return true;
	if (states->nr == B_STATES)
		return false;
	memcpy(states->value[states->nr++], value, sizeof(value));
	return true;
}

int main(int argc, char **argv)
{
	static struct b_states states;
	struct b_program p;
	char path[4096];
	FILE *csv;
	int m = 0;

	while (m < MACHINES && argc == 5 && strcmp(machines[m], argv[1]))
		m++;
	if (argc != 5 || m == MACHINES) {
		fputs("usage: bytes tso|armv8|rvwmo SEED COUNT DIRECTORY\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/expected.csv", argv[4]);
	csv = fopen(path, "w");
	for (unsigned long n = 0; csv && n < strtoul(argv[3], NULL, 10); n++) {
		struct random random = { strtoul(argv[2], NULL, 10) * 1000003 + n * 7919 + (unsigned)m };

		do {
			make_program(&p, (enum machine)m, &random);
			states.nr = 0;
		} while (!is_mixed(&p) || !enumerators[m](&p, &states));
		snprintf(p.name, sizeof(p.name), "mixed-%s-%s-%lu", argv[1], argv[2], n);
		snprintf(path, sizeof(path), "%s/%s.litmus", argv[4], p.name);
		if (!bytes_print(csv, path, argv[1], &p, &states, states.value[below(&random, states.nr)]))
			break;
	}
	if (!csv || fclose(csv)) {
		perror(path);
		return 1;
	}
	return 0;
}
