/* SPDX-License-Identifier: MIT */
/*
 * Which workers the calling thread is. A worker that runs a task of another pool, in a wait or as
 * a helper, is a worker of both pools: a record on its stack keeps what the thread was before.
 *
 * 	become(worker, &before)		from now on @worker is the thread's innermost worker
 * 	back_to(&before)		the thread is again what it was before
 */
#ifndef NAP_SELF_H
#define NAP_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/os.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/runs.h"
#include "worker/worker.h"

/*
 * The state of a thread before a wait, before the function of a nap_call(), or before it ran tasks
 * as a guest: a record on its stack. A thread may be a worker of several pools at once.
 */
struct nap__outer {
	struct nap_worker *worker;
	struct nap__outer *outer;
	/* Called when the frame is left other than by return; NULL: such an exit is not allowed. */
	void (*leave)(struct nap__outer *outer);
	uintptr_t runs;		/* the function that the worker was running */
};

#define NAP__HABITS 4

struct nap__ending;
struct nap__fiber_wait;
struct nap__permit;
struct nap__wait;
struct nap_fiber;

/* The record of a thread. It is all zero on a thread that has not used nap. */
struct nap__self {
	/* the innermost worker, on which the present function runs */
	struct nap_worker *worker;
	/* the pool of @worker; NULL if this worker is a guest, or has ended */
	struct nap_pool *home;
	/* the thread's earlier states, the last one first */
	struct nap__outer *outer;
	uintptr_t stack_half;	/* the address where half of the stack is used; 0: unknown */
	/* the fiber whose stack the thread is on, running it or not */
	struct nap_fiber *fiber;
	uint32_t budget;	/* the fiber's budget: src/async/fiber/budget.h */
	uint32_t select_from;	/* used outside of fibers: src/async/fiber/select.c */
	uint32_t spin_skip;	/* sleeps that come before the next spin: src/idle/spin.h */
	uint8_t spin_fails;	/* spins in a row that were in vain */
	bool inside;		/* the system was notified: nap__os_thread_inside() */
	bool exclusive;		/* exclusive execution: src/worker/exclusive.h */
	uint32_t number;	/* gettid(2); 0: unknown: thread_number() */
	struct nap_task *set_aside;	/* task that is not to be measured: src/worker/measure.h */
	struct nap__permit *permits;	/* the innermost permit that it holds: src/sched/lend.h */
	struct nap__ending *ending;	/* the innermost list of refused works: src/kit/ending.h */
	const struct nap__wait *sleeps;	/* for a dump: the wait in which the thread sleeps */
	/* for a dump: the fiber layer's part of a wait, as for a mutex */
	const struct nap__fiber_wait *sleeper;

	/* For a thread from outside: src/worker/producer.h */
	struct nap__producer *producer;		/* its slot, or NULL while it is a worker */
	struct nap__producer *own_producer;	/* the last slot that it took */
	struct nap_pool *visited;	/* the pool that the thread entered last without a slot */
	uint32_t visits;		/* the number of these entries in a row */

	/* For a caller of loops: the time of an iteration of some loops. src/parallel/worth.c */
	struct nap__habit {
		const void *body;	/* the program's function in the loop */
		uint64_t iteration_ns;
	} habits[NAP__HABITS];
	uint64_t loop_end;		/* end of the last loop, ns */
	uint64_t alone_ns;		/* work in short loops in a row, ns */

	/*
	 * In the child of a fork: the thread's state in the parent. The thread is no longer a
	 * worker, but counts as inside until it has returned from the parent's calls.
	 */
	struct nap__outer in_parent;
};

#ifdef NAP_SELF_BY_CALL		/* in the model checker, whose threads are not the system's */
struct nap__self *nap__self(void);
#define nap__self_in_parent nap__self
#define self_is_of(gen) true
#else
/*
 * The thread-local object: the record, and the number of the process in which the record is valid
 * (src/os/linux/process.c).
 */
struct nap__own {
	struct nap__self self;
	uint32_t gen;
};

#pragma GCC visibility push(hidden)
extern __thread struct nap__own nap__own;
/*
 * A compiler assumes that the address of a thread-local object does not change. But a fiber may
 * continue on another thread, where the address is another one. Without link-time optimisation each
 * call of the library finds the address anew. With link-time optimisation (NAP_LTO) calls may be
 * inlined into one function, the fiber's, so there a function that is never inlined finds the
 * address.
 */
#ifdef NAP_LTO
struct nap__own *nap__own_here(void);
#else
#define nap__own_here() (&nap__own)
#endif
#pragma GCC visibility pop

/* Called in the child of a fork, where the thread is no longer a worker. */
struct nap__self *nap__become_child(void);

static inline struct nap__self *nap__self(void)
{
	/*
	 * The address is kept in no variable: UndefinedBehaviorSanitizer would compare the variable
	 * with NULL. The compiler would take the result of the comparison from the flags of an
	 * addition. But the linker turns this addition into lea, which sets no flags (x86-64 psABI,
	 * from initial-exec to local-exec).
	 */
	if (__builtin_expect(nap__own_here()->gen != nap_load_relaxed(&nap__fork_gen), 0))
		return nap__become_child();
	return &nap__own_here()->self;
}

/*
 * As nap__self(), but in the child of a fork the record still shows the thread's state in the
 * parent.
 */
static inline struct nap__self *nap__self_in_parent(void)
{
	return &nap__own_here()->self;
}

/* Whether the thread's record is valid in the process @gen. */
static inline bool self_is_of(uint32_t gen)
{
	return nap__own_here()->gen == gen;
}
#endif

/*
 * Returns the calling thread's worker in @pool, if that worker may schedule into its own ring and
 * has nothing else to check. NULL: it may not, or this function does not know.
 */
static inline struct nap_worker *plain_worker(struct nap_pool *pool)
{
	struct nap__self *self = nap__self_in_parent();
	uint32_t gen = nap_load_relaxed(&nap__fork_gen);

	/*
	 * In the child of a fork the pool is not plain. A new pool at the same address is not
	 * mistaken for the old one, because the thread's record is not valid yet in the child.
	 */
	if (self->home != pool || !pool_is_plain_in(pool, gen) || !self_is_of(gen))
		return NULL;
	if (!self->worker)
		__builtin_unreachable();	/* because a thread with a home is a worker */
	return self->worker;
}

/*
 * Whether the calling thread is no worker, and has nothing to check except the gate of @pool, which
 * is in use.
 */
static inline bool is_plain_outside(struct nap_pool *pool)
{
	struct nap__self *self = nap__self_in_parent();

	/*
	 * Relaxed: if one of the words is seen late, the slow path is taken; everything else that
	 * the fast path reads is configuration.
	 */
	return !self->worker && !self->outer && nap_load_relaxed(&pool->limit) &&
	       pool_is_plain(pool);
}

/* Makes @worker the innermost worker of the calling thread; NULL: the thread is no worker. */
static inline void self_is(struct nap__self *self, struct nap_worker *worker)
{
	self->worker = worker;
	self->home = worker && !worker->guest && !worker->ended ? worker->pool : NULL;
	self->producer = worker || self->outer ? NULL : self->own_producer;
}

/*
 * Returns a number that the thread keeps in the child of a fork; not 0. Other threads have other
 * numbers, unless their records are a multiple of 2^38 bytes away from this thread's.
 */
static inline uint32_t this_thread(void)
{
	return (uint32_t)((uintptr_t)nap__self_in_parent() / NAP__CACHE_LINE) | 1;
}

/* Returns the system's number of the calling thread. */
static inline uint32_t thread_number(struct nap__self *self)
{
	if (!self->number)
		self->number = nap__os_thread_number();
	return self->number;
}

/* As thread_number(), for a dump, which shows the thread of each worker. */
static inline void number_thread(struct nap__self *self)
{
#ifndef NAP_NO_TRACE
	thread_number(self);
#else
	(void)self;
#endif
}

/* Called by a thread in a task that calls @fn: notes @fn for a dump, if the thread is a worker. */
static inline void runs_here(uintptr_t fn)
{
	struct nap_worker *worker = nap__self()->worker;

	if (worker)
		runs_now(worker, fn);
}

/*
 * Returns the calling thread's worker or guest in @pool, which need not be the innermost one; or
 * NULL.
 */
static inline struct nap_worker *own_worker(struct nap_pool *pool)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->worker;

	for (struct nap__outer *o = self->outer; o && worker && worker->pool != pool; o = o->outer)
		worker = o->worker;
	return worker && worker->pool == pool ? worker : NULL;
}

/*
 * As own_worker(), but NULL in the callback worker_stop. A worker in this callback schedules as a
 * thread from outside does, through the intake. So other workers run the task, as long as the pool
 * runs.
 */
static inline struct nap_worker *own_inside(struct nap_pool *pool)
{
	struct nap_worker *worker = own_worker(pool);

	return worker && !worker->ended ? worker : NULL;
}

/* As own_inside(), in fewer instructions if the pool is plain (src/worker/phase.h). */
static inline struct nap_worker *insider(struct nap_pool *pool)
{
	struct nap_worker *worker = plain_worker(pool);

	return worker ? worker : own_inside(pool);
}

/*
 * Whether the thread is a worker or guest of @pool, also in a frame below a fiber of another pool:
 * such a thread may not block until @pool is quiet or has ended.
 */
bool nap__is_inside(struct nap_pool *pool);

/*
 * In the child of a fork: whether the thread is on the stack of a fiber of the parent, and in no
 * pool of the child's. No thread of the parent would end a wait here.
 */
static inline bool in_fiber_of_parent(void)
{
	struct nap__self *self = nap__self();

	return self->fiber && !self->worker && !self->outer;
}

/* Called by a thread before the first record (struct nap__outer) is on its stack. */
static inline void thread_inside(struct nap__self *self)
{
	if (!self->inside) {
		self->inside = true;
		nap__os_thread_inside();
	}
}

/* Makes @worker the innermost worker of the calling thread, until back_to(). */
static inline void become(struct nap_worker *worker, struct nap__outer *before)
{
	struct nap__self *self = nap__self();

	thread_inside(self);
	*before = (struct nap__outer){ .worker = self->worker, .outer = self->outer };
	runs_begin(worker, self, &before->runs);
	self->outer = before;
	self_is(self, worker);
}

static inline void back_to(struct nap__outer *before)
{
	struct nap__self *self = nap__self();

	if (self->outer == before) {
		runs_back(self->worker, before->runs);
		self->outer = before->outer;
		self_is(self, before->worker);
	} else if (self->in_parent.outer == before) {
		/* This is the child of a fork, where the thread is no longer a worker. */
		self->in_parent = *before;
	} else if (self->outer) {
		/* The last function has jumped over frames of nap's. */
		nap__panic_left(LEFT_BY_JUMP, NULL);
	}
}

#endif /* NAP_SELF_H */
