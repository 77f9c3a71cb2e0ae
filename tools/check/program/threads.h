/* SPDX-License-Identifier: MIT */
/* The program's threads, as coroutines, and running a graph with them: run.c. */
#ifndef NAP_CHECK_THREADS_H
#define NAP_CHECK_THREADS_H

#include "explore/explore.h"

#pragma GCC visibility push(hidden)	/* so that variables are reached directly */

struct thread {
	void *sp;			/* while it does not run */
	unsigned done;			/* events that it has executed in this run */
	const struct event *last;	/* of those */
	unsigned yield_at;		/* done at the last yield */
	unsigned empty_yields;
	unsigned unsettled;		/* of its last events: plain writes of unknown value */
	enum { T_ABSENT, T_READY, T_BLOCKED, T_SPINS, T_PRUNED, T_ENDED, T_STOPPED } state;
	void (*run)(void *arg);
	void *arg;
	const char *name;
	unsigned waits;			/* futex waits begun */
	unsigned nr_spun;		/* events of the turn that changed nothing */
	unsigned fresh;			/* reads to come that take the newest write only */
	unsigned awaits;		/* the location that it is to be woken by */
	bool timed;			/* it waits with a deadline */
	uintptr_t waits_at;
	const char *waits_for;		/* "the mutex", at @waits_on, for T_SPINS; or NULL */
	uintptr_t waits_on;
	unsigned created;		/* threads, by it */
	unsigned barriers;		/* made by it */
	unsigned long writes;		/* plain ones, outside of its stack, while it does not run */
	uintptr_t frames;		/* at its last operation: below are none of its functions' */
	bool endless;			/* it spins with plain accesses only */
};
extern struct thread threads[MAX_THREADS];
extern unsigned nr_threads;		/* of this execution, those of higher numbers are absent */
extern unsigned self;			/* the thread that runs, MAX_THREADS outside of them */
extern uint32_t execution;		/* the number of this one, of all scenarios' */

/* Run @graph as far as it goes. */
enum ran run_graph(void);

/* As if it had been run, and nothing had happened. */
void run_nothing(void);

/* The recorded event that the thread is to execute next, when what it reads has been; or NULL. */
struct event *recorded(void);

/* What the running thread knows. */
static inline const vector *clock_now(void)
{
	const struct event *last = threads[self].last;

	return last ? &last->clock : &graph->event[graph->creator[self]].clock;
}

/* Wait until it is this thread's turn to add an event. */
void await_turn(void);

/* @e, the thread's next, has been executed. */
void executed(struct event *e);

/* Give up: the thread cannot go on in this graph. */
_Noreturn void thread_stops(int state);

/* Sleep until @location has a store; @timed: a deadline would end it. */
void thread_waits(unsigned location, bool timed, uintptr_t pc);
void threads_wake(unsigned location);

/* In strategies that only go forward: until what it has read is old. */
void thread_spins(void);

void thread_start(unsigned number, void (*run)(void *arg), void *arg, const char *name);
const char *thread_name(unsigned number);

/* The events of the last run, in the order in which they were executed. */
void run_event_order(void (*visit)(const struct event *e, void *arg), void *arg);

/* These leave the execution: it is undecided for a bound; or something makes void what was done. */
_Noreturn void give_up(const char *why);
_Noreturn void must_restart(void);
_Noreturn void abandon(void);		/* a fault was found */

#pragma GCC visibility pop

#endif /* NAP_CHECK_THREADS_H */
