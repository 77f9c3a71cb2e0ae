/* SPDX-License-Identifier: MIT */
/*
 * Which workers the calling thread is. A worker that runs a task of another pool, in a wait or as
 * a helper, is a worker of both pools: a record on its stack keeps what the thread was before.
 *
 * 	become(worker, &before)		from now on the thread is @worker in the first place
 * 	back_to(&before)		no longer
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
 * What a thread was before a wait, before the function of a nap_call(), or before it ran tasks as
 * a guest: a record on its stack. A thread may be a worker of several pools at once.
 */
struct nap__outer {
	struct nap_worker *worker;
	struct nap__outer *outer;
	/* Called when the frame is left other than by return; NULL: that is not allowed. */
	void (*leave)(struct nap__outer *outer);
	uintptr_t runs;		/* what the worker that the thread became was running */
};

#define NAP__HABITS 4

struct nap__ending;
struct nap__fiber_wait;
struct nap__permit;
struct nap__wait;
struct nap_fiber;

/* All zero on a thread that nap has not used. */
struct nap__self {
	struct nap_worker *worker;	/* the innermost, on which the present function runs */
	struct nap_pool *home;		/* its pool, if it has a ring: no guest, and not ended */
	struct nap__outer *outer;	/* the workers that the thread was before */
	uintptr_t stack_half;	/* where half of the stack is used; 0: not asked yet */
	struct nap_fiber *fiber;	/* whose stack the thread is on, running it or not */
	uint32_t budget;	/* of that fiber: src/async/fiber/budget.h */
	uint32_t select_from;	/* of a thread in no fiber: src/async/fiber/select.c */
	uint32_t spin_skip;	/* how many sleeps come before it spins again: src/idle/spin.h */
	uint8_t spin_fails;	/* how often in a row a spin was in vain */
	bool inside;		/* the system was notified: nap__os_thread_inside() */
	bool exclusive;		/* no nesting on what runs: src/worker/exclusive.h */
	uint32_t number;	/* gettid(2); 0: not asked yet: thread_number() */
	struct nap_task *set_aside;	/* is scheduled next, and not measured: src/worker/measure.h */
	struct nap__permit *permits;	/* the innermost of those it holds: src/sched/lend.h */
	struct nap__ending *ending;	/* the innermost refused work: src/kit/ending.h */
	const struct nap__wait *sleeps;	/* the wait in which it sleeps, for a dump; */
	const struct nap__fiber_wait *sleeper;	/* and if that is for a mutex, say, its own part */

	/* Of a thread from outside: src/worker/producer.h */
	struct nap__producer *producer;		/* its slot, or NULL while it is a worker */
	struct nap__producer *own_producer;	/* the last slot that it took */
	struct nap_pool *visited;	/* where it entered without a slot last, */
	uint32_t visits;		/* and how often in a row */

	/* Of a caller of loops: what an iteration takes, for some loops. src/parallel/ranges.c */
	struct nap__habit {
		const void *body;	/* the program's function */
		uint64_t iteration_ns;
	} habits[NAP__HABITS];
	uint64_t loop_end;		/* when the last one ended, ns */
	uint64_t alone_ns;		/* work in short loops in a row */

	/*
	 * In the child of a fork: what the thread was in the parent. The thread is no longer a
	 * worker, but is inside until it has returned from the parent's calls.
	 */
	struct nap__outer in_parent;
};

#ifdef NAP_SELF_BY_CALL		/* the model checker, whose threads are not the system's */
struct nap__self *nap__self(void);
#define nap__self_in_parent nap__self
#define self_is_of(gen) true
#else
/* One thread-local object, and the process in which it was last right: src/os/linux/process.c. */
struct nap__own {
	struct nap__self self;
	uint32_t gen;
};

#pragma GCC visibility push(hidden)
extern __thread struct nap__own nap__own;
#pragma GCC visibility pop

/* Called in the child of a fork, where the thread is no longer one of its workers. */
struct nap__self *nap__become_child(void);

static inline struct nap__self *nap__self(void)
{
	if (__builtin_expect(nap__own.gen != nap_load_relaxed(&nap__fork_gen), 0))
		return nap__become_child();
	return &nap__own.self;
}

/* As nap__self(), but in the child of a fork returns what the thread was in the parent. */
static inline struct nap__self *nap__self_in_parent(void)
{
	return &nap__own.self;
}

/* Whether the thread's object is that of the process @gen. */
static inline bool self_is_of(uint32_t gen)
{
	return nap__own.gen == gen;
}
#endif

/*
 * Returns the calling thread's worker in @pool, if it may schedule into its own ring and has
 * nothing else to check. May also return NULL.
 */
static inline struct nap_worker *plain_worker(struct nap_pool *pool)
{
	struct nap__self *self = nap__self_in_parent();
	uint32_t gen = nap_load_relaxed(&nap__fork_gen);

	/*
	 * In the child of a fork the pool is not plain. A new pool at its address is not taken for
	 * the old one, because the thread's object is not yet that of the child.
	 */
	if (self->home != pool || !pool_is_plain_in(pool, gen) || !self_is_of(gen))
		return NULL;
	if (!self->worker)
		__builtin_unreachable();	/* a thread that has a home is a worker */
	return self->worker;
}

/*
 * Whether the calling thread is no worker, and has nothing to check but the gate of @pool, which is
 * in use.
 */
static inline bool is_plain_outside(struct nap_pool *pool)
{
	struct nap__self *self = nap__self_in_parent();

	/* Relaxed: unless both words are seen the slow way is taken; the rest is configuration. */
	return !self->worker && !self->outer && nap_load_relaxed(&pool->limit) &&
	       pool_is_plain(pool);
}

/* Makes the calling thread @worker in the first place; NULL: none. */
static inline void self_is(struct nap__self *self, struct nap_worker *worker)
{
	self->worker = worker;
	self->home = worker && !worker->guest && !worker->ended ? worker->pool : NULL;
	self->producer = worker || self->outer ? NULL : self->own_producer;
}

/* Returns the system's number of the calling thread. */
static inline uint32_t thread_number(struct nap__self *self)
{
	if (!self->number)
		self->number = nap__os_thread_number();
	return self->number;
}

/* As thread_number(), for a dump: which thread a worker is. */
static inline void number_thread(struct nap__self *self)
{
#ifndef NAP_NO_TRACE
	thread_number(self);
#else
	(void)self;
#endif
}

/* Calling thread, in a task that calls @fn: what it runs, for a dump, if it is a worker. */
static inline void runs_here(uintptr_t fn)
{
	struct nap_worker *worker = nap__self()->worker;

	if (worker)
		runs_now(worker, fn);
}

/* Returns the calling thread's worker or guest in @pool, perhaps among others, or NULL. */
static inline struct nap_worker *own_worker(struct nap_pool *pool)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->worker;

	for (struct nap__outer *o = self->outer; o && worker && worker->pool != pool; o = o->outer)
		worker = o->worker;
	return worker && worker->pool == pool ? worker : NULL;
}

/*
 * As own_worker(), if it counts as inside when it brings work. A worker in worker_stop brings work
 * as a thread from outside does, through the intake: others run it as long as the pool runs.
 */
static inline struct nap_worker *own_inside(struct nap_pool *pool)
{
	struct nap_worker *worker = own_worker(pool);

	return worker && !worker->ended ? worker : NULL;
}

/* As own_inside(), in fewer instructions where the caller has nothing else to check. */
static inline struct nap_worker *insider(struct nap_pool *pool)
{
	struct nap_worker *worker = plain_worker(pool);

	return worker ? worker : own_inside(pool);
}

/*
 * Whether the thread is a worker or guest of @pool, also beneath a fiber of another pool that it
 * runs: then it may not block until @pool is quiet or has ended.
 */
bool nap__is_inside(struct nap_pool *pool);

/* Called by a thread that is about to have records on its stack. */
static inline void thread_inside(struct nap__self *self)
{
	if (!self->inside) {
		self->inside = true;
		nap__os_thread_inside();
	}
}

/* Makes the calling thread @worker in the first place, until back_to(). */
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
		/* In the child of a fork, where the thread is no longer a worker. */
		self->in_parent = *before;
	} else if (self->outer) {
		/* What ran last was inside nap, and has jumped over its frames. */
		nap__panic_left(LEFT_BY_JUMP, NULL);
	}
}

/*
 * Whether the calling thread may run another task inside the present one: while less than half of
 * its stack is used. Otherwise a wait has to sleep, and others have to run the awaited task.
 */
static inline bool may_nest(void)
{
	struct nap__self *self = nap__self();

	if (!self->stack_half)
		self->stack_half = nap__os_stack_half();
	return (uintptr_t)__builtin_frame_address(0) > self->stack_half;
}

/*
 * Stops the calling thread from nesting, whatever stack it has: no frame lies above the "half"
 * that this sets. Returns the argument for nesting_back().
 */
static inline uintptr_t nesting_off(void)
{
	struct nap__self *self = nap__self();
	uintptr_t half = self->stack_half;

	self->stack_half = UINTPTR_MAX;
	return half;
}

static inline void nesting_back(uintptr_t half)
{
	nap__self()->stack_half = half;
}

static inline bool nesting_is_off(const struct nap__self *self)
{
	return self->stack_half == UINTPTR_MAX;
}

/*
 * Where the caller's frame ends: what lies below, on the same stack, is no live caller's. (clang 14
 * has no such builtin for RISC-V; its value is a little lower.)
 */
#ifdef __clang__
#define FRAME_END ((uintptr_t)__builtin_frame_address(0))
#else
#define FRAME_END ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* Called if the innermost record is below @frame_end: left, or on another stack. */
void nap__maybe_jumped(uintptr_t frame_end, void *caller);

/* Begins a slow public call: checks whether a jump has left the thread's last call. */
static inline __attribute__((always_inline)) void check_jump(void *caller)
{
	struct nap__self *self = nap__self();
	uintptr_t end = FRAME_END;

	/* A record at NULL counts as above everything. */
	if ((uintptr_t)self->outer - 1 < end - 1)
		nap__maybe_jumped(end, caller);
}

#endif /* NAP_SELF_H */
