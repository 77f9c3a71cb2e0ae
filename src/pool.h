/* SPDX-License-Identifier: MIT */
/*
 * What the files that implement the public calls share: coming into a pool, what the calling thread
 * is, deadlines, and what one such file has for the others.
 */
#ifndef NAP_POOL_INTERNAL_H
#define NAP_POOL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/nap.h>

#include "atomic.h"
#include "gate.h"
#include "leaving.h"
#include "os.h"
#include "phase.h"
#include "worker.h"

/* pool.c: size the pool and note the process, on the first use by any thread. */
void nap__pool_start(struct nap_pool *pool);

static inline void pool_start(struct nap_pool *pool)
{
	if (!nap_load_acquire(&pool->limit))	/* pairs with nap__pool_start() [P2] */
		nap__pool_start(pool);
}

/* Bring work into @pool from outside; true: gate_leave() of the intake is owed. */
static inline bool intake_enter(struct nap_pool *pool)
{
	if (pool_forked(pool))
		return false;
	pool_start(pool);
	return gate_enter(&pool->intake);
}

/*
 * Look at workers, or wait for the pool; true: gate_leave() of the visits is owed. Notes the
 * process first: in the child of a fork those who were inside are not.
 */
static inline bool visits_enter(struct nap_pool *pool)
{
	if (pool_forked(pool))
		return false;
	pool_start(pool);
	return gate_enter(&pool->visits);
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

/* From now on, until back_to(), the calling thread is @worker in the first place. */
static inline void become(struct nap_worker *worker, struct nap__outer *before)
{
	struct nap__self *self = nap__self();

	thread_inside(self);
	*before = (struct nap__outer){ .worker = self->worker, .outer = self->outer };
	self->outer = before;
	self->worker = worker;
}

static inline void back_to(struct nap__outer *before)
{
	struct nap__self *self = nap__self();

	if (self->outer == before) {
		self->worker = before->worker;
		self->outer = before->outer;
	} else if (self->left.outer == before) {
		/* In the child of a fork, where it is none of them any more. */
		self->left = *before;
	} else if (self->outer) {
		/* What ran meanwhile was inside nap, and has jumped over that. */
		nap__left(LEFT_BY_JUMP, NULL);
	}
}

/* Relative to absolute, ns; NAP_FOREVER stays. */
static inline uint64_t deadline_after(uint64_t timeout_ns)
{
	uint64_t now = timeout_ns && timeout_ns != NAP_FOREVER ? nap__os_now() : 0;

	return timeout_ns > NAP_FOREVER - now ? NAP_FOREVER : now + timeout_ns;
}

/*
 * A wait that nobody will tell when there is more to do for it looks again after a pause, and after
 * one twice as long if there was nothing.
 */
#define PAUSE_FIRST_NS	1000000u
#define PAUSE_LAST_NS	64000000u

/* How long to sleep; *@pause becomes the next one. */
static inline uint64_t deadline_or_pause(uint64_t deadline, uint64_t *pause)
{
	uint64_t next = nap__os_now() + *pause;

	if (*pause < PAUSE_LAST_NS)
		*pause *= 2;
	return next < deadline ? next : deadline;
}

static inline bool deadline_passed(uint64_t deadline)
{
	return deadline != NAP_FOREVER && (deadline == 0 || nap__os_now() >= deadline);
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

/* help.c: run one task on the calling thread, a guest for that time; false: found none. */
bool nap__help_one(struct nap_pool *pool);

/* help.c: whether tasks may be queued that no worker is there to run, or able to. */
bool nap__needs_help(struct nap_pool *pool);

/*
 * quiesce.c: until the pool is quiet; 0, -ECANCELED, -ETIMEDOUT or -ESHUTDOWN (forked meanwhile).
 */
int nap__quiesce(struct nap_pool *pool, uint64_t deadline);

/* help.c: every task that is queued, into @left; nobody else may be inside. */
void nap__collect(struct nap_pool *pool, struct nap_batch *left);

/* pool_join.c: the calling thread is cancelled while it waits for a thread of @pool's. */
void nap__join_canceled(struct nap_pool *pool);

/* stats.c: add up the workers' counters; the caller keeps the records alive. */
void nap__stats_sum(struct nap_pool *pool, struct nap_worker_stats *sum);

#endif /* NAP_POOL_INTERNAL_H */
