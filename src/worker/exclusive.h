/* SPDX-License-Identifier: MIT */
/*
 * Exclusive execution: a thread runs tasks while it holds something that others wait for and that
 * no wait gives up, a serial queue. A task that is nested in a wait there might want the same
 * queue, and would wait for ever for the frame below itself. So a join there runs only jobs of its
 * own thief (src/fork/jobs_join.c), which are part of the awaited job. Jobs that were forked there
 * are exclusive, too, on whichever worker they run, and their joins wait in this way.
 *
 * Being exclusive is a property of the thread. Each worker that the thread is has a copy, for
 * thieves: src/fork/jobs.c. Thieves may take an older job from such a worker for exclusive. Then
 * its joins run less than they might.
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
	/* Relaxed: a thief has acquired a job that was forked after this store. [F4] */
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
