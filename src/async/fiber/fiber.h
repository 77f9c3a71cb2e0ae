/* SPDX-License-Identifier: MIT */
/*
 * The room async/ (this header is its door).
 *
 * Waiting without a thread: fibers with stacks of their own, timers, and files that are not ready
 * yet. The rest of the pool sees one pointer, pool->async, and its table (src/worker/async.h): a
 * program that uses none of it links none of it.
 *
 * Typically a fiber that waits lists itself, arms a timer if the wait has a deadline, and leaves
 * its stack; the worker runs the next task. The thread that ends the wait schedules the fiber's
 * task.
 *
 * From outside: the public calls of nap/fiber.h, nap/timer.h, nap/io.h and nap/sync.h; and the
 * functions of struct nap__async_ops, which a search, a park and the joiner call.
 */
/*
 * A fiber: this record lies at the top of the fiber's stack. To the pool the fiber is a task whose
 * function continues on that stack until the fiber waits or ends.
 *
 *	worker                            fiber
 *	------                            ------
 *	nap__fiber_run(): switch ------>  runs
 *	                                  opens its wait, lists it, has to sleep
 *	                         <------  switch
 *	sets OFF: the stack is left       (the end of the wait schedules the task)
 *	returns to the pool
 *
 * The memory belongs to this fiber, or to a later one on the same stack, until the pool is joined.
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
	FIBER_FREE,		/* no fiber has the stack */
	FIBER_SPAWNED,		/* it is queued, and has not run yet */
	FIBER_BEGUN,
	FIBER_ENDED,		/* its function has returned, nobody has awaited it yet */
};

/* fiber->joiner: a struct nap__joiner on the joiner's stack, or one of these. */
#define JOINER_NONE	((uintptr_t)0)
#define JOINER_ENDED	((uintptr_t)1)	/* the fiber has ended */
#define JOINER_NOBODY	((uintptr_t)2)	/* the fiber is detached */

/* The fiber stores its result here: its pool may be gone when the joiner continues. */
struct nap__joiner {
	struct nap__fiber_wait_node node;
	intptr_t result;
};

/*
 * Access: I set once; S set when the fiber is spawned; F the fiber while it runs, else the thread
 * that switches to it or from it; A atomic.
 */
struct nap_fiber {
	struct nap_task task nap__line;	/* A: in the pool */
	void *sp;			/* F: while it does not run */
	void *caller_sp;		/* F: while it runs, of the thread that runs it */
	struct nap__fiber_wait wait;		/* its own: one at a time */
	struct nap_pool *pool;		/* I, when its stack is first used */
	struct nap__fibers *fibers;	/* I: all of the pool's */
	uintptr_t half;			/* I: the middle of its stack */
	nap_fiber_fn fn;		/* S */
	void *arg;			/* S */
	intptr_t result;		/* F: valid when it has ended */
	uintptr_t joiner;		/* A: see above */
	uint32_t life;			/* A: enum nap__fiber_life */
	uint32_t index;			/* I: which stack it has */
	bool yields;			/* F: it gives way: queue it again, at the end */
	bool left;			/* set by the joiner: its task was in a queue */
	uint32_t handed;		/* A: the thread that was to schedule it was refused */
	uint32_t select_from;		/* F: where its next select begins */
	uint32_t sections;		/* F: of the worker, when that began to run it */
	struct nap_frame *top;		/* F: the worker's top frame, at the same time */
	struct nap__os_thread_state os;	/* F: a thread's state that moves with the fiber */
	struct nap_scope *scope;	/* S: that it is in, or NULL */
	uint32_t generation;		/* A: how many fibers have had the stack, with this */
	struct nap_scope *scopes;	/* F: that it has open, the innermost first */
	struct nap_fiber *in_scope;	/* under the scope's lock: the next fiber there, */
	struct nap_fiber **scope_link;	/* what points here, */
	struct nap_fiber *asked;	/* the canceler's: the next fiber to resume */
	char name[16];			/* F */
	void *local;			/* F: the program's */
	struct nap__tools_fiber tools;	/* F: how sanitizers and valgrind know it */
};

/*
 * The caller has a free stack, which a new fiber has from here on. The number of the wait counts
 * on. So a thread that acts late on an earlier fiber of the stack neither ends a wait of the new
 * fiber nor cancels it.
 */
static inline void fiber_renew(struct nap_fiber *fiber)
{
	uint32_t state = (nap_load_relaxed(&fiber->wait.state) & -WAIT_NUMBER) + WAIT_NUMBER;

	nap_store_relaxed(&fiber->generation, nap_load_relaxed(&fiber->generation) + 1);
	nap_store_release(&fiber->wait.state, state);	/* pairs with nap__fiber_cancel_the() [U3] */
}

/*
 * Any thread inside the pool: ask @fiber to end, if it is still the fiber of that @generation. 0,
 * or -ESRCH: that fiber has ended.
 */
int nap__fiber_cancel_the(struct nap_fiber *fiber, uint32_t generation);

/*
 * The fiber that the calling thread runs, if that fiber may leave its stack here: nothing of a
 * worker's lies on the stack. NULL: the caller has to wait as a thread. Not inlined, because after
 * a wait the fiber may run on another thread.
 */
struct nap_fiber *nap__fiber_waiting(void);

/* The fiber's wait is open, or about to end: leave the stack until the wait has ended. */
void nap__fiber_suspend(struct nap_fiber *fiber);

/* Leave the stack without a wait: the fiber is queued again, at the end. */
void nap__fiber_yield(struct nap_fiber *fiber);

/* The function of the fiber's task. */
void nap__fiber_run(struct nap_task *task);

/* Called by the thread that has ended the wait of a fiber that is OFF: schedule the fiber. */
void nap__fiber_ready(struct nap_fiber *fiber);

/* The same for a worker that runs the fiber itself: its task, which is in no queue. */
struct nap_task *nap__fiber_take(struct nap_fiber *fiber);

/* nap_group_wait_until() in a fiber; false: that waits as a thread. src/async/fiber/group.c */
bool nap__fiber_group_wait(struct nap_group *group, uint64_t deadline, int *err);

/* Run @fiber until it waits, yields or ends. */
void nap__fiber_enter(struct nap_fiber *fiber);

/* The fiber has ended, and has left its stack: notify its awaiter. The last touch of the fiber. */
void nap__fiber_end(struct nap_fiber *fiber);

#endif /* NAP_FIBER_INTERNAL_H */
