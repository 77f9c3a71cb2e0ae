/* SPDX-License-Identifier: MIT */
/*
 * Visits every execution graph that the model allows, each once.
 *
 * The algorithm is TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless,
 * Optimal Dynamic Partial Order Reduction, POPL 2022). Events are added one at a time, always by
 * the first thread that can add one. A read takes the newest write. Alternatives are noted: the
 * other writes that a read may read, the other positions of a write in co, and the earlier reads
 * that could have read the write (revisit.c).
 */
#include "explore/alternatives.h"

static unsigned trust_pick(unsigned current, uint32_t runnable)
{
	(void)current;
	return (unsigned)__builtin_ctz(runnable);
}

static void trust_write(struct event *e, const uint16_t *candidates, unsigned nr)
{
	note_revisits(graph, e);
	note_writes(e, candidates, nr);
}

const struct strategy strategy_trust = {
	.counted = "", .extent = "", .reduces = true,
	.next = next_graph, .pick = trust_pick,
	.read = note_reads, .write = trust_write, .choice = note_choices,
	.dropped = note_contender,
};
