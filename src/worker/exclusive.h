/* SPDX-License-Identifier: MIT */
/*
 * What runs with something that others wait for, and that no wait gives back: a serial queue's
 * turn. A task that is nested in one of its waits might want the same, and would wait for the frame
 * below itself, for ever. So a join there runs only jobs of its own thief (src/fork/jobs_join.c),
 * which are part of what it waits for. What it has forked is exclusive, too, on whichever worker
 * that runs: a join of that is waited for just so.
 *
 * It is a property of the thread. Each worker that the thread is has a copy, for thieves:
 * src/fork/jobs.c. A job of something else that they take from there in that time is taken for
 * exclusive, too. Then its joins run less than they might.
 *
 *	before = exclusive_begin()	from now on, and until exclusive_end(before)
 */
#ifndef NAP_EXCLUSIVE_H
#define NAP_EXCLUSIVE_H

#include <stdbool.h>

#include "arch/atomic.h"
#include "worker/self.h"
#include "worker/worker.h"

static inline bool is_exclusive(void)
{
	return nap__self()->exclusive;
}

static inline void exclusive__set(struct nap__self *self, bool exclusive)
{
	self->exclusive = exclusive;
	/* Relaxed: a thief has acquired a job that was forked after it. [F4] */
	if (self->worker)
		nap_store_relaxed(&self->worker->exclusive, exclusive);
	for (struct nap__outer *outer = self->outer; outer; outer = outer->outer)
		if (outer->worker)
			nap_store_relaxed(&outer->worker->exclusive, exclusive);
}

static inline bool exclusive_begin(void)
{
	struct nap__self *self = nap__self();
	bool before = self->exclusive;

	if (!before)
		exclusive__set(self, true);
	return before;
}

/* In the child of a fork the thread is no longer a worker. */
static inline void exclusive_end(bool before)
{
	if (!before)
		exclusive__set(nap__self(), false);
}

#endif /* NAP_EXCLUSIVE_H */
