/* SPDX-License-Identifier: MIT */
/*
 * The room async/ (this header is its door).
 *
 * Waiting without a thread: fibers with stacks of their own, timers, and files that are not ready
 * yet. The rest of the pool sees one pointer, pool->async, and its table (src/worker/async.h): a
 * program that uses none of it links none of it.
 *
 * Typically a fiber that waits lists itself, arms a timer if the wait has a deadline, and leaves
 * its stack; the worker goes on with the next task. What ends the wait schedules the fiber's task.
 *
 * From outside: the public calls of nap/fiber.h, nap/timer.h, nap/io.h and nap/sync.h; and the
 * functions of struct nap__async_ops, which a search, a park and the joiner call.
 */
/*
 * A fiber: the top of its stack, where nap keeps what it knows of it. To the pool it is a task whose
 * function goes on on that stack until the fiber waits or ends.
 *
 *	worker                            fiber
 *	------                            ------
 *	nap__fiber_run(): switch ------>  goes on
 *	                                  opens its wait, lists it, finds nothing
 *	                         <------  switch
 *	says that it is off               (the end of the wait schedules the task)
 *	returns to the pool
 *
 * Its memory stays a fiber's, this one's or a later one's, until the pool is joined.
 */
#ifndef NAP_FIBER_INTERNAL_H
#define NAP_FIBER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/fiber.h>
#include <nap/fork.h>

#include "arch/atomic.h"
#include "async/fiber/tools.h"
#include "async/fiber/wait.h"
#include "os/os.h"

struct nap__fibers;
struct nap_scope;

enum nap__fiber_life {
	FIBER_FREE,		/* nobody's */
	FIBER_SPAWNED,		/* is queued for the first time */
	FIBER_BEGUN,
	FIBER_ENDED,		/* its function has returned; it waits for its awaiter */
};

/* fiber->joiner: a struct nap__joiner on the joiner's stack, or one of these. */
#define JOINER_NONE	((uintptr_t)0)
#define JOINER_ENDED	((uintptr_t)1)	/* it has ended */
#define JOINER_NOBODY	((uintptr_t)2)	/* it is detached */

/* The joiner gets a fiber's result here: the fiber's pool may be gone when the joiner goes on. */
struct nap__joiner {
	struct nap__wait_node node;
	intptr_t result;
};

/*
 * Access: I set once, S set when it is spawned, F the fiber itself and, while that does not run, who runs it;
 * A atomic.
 */
struct nap_fiber {
	struct nap_task task nap__line;	/* A: in the pool */
	void *sp;			/* F: while it does not run */
	void *home;			/* F: while it runs, of the thread that runs it */
	struct nap__wait wait;		/* its own: one at a time */
	struct nap_pool *pool;		/* I, when its stack is first used */
	struct nap__fibers *fibers;	/* I: all of the pool's */
	uintptr_t half;			/* I: the middle of its stack */
	nap_fiber_fn fn;		/* S */
	void *arg;			/* S */
	intptr_t result;		/* F: valid when it has ended */
	uintptr_t joiner;		/* A: see above */
	uint32_t life;			/* A: enum nap__fiber_life */
	uint32_t index;			/* I: which stack it has */
	bool yields;			/* F: it has not ended, nor waits, and goes to the end */
	bool left;			/* the joiner: its task was in a queue */
	uint32_t handed;		/* A: its scheduler was refused, and lets go of it */
	uint32_t turn;			/* F: of its selects */
	uint32_t sections;		/* F: of the worker's, when that began to run it */
	struct nap_frame *top;		/* F: the same of its frames */
	struct nap__os_thread_state os;	/* F: what a thread has, and goes with it */
	struct nap_scope *scope;	/* S: which it is in, or NULL */
	uint32_t generation;		/* A: how many have had the stack, this one included */
	struct nap_scope *scopes;	/* F: which it has open, the last one first */
	struct nap_fiber *in_scope;	/* under the scope's lock: the next one there, */
	struct nap_fiber **scope_link;	/* what points here, */
	struct nap_fiber *asked;	/* the canceler's: the next one to go on */
	char name[16];			/* F */
	void *local;			/* F: the program's */
	struct nap__tools_fiber tools;	/* F: what debuggers of memory and races know it by */
};

/*
 * The caller has a stack that nobody uses: another fiber has it from here on. The number goes on,
 * so a thread that is late with an earlier fiber's wait, or means that fiber, does not end a wait
 * of this fiber, and does not cancel it.
 */
static inline void fiber_renew(struct nap_fiber *fiber)
{
	uint32_t state = (nap_load_relaxed(&fiber->wait.state) & -WAIT_NUMBER) + WAIT_NUMBER;

	nap_store_relaxed(&fiber->generation, nap_load_relaxed(&fiber->generation) + 1);
	nap_store_release(&fiber->wait.state, state);	/* pairs with nap__fiber_cancel_the() [U3] */
}

/*
 * Ask @fiber to end, if it is still the one of that @generation. Any thread inside its pool. 0, or
 * -ESRCH: that one has ended.
 */
int nap__fiber_cancel_the(struct nap_fiber *fiber, uint32_t generation);

/*
 * The fiber that the calling thread is in the middle of, if it may be left there: nothing of a
 * worker's is on its stack. NULL: the caller waits as a thread. Not inlined: after a wait the
 * thread may be another.
 */
struct nap_fiber *nap__fiber_waiting(void);

/* Where the fiber's wait is open, or about to end: until it has ended. */
void nap__fiber_suspend(struct nap_fiber *fiber);

/* The same without a wait: it goes to the end of the queue. */
void nap__fiber_yield(struct nap_fiber *fiber);

/* The function of the fiber's task. */
void nap__fiber_run(struct nap_task *task);

/* Called by the thread that has ended the wait of a fiber that is off: it goes on. */
void nap__fiber_ready(struct nap_fiber *fiber);

/* The same, a worker that runs it itself: its task, which is in no queue. */
struct nap_task *nap__fiber_take(struct nap_fiber *fiber);

/* nap_group_wait_until() in a fiber; false: that waits as a thread. src/async/fiber/group.c */
bool nap__fiber_group_wait(struct nap_group *group, uint64_t deadline, int *err);

/* Go on with @fiber, until it waits, yields or ends. */
void nap__fiber_enter(struct nap_fiber *fiber);

/* It has ended, and is off its stack: tell the thread that awaits it. Not touched again. */
void nap__fiber_end(struct nap_fiber *fiber);

#endif /* NAP_FIBER_INTERNAL_H */
