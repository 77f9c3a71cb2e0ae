/* SPDX-License-Identifier: MIT */
/*
 * Judges an execution in which no thread can continue: whether it is complete, whether threads
 * wait for ever, and whether the scenario allows this.
 */
#include <stdio.h>
#include <string.h>

#include "program/fault.h"
#include "program/holders.h"
#include "program/leaks.h"
#include "program/libc.h"
#include "program/locations.h"
#include "program/names.h"
#include "program/outside.h"
#include "program/siblings.h"
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

/* Says what the thread @number waits for, and returns where it waits. */
static uintptr_t describe_stuck(unsigned number, char *out, size_t size)
{
	const struct thread *t = &threads[number];
	const struct event *last = last_of(graph, number);
	const char *name = thread_name(number);
	char stopped[128], on[256];

	describe_stopped(stopped, sizeof(stopped));
	if (t->state == T_SPINS && t->waits_for) {
		describe_held(number, on, sizeof(on));
		snprintf(out, size, "dead-lock: %s waits for ever for %s%s", name, on, stopped);
		return t->waits_at ? t->waits_at : last ? last->pc : 0;
	}
	if (t->state == T_SPINS) {
		*on = '\0';
		if (last && is_access(last))
			describe_location(last->location, on, sizeof(on));
		snprintf(out, size, "live-lock: %s spins for ever%s%s%s", name, stopped,
			 *on ? ", last on " : "", on);
		return last ? last->pc : 0;
	}
	if (hidden_kind(t->awaits) == HIDDEN_END) {
		snprintf(out, size, "dead-lock: %s waits for ever for %s to end%s", name,
			 thread_name((unsigned)hidden_key(t->awaits)), stopped);
	} else if (hidden_kind(t->awaits) == HIDDEN_BARRIER) {
		describe_address(t->waits_on, on, sizeof(on));
		snprintf(out, size,
			 "dead-lock: %s waits for ever for others to come to the barrier %s%s",
			 name, on, stopped);
	} else {
		describe_address(t->waits_on, on, sizeof(on));
		snprintf(out, size, "dead-lock: %s waits for ever to be woken%s, at %s", name,
			 stopped, on);
	}
	return t->waits_at;
}

bool thread_is_stuck(unsigned number, char *out, size_t size, uintptr_t *pc)
{
	if (number >= nr_threads ||
	    (threads[number].state != T_BLOCKED && threads[number].state != T_SPINS))
		return false;
	*pc = describe_stuck(number, out, size);
	return true;
}

static void report_stuck(unsigned number)
{
	static char why[128];

	fault.by = MAX_THREADS;
	fault.other_pc = 0;
	fault.waits = true;
	memset(&fault.callers, 0, sizeof(fault.callers));
	if (threads[number].endless) {
		snprintf(why, sizeof(why),
			 "a million plain accesses without an operation between them, by %s",
			 thread_name(number));
		fault.pc = threads[number].waits_at;
		search_undecided(why);
		return;
	}
	fault.found = true;
	fault.pc = describe_stuck(number, fault.text, sizeof(fault.text));
	describe_circle(number, fault.text, sizeof(fault.text));
}

/*
 * When the program has ended, a thread that waits ends with it. Such a wait is a fault only if
 * --stuck says so; otherwise the first such wait is only reported.
 */
bool stuck_wanted;
char left_stuck[512];
uintptr_t left_stuck_at;

static void note_stuck(unsigned number)
{
	if (!*left_stuck)
		left_stuck_at = describe_stuck(number, left_stuck, sizeof(left_stuck));
}

static bool exists;

static void ask_exists(void)
{
	exists = scenario->exists();
}

void judge(void)
{
	for (unsigned t = 0; t < nr_threads && !scenario->may_block; t++) {
		if (threads[t].state != T_BLOCKED && threads[t].state != T_SPINS)
			continue;
		if (!program_ended || stuck_wanted) {
			report_stuck(stuck_in_circle() < MAX_THREADS ? stuck_in_circle() : t);
			return;
		}
		note_stuck(t);
	}
	if (scenario->finally && !run_outside(scenario->finally))
		return;
	if (leaks_wanted && !run_outside(find_leaks))
		return;
	if (scenario->exists && run_outside(ask_exists))
		witnessed += exists;
}

/* The program names the thread by its number, and so can tell it from its siblings. */
static void is_asked_after(unsigned number)
{
	if (self != MAX_THREADS && number < MAX_THREADS)
		siblings_differ(1u << number);
}

bool check_waits(unsigned number)
{
	is_asked_after(number);
	return number < MAX_THREADS && (threads[number].state == T_BLOCKED ||
					threads[number].state == T_SPINS);
}

bool check_ran(unsigned number)
{
	is_asked_after(number);
	return number < MAX_THREADS && threads[number].state != T_ABSENT;
}
