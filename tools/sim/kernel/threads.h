/* SPDX-License-Identifier: MIT */
/*
 * The simulated threads, each with a stack of its own, and the CPUs that they run on.
 *
 * Of all threads that have a CPU the one with the lowest clock runs, and what is due before that
 * clock is done first. So everything happens in the order of time; of two threads with the same
 * clock the one with the lower number is first. Nothing depends on chance: the same program and the
 * same seed give the same numbers.
 */
#ifndef NAP_SIM_THREADS_H
#define NAP_SIM_THREADS_H

#include "machine/topology.h"

#define MAX_THREADS	600u
#define MAX_STORES	64u
#define NEVER		UINT64_MAX

/* What a thread spends its time on. */
enum cause {
	CAUSE_WORK,		/* the work's own time: sim_work() */
	CAUSE_CODE,		/* instructions, with hits in the own caches */
	CAUSE_LINE,		/* lines that came from elsewhere, in loads and locked operations */
	CAUSE_LOCKED,		/* locked operations on lines that were there */
	CAUSE_FENCE,		/* waiting for the store buffer */
	CAUSE_PAUSE,		/* spinning: cpu_relax() */
	CAUSE_KERNEL,		/* system calls, switches, interrupts */
	CAUSE_WAKING,		/* woken, and not yet there */
	CAUSE_QUEUED,		/* ready, without a CPU */
	CAUSE_IDLE,		/* asleep */
	NR_CAUSES
};
extern const char *const cause_names[NR_CAUSES];

struct thread {
	void *sp;			/* while another thread runs */
	uint64_t clock;
	uint32_t number;
	uint32_t cpu;
	enum { T_NONE, T_RUNS, T_QUEUED, T_SLEEPS, T_ENDED } state;
	uint32_t place;			/* in the queue of what is next: next.c */
	/* when another thread may have the CPU; NEVER: nobody wants it */
	uint64_t slice_end;
	uint64_t slice_begin;
	uint64_t owed;			/* ps of interrupts that it has yet to pay for */
	uint64_t slept_at, ready_at;

	/* the store buffer: when each store is done, the oldest first */
	uint64_t stores[MAX_STORES];
	uint32_t first_store, nr_stores;
	uint64_t stores_done;

	/* futexes */
	const uint32_t *waits_on;
	struct thread *next_waiter;
	uint64_t deadline;		/* NEVER: none */
	uint32_t alarm_place;
	bool timed_out;
	struct thread *joiner;

	/* the search for work: sim_begins() */
	bool in_task, is_worker;
	uint64_t gap_begin;		/* its clock when the last task ended, or it was woken */
	uint64_t found, searched;	/* ps of such gaps that ended in a task, or in a sleep */
	uint64_t tasks, sleeps;

	uint64_t spent[NR_CAUSES];
	uintptr_t stack, stack_top;
	void (*run)(void *arg);
	void *arg;
};

extern struct thread threads[MAX_THREADS];
extern unsigned nr_threads;
extern struct thread *current;		/* NULL: outside of the simulation */
extern uint64_t next_time;		/* when something else than @current is due */

/* Pays @ps for @cause: the running thread's clock goes on by as much. */
static inline void pay(enum cause cause, uint64_t ps)
{
	current->clock += ps;
	current->spent[cause] += ps;
}

/*
 * Returns when nothing is due before the running thread's clock: the thread may then do what other
 * threads see. Also lets the next thread have the CPU if the quantum is over.
 */
void threads_turn(void);
static inline void turn(void)
{
	if (current->clock >= next_time || current->owed || current->clock >= current->slice_end)
		threads_turn();
}

/* Runs @run as the first thread, on CPU 0, until it returns. Returns false if all threads wait. */
bool threads_run(void (*run)(void *arg), void *arg);

/*
 * Creates a thread on a CPU that is near and idle, from the time @at on. NULL: too many, or no
 * memory.
 */
struct thread *thread_create(void (*run)(void *arg), void *arg, uint64_t at);

/* How many CPUs of the machine the program has: the first ones. */
extern unsigned nr_cpus;

/* The running thread sleeps until thread_wakes(). */
void thread_sleeps(void);

/*
 * @thread is woken at the time @at, and may run when the time that a wake takes on this machine is
 * over.
 */
void thread_wakes(struct thread *thread, uint64_t at);

/* The running thread gives its CPU to the threads that wait for it. */
void thread_yields(void);

/* Waits until @thread has ended. */
void thread_join(struct thread *thread);

/*
 * Charges each thread that has a CPU, except the calling one, with an interrupt of @ps. Returns how
 * many threads it has charged.
 */
unsigned threads_interrupt(uint64_t ps);

#endif /* NAP_SIM_THREADS_H */
