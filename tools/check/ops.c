/* SPDX-License-Identifier: MIT */
/* What the program does, as events: recorded ones are executed again, others added. */
#include <sched.h>
#include <string.h>

#include "check.h"

static void know_location(unsigned location)
{
	while (graph->nr_locations <= location)
		graph->head[graph->nr_locations++] = (struct head){ 0 };
}

static struct event *append(enum kind kind, unsigned flags, uintptr_t pc)
{
	struct event *e;

	await_turn();
	e = graph_append(graph, self, kind);
	e->pc = pc;
	e->flags = (uint8_t)(flags | (take_preemption() ? F_PREEMPTS : 0));
	return e;
}

/* What the thread was going to do is what the graph says it does. */
static void same_as_recorded(const struct event *e, enum kind kind, unsigned location)
{
	if (e->kind != kind || (is_access(e) && e->location != location))
		fatal("the program does not repeat itself: another event than before");
}

/* The first candidate that the axioms allow. The newest write always is. */
static bool first_that_holds(struct event *e, const uint16_t *candidates, unsigned nr,
			     unsigned *skip)
{
	for (unsigned i = 0; i < nr; i++) {
		e->rf = candidates[i];
		graph_compute(graph, e);
		*skip = i;
		if ((e->flags & F_EXCL) && co_closed(graph, e->rf, e->location))
			continue;
		if (candidates[i] == graph->head[e->location].co_last || axioms_hold(graph, number_of(graph, e), 0))
			return true;
	}
	return false;
}

struct event *add_read(unsigned location, unsigned order, enum rmw rmw, uint64_t operand,
		       uint64_t expected, unsigned fail_order, unsigned flags, uintptr_t pc)
{
	uint16_t candidates[MAX_EVENTS];
	struct event *e = append(E_READ, flags, pc);
	unsigned nr, skip = 0;

	know_location(location);
	e->location = (uint16_t)location;
	e->order = (uint8_t)order;
	e->rmw = (uint8_t)rmw;
	e->operand = operand;
	e->expected = expected;
	e->fail_order = (uint8_t)fail_order;
	nr = read_candidates(graph, e, candidates);
	graph_list_access(graph, e);
	if (threads[self].fresh) {
		threads[self].fresh--;
		nr = nr > 1 ? 1 : nr;
	}
	if (!first_that_holds(e, candidates, nr, &skip)) {
		dropped_read(e, candidates, nr);
		graph_cut(graph, graph->n - 2);
		thread_stops(T_PRUNED);
	}
	added_read(e, candidates + skip, nr - skip);
	return e;
}

struct event *add_write(unsigned location, uint64_t value, unsigned order, unsigned flags,
			uintptr_t pc)
{
	uint16_t candidates[MAX_EVENTS];
	struct event *e = append(E_WRITE, flags, pc);
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
	graph_list_access(graph, e);
	graph_co_insert(graph, e, candidates[0]);
	added_write(e, candidates, nr);
	return e;
}

/* An access of the program has been executed. */
static void accessed(struct event *e)
{
	saw_access = true;
	if (e->kind == E_WRITE)
		memory_write(e);
	race_atomic(e, e->kind == E_WRITE);
	executed(e);
	if (options.pairs)
		pairs_note(e);
}

/* sc and tso: what C11's orders say is kept by the machine, and races are judged by that. */
static unsigned strengthen(unsigned order, unsigned with)
{
	return options.model == CHECK_RC11 ? order : order | with;
}

static uint64_t plain_load(const void *p, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, p, size);
	return value;
}

uint64_t op_load(const void *p, unsigned size, unsigned order, uintptr_t pc)
{
	struct event *e;
	unsigned location;

	if (self == MAX_THREADS)
		return plain_load(p, size);
	settle();
	location = location_of(p, size, pc);
	order = strengthen(site_order(pc, order, E_READ), O_ACQUIRE) & (O_ACQUIRE | O_SC);
	e = recorded();
	if (e)
		same_as_recorded(e, E_READ, location);
	else
		e = add_read(location, order, RMW_NONE, 0, 0, 0, 0, pc);
	accessed(e);
	return e->value;
}

void op_store(void *p, unsigned size, uint64_t value, unsigned order, uintptr_t pc)
{
	struct event *e;
	unsigned location;

	if (self == MAX_THREADS) {
		memcpy(p, &value, size);
		return;
	}
	settle();
	location = location_of(p, size, pc);
	order = strengthen(site_order(pc, order, E_WRITE), O_RELEASE) & (O_RELEASE | O_SC);
	e = recorded();
	if (e)
		same_as_recorded(e, E_WRITE, location);
	else
		e = add_write(location, value, order, 0, pc);
	accessed(e);
}

static uint64_t cut_to(uint64_t value, unsigned size)
{
	return size && size < 8 ? value & (((uint64_t)1 << 8 * size) - 1) : value;
}

uint64_t rmw_value(enum rmw rmw, uint64_t old, uint64_t operand, unsigned size)
{
	switch (rmw) {
	case RMW_XCHG:
	case RMW_CAS:
		return cut_to(operand, size);
	case RMW_ADD:
		return cut_to(old + operand, size);
	case RMW_SUB:
		return cut_to(old - operand, size);
	case RMW_AND:
		return old & operand;
	case RMW_OR:
		return cut_to(old | operand, size);
	case RMW_XOR:
		return cut_to(old ^ operand, size);
	case RMW_NAND:
		return cut_to(~(old & operand), size);
	default:
		return futex_value(rmw, old, operand);
	}
}

/* Both halves on a location; returns the old value. */
static uint64_t rmw_events(unsigned location, enum rmw rmw, uint64_t operand, uint64_t expected,
			   unsigned order, unsigned fail_order, unsigned flags, uintptr_t pc,
			   void (*done)(struct event *e))
{
	struct event *e = recorded();
	uint64_t old;

	if (e)
		same_as_recorded(e, E_READ, location);
	else
		e = add_read(location, order, rmw, operand, expected, fail_order, flags, pc);
	done(e);
	old = e->value;
	if (!(e->flags & F_EXCL))
		return old;
	e = recorded();
	if (e)
		same_as_recorded(e, E_WRITE, location);
	else
		e = add_write(location, rmw_value(rmw, old, operand, locations[location].size),
			      order & (O_RELEASE | O_SC), flags | F_EXCL, pc);
	done(e);
	return old;
}

static uint64_t rmw_outside(void *p, unsigned size, enum rmw rmw, uint64_t operand,
			    uint64_t expected)
{
	uint64_t old = plain_load(p, size), value = rmw_value(rmw, old, operand, size);

	if (rmw != RMW_CAS || old == expected)
		memcpy(p, &value, size);
	return old;
}

uint64_t op_rmw(void *p, unsigned size, enum rmw rmw, uint64_t operand, uint64_t expected,
		unsigned order, unsigned fail_order, uintptr_t pc)
{
	expected = cut_to(expected, size);
	if (self == MAX_THREADS)
		return rmw_outside(p, size, rmw, operand, expected);
	settle();
	order = strengthen(site_order(pc, order, E_CREATE), O_ACQ_REL);
	fail_order = strengthen(fail_order, O_ACQUIRE) & (order | O_RELAXED);
	return rmw_events(location_of(p, size, pc), rmw, operand, expected, order,
			  fail_order & (O_ACQUIRE | O_SC), 0, pc, accessed);
}

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
	threads_wake(location);
}

/*
 * Until there is a store, the thread has no event here: the read could have no other value, so
 * nothing is lost by adding it late.
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

void op_fence(unsigned order, unsigned flags, uintptr_t pc)
{
	struct event *e;

	if (self == MAX_THREADS)
		return;
	settle();
	saw_access = true;
	order = site_order(pc, order, E_FENCE);
	e = recorded();
	if (!e) {
		e = append(E_FENCE, flags, pc);
		e->order = (uint8_t)order;
		graph_compute(graph, e);
		graph->nr_sc_fences += !!(order & O_SC);
	}
	same_as_recorded(e, E_FENCE, 0);
	executed(e);
	if (options.pairs)
		pairs_note(e);
}

void create_event(unsigned number, uintptr_t pc)
{
	struct event *e = recorded();

	if (!e) {
		e = append(E_CREATE, 0, pc);
		e->value = number;
		graph_compute(graph, e);
		graph->creator[number] = (uint16_t)number_of(graph, e);
	}
	same_as_recorded(e, E_CREATE, 0);
	executed(e);
}

/* Whether the last @n events of the thread are the same as the @n before: nothing has changed. */
static bool turn_repeats(unsigned n)
{
	const uint16_t *events = graph->event_of[self];
	unsigned done = threads[self].done;

	if (done < 2 * n)
		return false;
	for (unsigned i = done - n; i < done; i++) {
		const struct event *e = &graph->event[events[i]], *f = &graph->event[events[i - n]];

		if (e->kind != E_READ || (e->flags & F_EXCL) || f->kind != E_READ ||
		    e->location != f->location || e->rf != f->rf || e->pc != f->pc)
			return false;
	}
	return true;
}

void op_yield(uintptr_t pc)
{
	struct thread *t = &threads[self];
	unsigned n;

	(void)pc;
	if (self == MAX_THREADS)
		return;
	settle();
	n = t->done - t->yield_at;
	t->empty_yields = n ? 0 : t->empty_yields + 1;
	t->yield_at = t->done;
	if ((!n || !turn_repeats(n)) && t->empty_yields <= 1000)
		return;
	t->nr_spun = n;
	if (!forward_only())
		thread_stops(T_SPINS);
	/* Woken by a newer write, it is to see one: else it could spin for ever. */
	t->fresh = n;
	if (t->done == graph->count[self])
		thread_spins();
}

unsigned op_choose(unsigned n, unsigned flags, uintptr_t pc)
{
	struct event *e;

	if (self == MAX_THREADS || n < 2)
		return 0;
	settle();
	e = recorded();
	if (!e) {
		e = append(E_CHOICE, flags, pc);
		e->expected = n;
		graph_compute(graph, e);
		added_choice(e);
	}
	same_as_recorded(e, E_CHOICE, 0);
	executed(e);
	return (unsigned)e->value;
}
