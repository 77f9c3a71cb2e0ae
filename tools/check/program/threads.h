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
	unsigned yield_at;		/* how many were done at the last yield */
	unsigned empty_yields;
	unsigned unsettled;		/* of its last events: plain writes of unknown value */
	enum { T_ABSENT, T_READY, T_BLOCKED, T_SPINS, T_PRUNED, T_ENDED, T_STOPPED } state;
	void (*run)(void *arg);
	void *arg;
	const char *name;
	unsigned waits;			/* futex waits begun */
	unsigned nr_spun;		/* events of the iteration that changed nothing */
	unsigned fresh;			/* the next reads, which take the newest write only */
	unsigned awaits;		/* the location whose write wakes it */
	bool timed;			/* it waits with a deadline */
	uintptr_t waits_at;
	const char *waits_for;		/* "the mutex", at @waits_on, for T_SPINS; or NULL */
	uintptr_t waits_on;
	unsigned created;		/* threads, by it */
	unsigned barriers;		/* made by it */
	unsigned long writes;		/* as writes_elsewhere, while it does not run */
	uintptr_t frames;		/* at its last operation: its functions are above */
	bool endless;			/* it spins with plain accesses only */
};
extern struct thread threads[MAX_THREADS];
extern unsigned nr_threads;		/* of this execution; those of higher numbers do not exist */
extern unsigned self;			/* the thread that runs; MAX_THREADS: none */
extern uint32_t execution;		/* of this execution, among those of all scenarios */

/* Run @graph as far as it goes. */
enum ran run_graph(void);

/* The state after a run in which nothing has happened. */
void run_nothing(void);

/*
 * The recorded event that the thread executes next, if the write that it reads has been executed;
 * or NULL.
 */
struct event *recorded(void);

/* The clock of the running thread. */
static inline const vector *clock_now(void)
{
	const struct event *last = threads[self].last;

	return last ? &last->clock : &graph->event[graph->creator[self]].clock;
}

/* Wait until this thread may add an event. */
void await_turn(void);

/* Note that @e, the next event of the thread, has been executed. */
void executed(struct event *e);

/* Give up: the thread cannot go on in this graph. */
_Noreturn void thread_stops(int state);

/* Sleep until @location has a write; @timed: a deadline would end it. */
void thread_waits(unsigned location, bool timed, uintptr_t pc);
void threads_wake(unsigned location);

/* In strategies that only go forward: wait until what it has read is no longer the newest. */
void thread_spins(void);

void thread_start(unsigned number, void (*run)(void *arg), void *arg, const char *name);
const char *thread_name(unsigned number);

/* The events of the last run, in the order in which they were executed. */
void run_event_order(void (*visit)(const struct event *e, void *arg), void *arg);

/*
 * These leave the execution: a bound makes the search undecided; or what was done before is void.
 */
_Noreturn void give_up(const char *why);
_Noreturn void must_restart(void);
_Noreturn void abandon(void);		/* a fault was found */

#pragma GCC visibility pop

#endif /* NAP_CHECK_THREADS_H */
