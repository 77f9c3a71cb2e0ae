/* SPDX-License-Identifier: MIT */
/*
 * Runs a graph: the program is run anew from its beginning, its threads as coroutines.
 *
 * First every thread executes the events that the graph has of it. A read gets its value from the
 * graph, after the write was executed. So the order is one of porf, and plain memory, which is the
 * program's, has the right values. Then threads add events; the strategy picks the next thread.
 */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "graph/fatal.h"
#include "program/awaits.h"
#include "program/events.h"
#include "program/faults.h"
#include "program/libc.h"
#include "program/locations.h"
#include "program/locks.h"
#include "program/outside.h"
#include "program/pthreads.h"
#include "program/siblings.h"
#include "program/stop.h"
#include "program/tls.h"
#include "program/twice.h"
#include "program/verifier.h"

uint32_t execution;
static void *scheduler_sp;
static bool extending, aborted, restart;
static bool half_done_elsewhere;	/* a read-modify-write has read, and has yet to write */
static uint32_t executed_in[MAX_EVENTS];

static void switch_out(void)
{
	unsigned number = self;

	threads[number].writes = writes_elsewhere;
	tls_switch(number, MAX_THREADS);
	self = MAX_THREADS;
	shadow_mine = OWNED_BY_NOBODY;
	nap__context_switch(&threads[number].sp, scheduler_sp);
}

static void resume(unsigned number)
{
	self = number;
	own_stack = memory_stack(number) - STACK_SIZE;
	tls_switch(MAX_THREADS, number);
	writes_elsewhere = threads[number].writes;
	plain_left = MAX_PLAIN;
	shadow_mine = callers_wanted || (siblings_watched >> number & 1) ?
		      OWNED_BY_NOBODY : (uint8_t)OWNED_BY(number);
	nap__context_switch(&scheduler_sp, threads[number].sp);
}

_Noreturn void abandon(void)
{
	if (self == MAX_THREADS && is_outside())
		leave_outside();
	aborted = true;
	if (self == MAX_THREADS)
		fatal("abandoned outside of a thread");
	for (;;)
		switch_out();
}

_Noreturn void give_up_between(uintptr_t other_pc, const char *why)
{
	search_undecided(why);
	fault = (struct fault){ .by = self, .other_pc = other_pc };
	callers_now(&fault.callers);
	fault.pc = fault.callers.pc[0];
	abandon();
}

_Noreturn void give_up(const char *why)
{
	give_up_between(0, why);
}

_Noreturn void must_restart(void)
{
	restart = true;
	abandon();
}

_Noreturn void thread_stops(int state)
{
	threads[self].state = state;
	for (;;)
		switch_out();
}

void thread_waits(unsigned location, bool timed, uintptr_t pc)
{
	threads[self].waits_at = pc;
	threads[self].awaits = location;
	threads[self].timed = timed;
	threads[self].state = T_BLOCKED;
	switch_out();
}

void threads_wake(unsigned location)
{
	for (unsigned t = 0; t < nr_threads; t++)
		if (threads[t].state == T_BLOCKED && threads[t].awaits == location)
			threads[t].state = T_READY;
}

void thread_spins(void)
{
	threads[self].state = T_SPINS;
	switch_out();
}

static uint32_t runnable(void)
{
	uint32_t mask = 0;

	for (unsigned t = 0; t < nr_threads; t++) {
		/* in strategies where a thread that spins goes on in the same graph */
		if (threads[t].state == T_SPINS && !search.strategy->reduces && spun_on_old(t))
			threads[t].state = T_READY;
		mask |= (uint32_t)(threads[t].state == T_READY) << t;
	}
	return mask;
}

/* For strategies that reduce: no lower thread can go on, no read-modify-write is half done. */
static bool may_go_on(void)
{
	for (unsigned t = 0; t < self; t++)
		if (threads[t].state == T_READY)
			return false;
	return !half_done_elsewhere;
}

void await_turn(void)
{
	if (extending && search.strategy->reduces ? !may_go_on() :
	    !extending || pick_thread(self, runnable()) != self)
		switch_out();
}

struct event *recorded(void)
{
	struct thread *t = &threads[self];
	struct event *e;

	if (t->done >= graph->count[self])
		return NULL;
	e = &graph->event[graph->event_of[self][t->done]];
	while (e->kind == E_READ && e->rf && executed_in[e->rf] != execution) {
		if (extending)
			fatal("an event reads what is not there");
		switch_out();
	}
	return e;
}

void executed(struct event *e)
{
	unsigned number = number_of(graph, e);

	plain_left = MAX_PLAIN;
	if (turns_by_state)
		await_executed(e);
	threads[self].done++;
	threads[self].last = e;
	if (e->kind == E_WRITE)
		threads_wake(e->location);
	if (__builtin_expect(callers_wanted, 0))
		callers_note(number, e->pc,
			     access_key(self, e->index, locations[e->location].address));
	if (__builtin_expect(siblings_watched >> self & 1, 0))
		siblings_see(e);
	executed_in[number] = execution;
	order_add(number);
}

/* Whether the thread waits for others to execute more of their recorded events. */
static bool behind(unsigned number)
{
	return threads[number].state == T_READY && threads[number].done < graph->count[number];
}

static void replay_recorded(void)
{
	bool progress, more;

	do {
		progress = more = false;
		for (unsigned t = 0; t < nr_threads && !aborted; t++) {
			unsigned before = threads[t].done;

			if (!behind(t))
				continue;
			resume(t);
			progress |= threads[t].done != before;
			more |= behind(t);
		}
		for (unsigned t = 0; t < nr_threads; t++)
			more |= behind(t);
	} while (progress && more && !aborted);
	for (unsigned t = 0; t < MAX_THREADS && !aborted; t++)
		if (threads[t].done < graph->count[t]) {
			search_undecided("the program does not repeat itself: "
					 "fewer events than before");
			aborted = true;
		}
}

static void extend(void)
{
	uint32_t mask;

	extending = true;
	half_done_elsewhere = false;
	while (!aborted && ((mask = runnable()) || (mask = waits_in_vain()))) {
		const struct event *last = &graph->event[graph->n - 1];

		half_done_elsewhere = half_done(graph) >= 0;
		resume(pick_thread(graph->n > 1 ? last->thread : MAX_THREADS, mask));
	}
}

static void begin_run(void)
{
	execution++;
	scenario_runs();
	run_shorten(0);
	execution_spun = program_ended = false;
	fault.pc = callers_walk = 0;
	fault.found = aborted = restart = extending = false;
	while (nr_threads) {
		struct thread *t = &threads[--nr_threads];

		t->state = T_ABSENT;
		t->done = t->unsettled = 0;
	}
	for (unsigned t = 0; t < MAX_THREADS; t++) {
		const struct check_thread *thread = &scenario->threads[t];

		if (thread->run)
			thread_start(t, thread->run, thread->arg, thread->name);
	}
}

static enum ran how_aborted(void)
{
	if (restart)
		return RAN_ANEW;
	if (result.why && !faults_excuse())
		return RAN_UNDECIDED;
	return fault.found || nr_met ? RAN_INTO_FAULT : RAN_CUT_SHORT;
}

enum ran run_graph(void)
{
	begin_run();
	if (!twice_begins())
		return RAN_UNDECIDED;
	replay_recorded();
	if (!aborted)
		extend();
	self = MAX_THREADS;
	if (aborted)
		return how_aborted();
	if (!siblings_end())
		return RAN_ANEW;
	if (!is_complete())
		return nr_met ? RAN_INTO_FAULT : RAN_CUT_SHORT;
	twice_keep();
	judge();
	twice_compare();
	faults_keep();
	return fault.found || nr_met ? RAN_INTO_FAULT : result.why ? RAN_UNDECIDED : RAN_WHOLE;
}

/* If the graph has no event of the thread, runs what the thread does before its first one. */
static void run_before_first(unsigned number)
{
	if (number < nr_threads && threads[number].state == T_READY && !graph->count[number] &&
	    !aborted)
		resume(number);
}

void run_recorded(void)
{
	unsigned by = fault.by, other = fault.other_clock ? fault.other_by : MAX_THREADS;

	order_keep();
	begin_run();
	replay_recorded();
	run_before_first(other);
	run_before_first(by);
	self = MAX_THREADS;
	order_back();
}
