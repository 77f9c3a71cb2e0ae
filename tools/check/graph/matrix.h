/* SPDX-License-Identifier: MIT */
/*
 * Sets of at most 64 events, and relations on them. A set is a word, a relation is a word for
 * each event. Axiomatic models are evaluated with these, once an execution.
 */
#ifndef NAP_CHECK_MATRIX_H
#define NAP_CHECK_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#define MATRIX_EVENTS 64

typedef uint64_t event_set;

/* row[a] has b: a is related to b. Only the first rows, one for each event, are read. */
struct matrix {
	event_set row[MATRIX_EVENTS];
};

static inline bool matrix_has(const struct matrix *m, unsigned a, unsigned b)
{
	return m->row[a] >> b & 1;
}

static inline void matrix_add(struct matrix *m, unsigned a, unsigned b)
{
	m->row[a] |= 1ull << b;
}

static inline void matrix_remove(struct matrix *m, unsigned a, unsigned b)
{
	m->row[a] &= ~(1ull << b);
}

/* Returns the lowest event of a set that is not empty. */
static inline unsigned set_first(event_set set)
{
	return (unsigned)__builtin_ctzll(set);
}

/* Sets @to to @a ; @b, for @n events. @to is neither @a nor @b. */
void matrix_sequence(struct matrix *to, const struct matrix *a, const struct matrix *b, unsigned n);
void matrix_inverse(struct matrix *to, const struct matrix *m, unsigned n);

/* Whether @m relates @a to one of the @n events, and this event to @b. */
bool matrix_between(const struct matrix *m, unsigned n, unsigned a, unsigned b);

/* Makes @m transitive (Warshall: A theorem on Boolean matrices, 1962). */
void matrix_close(struct matrix *m, unsigned n);

bool matrix_acyclic(const struct matrix *m, unsigned n);

/*
 * Finds a shortest cycle, and writes its events in order to @cycle, which has room for @n.
 * Returns how many, or 0 if there is no cycle.
 */
unsigned matrix_cycle(const struct matrix *m, unsigned n, unsigned *cycle);

#endif /* NAP_CHECK_MATRIX_H */
