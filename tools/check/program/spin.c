/* SPDX-License-Identifier: MIT */
/*
 * Threads that spin. If an iteration of a loop reads what the iteration before has read, and
 * writes nothing, the loop is not explored further. The thread goes on only when there is a newer
 * write to read.
 */
#include "program/caller.h"
#include "program/ops.h"

/* After this number of iterations in a row without any event a loop counts as endless. */
#define MAX_EMPTY_YIELDS	1000

bool execution_spun;

/*
 * If the last @n events of the thread repeat the @n events before, nothing has changed: returns
 * how many of them are reads. Fences change nothing, nor does a point at which the thread might
 * have stopped. But a loop without a read does not wait for anything.
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

void spin(unsigned n, unsigned reads)
{
	struct thread *t = &threads[self];

	t->nr_spun = n;
	execution_spun = true;
	if (search.strategy->reduces)
		thread_stops(T_SPINS);
	/* A thread that a newer write woke has to read that write, or it could spin for ever. */
	t->fresh = reads;
	if (t->done == graph->count[self])
		thread_spins();
}

void wait_for_newer(const char *what, const void *object, bool timed, uintptr_t pc)
{
	struct thread *t = &threads[self];

	t->waits_for = what;
	t->waits_on = (uintptr_t)object;
	t->waits_at = pc;
	t->holder = NULL;
	t->timed = timed;
	spin(1 + timed, 1);
	t->waits_for = NULL;
}

void op_yield(uintptr_t pc)
{
	struct thread *t = &threads[self];
	unsigned n, reads;

	if (self == MAX_THREADS)
		return;
	settle();
	if (turns_by_state) {
		turn_at(pc, take_sp(pc));
		return;
	}
	n = t->done - t->yield_at;
	t->empty_yields = n ? 0 : t->empty_yields + 1;
	t->yield_at = t->done;
	reads = n ? turn_repeats(n) : 0;
	if (!reads && t->empty_yields <= MAX_EMPTY_YIELDS)
		return;
	spin(n, reads);
}

/* Whether there is a newer write than the one that @e read or, with F_EXCL, wrote. */
static bool is_old(const struct event *e)
{
	unsigned write = e->rf;

	if ((e->flags & F_EXCL) && e->index < graph->count[e->thread])
		write = graph->event_of[e->thread][e->index];
	return co_next_of(graph, write, e->location);
}

/* Whether a read of the thread's spinning iteration would find a newer write now. */
bool spun_on_old(unsigned number)
{
	for (unsigned i = graph->count[number] - threads[number].nr_spun;
	     i < graph->count[number]; i++) {
		const struct event *e = &graph->event[graph->event_of[number][i]];

		if (e->kind == E_READ && is_old(e))
			return true;
	}
	return false;
}
