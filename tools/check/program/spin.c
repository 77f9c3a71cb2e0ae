/* SPDX-License-Identifier: MIT */
/*
 * Threads that spin: a turn of a loop that reads what the turn before has read, and writes nothing,
 * is not explored further. The thread goes on, if it does, when there is a newer write to read.
 */
#include "program/ops.h"

/* Turns without any event, one after the other, that are taken for a loop that never ends. */
#define MAX_EMPTY_YIELDS	1000

bool execution_spun;

/*
 * If the last @n events of the thread are the same as the @n before, nothing has changed: how many
 * of them are reads. Fences change nothing, nor does going on where it might have stopped; but a
 * turn without a read is no loop that waits for something.
 */
static unsigned turn_repeats(unsigned n)
{
	const uint16_t *events = graph->event_of[self];
	unsigned done = threads[self].done, reads = 0;

	if (done < 2 * n)
		return 0;
	for (unsigned i = done - n; i < done; i++) {
		const struct event *e = &graph->event[events[i]], *f = &graph->event[events[i - n]];

		if (e->kind != f->kind || e->pc != f->pc)
			return 0;
		if (e->kind == E_FENCE || (e->kind == E_CHOICE && (e->flags & F_STOP)))
			continue;
		if (e->kind != E_READ || (e->flags & F_EXCL) || e->location != f->location ||
		    e->rf != f->rf)
			return 0;
		reads++;
	}
	return reads;
}

void op_yield(void)
{
	struct thread *t = &threads[self];
	unsigned n, reads;

	if (self == MAX_THREADS)
		return;
	settle();
	n = t->done - t->yield_at;
	t->empty_yields = n ? 0 : t->empty_yields + 1;
	t->yield_at = t->done;
	reads = n ? turn_repeats(n) : 0;
	if (!reads && t->empty_yields <= MAX_EMPTY_YIELDS)
		return;
	t->nr_spun = n;
	execution_spun = true;
	if (search.strategy->reduces)
		thread_stops(T_SPINS);
	/* Woken by a newer write, it is to see one: else it could spin for ever. */
	t->fresh = reads;
	if (t->done == graph->count[self])
		thread_spins();
}

/* Whether one of the reads of a turn that spun would find a newer write now. */
bool spun_on_old(unsigned number)
{
	for (unsigned i = graph->count[number] - threads[number].nr_spun;
	     i < graph->count[number]; i++) {
		const struct event *e = &graph->event[graph->event_of[number][i]];

		if (e->kind == E_READ && co_next_of(graph, e->rf, e->location))
			return true;
	}
	return false;
}
