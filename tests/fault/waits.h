/* SPDX-License-Identifier: MIT */
/*
 * The table of waits: every call that can wait, by each kind of caller, at each event.
 *
 *	waits_table.c		goes through all cells, each row in a process, and prints them
 *	waits_rules.c		what each cell's answer is to be: what the headers say
 *	waits_cell.c		a cell: the caller, what happens, the answer, what is left
 *	waits_callers.c		the callers
 *	waits_events.c		what happens
 *	waits_child.c		what happens in the child of a fork
 *	waits_calls_*.c		the calls
 *
 * A cell has two pools: home, of the thread that calls and of what is waited for, and other. The
 * thread that goes through the cells makes what is waited for impossible, lets the caller call,
 * waits until that is asleep, has something happen, and makes it possible if it is to end by that.
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
	GUEST,		/* a thread in a nap_call() into home */
	BOTH,		/* the same on a worker of the other pool */
	RUNS,		/* a fiber in a nap_run() */
	WHOS
};

enum event {
	POSSIBLE,	/* it is already */
	ZERO,		/* the deadline is 0 */
	PAST,		/* the deadline has passed, */
	SOON,		/* and passes */
	NEVER,		/* nothing except what is waited for */
	CANCELED,	/* the fiber was canceled, before */
	CANCEL,		/* it is canceled, during the wait */
	RACE,		/* it is canceled at the same time as the wait becomes possible */
	CLOSED,		/* the channel is closed, during the wait */
	FORGOTTEN,	/* the file is forgotten, during the wait, by nap_io_forget() */
	DRAINS,		/* home is shut down during the wait, */
	STOPPED,	/* was stopped before, */
	STOPS,		/* is stopped during the wait */
	OTHER_STOPS,
	OTHER_ENDS,	/* the other pool is joined during the wait */
	FORKED,		/* in the child of a fork that the caller has made, */
	FORKED_TASK,	/* or a task that the caller has run, and that has returned, */
	FORKED_SERIAL,	/* or such a task of a serial queue */
	NO_MEMORY,	/* no memory can be mapped from now on */
	NO_THREAD,	/* no pool can start one */
	EVENTS
};

/* The time until the deadline that passes. */
#define SOON_NS 1000000u

struct world {
	struct nap_pool home, other;
	struct nap_classes classes;
	bool no_workers;		/* home gets none, */
	bool no_threads;		/* nor does the other one */
	bool home_ends, other_ends;	/* shut down by an event; in whatever way */
	uint32_t home_stops, other_stops;	/* atomics: read by callers of other cells */
	struct cell *starts;		/* A: whose caller is the worker_start of home */
};

struct cell {
	const struct call *call;
	enum who who;
	enum event event;
	char code;			/* the answer is to be */
	bool stays;			/* the event does not end the wait */
	struct world *world;
	uint64_t timeout;		/* ns, for the call */
	uint32_t here, go, returned;	/* A: the caller, step by step */
	int32_t tid;			/* A: the caller's thread, where it calls */
	long answer;
	bool given;			/* what is waited for was made possible */

	/* the callers */
	struct nap_task task;
	struct nap_serial serial;
	struct nap_work work;
	struct nap_cq cq;
	struct nap_fiber *fiber;	/* its handle, to be awaited */
	struct nap_fiber *self;		/* the fiber that calls */
	pthread_t thread, runner;
	bool has_thread, has_runner;

	/* what happens */
	struct nap_task forks;
	struct nap_serial of_forks;
	uint32_t tried;			/* A: the task has run, */
	bool forked;			/* on the caller's thread */
	pthread_t ender;
	bool has_ender;
	uint32_t ready, set;		/* A: of a race */

	/* what is waited for, in the form that the call wants */
	struct nap_group group;
	struct nap_mutex mutex;
	struct nap_cond cond;
	struct nap_event is_so;
	uint32_t begun;
	struct nap_sem sem;
	struct nap_channel channel, second;
	struct nap_fiber *target;
	struct nap_scope scope;
	struct nap_task busy;		/* runs until the test ends it, */
	uint32_t runs, let_go;		/* A */
	pthread_t helper;		/* on this thread if there is no worker */
	bool has_helper;
	struct nap_worker *places[NAP_GUESTS];
	struct nap_timer timer;
	struct nap_submitter submit;
	struct nap_slot slot;
	int buffer[2], value, fds[2];
	uint32_t ran;			/* A */
	bool held;
};

/* call->flags */
#define OF_HOME		1u	/* a stop of home ends it, for each waiter */
#define OF_OTHER	2u	/* the same of the other pool */
#define TIMED		4u	/* there is a form with a deadline */
#define SUSPENDS	8u	/* a fiber is suspended, and may be canceled */
#define OUTSIDE		16u	/* returns -EDEADLK to the thread that is inside home */
#define ENDS_ITSELF	32u	/* no event makes it possible: it takes the time that is given */
#define OF_WORKER	64u	/* on a worker a stop of that worker's pool ends it */
#define NOT_ON_OTHERS	128u	/* returns -EDEADLK to the thread that is inside the other pool */
#define STOPS_HOME	256u	/* the call itself does that */
#define ALONE		512u	/* where the caller is outside, home has no workers */
#define NOT_SHARED	1024u	/* it concerns the whole pool, in which only this cell is */
#define IS_GROUP	2048u
#define IS_SCOPE	4096u
#define JOIN_NEEDS_IT	8192u	/* home is not joined before it is possible */
/* something of it runs in the other pool until the wait is possible */
#define RUNS_IN_OTHER	16384u

struct expected {
	char code;		/* of the answer; 0: not applicable, and why */
	const char *why;
};

/* A row. A function that is not needed is NULL. */
struct call {
	const char *name;
	unsigned int flags;
	void (*init)(struct cell *cell);	/* make it impossible */
	void (*possible)(struct cell *cell);
	void (*close)(struct cell *cell);	/* the channel; NULL: there is none */
	void (*forget)(struct cell *cell);	/* the file */
	/* whether the caller is listed, and would be notified */
	bool (*listed)(struct cell *cell);
	long (*call)(struct cell *cell);	/* by the caller */
	/* After the call: is everything left as the answer says? The pools are there still. */
	bool (*left)(struct cell *cell);
	/* Where the rules do not hold for this call; all zero: they hold. */
	struct expected (*except)(enum who who, enum event event);
};

extern const struct call *const waits_calls[];
extern const unsigned int waits_nr_calls;
extern const char *const waits_who[WHOS];
extern const char *const waits_event[EVENTS];

/* waits_rules.c */
struct expected waits_expected(const struct call *call, enum who who, enum event event);
bool waits_is_fiber(enum who who);
bool waits_is_inside(enum who who);	/* of home */
bool waits_is_on_other(enum who who);	/* on a worker of the other pool */
bool waits_is_fork(enum event event);	/* the call is made in the child */
char waits_code(long answer);

/* waits_cell.c: step by step; on a fault they print it and end the process. */
void waits_begin_world(struct world *world, enum who who, enum event event, uint32_t workers);
void waits_end_world(struct world *world, const struct cell *cell);
extern uint32_t waits_idle;		/* enum nap_idle of the pools */
extern uint64_t waits_seed;		/* printed with a fault, unless it is 0 */
void waits_begin(struct cell *cell);
void waits_settle(struct cell *cell, unsigned long looks);	/* how often at most; 0: no bound */
void waits_give(struct cell *cell);	/* make it possible, once */
void waits_end(struct cell *cell);
void waits_init(struct cell *cell, const struct call *call, enum who who, enum event event,
		struct world *world);
char waits_run_cell(const struct call *call, enum who who, enum event event);

/* waits_callers.c */
#define WAITS_STARTS	16u	/* workers of home where worker_start calls */
void waits_launch(struct cell *cell);
void waits_finish_caller(struct cell *cell);
bool waits_is_asleep(struct cell *cell);
void waits_on_start(struct nap_worker *worker, void *world);

/* waits_child.c: whether the caller is in the child; what the call answers there */
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

/* Prints the fault, and of which cell; ends the process. */
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
