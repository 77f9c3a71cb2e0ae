/* SPDX-License-Identifier: MIT */
/*
 * x86-TSO as the machine of Owens, Sarkar and Sewell, byte by byte. A store goes to the end of its
 * thread's buffer, and all bytes of a store leave the buffer at once. A load takes each byte from
 * the last store of the buffer that has the byte, else from memory, all at one time. A locked
 * instruction and a fence wait until the buffer is empty. Every interleaving is run, but each state
 * of the machine is continued only once.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

struct buffered {
	unsigned first, size;
	uint64_t value;
};

struct machine_state {
	unsigned pc[B_THREADS], waiting[B_THREADS];
	struct buffered buffer[B_THREADS][B_ACCESSES];
	struct b_final final;
};

#define SEEN (1u << 18)

struct machines {
	const struct b_program *p;
	struct b_states *states;
	struct machine_state *seen;
	unsigned nr;
	unsigned table[2 * SEEN];	/* index + 1, by hash */
	bool too_many;
};

static bool is_new(struct machines *m, const struct machine_state *s)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < sizeof(*s); i++)
		hash = (hash ^ ((const unsigned char *)s)[i]) * 1099511628211u;
	for (unsigned at = (unsigned)(hash >> 20) % (2 * SEEN);; at = (at + 1) % (2 * SEEN)) {
		if (!m->table[at]) {
			if (m->nr == SEEN) {
				m->too_many = true;
				return false;
			}
			m->seen[m->nr] = *s;
			m->table[at] = ++m->nr;
			return true;
		}
		if (!memcmp(&m->seen[m->table[at] - 1], s, sizeof(*s)))
			return false;
	}
}

static uint8_t loaded(const struct machine_state *s, unsigned thread, unsigned byte)
{
	for (unsigned i = s->waiting[thread]; i-- > 0;) {
		const struct buffered *b = &s->buffer[thread][i];

		if (byte - b->first < b->size)
			return (uint8_t)(b->value >> 8 * (byte - b->first));
	}
	return s->final.memory[byte];
}

static void to_memory(struct machine_state *s, unsigned first, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		s->final.memory[first + i] = (uint8_t)(value >> 8 * i);
}

static void leave(struct machine_state *s, unsigned thread)
{
	struct buffered *b = s->buffer[thread];

	to_memory(s, b->first, b->size, b->value);
	s->waiting[thread]--;
	memmove(b, b + 1, s->waiting[thread] * sizeof(*b));
	memset(&b[s->waiting[thread]], 0, sizeof(*b));
}

/* Executes the next instruction; false: it waits for the buffer. */
static bool execute(struct machine_state *s, const struct step *step, unsigned thread)
{
	uint64_t *reg = s->final.reg[thread], old = 0;

	if ((b_one_instruction(step) || step->kind == B_FENCE) && s->waiting[thread])
		return false;
	for (unsigned i = 0; b_reads(step) && i < step->size; i++)
		old |= (uint64_t)loaded(s, thread, b_first(step) + i) << 8 * i;
	if (step->kind == B_STORE)
		s->buffer[thread][s->waiting[thread]++] = (struct buffered) {
			b_first(step), step->size, b_stored(step, reg, 0)
		};
	else if (b_one_instruction(step) && (step->kind != B_CAS || old == step->expect))
		to_memory(s, b_first(step), step->size, b_stored(step, reg, old));
	if (b_reads(step))
		reg[step->slot] = old;
	s->pc[thread]++;
	return true;
}

static void run(struct machines *m, const struct machine_state *s)
{
	bool ended = true;

	if (m->too_many || !is_new(m, s))
		return;
	for (unsigned t = 0; t < m->p->threads; t++) {
		struct machine_state next = *s;

		if (s->waiting[t]) {
			ended = false;
			leave(&next, t);
			run(m, &next);
			next = *s;
		}
		if (s->pc[t] == m->p->nr[t])
			continue;
		ended = false;
		if (execute(&next, &m->p->step[t][s->pc[t]], t))
			run(m, &next);
	}
	if (ended)
		m->too_many |= !b_found(m->p, &s->final, m->states);
}

bool bytes_tso(const struct b_program *p, struct b_states *states)
{
	struct machine_state begin;
	struct machines *m = calloc(1, sizeof(*m));
	bool whole;

	if (!m || !(m->seen = calloc(SEEN, sizeof(*m->seen))))
		abort();
	memset(&begin, 0, sizeof(begin));
	m->p = p;
	m->states = states;
	run(m, &begin);
	whole = !m->too_many;
	free(m->seen);
	free(m);
	return whole;
}
