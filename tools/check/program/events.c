/* SPDX-License-Identifier: MIT */
/*
 * Adds events. An access gets the first candidate that the model allows: of the writes that it
 * may read, or of the positions in co that it may have. explore/ gets the other candidates.
 */
#include "graph/values.h"
#include "model/coherence.h"
#include "program/events.h"
#include "program/locations.h"
#include "program/siblings.h"

/*
 * Of the event that is being added. From when add_event() has returned until the last use no other
 * thread runs. The array is not on the stack, because the threads' stacks are cleared (memory.c).
 */
static uint16_t candidates[MAX_EVENTS];

static void know_location(unsigned location)
{
	while (graph->nr_locations <= location)
		graph->head[graph->nr_locations++] = (struct head){ 0 };
}

struct event *add_event(enum kind kind, unsigned flags, uintptr_t pc)
{
	struct event *e;

	await_turn();
	e = graph_append(graph, self, kind);
	if (!e)
		give_up(GRAPH_IS_FULL);
	if (!model_has_room(graph))
		give_up(FENCES_ARE_FULL);
	e->pc = pc;
	e->flags = (uint16_t)(flags | flags_of_next());
	return e;
}

/* Takes the first candidate that the axioms allow. The axioms always allow the newest write. */
static bool first_that_holds(struct event *e, unsigned nr, unsigned *skip)
{
	for (unsigned i = 0; i < nr; i++) {
		e->rf = candidates[i];
		graph_compute(graph, e);
		*skip = i;
		if ((e->flags & F_EXCL) && co_closed(graph, e->rf, e->location))
			continue;
		if (candidates[i] == graph->head[e->location].co_last ||
		    allowed(graph, number_of(graph, e), 0))
			return true;
	}
	return false;
}

/* Whether a thread holds the lock, as its last write says. */
static bool is_held(unsigned location)
{
	return location < graph->nr_locations &&
	       lock_is_held(value_of(graph, graph->head[location].co_last, location));
}

void await_lock(unsigned location, uintptr_t pc)
{
	while (!recorded()) {
		await_turn();
		if (!is_held(location) || threads[self].waits_no_more)
			break;
		thread_waits(location, false, pc);
	}
}

uint32_t waits_in_vain(void)
{
	for (unsigned t = 0; t < nr_threads; t++)
		if (threads[t].state == T_BLOCKED && locations[threads[t].awaits].size) {
			threads[t].waits_no_more = true;
			threads[t].state = T_READY;
			return 1u << t;
		}
	return 0;
}

struct event *add_read(unsigned location, unsigned order, enum rmw rmw, uint64_t operand,
		       uint64_t expected, unsigned fail_order, unsigned flags, uintptr_t pc)
{
	struct event *e = add_event(E_READ, flags, pc);
	unsigned nr, skip = 0;

	know_location(location);
	e->location = (uint16_t)location;
	e->order = (uint8_t)order;
	e->rmw = (uint8_t)rmw;
	e->operand = operand;
	e->expected = expected;
	e->fail_order = (uint8_t)fail_order;
	nr = read_candidates(graph, e, search.strategy->reduces, candidates);
	if (search.strategy->reduces)
		nr = siblings_leave(e, candidates, nr);
	graph_list(graph, e);
	if (threads[self].fresh) {
		threads[self].fresh--;
		nr = nr > 1 ? 1 : nr;
	}
	if (!first_that_holds(e, nr, &skip)) {
		if (search.strategy->dropped)
			search.strategy->dropped(e, candidates, nr);
		graph_cut(graph, graph->n - 2);
		thread_stops(T_PRUNED);
	}
	search.strategy->read(e, candidates + skip, nr - skip);
	return e;
}

struct event *add_write(unsigned location, uint64_t value, unsigned order, unsigned flags,
			uintptr_t pc)
{
	struct event *e = add_event(E_WRITE, flags, pc);
	unsigned nr = 1;

	know_location(location);
	e->location = (uint16_t)location;
	e->order = (uint8_t)order;
	e->value = value;
	graph_compute(graph, e);
	if (flags & F_EXCL)
		candidates[0] = pred_of(graph, e)->rf;
	else if (order & O_PLAIN)
		candidates[0] = graph->head[location].co_last;
	else
		nr = write_candidates(graph, e, 0, candidates);
	graph_list(graph, e);
	graph_co_insert(graph, e, candidates[0]);
	if (!(flags & F_EXCL))
		siblings_stored(e);
	search.strategy->write(e, candidates, nr);
	return e;
}
