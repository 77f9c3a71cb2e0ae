/* SPDX-License-Identifier: MIT */
/*
 * A relation on some events of a graph, numbered from 0: a row of bits for each event.
 */
#ifndef NAP_CHECK_RELATION_H
#define NAP_CHECK_RELATION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RELATION_WORDS(nr) (((nr) + 63) / 64)

struct relation {
	unsigned nr;
	uint64_t *after;	/* @nr rows of RELATION_WORDS(nr); the caller's */
};

static inline void relation_clear(struct relation *r)
{
	memset(r->after, 0, r->nr * RELATION_WORDS(r->nr) * sizeof(*r->after));
}

static inline void relation_add(struct relation *r, unsigned from, unsigned to)
{
	r->after[from * RELATION_WORDS(r->nr) + to / 64] |= 1ull << to % 64;
}

static inline bool relation_has(const struct relation *r, unsigned from, unsigned to)
{
	return r->after[from * RELATION_WORDS(r->nr) + to / 64] >> to % 64 & 1;
}

/* Whether @r has a cycle. Makes @r its closure (Warshall: A theorem on Boolean matrices, 1962). */
bool relation_cyclic(struct relation *r);

#endif /* NAP_CHECK_RELATION_H */
