/* SPDX-License-Identifier: MIT */
/*
 * The table of waits: every call that can wait, by each kind of caller, at each event.
 *
 *	waits_table.c		runs all cells, each row in a process of its own, and prints them
 *	waits_rules.c		the right answer of each cell, as nap's headers promise it
 *	waits_cell.c		the steps of a cell: caller, event, answer, what is left
 *	waits_callers.c		the callers
 *	waits_events.c		the events
 *	waits_child.c		the calls in the child of a fork
 *	waits_calls_*.c		the calls
 *
 * A cell has two pools, home and other. Unless the row or the caller says otherwise, the calling
 * thread and the awaited object belong to home. A wait is possible when it can end with success.
 * The thread that runs the cells makes the wait impossible, lets the caller call, waits until the
 * caller is asleep, and lets the event happen. If the event does not end the wait, the thread makes
 * it possible.
 */
#ifndef NAP_TESTS_FAULT_WAITS_H
#define NAP_TESTS_FAULT_WAITS_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include <nap/nap.h>

#include "arch/atomic.h"

enum who {
	TASK, SERIAL, CLASSED, FIBER, SHIELDED, THREAD, HELPER, OTHERS, STARTS, LOOP,
	GUEST,		/* a thread inside a nap_call() into home */
	BOTH,		/* a worker of the other pool inside a nap_call() into home */
	RUNS,		/* a fiber of nap_run() */
	WHOS
};

enum event {
	POSSIBLE,	/* the wait is possible before the call */
	ZERO,		/* the deadline is 0 */
	PAST,		/* the deadline has passed before the call */
	SOON,		/* the deadline passes during the wait */
	NEVER,		/* no event */
	CANCELED,	/* the fiber was canceled before the call */
	CANCEL,		/* the fiber is canceled during the wait */
	RACE,		/* the fiber is canceled when the wait becomes possible */
	CLOSED,		/* the channel is closed during the wait */
	FORGOTTEN,	/* nap_io_forget() of the file during the wait */
	DRAINS,		/* home is shut down (drain) during the wait */
	STOPPED,	/* home was stopped before the call */
	STOPS,		/* home is stopped during the wait */
	OTHER_STOPS,
	OTHER_ENDS,	/* the other pool is joined during the wait */
	FORKED,		/* the call is made in the child of a fork by the caller */
	FORKED_TASK,	/* the caller has run a task that forked and returned */
	FORKED_SERIAL,	/* as FORKED_TASK, with a task of a serial queue */
	NO_MEMORY,	/* no memory can be mapped */
	NO_THREAD,	/* no thread can be started */
	EVENTS
};

/* The time until the deadline of SOON. */
#define SOON_NS 1000000u

struct world {
	struct nap_pool home, other;
	struct nap_classes classes;
	bool no_workers;		/* home gets no worker */
	bool no_threads;		/* neither pool gets a thread */
	bool home_ends, other_ends;	/* an event shuts the pool down, in any mode */
	uint32_t home_stops, other_stops;	/* atomic: callers of other cells read them */
	struct cell *starts;		/* atomic: the cell for home's worker_start */
};

struct cell {
	const struct call *call;
	enum who who;
	enum event event;
	char code;			/* code of the right answer */
	bool stays;			/* the event does not end the wait, so the test does */
	struct world *world;
	uint64_t timeout;		/* the call's timeout, ns */
	uint32_t here, go, returned;	/* atomic: how far the caller is */
	int32_t tid;			/* atomic: the thread of the call */
	long answer;
	bool given;			/* waits_give() has made the wait possible */

	/* used by the callers */
	struct nap_task task;
	struct nap_serial serial;
	struct nap_work work;
	struct nap_cq cq;
	struct nap_fiber *fiber;	/* the caller's handle, to be awaited */
	struct nap_fiber *self;		/* the calling fiber */
	pthread_t thread, runner;
	bool has_thread, has_runner;

	/* used by the events */
	struct nap_task forks;
	struct nap_serial of_forks;
	uint32_t tried;			/* atomic: the forking task has run */
	bool forked;			/* the task ran on the caller's thread, and forked */
	pthread_t ender;
	bool has_ender;
	uint32_t ready, set;		/* atomic: how far a RACE is */

	/* the object of the wait, for each call */
	struct nap_group group;
	struct nap_mutex mutex;
	struct nap_cond cond;
	struct nap_event is_so;
	uint32_t begun;
	struct nap_sem sem;
	struct nap_channel channel, second;
	struct nap_fiber *target;
	struct nap_scope scope;
	struct nap_task busy;		/* runs until the test ends it */
	uint32_t runs, let_go;		/* atomic */
	pthread_t helper;		/* runs @busy if there is no worker */
	bool has_helper;
	struct nap_worker *places[NAP_GUESTS];
	struct nap_timer timer;
	struct nap_submitter submit;
	struct nap_slot slot;
	int buffer[2], value, fds[2];
	uint32_t ran;			/* atomic */
	bool held;
};

/* flags of a call */
#define OF_HOME		1u	/* stopping the pool home ends the wait of any caller */
/* stopping the other pool ends the wait of any caller */
#define OF_OTHER	2u
#define TIMED		4u	/* the call has forms with a deadline */
#define SUSPENDS	8u	/* suspends a fiber, which may be canceled */
#define OUTSIDE		16u	/* returns -EDEADLK to a thread inside home */
#define ENDS_ITSELF	32u	/* ends by itself, after a given time */
#define OF_WORKER	64u	/* on a worker, a stop of that worker's pool ends the wait */
#define NOT_ON_OTHERS	128u	/* returns -EDEADLK to a thread inside the other pool */
#define STOPS_HOME	256u	/* the call itself stops home */
#define ALONE		512u	/* for a caller outside, home has no workers */
#define NOT_SHARED	1024u	/* concerns the whole pool, which must have no other cell */
#define IS_GROUP	2048u
#define IS_SCOPE	4096u
#define JOIN_NEEDS_IT	8192u	/* a join of home waits until the wait is possible */
/* a part of the call runs in the other pool until the wait is possible */
#define RUNS_IN_OTHER	16384u

struct expected {
	char code;		/* code of the answer; 0: no such cell, @why says why */
	const char *why;
};

/* A row of the table. A function that a row does not need is NULL. */
struct call {
	const char *name;
	unsigned int flags;
	void (*init)(struct cell *cell);	/* makes the wait impossible */
	void (*possible)(struct cell *cell);
	void (*close)(struct cell *cell);	/* closes the channel; NULL: there is none */
	void (*forget)(struct cell *cell);	/* forgets the file */
	/* whether the caller is listed, so that a notification would reach it */
	bool (*listed)(struct cell *cell);
	long (*call)(struct cell *cell);	/* made by the caller */
	/* Whether everything is as the answer says after the call. The pools still exist. */
	bool (*left)(struct cell *cell);
	/* Returns the answer where this call differs from the rules; all zero: the rules hold. */
	struct expected (*except)(enum who who, enum event event);
};

extern const struct call *const waits_calls[];
extern const unsigned int waits_nr_calls;
extern const char *const waits_who[WHOS];
extern const char *const waits_event[EVENTS];

/* waits_rules.c */
struct expected waits_expected(const struct call *call, enum who who, enum event event);
bool waits_is_fiber(enum who who);
bool waits_is_inside(enum who who);	/* whether the caller is inside home */
bool waits_is_on_other(enum who who);	/* whether the caller is a worker of the other pool */
bool waits_is_fork(enum event event);	/* whether the call is made in a child */
char waits_code(long answer);

/* waits_cell.c: the steps. On a fault a step prints the cell and ends the process. */
void waits_begin_world(struct world *world, enum who who, enum event event, uint32_t workers);
void waits_end_world(struct world *world, const struct cell *cell);
extern uint32_t waits_idle;		/* protocol of both pools */
extern uint64_t waits_seed;		/* 0, or printed with a fault */
void waits_begin(struct cell *cell);
/* polls at most @looks times; 0: no bound */
void waits_settle(struct cell *cell, unsigned long looks);
void waits_give(struct cell *cell);	/* makes the wait possible, once */
void waits_end(struct cell *cell);
void waits_init(struct cell *cell, const struct call *call, enum who who, enum event event,
		struct world *world);
char waits_run_cell(const struct call *call, enum who who, enum event event);

/* waits_callers.c */
#define WAITS_STARTS	16u	/* most workers of home for STARTS */
void waits_launch(struct cell *cell);
void waits_finish_caller(struct cell *cell);
bool waits_is_asleep(struct cell *cell);
void waits_on_start(struct nap_worker *worker, void *world);

/* waits_child.c: makes the call in the child of a fork; returns the answer there */
long waits_in_child(struct cell *cell);

/* waits_events.c */
void waits_before(struct cell *cell);
void waits_meanwhile(struct cell *cell);
void waits_finish_event(struct cell *cell);
extern uint32_t waits_no_memory;

static inline bool waits_took(const struct cell *cell)
{
	return cell->answer >= 0 && !waits_is_fork(cell->event);
}

/* Prints the fault and its cell, and ends the process. */
_Noreturn void waits_wrong(const struct cell *cell, const char *what, int line);

#define WAITS_CHECK(cell, cond) \
	do { \
		if (!(cond)) \
			waits_wrong(cell, #cond, __LINE__); \
	} while (0)

static inline void waits_set(uint32_t *flag)
{
	nap_store_release(flag, 1);
}

static inline bool waits_is_set(uint32_t *flag)
{
	return nap_load_acquire(flag);
}

static inline void waits_until(uint32_t *flag)
{
	while (!waits_is_set(flag))
		sched_yield();
}

#endif /* NAP_TESTS_FAULT_WAITS_H */
