/* SPDX-License-Identifier: MIT */
/*
 * Programs of every layer at once: each byte string is two pools, what runs on them, and how they
 * end.
 *
 *	main.c		the driver: begins, lets all go, ends both pools, checks what is left
 *	actors.c	what runs: fibers, tasks, tasks of a class, of a serial queue, works, timers, slots, a thread
 *	ends.c		what a stop leaves, and what must hold of each actor then
 *	sync.c		calls on mutexes, conditions, a semaphore, an event
 *	values.c	calls on channels, and the ledger of values
 *	life.c		calls that begin others, await, cancel and end them; scopes, groups, loops
 *
 * An actor reads its calls from a place in the string that is its own. What must hold:
 *
 *	actors	one that was accepted begins once, or is given back by a stop, or was canceled; never two of these.
 *		One that has begun ends. The pool has no live fiber when it is at rest.
 *	values	one that a send accepted is received once, or is left in its channel; one that was not accepted
 *		is received by nobody
 *	locks	one owner at a time, also after a wait for a condition; free at the end
 *	counts	what was released and not acquired is there at the end
 *	serial	one task of a queue at a time
 *	scopes	none of its fibers is under way when nap_scope_end() returns
 *	timers	a timer that was canceled does not run
 *	system	as tests/fuzz/seam.h; and the pools can be joined: an input that lasts a minute hangs
 *
 * A fiber may wait for ever: the driver lets all go in the end. Any other actor has a worker below
 * itself, which others may need, and waits for a time.
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
#define CHANNELS	3	/* of capacity 0, 1, 2 */
#define MUTEXES		2
#define ACTORS		40
#define CALLS		10	/* of an actor */
#define GROUPS		8
#define MEMBERS		3
#define VALUES		2048
#define SLOTS		3
#define US		1000u

enum kind { FIBER, TASK, CLASS, SERIAL, WORK, TIMER, SLOT, THREAD, NR_KINDS };

/* A: written by several threads. */
struct actor {
	struct nap_task task;
	struct nap_work work;
	struct nap_timer timer;
	enum kind kind;
	uint32_t pool, queue;
	uint32_t accepted;	/* A */
	uint32_t begun, ended;	/* A */
	uint32_t returned;	/* A: by a stop */
	uint32_t canceled;	/* A: by a call that said so */
	uint32_t done;		/* A: of a work */
	uint32_t shielded;	/* of a fiber: by its own calls */
};

/* What one call does: a byte that says how, and the calling actor. */
struct call {
	struct actor *actor;
	uint32_t how;
};

extern struct nap_pool *pools[POOLS];
extern struct nap_serial serials[SERIALS];
extern struct nap_cq loop;
extern struct nap_submitter submitter;
extern uint32_t let_go;		/* A: nobody waits for ever from now on */
extern uint32_t ending[POOLS];	/* A: a shutdown has begun */
extern uint32_t stopping[POOLS];	/* A: one without a drain */

uint32_t byte_at(uint32_t at);

/* How long @call may wait, by two of its bits. */
uint64_t time_of(const struct call *call);

/* Whether a wait may have ended by @err without what it waited for. */
bool is_no_wait(int err);

/* ---- actors.c */
extern struct actor actors[ACTORS];
void actors_begin(void);
/* A new actor as @how says, or NULL: there are enough. It is not accepted anywhere yet. */
struct actor *actor_take(enum kind kind, uint32_t pool);
/* Start one; false: it was refused. A fiber with @handle is the caller's to let go of. */
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
/* One task that a pool has left, which is no actor's: false: it is none of life.c's either. */
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
