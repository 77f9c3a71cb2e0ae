/* SPDX-License-Identifier: MIT */
/*
 * The program's operations, as events. A recorded event is executed again, a new one is added.
 * Outside of threads (in setup and the like) the operation is done without an event.
 */
#include <string.h>

#include "graph/values.h"
#include "program/events.h"
#include "program/faults.h"
#include "program/heap.h"
#include "program/locals.h"
#include "program/locations.h"
#include "program/shadow.h"
#include "program/siblings.h"
#include "program/sites.h"
#include "program/stop.h"
#include "program/tls.h"

/* Notes that an access of the program has been executed. */
static void accessed(struct event *e)
{
	const struct location *location = &locations[e->location];

	saw_access = true;
	if (e->kind == E_READ && !e->rf)
		check_initial(e);
	else if (e->kind == E_WRITE && memory_in_arena(location->address) &&
		 !heap_is_written(location->address))
		heap_written(location->address, location->size);
	if (e->kind == E_WRITE)
		memory_write(e);
	race_atomic(e, e->kind == E_WRITE);
	executed(e);
}

/* A machine's model adds the orders of the machine. Races are judged with these, too. */
static unsigned strengthen(unsigned order, unsigned with)
{
	return search.model->is_machine ? order | with : order;
}

/*
 * Whether the access is done without an event. This is so outside of threads, and for a
 * thread-local variable, which no other thread sees. @locked: for a machine the access is a fence.
 */
static bool is_alone(const void *p, bool locked, uintptr_t pc)
{
	if (self == MAX_THREADS)
		return true;
	if (!is_tls((uintptr_t)p))
		return false;
	writes_elsewhere++;
	saw_access = true;
	if (locked && search.model->is_machine)
		op_fence(O_SEQ_CST, 0, pc);
	return true;
}

static uint64_t plain_load(const void *p, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, p, size);
	return value;
}

/*
 * Returns the location of a read. In memory that one thread alone accesses, some writes were no
 * events: those by accesses of another size, and plain writes to local variables, which a compiler
 * need not show. Before the read such a write becomes an event here.
 */
static unsigned location_read(const void *p, unsigned size, uintptr_t pc)
{
	unsigned location = location_of(p, size, pc);

	if ((is_on_own_stack((uintptr_t)p) || cell_of[location]->overlaid) &&
	    !location_is_in_memory(location) && is_private(cell_of[location])) {
		if (is_on_own_stack((uintptr_t)p))
			locals_check((uintptr_t)p, size, pc);
		plain_unseen(location, pc);
	}
	return location;
}

uint64_t op_load(const void *p, unsigned size, unsigned order, uintptr_t pc)
{
	struct event *e;
	unsigned location;

	if (is_alone(p, false, pc))
		return plain_load(p, size);
	next_operation(pc);
	location = location_read(p, size, pc);
	order = strengthen(site_order(pc, order, E_READ), O_ACQUIRE) & (O_ACQUIRE | O_SC);
	e = recorded();
	if (e)
		same_as_recorded(e, E_READ, location);
	else
		e = add_read(location, order, RMW_NONE, 0, 0, 0, 0, pc);
	accessed(e);
	not_tls(e->value, size);
	siblings_may_meet(e->value, size);
	return e->value;
}

void op_store(void *p, unsigned size, uint64_t value, unsigned order, uintptr_t pc)
{
	struct event *e;
	unsigned location;

	if (is_alone(p, order & O_SC, pc)) {
		memcpy(p, &value, size);
		return;
	}
	next_operation(pc);
	location = location_of(p, size, pc);
	order = strengthen(site_order(pc, order, E_WRITE), O_RELEASE) & (O_RELEASE | O_SC);
	e = recorded();
	if (e) {
		same_as_recorded(e, E_WRITE, location);
		faults_compare(value, e->value);
	} else {
		e = add_write(location, value, order, 0, pc);
	}
	accessed(e);
}

uint64_t rmw_events(unsigned location, enum rmw rmw, uint64_t operand, uint64_t expected,
		    unsigned order, unsigned fail_order, unsigned flags, uintptr_t pc,
		    void (*done)(struct event *e))
{
	struct event *e = recorded();
	uint64_t old;

	if (e) {
		same_as_recorded(e, E_READ, location);
		faults_compare(operand, e->operand);
		faults_compare(expected, e->expected);
	} else
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

/* Does a read-modify-write, as a thread's operation that has begun. */
static uint64_t rmw_inside(void *p, unsigned size, enum rmw rmw, uint64_t operand,
			   uint64_t expected, unsigned order, unsigned fail_order, unsigned flags,
			   uintptr_t pc)
{
	unsigned given = order;
	uint64_t old;

	order = site_order(pc, order, E_CREATE);
	if (order != given)
		fail_order &= order;	/* a mutation weakens both orders */
	order = strengthen(order, O_ACQ_REL);
	fail_order = strengthen(fail_order, O_ACQUIRE) & (O_ACQUIRE | O_SC);
	old = rmw_events(location_read(p, size, pc), rmw, operand, expected, order, fail_order,
			 flags, pc, accessed);
	not_tls(old, size);
	siblings_may_meet(old, size);
	return old;
}

uint64_t op_rmw(void *p, unsigned size, enum rmw rmw, uint64_t operand, uint64_t expected,
		unsigned order, unsigned fail_order, uintptr_t pc)
{
	expected = cut_to(expected, size);
	if (is_alone(p, true, pc))
		return rmw_outside(p, size, rmw, operand, expected);
	if (rmw == RMW_CAS && size == sizeof(uintptr_t))
		reuse_if_pointer(expected);
	next_operation(pc);
	return rmw_inside(p, size, rmw, operand, expected, order, fail_order, 0, pc);
}

uint64_t op_lock(uint32_t *word, uint32_t as, uintptr_t pc)
{
	unsigned flags = search.without & WITHOUT_LOCKS ? 0 : F_MUTEX;

	if (is_alone(word, true, pc))
		return rmw_outside(word, 4, RMW_CAS, as, 0);
	next_operation(pc);
	if (flags && search.strategy->reduces)
		await_lock(location_of(word, 4, pc), pc);
	return rmw_inside(word, 4, RMW_CAS, as, 0, O_ACQUIRE, O_RELAXED, flags, pc);
}

bool op_weak_fails(const void *p, unsigned size, unsigned fail_order, uint64_t *old, uintptr_t pc)
{
	if (self == MAX_THREADS || !search.weak_failures || !op_choose(2, F_WEAK, pc))
		return false;
	*old = op_load(p, size, fail_order, pc);
	return true;
}

/* Returns a fence's order. A side of membarrier that is weakened becomes a plain fence. */
static unsigned fence_order(unsigned order, unsigned *flags, uintptr_t pc)
{
	unsigned name = *flags & F_LIGHT ? O_SIGNAL : *flags & F_HEAVY ? O_MEMBARRIER : order;
	unsigned given = site_order(pc, name, E_FENCE);

	if (given == name)
		return order;
	*flags = 0;
	return given;
}

void op_fence(unsigned order, unsigned flags, uintptr_t pc)
{
	struct event *e;

	if (self == MAX_THREADS)
		return;
	next_operation(pc);
	saw_access = true;
	order = fence_order(order, &flags, pc);
	e = recorded();
	if (!e) {
		e = add_event(E_FENCE, flags, pc);
		e->order = (uint8_t)order;
		graph_compute(graph, e);
		graph_list(graph, e);
	}
	same_as_recorded(e, E_FENCE, 0);
	executed(e);
}
