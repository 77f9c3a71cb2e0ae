/* SPDX-License-Identifier: MIT */
/* The program's threads, as coroutines, which execute the graph's events: run.c. */
#ifndef NAP_CHECK_THREADS_H
#define NAP_CHECK_THREADS_H

#include "explore/explore.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

struct thread {
	void *sp;			/* its stack pointer while it does not run */
	unsigned done;			/* the number of its events executed in this run */
	const struct event *last;	/* the last of these events */
	unsigned yield_at;		/* the number of events executed at the last yield */
	unsigned empty_yields;
	unsigned unsettled;		/* how many of its last events have no value yet */
	enum { T_ABSENT, T_READY, T_BLOCKED, T_SPINS, T_PRUNED, T_ENDED, T_STOPPED } state;
	void (*run)(void *arg);
	void *arg;
	const char *name;
	unsigned waits;			/* futex waits begun */
	unsigned nr_spun;		/* events of the last iteration, which changed nothing */
	unsigned fresh;			/* how many of the next reads take the newest write only */
	unsigned awaits;		/* the location whose write wakes the thread */
	bool waits_no_more;		/* the lock stays held, because no thread can go on */
	bool timed;			/* the thread waits with a deadline */
	uintptr_t waits_at;
	const char *waits_for;		/* "the mutex" at @waits_on, for T_SPINS; or NULL */
	uintptr_t waits_on;
	const unsigned *holder;		/* the thread that has @waits_on, plus 1 (holders.c) */
	const char *held_how;
	unsigned created;		/* how many threads it has made */
	unsigned barriers;		/* how many barriers it has made */
	unsigned long writes;		/* as writes_elsewhere, while the thread does not run */
	uintptr_t frames;		/* the end of its stack at its last operation */
	bool endless;			/* spins with plain accesses only */
};
extern struct thread threads[MAX_THREADS];
extern unsigned nr_threads;		/* of this execution; higher numbers do not exist */
extern unsigned self;			/* the thread that runs; MAX_THREADS: none */
extern uint32_t execution;		/* the number of this execution, over all scenarios */

/* Runs @graph as far as it goes. */
enum ran run_graph(void);

/* Runs what @graph has recorded, and nothing after that. The order of its events stays known. */
void run_recorded(void);

/*
 * Returns the recorded event that the thread executes next, when the write that the event reads
 * has been executed. NULL if the graph has none.
 */
struct event *recorded(void);

/* Returns the clock of the running thread. */
static inline const vector *clock_now(void)
{
	const struct event *last = threads[self].last;

	return last ? &last->clock : &graph->event[graph->creator[self]].clock;
}

/* Waits until the running thread may add an event. */
void await_turn(void);

/* Notes that @e, the next event of the thread, has been executed. */
void executed(struct event *e);

/* Gives up the thread: it cannot go on in this graph. */
_Noreturn void thread_stops(int state);

/* Sleeps until @location has a write; @timed: or a deadline comes. */
void thread_waits(unsigned location, bool timed, uintptr_t pc);
void threads_wake(unsigned location);

/* Waits, in a strategy that only goes forward, until the thread's reads have newer writes. */
void thread_spins(void);

void thread_start(unsigned number, void (*run)(void *arg), void *arg, const char *name);
const char *thread_name(unsigned number);

/* ---- order.c: the order of execution */

/* Visits the events of the last run in the order of their execution. */
void run_event_order(void (*visit)(const struct event *e, void *arg), void *arg);

/*
 * run_executed() returns how many events the last run has executed. run_shorten() forgets all of
 * them after the first @nr.
 */
unsigned run_executed(void);
void run_shorten(unsigned nr);

void order_add(unsigned event);
void order_keep(void);		/* keeps the order, and the number of events, for order_back() */
void order_back(void);

/* ---- run.c again */

/*
 * Leave the execution. give_up(): a bound makes the search undecided. must_restart(): the
 * earlier executions are void.
 */
_Noreturn void give_up(const char *why);
/* With a second place in the program. */
_Noreturn void give_up_between(uintptr_t other_pc, const char *why);
_Noreturn void must_restart(void);
_Noreturn void abandon(void);		/* a fault was found */

#pragma GCC visibility pop

#endif /* NAP_CHECK_THREADS_H */
