/* SPDX-License-Identifier: MIT */
/*
 * Loops, recognised by the state of their threads. If an iteration has only read, and the thread
 * is then at the same place with the same stack, the same iteration will follow as long as its
 * reads find the same values. Everything else that it could read is an alternative of the reads
 * of this iteration, so no further iteration is explored. (GenMC does this for loops that it
 * finds in the program's text: Kokologiannakis, Ren, Vafeiadis: Dynamic Partial Order Reductions
 * for Spinloops, FMCAD 2021.)
 */
#include <string.h>

#include "program/awaits.h"
#include "program/caller.h"
#include "program/callers.h"
#include "program/foreign_writes.h"
#include "program/locals.h"
#include "program/memory.h"
#include "program/ops.h"
#include "program/pthreads.h"

bool turns_by_state;
uintptr_t caller_sp, caller_pc, own_stack;
unsigned long writes_elsewhere;

/* The last time that a thread was at a place. */
#define PLACES 16
static struct place_was {
	uintptr_t pc, sp;
	unsigned long writes;
	uint64_t stack;
	unsigned same;		/* how many times in a row nothing had changed */
	struct await_mark mark;
} places[MAX_THREADS][PLACES];

/*
 * The last states of a thread. An iteration may come to one place several times, each time with
 * another stack, as a search through an array does. So the last state of each place is not
 * enough. A state is kept in one of several ways, because all states of a short iteration may
 * belong into one set: each would take the place of the other, and the loop would not be
 * recognised.
 */
#define SET_BITS 6
#define WAYS 4
static struct state_was {
	uintptr_t pc;
	uint64_t stack;
	uint32_t execution;
	unsigned done;
	unsigned long writes;
	unsigned same;		/* how many iterations have ended in this state */
} states[MAX_THREADS][1 << SET_BITS][WAYS];

unsigned long plain_left;

void turns_begin(void)
{
	if (!turns_by_state)
		return;
	awaits_begin();
	for (unsigned t = 0; t < nr_threads; t++)
		for (unsigned i = 0; i < PLACES; i++)
			places[t][i].pc = 0;
}

__attribute__((noinline)) void wipe_stack(void)
{
	char below[4096];

	memset(below, 0, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
}

static uint64_t stack_from(uintptr_t sp)
{
	const uint64_t *word = (const uint64_t *)(sp & ~7ul);
	const uint64_t *top = (const uint64_t *)memory_stack(self);
	uint64_t hash = sp;

	for (; word < top; word++) {
		hash = (hash ^ *word) * 0x9e3779b97f4a7c15ul;
		hash ^= hash >> 29;
	}
	return hash;
}

/* Whether @e changes nothing. A write of the value that was there is no change. */
static bool changes_nothing(const struct event *e)
{
	if (e->kind == E_FENCE || (e->kind == E_CHOICE && (e->flags & F_STOP)))
		return true;
	if (e->kind == E_READ)
		return !(e->flags & F_KERNEL);
	return e->kind == E_WRITE && (e->flags & F_EXCL) && !(e->flags & F_KERNEL) &&
	       e->value == pred_of(graph, e)->value;
}

/* Whether the thread's events from @first on change nothing. *@reads: how many of them read. */
static bool quiet_since(unsigned first, unsigned *reads)
{
	*reads = 0;
	for (unsigned i = first; i < threads[self].done; i++) {
		const struct event *e = &graph->event[graph->event_of[self][i]];

		if (!changes_nothing(e))
			return false;
		*reads += e->kind == E_READ;
	}
	return true;
}

static struct place_was *place_of(uintptr_t pc)
{
	struct place_was *place = places[self], *oldest = place;

	for (unsigned i = 0; i < PLACES; i++, place++) {
		if (place->pc == pc || !place->pc)
			return place;
		if (place->mark.done < oldest->mark.done)
			oldest = place;
	}
	oldest->pc = 0;
	return oldest;
}

/*
 * How many iterations end in the same state before the thread spins. The compiler decides whether
 * the first iteration leaves something new on the stack, and executions must not depend on this.
 */
#define TURNS_SAME 2

/* Whether the thread was last at @pc with this stack, and has changed nothing since then. */
static bool place_is_same(uintptr_t pc, uintptr_t sp, uint64_t stack, unsigned *since,
			  unsigned *reads)
{
	struct place_was *place = place_of(pc), was = *place;

	*place = (struct place_was){ pc, sp, writes_elsewhere, stack, 0, await_here() };
	if (was.pc != pc || was.writes != place->writes)
		return false;
	if (was.sp == sp)
		await_again(pc, &was.mark);
	if (!quiet_since(was.mark.done, reads))
		return false;
	place->same = was.same + 1;
	*since = was.mark.done;
	return was.stack == stack && place->same >= TURNS_SAME;
}

/* Returns where this state is kept, or else where its set has room, or keeps the oldest one. */
static struct state_was *state_of(uintptr_t pc, uint64_t stack)
{
	uint64_t hash = (stack ^ pc) * 0x9e3779b97f4a7c15ul;
	struct state_was *way = states[self][hash >> (64 - SET_BITS)], *oldest = way;

	for (unsigned i = 0; i < WAYS; i++, way++) {
		if (way->execution != execution)
			oldest = way;
		else if (way->pc == pc && way->stack == stack)
			return way;
		else if (oldest->execution == execution && way->done < oldest->done)
			oldest = way;
	}
	return oldest;
}

/* As place_is_same(), whatever stacks came in between. If other states took the place: false. */
static bool state_is_same(uintptr_t pc, uint64_t stack, unsigned *since, unsigned *reads)
{
	struct state_was *state = state_of(pc, stack);
	struct state_was was = *state;

	*state = (struct state_was){ pc, stack, execution, threads[self].done, writes_elsewhere,
				     0 };
	if (was.execution != execution || was.pc != pc || was.stack != stack ||
	    was.writes != state->writes || !quiet_since(was.done, reads))
		return false;
	state->same = was.same + 1;
	*since = was.done;
	return state->same >= TURNS_SAME;
}

void turn_at(uintptr_t pc, uintptr_t sp)
{
	unsigned since = 0, reads = 0;
	uint64_t stack;

	if (self == MAX_THREADS || !(sp || threads[self].frames))
		return;
	foreign_hide(sp ? sp : threads[self].frames);
	stack = stack_from(sp ? sp : threads[self].frames);
	foreign_show();
	await_arrives(pc, stack ^ pc * 0x9e3779b97f4a7c15ul ^ (uintptr_t)thread_value(self));
	if (!sp)
		return;
	if (place_is_same(pc, sp, stack, &since, &reads) ||
	    state_is_same(pc, stack, &since, &reads))
		spin(threads[self].done - since, reads);
}

void turn_plain(void)
{
	struct callers callers;

	if (locals_settle())
		return;
	plain_left = MAX_PLAIN;
	if (search_is_late())
		give_up(TIME_IS_UP);
	if (self == MAX_THREADS)
		return;
	callers_now(&callers);
	threads[self].endless = true;
	threads[self].waits_at = callers.pc[0];
	spin(0, 0);
}
