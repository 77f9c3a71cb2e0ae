/* SPDX-License-Identifier: MIT */
/*
 * Which workers the calling thread is. A worker that runs a task of another pool's, in a wait or as
 * a helper, is a worker of both: a record on its stack keeps what it was before.
 *
 *	become(worker, &before)		from now on the thread is @worker in the first place
 *	back_to(&before)		no longer
 */
#ifndef NAP_SELF_H
#define NAP_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/os.h"
#include "worker/leaving.h"
#include "worker/phase.h"
#include "worker/worker.h"

/*
 * On the stack of a thread inside a wait, inside the function of a nap_call(), or running tasks as
 * a guest: what it was before. It may be a worker of several pools at once.
 */
struct nap__outer {
	struct nap_worker *worker;
	struct nap__outer *outer;
	/* How to end it when it is left other than by return; NULL: that is not allowed. */
	void (*leave)(struct nap__outer *outer);
};

#define NAP__HABITS 4

struct nap__ending;
struct nap__permit;
struct nap_fiber;

/* All zero on a thread that nap has nothing to do with. */
struct nap__self {
	struct nap_worker *worker;	/* the innermost: what runs now runs on this one */
	struct nap_pool *home;		/* its pool, if it has a ring: no guest, and not ended */
	struct nap__outer *outer;	/* the others that it is */
	uintptr_t stack_half;	/* where half of the stack is used up; 0: not asked yet */
	struct nap_fiber *fiber;	/* whose stack the thread is on, in the middle of it or not */
	uint32_t budget;	/* of that one: src/async/fiber/budget.h */
	uint32_t select_from;	/* of a thread in no fiber: src/async/fiber/select.c */
	uint32_t spin_skip;	/* how many sleeps come before it spins again: src/idle/spin.h */
	uint8_t spin_fails;	/* how often in a row that was for nothing */
	bool inside;		/* the system was told: nap__os_thread_inside() */
	bool exclusive;		/* what runs must not be nested on: src/worker/exclusive.h */
	struct nap__permit *permits;	/* in classes with a limit, the innermost: src/sched/lend.h */
	struct nap__ending *ending;	/* works that are refused, the innermost: src/kit/ending.h */

	/* As a thread from outside: src/worker/producer.h */
	struct nap__producer *producer;		/* what it may use: its producer slot, or NULL while it is a worker */
	struct nap__producer *own_producer;	/* the last that it took */
	struct nap_pool *visited;	/* where it came in without one last, */
	uint32_t visits;		/* and how often in a row */

	/* As a caller of loops: what a turn has taken, of some of them. src/parallel/ranges.c */
	struct nap__habit {
		const void *body;	/* the program's function */
		uint64_t iteration_ns;
	} habits[NAP__HABITS];
	uint64_t loop_end;		/* of the last one, ns */
	uint64_t alone_ns;		/* work in short ones, one behind the other */

	/*
	 * In the child of a fork: what it was above. It no longer is, but is still in the middle of
	 * it, until it has returned from there.
	 */
	struct nap__outer in_parent;
};

#ifdef NAP_SELF_BY_CALL		/* the model checker, whose threads are not the system's */
struct nap__self *nap__self(void);
#define nap__self_in_parent nap__self
#define self_is_of(gen) true
#else
/*
 * One thread-local object, and the process in which it was right last: src/os/linux/process.c.
 */
struct nap__own {
	struct nap__self self;
	uint32_t gen;
};

#pragma GCC visibility push(hidden)
extern __thread struct nap__own nap__own;
#pragma GCC visibility pop

/* In the child of a fork, where the calling thread is no longer one of its workers. */
struct nap__self *nap__become_child(void);

static inline struct nap__self *nap__self(void)
{
	if (__builtin_expect(nap__own.gen != nap_load_relaxed(&nap__fork_gen), 0))
		return nap__become_child();
	return &nap__own.self;
}

/* The same, unless this is the child of a fork: there it is what the thread was in the parent. */
static inline struct nap__self *nap__self_in_parent(void)
{
	return &nap__own.self;
}

/* Whether the thread has become what it is in the process @gen. */
static inline bool self_is_of(uint32_t gen)
{
	return nap__own.gen == gen;
}
#endif

/*
 * The worker of @pool that the calling thread is, if it may schedule into its own ring and has
 * nothing else to look at. NULL may be as well.
 */
static inline struct nap_worker *plain_worker(struct nap_pool *pool)
{
	struct nap__self *self = nap__self_in_parent();
	uint32_t gen = nap_load_relaxed(&nap__fork_gen);

	/*
	 * In the child of a fork the pool is not plain; nor is another that was made there where
	 * the pool had lain, as long as the thread has not become what it is there.
	 */
	if (self->home != pool || !pool_is_plain_in(pool, gen) || !self_is_of(gen))
		return NULL;
	if (!self->worker)
		__builtin_unreachable();	/* a thread that has a home is a worker */
	return self->worker;
}

/*
 * Whether the calling thread is no worker at all, and has nothing to look at but the gate of @pool,
 * which is in use.
 */
static inline bool is_plain_outside(struct nap_pool *pool)
{
	struct nap__self *self = nap__self_in_parent();

	/*
	 * Relaxed: both words are seen, or the slow way is taken. The rest is in the configuration.
	 */
	return !self->worker && !self->outer && nap_load_relaxed(&pool->limit) &&
	       pool_is_plain(pool);
}

/* From now on the calling thread is @worker in the first place; NULL: none. */
static inline void self_is(struct nap__self *self, struct nap_worker *worker)
{
	self->worker = worker;
	self->home = worker && !worker->guest && !worker->ended ? worker->pool : NULL;
	self->producer = worker || self->outer ? NULL : self->own_producer;
}

/* The worker or guest of @pool that the calling thread is, perhaps among others, or NULL. */
static inline struct nap_worker *own_worker(struct nap_pool *pool)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->worker;

	for (struct nap__outer *o = self->outer; o && worker && worker->pool != pool; o = o->outer)
		worker = o->worker;
	return worker && worker->pool == pool ? worker : NULL;
}

/*
 * The same, if it brings work as one that is inside. A worker in worker_stop brings it as a thread
 * from outside does, through the intake: others run that as long as the pool runs.
 */
static inline struct nap_worker *own_inside(struct nap_pool *pool)
{
	struct nap_worker *worker = own_worker(pool);

	return worker && !worker->ended ? worker : NULL;
}

/* The same, asked in fewer instructions where the caller has nothing else to look at. */
static inline struct nap_worker *insider(struct nap_pool *pool)
{
	struct nap_worker *worker = plain_worker(pool);

	return worker ? worker : own_inside(pool);
}

/* The calling thread is about to have records on its stack. */
static inline void thread_inside(struct nap__self *self)
{
	if (!self->inside) {
		self->inside = true;
		nap__os_thread_inside();
	}
}

/* From now on, until back_to(), the calling thread is @worker in the first place. */
static inline void become(struct nap_worker *worker, struct nap__outer *before)
{
	struct nap__self *self = nap__self();

	thread_inside(self);
	*before = (struct nap__outer){ .worker = self->worker, .outer = self->outer };
	self->outer = before;
	self_is(self, worker);
}

static inline void back_to(struct nap__outer *before)
{
	struct nap__self *self = nap__self();

	if (self->outer == before) {
		self->outer = before->outer;
		self_is(self, before->worker);
	} else if (self->in_parent.outer == before) {
		/* In the child of a fork, where the thread is no longer one of them. */
		self->in_parent = *before;
	} else if (self->outer) {
		/* What ran since then was inside nap, and has jumped over that. */
		nap__remaining(LEFT_BY_JUMP, NULL);
	}
}

/*
 * Whether the calling thread may run another task inside the one it is in: while less than half of
 * its stack is used. A wait that may not must sleep, and hope that others run what it waits for.
 */
static inline bool may_nest(void)
{
	struct nap__self *self = nap__self();

	if (!self->stack_half)
		self->stack_half = nap__os_stack_half();
	return (uintptr_t)__builtin_frame_address(0) > self->stack_half;
}

/*
 * For some time the calling thread nests nothing, whatever stack it has: no frame is in the upper
 * half of such a one. Returns what nesting_back() is to be given.
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
 * does not know for RISC-V; it looks from a little lower.)
 */
#ifdef __clang__
#define FRAME_END ((uintptr_t)__builtin_frame_address(0))
#else
#define FRAME_END ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* The calling thread's innermost record lies below @frame_end: was left, or is on another stack. */
void nap__maybe_jumped(uintptr_t frame_end, void *caller);

/* First thing of a slow public call: whether the last one of this thread was left by a jump. */
static inline __attribute__((always_inline)) void check_jump(void *caller)
{
	struct nap__self *self = nap__self();
	uintptr_t end = FRAME_END;

	/* NULL is above everything. */
	if ((uintptr_t)self->outer - 1 < end - 1)
		nap__maybe_jumped(end, caller);
}

#endif /* NAP_SELF_H */
