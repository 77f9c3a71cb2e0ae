/* SPDX-License-Identifier: MIT */
/*
 * Programs that use every layer at once. A byte string says what two pools are, what runs on them,
 * and how they end.
 *
 *	main.c		the driver: begins, ends all waits, ends both pools, checks what is left
 *	actors.c	the actors: fibers, tasks, tasks of a class, of a serial queue, works,
 *			timers, slots, a thread
 *	ends.c		what a stop hands back, and what must hold of each actor then
 *	sync.c		calls on mutexes, conditions, a semaphore, an event
 *	values.c	calls on channels, and the ledger of values
 *	life.c		calls that begin, await, cancel and end other actors; scopes, groups, loops
 *
 * Each actor reads its calls from its own part of the string. What must hold:
 *
 *	actors	an accepted actor begins once, or is handed back by a stop, or was canceled; never
 *		two of these. An actor that has begun ends. A pool at rest has no live fiber.
 *	values	a value that a send accepted is received once, or stays in its channel; a value that
 *		no send accepted is never received
 *	locks	one owner at a time, also after a wait for a condition; free at the end
 *	counts	a semaphore ends with what was released and not acquired
 *	serial	one task of a queue at a time
 *	scopes	no fiber of a scope is under way when nap_scope_end() returns
 *	timers	a timer that was canceled does not run
 *	system	what tests/fuzz/seam.h checks; and the pools can be joined: an input that takes a
 *		minute counts as hung
 *
 * A fiber may wait for ever, because the driver ends all waits at last. Any other actor may keep a
 * worker during its wait, and other actors may need this worker. So such a wait has a time limit.
 */
#ifndef NAP_TESTS_FUZZ_MIXED_H
#define NAP_TESTS_FUZZ_MIXED_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fuzz/seam.h"

#define POOLS		2
#define SERIALS		2
#define CHANNELS	3	/* with capacities 0, 1 and 2 */
#define MUTEXES		2
#define ACTORS		40
#define CALLS		10	/* for each actor */
#define GROUPS		8
#define MEMBERS		3
#define VALUES		2048
#define SLOTS		3
#define US		1000u

enum kind { FIBER, TASK, CLASS, SERIAL, WORK, TIMER, SLOT, THREAD, NR_KINDS };

/* An actor. Several threads write its atomic fields. */
struct actor {
	struct nap_task task;
	struct nap_work work;
	struct nap_timer timer;
	enum kind kind;
	uint32_t pool, queue;
	uint32_t accepted;	/* atomic */
	uint32_t begun, ended;	/* atomic */
	uint32_t returned;	/* atomic: handed back by a stop */
	uint32_t canceled;	/* atomic: a call said that the actor is canceled */
	uint32_t done;		/* atomic: @done of a work has run */
	uint32_t shielded;	/* set by the fiber's own calls */
};

/* A call: the actor that makes it, and a byte that says what it does. */
struct call {
	struct actor *actor;
	uint32_t how;
};

extern struct nap_pool *pools[POOLS];
extern struct nap_serial serials[SERIALS];
extern struct nap_cq loop;
extern struct nap_submitter submitter;
extern uint32_t let_go;		/* atomic: no actor waits for ever from now on */
extern uint32_t ending[POOLS];	/* atomic: a shutdown has begun */
extern uint32_t stopping[POOLS];	/* atomic: a shutdown in STOP mode has begun */

uint32_t byte_at(uint32_t at);

/* Returns how long @call may wait, which two bits of its byte say. */
uint64_t time_of(const struct call *call);

/* Whether @err is an error that a wait may return. */
bool is_no_wait(int err);

/* ---- actors.c */
extern struct actor actors[ACTORS];
void actors_begin(void);
/* Returns a new actor that no pool has accepted yet; NULL: no actor is left. */
struct actor *actor_take(enum kind kind, uint32_t pool);
/* Starts @actor; false: it was refused. The caller has to await or detach the fiber in *@handle. */
bool actor_start(struct actor *actor, uint32_t how, struct nap_fiber **handle);
intptr_t fiber_main(void *actor);
void *thread_main(void *actor);
void run_task(struct nap_task *task);
void run_timer(struct nap_task *task);
void run_slot(void *actor);

/* ---- sync.c */
void sync_begin(void);
void sync_let_go(void);
void sync_check(void);
void call_lock(const struct call *call);
void call_sem(const struct call *call);
void call_event(const struct call *call);
void call_cond(const struct call *call);

/* ---- values.c */
void values_begin(void);
void values_let_go(void);
void values_check(void);
void call_transfer(const struct call *call);
void call_select(const struct call *call);

/* ---- life.c */
void life_begin(void);
void life_check(void);
/*
 * Takes back @task, which is no actor's, from a joined pool; false: @task is not one of life.c's.
 */
bool life_left(struct nap_task *task);
void call_start(const struct call *call);
void call_scope(const struct call *call);
void call_group(const struct call *call);
void call_loop(const struct call *call);
void call_pause(const struct call *call);
void call_periodic(const struct call *call);
void call_pool(const struct call *call);

/* ---- ends.c */
void fiber_left(nap_fiber_fn fn, void *actor);
void take_left(struct nap_batch *left);
void actors_check(void);

#endif /* NAP_TESTS_FUZZ_MIXED_H */
