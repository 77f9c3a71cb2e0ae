/* SPDX-License-Identifier: MIT */
/*
 *	bytes tso|armv8|rvwmo SEED COUNT DIRECTORY [c]
 *
 * random programs with accesses of different sizes to overlapping bytes, and expected.csv, their
 * final states, as nap-litmus --against reads it; (c) in the kernel's C, with unions
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
	unsigned loaded;			/* slots that a step has loaded, a bit each */
	unsigned values;
	bool pairs, wide;
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

/* Chooses a place of at least @smallest bytes. One register holds 8. */
static void place(struct b_maker *m, struct step *s, unsigned smallest)
{
	unsigned sizes = 0;

	s->loc = below(m->random, m->p->locs);
	for (unsigned size = smallest; size <= m->p->size[s->loc] && size * m->p->scale <= 8;
	     size *= 2)
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

	if (m->p->machine == M_TSO || (m->p->machine == M_RVWMO && !atomic) ||
	    percent(m->random, 50))
		return 0;
	if (b_reads(s) && percent(m->random, 60))
		order |= s->kind == B_LOAD && percent(m->random, 40) ? B_PC : B_ACQ;
	if (b_writes(s) && percent(m->random, 60))
		order |= B_REL;
	if (m->p->c)		/* C has no acquire-PC, and fences around each acquire-release */
		order = order & B_PC ? B_ACQ : order == (B_ACQ | B_REL) ? B_REL : order;
	return order;
}

/*
 * Gives the access its register. No later step depends on the registers of a pair; nor on the
 * register of Arm's compare-exchange, which may have the value that was compared instead of the
 * value that was read.
 */
static void count_access(struct b_maker *m, struct step *s)
{
	s->slot = (int)m->accesses++;
	m->all++;
	if (b_reads(s) && !s->wide && !(s->kind == B_CAS && m->p->machine == M_ARMV8))
		m->loaded |= 1u << s->slot;
}

static enum b_kind some_kind(struct b_maker *m)
{
	unsigned which = below(m->random, 100);
	bool arm = m->p->machine == M_ARMV8;

	if (which < 40)
		return B_LOAD;
	if (which < 75)
		return B_STORE;
	if (m->p->c)
		return m->p->machine == M_RVWMO ? B_STORE : which < 88 || arm ? B_SWAP : B_CAS;
	/* a sum of several bytes may carry */
	if (which < 84 || (m->p->scale > 1 && which < 90))
		return B_SWAP;
	if (which < 90)
		return B_ADD;
	return m->p->machine == M_TSO || which < 95 ? B_CAS : B_LX;
}

static void finish(struct b_maker *m, struct step *s)
{
	if (b_writes(s))
		operand(m, s);
	s->order = order_of(m, s);
	dependency(m, s);
	count_access(m, s);
}

/* As finish(), with other bytes in the second register than in the first. */
static void finish_wide(struct b_maker *m, struct step *s)
{
	unsigned number = 1 + m->values++ % 7, half = s->size / 2;

	s->value = bytes_of(number, half) | bytes_of(number + 8, half) << 8 * half;
	if (s->kind == B_CAS && percent(m->random, 40)) {
		number = 1 + below(m->random, 3);
		s->expect = bytes_of(number, half) | bytes_of(number + 8, half) << 8 * half;
	}
	s->order = order_of(m, s);
	if (m->p->machine != M_TSO && m->loaded && percent(m->random, 25)) {
		s->from = some_slot(m);
		s->from_address = true;
	}
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
	s->wide = load.wide;
	if (s->wide)
		finish_wide(m, s);
	else
		finish(m, s);
}

/* Adds an access of two registers: of 16 bytes, or Arm's of two words. */
static void add_wide(struct b_maker *m)
{
	static const enum b_kind arm[] = { B_CAS, B_LX, B_SWAP };
	enum b_kind kind = m->p->machine == M_ARMV8 ?
			   arm[below(m->random, m->p->scale > 1 ? 3 : 2)] : B_CAS;
	struct step *s;

	if (kind == B_LX && m->accesses + 2 > B_ACCESSES)
		kind = B_CAS;
	s = add(m, kind);
	s->wide = true;
	s->loc = m->p->locs > 1 && m->p->size[1] == m->p->size[0] ? below(m->random, 2) : 0;
	s->size = m->p->size[0];
	if (kind != B_LX) {
		finish_wide(m, s);
		return;
	}
	s->order = order_of(m, s);
	add_pair(m, *s);
}

/* Adds LDP or STP of two words, or of 16 bytes. */
static void add_halves(struct b_maker *m)
{
	struct step *first = add(m, percent(m->random, 50) ? B_LOAD : B_STORE), *second;

	first->size = m->p->scale > 1 ? 2 : 4;
	first->first_half = true;
	second = add(m, first->kind);
	second->size = second->offset = first->size;
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
	unsigned smallest = m->p->machine == M_RVWMO && kind > B_STORE && m->p->scale == 1 ? 4 : 1;
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
	if (m->p->machine == M_ARMV8)	/* C has no ISB */
		s->fence = arm[below(m->random, m->p->c ? 3 : 4)];
	if (m->p->machine != M_RVWMO)
		return;
	if (m->p->c) {
		s->fence = BF_RW;
		s->pred = s->succ = 1 + below(m->random, 3);
		return;
	}
	s->fence = percent(m->random, 20) ? BF_TSO : BF_RW;
	s->pred = 1 + below(m->random, 3);
	s->succ = 1 + below(m->random, 3);
}

static void make_thread(struct b_maker *m)
{
	unsigned accesses = 1 + below(m->random, m->pairs ? 2 : 3) + (m->p->threads == 2);
	unsigned left = B_STEPS - B_ACCESSES;

	m->accesses = m->loaded = 0;
	while (m->accesses < accesses && m->all < 7) {
		if (m->accesses && left && percent(m->random, 30)) {
			left--;
			if (m->loaded && m->p->machine != M_TSO && !m->p->c &&
			    percent(m->random, 40))
				add(m, B_BRANCH)->from = some_slot(m);
			else
				add_fence(m);
		}
		if (m->pairs && m->accesses + 2 <= B_ACCESSES && percent(m->random, 40))
			add_halves(m);
		else if (m->wide && percent(m->random, 40))
			add_wide(m);
		else
			add_access(m);
	}
}

/*
 * Makes a program that has accesses of two registers, too. It is small, because each further byte
 * makes many more combinations.
 */
static void make_wide(struct b_maker *m)
{
	struct b_program *p = m->p;

	m->wide = true;
	p->scale = p->machine != M_ARMV8 || percent(m->random, 70) ? 4 : 1;
	p->threads = 2;
	p->locs = 1;
	p->size[0] = p->scale > 1 ? 4 : 8;
	if (p->scale > 1 && percent(m->random, 30)) {
		p->locs = 2;
		p->size[1] = percent(m->random, 50) ? 4 : 2;
	}
}

static void make_program(struct b_program *p, enum machine machine, bool c, struct random *random)
{
	static const unsigned sizes[] = { 2, 2, 2, 4, 4, 8 }, large[] = { 4, 4, 4, 8, 8, 2 };
	struct b_maker m = { .p = p, .random = random };

	memset(p, 0, sizeof(*p));
	p->machine = machine;
	p->c = c;
	p->scale = 1;
	p->threads = percent(random, 70) ? 2 : 3;
	p->locs = percent(random, 60) ? 1 : 2;
	for (unsigned l = 0; l < p->locs; l++)
		p->size[l] = (machine == M_RVWMO ? large : sizes)[below(random, 6)];
	/*
	 * A program with pairs has only 8 bytes and two threads, because each further byte
	 * multiplies the combinations.
	 */
	m.pairs = machine == M_ARMV8 && !c && percent(random, 15);
	if (!c && percent(random, 25)) {
		make_wide(&m);
		m.pairs &= p->scale > 1;
	} else if (m.pairs) {
		p->threads = 2;
		p->locs = 1;
		p->size[0] = 8;
	}
	for (m.thread = 0; m.thread < p->threads; m.thread++)
		make_thread(&m);
}

/* Whether there are two accesses that overlap and differ in size. */
static bool is_mixed(const struct b_program *p)
{
	for (unsigned t = 0; t < p->threads * B_STEPS; t++)
		for (unsigned u = 0; u < t; u++) {
			const struct step *a = &p->step[t / B_STEPS][t % B_STEPS];
			const struct step *b = &p->step[u / B_STEPS][u % B_STEPS];

			if (a->size && b->size && a->size != b->size &&
			    b_first(a) < b_first(b) + b->size && b_first(b) < b_first(a) + a->size)
				return true;
		}
	return false;
}

/* ---- states */

unsigned b_keys(const struct b_program *p, struct b_key *key)
{
	unsigned nr = 0;

	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->nr[t]; i++) {
			const struct step *s = &p->step[t][i];

			for (unsigned half = 0; b_reads(s) && half <= s->wide; half++)
				key[nr++] = (struct b_key) { (int)t, (unsigned)s->slot,
							     s->wide ? half * s->size / 2 : 0,
							     s->wide ? s->size / 2 : s->size };
		}
	for (unsigned l = 0; l < p->locs; l++)
		for (unsigned at = 0; at < p->size[l]; at += 8 / p->scale)
			key[nr++] = (struct b_key) { -1, l, at, p->size[l] - at < 8 / p->scale ?
						     p->size[l] : 8 / p->scale };
	return nr;
}

bool b_found(const struct b_program *p, const struct b_final *final, struct b_states *states)
{
	struct b_key key[B_KEYS];
	uint64_t value[B_KEYS] = { 0 };

	states->keys = b_keys(p, key);
	for (unsigned k = 0; k < states->keys; k++)
		if (key[k].thread >= 0)
			value[k] = b_cut(final->reg[key[k].thread][key[k].number] >> 8 * key[k].at,
					 key[k].size);
		else
			for (unsigned i = 0; i < key[k].size; i++)
				value[k] |= (uint64_t)final->memory[8 * key[k].number + key[k].at +
								    i] << 8 * i;
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

	while (m < MACHINES && argc >= 5 && strcmp(machines[m], argv[1]))
		m++;
	if (argc < 5 || argc > 6 || m == MACHINES || (argc == 6 && strcmp(argv[5], "c"))) {
		fputs("usage: bytes tso|armv8|rvwmo SEED COUNT DIRECTORY [c]\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/expected.csv", argv[4]);
	csv = fopen(path, "w");
	for (unsigned long n = 0; csv && n < strtoul(argv[3], NULL, 10); n++) {
		struct random random = {
			strtoul(argv[2], NULL, 10) * 1000003 + n * 7919 + (unsigned)m
		};

		do {
			make_program(&p, (enum machine)m, argc == 6, &random);
			states.nr = 0;
		} while (!is_mixed(&p) || !enumerators[m](&p, &states));
		snprintf(p.name, sizeof(p.name), "mixed-%s-%s-%lu", argv[1], argv[2], n);
		snprintf(path, sizeof(path), "%s/%s.litmus", argv[4], p.name);
		if (!bytes_print(csv, path, argv[1], &p, &states,
				 states.value[below(&random, states.nr)]))
			break;
	}
	if (!csv || fclose(csv)) {
		perror(path);
		return 1;
	}
	return 0;
}
