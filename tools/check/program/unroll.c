/* SPDX-License-Identifier: MIT */
/*
 * A bound on the iterations of loops. An iteration is known by its operations: the same place in
 * the program, with the same end of the thread's stack. So the calls of a function from one depth
 * count as iterations of a loop, too.
 *
 * A thread at the bound goes no further, and the others do. Executions in which all threads stay
 * below the bound are explored, each once. Other executions lead to them by revisits. A thread that
 * has stopped at the bound prevents no revisit: the revisit only has fewer events to take away.
 */
#include "program/events.h"
#include "program/unroll.h"

unsigned unroll;
bool unroll_was_met;

#define PLACES 512	/* of a thread, in an execution */
static struct {
	uintptr_t pc, sp;
	uint32_t execution;
	unsigned times;
} places[MAX_THREADS][PLACES];

void unroll_at(uintptr_t pc, uintptr_t sp)
{
	unsigned i = (unsigned)((pc ^ sp << 7) * 0x9e3779b97f4a7c15ul >> 55), looked = 0;

	while (places[self][i].execution == execution &&
	       (places[self][i].pc != pc || places[self][i].sp != sp)) {
		if (++looked == PLACES)
			give_up("the bound on places that --unroll counts at");
		i = (i + 1) % PLACES;
	}
	if (places[self][i].execution != execution) {
		places[self][i].execution = execution;
		places[self][i].pc = pc;
		places[self][i].sp = sp;
		places[self][i].times = 0;
	}
	/* A loop of N iterations asks N + 1 times whether there is another. */
	if (places[self][i].times++ <= unroll)
		return;
	unroll_was_met = true;
	thread_stops(T_PRUNED);
}
