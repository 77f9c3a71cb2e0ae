/* SPDX-License-Identifier: MIT */
/*
 * N siblings may begin with the same read-modify-write, on a location with no other writes, or with
 * the same lock. The N! orders of these operations differ in nothing but the threads' numbers. So a
 * sibling does not come before one with a lower number there, and one of the orders is explored.
 *
 * Why nothing is lost: take an execution, and give the siblings new numbers in the order in which
 * they come to this location. The result is an execution of the program, too, if nothing tells the
 * siblings apart. The search leaves out what has a higher number before a lower one. A thread that
 * has come before another stays before it in whatever the search makes of that graph, because each
 * of the writes here depends on those before it (revisit.c). So no way to the renumbered execution
 * leads through what is left out.
 *
 * siblings_differ() is called when something tells threads apart: a thread asks for its number;
 * what it returns is used; it is detached, or joined by another thread than the one that started
 * it; it starts threads; its address, or that of its memory, is read from memory that threads
 * share. siblings_differ() is also called if the siblings' starter does more than read handles
 * between starting two of them, or between joining two. If the difference is learnt after something
 * has been left out, the search begins anew. What a thread computes of its addresses, of a key's
 * number or of a lock's word is not noticed. So the reduction is only for programs whose user asks
 * for it. (GenMC compares longer beginnings of threads: Kokologiannakis, Marmanis, Vafeiadis:
 * SPORE: Combining Symmetry and Partial Order Reduction, PLDI 2024.)
 */
#include <string.h>

#include "program/cells.h"
#include "program/locations.h"
#include "program/scenario.h"
#include "program/siblings.h"
#include "program/siblings_learnt.h"

static struct {
	unsigned first;			/* the first sibling; without siblings the thread itself */
	const void *run, *arg;
	uintptr_t handle;
	bool detached;
} started[MAX_THREADS];

static struct {
	unsigned last;			/* the thread that was started last */
	unsigned index;			/* of this start, among the starter's events */
	unsigned joins, left;		/* the sibling joined last; how many are yet to be joined */
	bool touched;			/* the starter has done something else since */
} starter[MAX_THREADS];

uint32_t siblings_watched;

void siblings_begin(void)
{
	siblings_watched = 0;
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		started[t].first = t;
		started[t].run = NULL;
		started[t].handle = 0;
		starter[t].index = starter[t].left = 0;
	}
}

/* Returns the siblings of @number, itself included. */
static uint32_t all_of(unsigned number)
{
	uint32_t all = 0;

	for (unsigned t = 0; t < MAX_THREADS; t++)
		all |= (uint32_t)(started[t].first == started[number].first) << t;
	return all;
}

void siblings_differ(uint32_t those)
{
	if (!siblings_learn(those))
		must_restart();
}

void siblings_met(uint64_t value)
{
	uint64_t arena = (value - MEMORY_BASE) / ARENA_SIZE;

	if (memory_is_stack(value))
		siblings_differ(1u << memory_thread(value));
	else if (arena < MAX_THREADS)
		siblings_differ(1u << arena);
}

/* ---- starting and joining */

void sibling_starts(unsigned number, const void *run, const void *arg, bool detached)
{
	unsigned last = starter[self].last, done = threads[self].done;
	bool next = starter[self].index && starter[self].index + 1 == done &&
		    !starter[self].touched && !starter[self].left && last < number &&
		    started[last].run == run && started[last].arg == arg &&
		    started[last].detached == detached;

	siblings_differ(1u << self);
	started[number].first = next ? started[last].first : number;
	started[number].run = run;
	started[number].arg = arg;
	started[number].detached = detached;
	starter[self].last = number;
	starter[self].index = done;
}

void siblings_watch(unsigned number, const void *handle)
{
	started[number].handle = (uintptr_t)handle;
	starter[self].touched = false;
	siblings_watched |= 1u << self;
	shadow_mine = OWNED_BY_NOBODY;
}

void sibling_joined(unsigned number)
{
	uint32_t all = all_of(number);

	if (!(all & (all - 1)))
		return;
	if (graph->event[graph->creator[number]].thread != self)
		siblings_differ(all);
	if (!starter[self].left)
		starter[self].left = (unsigned)__builtin_popcount(all);
	else if (!(all >> starter[self].joins & 1))
		siblings_differ(all | all_of(starter[self].joins));
	starter[self].joins = number;
	siblings_watched |= 1u << self;
	shadow_mine = OWNED_BY_NOBODY;
}

/* The starter does something else before it has joined all. */
static void something_else(void)
{
	starter[self].touched = true;
	if (starter[self].left)
		siblings_differ(all_of(starter[self].joins));
}

void siblings_see(const struct event *e)
{
	if (e->kind == E_CREATE && !starter[self].left)
		return;
	if (starter[self].left && e->kind == E_READ && !locations[e->location].size &&
	    hidden_kind(e->location) == HIDDEN_END &&
	    hidden_key(e->location) == starter[self].joins) {
		starter[self].left--;
		return;
	}
	something_else();
	siblings_watched &= ~(1u << self);
}

static bool is_handle(uintptr_t address)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (started[t].handle == address)
			return true;
	return false;
}

void siblings_touch(uintptr_t address, bool write)
{
	if (write || !is_handle(address))
		something_else();
}

/*
 * Threads whose handles are read by others are no siblings. (The handle is from before the reader's
 * start, or the read is a race.)
 */
bool siblings_end(void)
{
	uint32_t those = 0;

	for (unsigned t = 0; t < MAX_THREADS; t++)
		if (started[t].handle && cell_at(started[t].handle / 8)->owner == SHARED)
			those |= all_of(t);
	return siblings_learn(those);
}

/* ---- leaving out */

static bool always_writes(const struct event *e)
{
	return (e->flags & F_MUTEX) || (e->rmw >= RMW_XCHG && e->rmw <= RMW_NAND);
}

static bool is_same(const struct event *e, const struct event *f)
{
	return e->kind == f->kind && e->pc == f->pc && e->order == f->order &&
	       e->fail_order == f->fail_order &&
	       (e->flags & (F_MUTEX | F_LIGHT | F_HEAVY)) ==
	       (f->flags & (F_MUTEX | F_LIGHT | F_HEAVY));
}

/* Whether the two threads have done the same up to @e and @f, and have learnt nothing by it. */
static bool begin_alike(const struct event *e, const struct event *f)
{
	if (e->index != f->index || !is_same(e, f) || e->rmw != f->rmw || !always_writes(e) ||
	    e->location != f->location || (e->operand != f->operand && !(e->flags & F_MUTEX)))
		return false;
	for (unsigned i = 0; i + 1u < e->index; i++) {
		const struct event *one = &graph->event[graph->event_of[e->thread][i]];
		const struct event *other = &graph->event[graph->event_of[f->thread][i]];

		if (one->kind != E_FENCE || !is_same(one, other))
			return false;
	}
	return true;
}

/* Whether the write @w gives back a lock that its thread has taken by the write before @w. */
static bool gives_back(const struct event *w)
{
	const struct event *taken = &graph->event[w->co_prev];

	return w->co_prev && taken->thread == w->thread && (taken->flags & F_EXCL) &&
	       (pred_of(graph, taken)->flags & F_MUTEX);
}

/*
 * Whether each write at the location of @e depends on the write before. Writes from before the
 * thread was created do not count.
 */
static bool is_chain(const struct event *e)
{
	const vector *before = &graph->event[graph->creator[e->thread]].clock;

	for (unsigned w = graph->head[e->location].co_first; w; w = graph->event[w].co_next) {
		const struct event *write = &graph->event[w];

		if (!(write->flags & F_EXCL) && !vector_has(before, write) && !gives_back(write))
			return false;
	}
	return true;
}

static void now_mixed(unsigned location)
{
	if (!siblings_mix(location))
		must_restart();
}

/* Whether a sibling of @e's thread, which has done the same up to here, has read @write. */
static bool sibling_reads(const struct event *e, unsigned write)
{
	unsigned next = co_next_of(graph, write, e->location);
	const struct event *other;

	if (!next || !(graph->event[next].flags & F_EXCL))
		return false;
	other = pred_of(graph, &graph->event[next]);
	return other->thread < e->thread &&
	       started[other->thread].first == started[e->thread].first && begin_alike(e, other);
}

unsigned siblings_leave(const struct event *e, uint16_t *candidates, unsigned nr)
{
	unsigned kept = 0;

	if (started[e->thread].first == e->thread || siblings_are_apart(all_of(e->thread)) ||
	    siblings_are_mixed(e->location) || (search.without & WITHOUT_SYMMETRY) || may_stop ||
	    scenario->finally || scenario->exists)
		return nr;
	for (unsigned i = 0; i < nr; i++) {
		if (!sibling_reads(e, candidates[i])) {
			candidates[kept++] = candidates[i];
			continue;
		}
		if (!is_chain(e)) {
			now_mixed(e->location);
			candidates[kept++] = candidates[i];
			continue;
		}
		siblings_stand_in(all_of(e->thread), e->location);
	}
	return kept;
}

void siblings_stored(const struct event *e)
{
	if (!siblings_stood_at(e->location) || gives_back(e))
		return;
	for (unsigned w = graph->head[e->location].co_first; w; w = graph->event[w].co_next)
		if (!vector_has(&e->clock, &graph->event[w]))
			now_mixed(e->location);
}
