/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "graph/matrix.h"

void matrix_sequence(struct matrix *to, const struct matrix *a, const struct matrix *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		event_set reached = 0;

		for (event_set rest = a->row[i]; rest; rest &= rest - 1)
			reached |= b->row[set_first(rest)];
		to->row[i] = reached;
	}
}

void matrix_inverse(struct matrix *to, const struct matrix *m, unsigned n)
{
	memset(to->row, 0, n * sizeof(to->row[0]));
	for (unsigned i = 0; i < n; i++)
		for (event_set rest = m->row[i]; rest; rest &= rest - 1)
			matrix_add(to, set_first(rest), i);
}

bool matrix_between(const struct matrix *m, unsigned n, unsigned a, unsigned b)
{
	for (unsigned i = 0; i < n; i++)
		if (matrix_has(m, a, i) && matrix_has(m, i, b))
			return true;
	return false;
}

void matrix_close(struct matrix *m, unsigned n)
{
	for (unsigned via = 0; via < n; via++) {
		event_set behind = m->row[via];

		if (!behind)
			continue;
		for (unsigned i = 0; i < n; i++)
			if (m->row[i] >> via & 1)
				m->row[i] |= behind;
	}
}

/*
 * Removes every event from which no remaining event is reached, until no such event is left. The
 * events of a thread are numbered in its order, so a pass from the last to the first removes most
 * of them.
 */
bool matrix_acyclic(const struct matrix *m, unsigned n)
{
	event_set left = n < 64 ? (1ull << n) - 1 : ~0ull, before;

	do {
		before = left;
		for (unsigned i = n; i-- > 0;)
			if (left >> i & 1 && !(m->row[i] & left))
				left &= ~(1ull << i);
	} while (left && left != before);
	return !left;
}

/* Finds a shortest path from @from back to @from, breadth first. Returns its length, or 0. */
static unsigned way_back(const struct matrix *m, unsigned from, unsigned *way)
{
	unsigned queue[MATRIX_EVENTS], before[MATRIX_EVENTS], head = 0, tail = 0, length = 1;
	event_set seen = 0;

	queue[tail++] = from;
	while (head < tail) {
		unsigned at = queue[head++];

		if (matrix_has(m, at, from)) {
			for (unsigned i = at; i != from; i = before[i])
				length++;
			for (unsigned i = at, k = length; k-- > 0; i = before[i])
				way[k] = i;
			return length;
		}
		for (event_set rest = m->row[at] & ~seen & ~(1ull << from); rest;
		     rest &= rest - 1) {
			before[set_first(rest)] = at;
			queue[tail++] = set_first(rest);
		}
		seen |= m->row[at];
	}
	return 0;
}

unsigned matrix_cycle(const struct matrix *m, unsigned n, unsigned *cycle)
{
	unsigned way[MATRIX_EVENTS], length, best = 0;

	for (unsigned i = 0; i < n; i++) {
		length = way_back(m, i, way);
		if (length && (!best || length < best)) {
			best = length;
			memcpy(cycle, way, length * sizeof(*cycle));
		}
	}
	return best;
}
