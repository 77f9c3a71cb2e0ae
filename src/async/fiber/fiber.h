/* SPDX-License-Identifier: MIT */
/*
 * The room async/ (this header is its door).
 *
 * Waiting without a thread: fibers with stacks of their own, timers, and files that are not ready
 * yet. The rest of the pool sees only the pointer pool->async and its table of functions
 * (src/worker/async.h): so a program without fibers, timers and files does not link this room.
 *
 * Typically a waiting fiber lists itself, arms a timer if the wait has a deadline, and leaves
 * its stack; the worker runs the next task. The thread that ends the wait schedules the fiber's
 * task. A worker that fires a timer schedules nothing: nap__fiber_wait_take() gives it the task,
 * and the worker runs the task next.
 *
 * Whether a call waits as a fiber or as a thread: fiber_waiting() in this header.
 * Where a fiber waits, for example for a channel: channel_wait() in fiber/channel.c, nap__sleep()
 * in fiber/wait.c, nap__fiber_suspend() in fiber/switch.c. Where the next waiter is chosen, for
 * every primitive: waiters_claim() in fiber/waiters.h; for files: nap__io_claim() in io/poll.c.
 * Where one wait is closed, by the first that comes: fiber/wait_end.c, which nap__timers_fire() in
 * timer/timers.c calls at the deadline. Where a wait that has ended early takes its timer back:
 * suspend_until() in fiber/wait.c. Where a fiber is canceled: fiber/cancel.c. Where a fiber ends:
 * fiber_main() in fiber/switch.c, then nap__fiber_end() in fiber/left.c; after a stop the joiner
 * runs it to its end: fiber/stop.c.
 *
 * Which worker polls for timers and files: nap__timers_begin_polling() in timer/timers.c; where it
 * is woken for an earlier timer: nap__timers_attend() there. Where epoll_wait(2) is called:
 * sleep_in_epoll() in io/poll.c, by nap__os_epoll_wait() in src/os/linux/epoll.c.
 *
 * From outside: the public calls of nap/fiber.h, nap/timer.h, nap/io.h and nap/sync.h; and the
 * functions of struct nap__async_ops, which a search, a park and the joiner call.
 *
 * Open: fiber/stacks.h
 */
/*
 * The record of a fiber lies at the top of the fiber's stack. To the pool the fiber is a task whose
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
 * Until the pool is joined, the record belongs to this fiber, or to a later one on the same stack.
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
#include "worker/self.h"
#include "worker/trace.h"
#include "worker/worker.h"

struct nap__fibers;
struct nap_scope;

enum nap__fiber_life {
	FIBER_FREE,		/* no fiber has the stack */
	FIBER_SPAWNED,		/* the fiber is queued, and has not run yet */
	FIBER_BEGUN,
	FIBER_ENDED,		/* the function has returned; no thread has awaited the fiber */
};

/* fiber->joiner: a struct nap__joiner on the joiner's stack, or one of these. */
#define JOINER_NONE	((uintptr_t)0)
#define JOINER_ENDED	((uintptr_t)1)	/* the fiber has ended, and its handle is not given up */
/* the handle is given up: the fiber is detached, or has ended and a call has its result */
#define JOINER_NOBODY	((uintptr_t)2)

/* A joiner. The fiber's result is stored here: the pool may be gone when the joiner continues. */
struct nap__joiner {
	struct nap__fiber_wait_node node;
	intptr_t result;
};

/*
 * A thread that runs fibers. The record lies on the thread's stack, in nap__fiber_enter(). Only the
 * thread, and the fibers that run on it, touch the record.
 */
struct nap__fiber_host {
	void *sp;			/* the thread's stack pointer, while a fiber runs */
	struct nap_worker *worker;
	/* the fiber that runs, or has just left its stack for the thread's */
	struct nap_fiber *fiber;
	struct nap_fiber *left;		/* the fiber that has just left its stack for @fiber's */
	/* a task that @fiber has dequeued: the thread runs it next */
	struct nap_task *task;
	bool direct;			/* whether fibers may switch to each other: direct.h */
	uint32_t sections;		/* the worker's blocking sections when a fiber is entered */
	struct nap_frame *top;		/* the worker's top frame when a fiber is entered */
	struct nap_fiber *fiber_before;	/* the thread's self->fiber, restored at the end */
	struct nap__outer *outer;	/* the thread's self->outer, restored at the end */
	uintptr_t stack_half;		/* the thread's self->stack_half, restored at the end */
	/* where the thread's errno and caught exceptions are; their values move with a fiber */
	struct nap__os_thread thread;
	struct nap__os_thread_state os;	/* the thread's own errno and caught exceptions */
	struct nap__tools_host tools;	/* for sanitizers */
};

/*
 * Access letters: I: set once, S: set when the fiber is spawned, F: the running fiber, or else the
 * thread that switches to or from it, A: atomic.
 */
struct nap_fiber {
	struct nap_task task nap__line;	/* A: the task by which the fiber is in queues */
	void *sp;			/* F: the stack pointer, while the fiber does not run */
	/* F: the host of the thread that runs the fiber, while the fiber runs */
	struct nap__fiber_host *host;
	struct nap__fiber_wait wait;		/* the fiber's waits, one at a time */
	struct nap_pool *pool;		/* I: set when the stack is first used */
	struct nap__fibers *fibers;	/* I: the fibers of the pool */
	uintptr_t half;			/* I: the address of the middle of the stack */
	nap_fiber_fn fn;		/* S */
	void *arg;			/* S */
	intptr_t result;		/* F: valid when the fiber has ended */
	uintptr_t joiner;		/* A: JOINER_..., or the struct nap__joiner */
	uint32_t life;			/* A: enum nap__fiber_life */
	uint32_t index;			/* I: the number of the stack */
	bool yields;			/* F: the fiber gives way, and is queued again */
	bool left;			/* set by the pool's joiner: the task was in a queue */
	/* A: the pool has refused to schedule the fiber: nap__fiber_ready() */
	uint32_t handed;
	uint32_t select_from;		/* F: where the next select begins to try */
	/*
	 * F: JOINER_NONE; if nap__direct_end() has taken @joiner: the joiner that nap__fiber_end()
	 * notifies, or JOINER_NOBODY
	 */
	uintptr_t awaiter;
	struct nap__os_thread_state os;	/* F: a thread's state that moves with the fiber */
	struct nap_scope *scope;	/* S: the fiber's scope, or NULL */
	uint32_t generation;		/* A: grows by one a fiber on the stack */
	struct nap_scope *scopes;	/* F: scopes opened by the fiber, the innermost first */
	struct nap_fiber *in_scope;	/* under the scope's lock: the scope's next fiber */
	struct nap_fiber **scope_link;	/* under the scope's lock: the pointer to this fiber */
	struct nap_fiber *asked;	/* link in a canceler's list of fibers to resume */
	char name[16];			/* F: see nap_fiber_set_name() */
	void *local;			/* F: the program's pointer */
	uint64_t seen;			/* A: note for a dump: src/worker/runs.h */
	struct nap__tools_fiber tools;	/* F: for sanitizers and valgrind */
};

/*
 * Turns a free stack, which the caller has, into a new fiber's. The number of the wait is
 * increased, so that a thread that acts late on an earlier fiber of the stack neither ends a wait
 * of the new fiber nor cancels the new fiber.
 */
static inline void fiber_renew(struct nap_fiber *fiber)
{
	uint32_t state = (nap_load_relaxed(&fiber->wait.state) & -WAIT_NUMBER) + WAIT_NUMBER;

	/* Not noticed in tests when 2 for 1: any other number will do. */
	nap_store_relaxed(&fiber->generation, nap_load_relaxed(&fiber->generation) + 1);
	/* pairs with the acquire in nap__fiber_cancel_the() [U3] */
	nap_store_release(&fiber->wait.state, state);
}

/*
 * Asks @fiber to end, if its generation is still @generation. Returns 0, or -ESRCH: the fiber of
 * this generation has ended. Called by any thread inside the pool.
 */
int nap__fiber_cancel_the(struct nap_fiber *fiber, uint32_t generation);

/*
 * Returns the fiber that the calling thread runs, if that fiber may leave its stack here: no frame
 * of a worker lies on the stack. NULL: the caller has to wait as a thread. Not inlined, because it
 * reads the thread's state, and after a wait the fiber may run on another thread.
 */
struct nap_fiber *nap__fiber_waiting(void);

/* As nap__fiber_waiting(), for a caller that uses no state of the thread after the wait. */
#ifdef NAP_SELF_BY_CALL		/* in the model checker, whose fibers are its threads */
#define fiber_waiting nap__fiber_waiting
#else
static inline struct nap_fiber *fiber_waiting(void)
{
	struct nap__self *self = nap__self();
	struct nap_fiber *fiber = self->fiber;

	if (!fiber || self->outer || !self->worker)
		return NULL;
	if (nap_top(self->worker) != fiber->host->top ||
	    self->worker->sections != fiber->host->sections)
		return NULL;
	return fiber;
}
#endif

/*
 * Called on a fiber's stack: whether the thread is a worker or guest of @pool in a frame below this
 * fiber, on the thread's own stack or on the stack of an outer fiber.
 */
bool nap__fiber_beneath(struct nap_pool *pool);

/* Leaves the stack until the fiber's wait, which is open or about to end, has ended. */
void nap__fiber_suspend(struct nap_fiber *fiber);

/*
 * Leaves the stack without a wait: the fiber is queued again, at the end. The fiber may stay on its
 * stack if the worker's ring is empty, and stays in the child of a fork.
 */
void nap__fiber_yield(struct nap_fiber *fiber);

/* The function of the fiber's task. */
void nap__fiber_run(struct nap_task *task);

/*
 * Runs @fiber, and the fibers that follow by direct switches. Returns a task that the last of them
 * has dequeued, for the caller to run; or NULL.
 */
struct nap_task *nap__fibers_run(struct nap_fiber *fiber);

/*
 * Does the last steps for @fiber, which has left its stack (left.c). True: its wait is already
 * over, and the caller has to resume the fiber.
 */
bool nap__fiber_goes_on(struct nap_fiber *fiber);

/*
 * Schedules a fiber that has left its stack (WAIT_OFF). Called by the thread that has ended the
 * fiber's wait.
 */
void nap__fiber_ready(struct nap_fiber *fiber);

/*
 * Called by a thread that resumes @fiber next, though no thread has scheduled it: writes
 * NAP_TRACE_SCHEDULE to a trace.
 */
static inline void fiber_at_once(struct nap_fiber *fiber)
{
	trace_object(fiber->pool, TRACE_FLAGS(NAP_TRACE_SCHEDULE, NAP_TRACE_AT_ONCE), &fiber->task,
		     (uintptr_t)fiber->task.run);
}

/*
 * As nap__fiber_ready(), for a worker that runs the fiber itself: returns its task, which is in no
 * queue.
 */
struct nap_task *nap__fiber_take(struct nap_fiber *fiber);

/* nap_group_wait_until() of a fiber; false: the caller is no fiber. src/async/fiber/group.c */
bool nap__fiber_group_wait(struct nap_group *group, uint64_t deadline, int *err);

/*
 * Runs @fiber until it waits, yields or ends. With @next, fibers may switch to each other. Returns
 * the fiber that left its stack last. *@next: the task that this fiber has dequeued, unless it is
 * the task of a fiber; or NULL.
 */
struct nap_fiber *nap__fiber_enter(struct nap_fiber *fiber, struct nap_task **next);

/*
 * Notifies the awaiter of a fiber that has ended and left its stack. This is the last touch of the
 * fiber.
 */
void nap__fiber_end(struct nap_fiber *fiber);

#endif /* NAP_FIBER_INTERNAL_H */
