/* SPDX-License-Identifier: MIT */
/*
 * A load waits for its line. A store goes to the buffer, and its thread goes on; the buffer asks
 * for all its lines at once, and stores are done in their order. A locked operation and a fence
 * wait until the buffer is empty. Each access reads or writes its value when it is the thread's
 * turn (kernel/threads.h), so values are never stale.
 */
#include <stddef.h>

#include "program/access.h"

#include "kernel/threads.h"
#include "machine/fields.h"

/*
 * Whether the thread may access the line before its turn: the line is on the thread's own stack. No
 * other CPU has the line, or is likely to want it. Most accesses are such.
 */
static bool is_own(uintptr_t address, const struct line *line)
{
	return address - current->stack < current->stack_top - current->stack &&
		line->owner == (int16_t)current->cpu;
}

static void stores_settle(void)
{
	struct thread *me = current;

	while (me->nr_stores && me->stores[me->first_store] <= me->clock) {
		me->first_store = (me->first_store + 1) % MAX_STORES;
		me->nr_stores--;
	}
}

static void drain(void)
{
	struct thread *me = current;

	if (me->stores_done > me->clock)
		pay(CAUSE_FENCE, me->stores_done - me->clock);
	me->nr_stores = 0;
}

/*
 * Pays for the instruction. Returns the line, when it is this thread's turn to access it; or NULL:
 * the access costs nothing more.
 */
static struct line *reach(uintptr_t address)
{
	struct line *line;

	if (!current)
		return NULL;
	pay(CAUSE_CODE, machine.op);
	line = line_at(address);
	if (line && !is_own(address, line))
		turn();
	return line;
}

void access_load(uintptr_t address, uintptr_t pc)
{
	struct line *line = reach(address);
	struct moved moved;
	uint64_t ps;

	if (!line)
		return;
	ps = line_access(line, current->cpu, ACCESS_READ, current->clock, &moved);
	if (moved.moved)
		fields_count(address, pc, current->cpu, ACCESS_READ, ps, &moved);
	pay(moved.moved ? CAUSE_LINE : CAUSE_CODE, ps);
}

void access_store(uintptr_t address, uintptr_t pc)
{
	struct line *line = reach(address);
	struct moved moved;
	struct thread *me = current;
	uint64_t done;

	if (!line)
		return;
	stores_settle();
	if (me->nr_stores == machine.buffer) {
		pay(CAUSE_FENCE, me->stores[me->first_store] - me->clock);
		stores_settle();
		turn();
	}
	done = me->clock + line_access(line, me->cpu, ACCESS_WRITE, me->clock, &moved);
	if (moved.moved)
		fields_count(address, pc, me->cpu, ACCESS_WRITE, 0, &moved);
	if (done < me->stores_done)
		done = me->stores_done;
	me->stores_done = done;
	if (done > me->clock)
		me->stores[(me->first_store + me->nr_stores++) % MAX_STORES] = done;
}

void access_locked(uintptr_t address, uintptr_t pc)
{
	struct line *line;
	struct moved moved;
	uint64_t ps;

	if (!current)
		return;
	pay(CAUSE_CODE, machine.op);
	drain();
	line = line_at(address);
	if (!line) {
		pay(CAUSE_LOCKED, machine.locked);
		return;
	}
	turn();
	ps = line_access(line, current->cpu, ACCESS_RMW, current->clock, &moved);
	if (moved.moved)
		fields_count(address, pc, current->cpu, ACCESS_RMW, ps, &moved);
	pay(moved.moved ? CAUSE_LINE : CAUSE_LOCKED, ps);
}

void access_range(uintptr_t address, uintptr_t size, bool write, uintptr_t pc)
{
	uintptr_t end = address + size;

	for (; address < end; address = (address | (LINE_SIZE - 1)) + 1) {
		if (write)
			access_store(address, pc);
		else
			access_load(address, pc);
	}
}

void access_fence(void)
{
	if (!current)
		return;
	drain();
	pay(CAUSE_LOCKED, machine.locked);
	turn();
}
