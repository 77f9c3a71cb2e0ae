/* SPDX-License-Identifier: MIT */
/*
 * Judges an execution in which no thread can continue: whether it is complete, whether threads
 * wait for ever, and whether the scenario allows this.
 */
#include <stdio.h>

#include "program/fault.h"
#include "program/leaks.h"
#include "program/libc.h"
#include "program/locations.h"
#include "program/names.h"
#include "program/outside.h"
#include "program/stop.h"

/* Whether the thread waits for what never comes. Any other wait cuts the graph short. */
static bool waits_for_ever(unsigned number)
{
	const struct thread *t = &threads[number];

	if (t->state == T_SPINS && t->waits_for && t->timed)
		return false;
	return t->state == T_BLOCKED ? !t->timed : t->state == T_SPINS && !spun_on_old(number);
}

bool is_complete(void)
{
	for (unsigned t = 0; t < nr_threads; t++)
		if (threads[t].state > T_READY && threads[t].state < T_ENDED &&
		    !waits_for_ever(t))
			return false;
	return true;
}

static void report_stuck(unsigned number)
{
	const struct thread *t = &threads[number];
	const struct event *last = last_of(graph, number);
	char stopped[128];

	if (t->endless) {
		search_undecided("a million plain accesses without an operation between them");
		return;
	}
	fault.found = true;
	fault.by = MAX_THREADS;
	fault.other_pc = 0;
	describe_stopped(stopped, sizeof(stopped));
	if (t->state == T_SPINS && t->waits_for) {
		char name[128];

		fault.pc = t->waits_at;
		describe_address(t->waits_on, name, sizeof(name));
		snprintf(fault.text, sizeof(fault.text), "dead-lock: %s waits for ever for %s %s%s",
			 thread_name(number), t->waits_for, name, stopped);
	} else if (t->state == T_SPINS) {
		fault.pc = last ? last->pc : 0;
		snprintf(fault.text, sizeof(fault.text), "live-lock: %s spins for ever%s",
			 thread_name(number), stopped);
	} else {
		fault.pc = t->waits_at;
		snprintf(fault.text, sizeof(fault.text), "dead-lock: %s waits for ever %s%s",
			 thread_name(number), hidden_kind(t->awaits) == HIDDEN_END ?
			 "for a thread to end" : hidden_kind(t->awaits) == HIDDEN_BARRIER ?
			 "for others to come to the barrier" : "to be woken", stopped);
	}
}

static bool exists;

static void ask_exists(void)
{
	exists = scenario->exists();
}

void judge(void)
{
	for (unsigned t = 0; t < nr_threads && !scenario->may_block && !program_ended; t++)
		if (threads[t].state == T_BLOCKED || threads[t].state == T_SPINS) {
			report_stuck(t);
			return;
		}
	if (scenario->finally && !run_outside(scenario->finally))
		return;
	if (leaks_wanted && !run_outside(find_leaks))
		return;
	if (scenario->exists && run_outside(ask_exists))
		witnessed += exists;
}

bool check_waits(unsigned number)
{
	return number < MAX_THREADS && (threads[number].state == T_BLOCKED ||
					threads[number].state == T_SPINS);
}

bool check_ran(unsigned number)
{
	return number < MAX_THREADS && threads[number].state != T_ABSENT;
}
