/* SPDX-License-Identifier: MIT */
/*
 * Events that are no accesses of the program: accesses of the checker's own locations, with which
 * the kernel works for the program (system.c); the kernel's read of a word; the start of a
 * thread; choices.
 */
#include "program/events.h"
#include "program/locations.h"
#include "program/ops.h"
#include "program/scenario.h"

uint64_t hidden_rmw(unsigned location, enum rmw rmw, uint64_t operand, uint64_t expected,
		    uintptr_t pc)
{
	return rmw_events(location, rmw, operand, expected, O_RELAXED, O_RELAXED, F_KERNEL, pc,
			  executed);
}

void hidden_store(unsigned location, unsigned order, unsigned flags, uintptr_t pc)
{
	struct event *e = recorded();

	if (!e)
		e = add_write(location, 1, order, flags, pc);
	executed(e);
}

/*
 * Waits for the store to @location, and reads it. Until then the thread has no event here: the
 * read could have no other value, so adding it late loses nothing.
 */
void hidden_await(unsigned location, unsigned order, unsigned flags, bool timed, uintptr_t pc)
{
	struct event *e;

	while (!(e = recorded())) {
		if (location < graph->nr_locations && graph->head[location].co_first) {
			e = add_read(location, order, RMW_NONE, 0, 0, 0, flags | F_AWAIT, pc);
			break;
		}
		thread_waits(location, timed, pc);
	}
	executed(e);
}

uint64_t kernel_load(const void *p, uintptr_t pc)
{
	unsigned location = location_of(p, 4, pc);
	struct event *e = recorded();

	saw_access = true;
	if (!e)
		e = add_read(location, O_RELAXED, RMW_NONE, 0, 0, 0, F_KERNEL, pc);
	race_atomic(e, false);
	executed(e);
	return e->value;
}

void create_event(unsigned number, uintptr_t pc)
{
	struct event *e = recorded();

	if (!e) {
		e = add_event(E_CREATE, 0, pc);
		e->value = number;
		graph_compute(graph, e);
		graph_list(graph, e);
	}
	same_as_recorded(e, E_CREATE, 0);
	executed(e);
}

unsigned op_choose(unsigned n, unsigned flags, uintptr_t pc)
{
	struct event *e;

	if (self == MAX_THREADS || n < 2)
		return 0;
	settle();
	e = recorded();
	if (!e) {
		e = add_event(E_CHOICE, flags, pc);
		e->expected = n;
		graph_compute(graph, e);
		search.strategy->choice(e);
	}
	same_as_recorded(e, E_CHOICE, 0);
	executed(e);
	return (unsigned)e->value;
}
