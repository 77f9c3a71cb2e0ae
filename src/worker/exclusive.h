/* SPDX-License-Identifier: MIT */
/*
 * Exclusive execution: a thread holds a serial queue (src/kit/serial.c), and runs the queue's
 * tasks. A wait in such a task does not give the queue up. If the wait nested another task, this
 * task might want the same queue, and would wait for ever, because a frame below it holds the
 * queue. So a join in exclusive execution runs only jobs of the worker that has stolen the awaited
 * job (src/fork/jobs_join.c): these are part of the awaited job. Jobs that are forked in exclusive
 * execution are exclusive, too, on whichever worker they run, and so are their joins.
 *
 * Being exclusive is a property of the thread. Each of the thread's workers has a copy of this
 * flag, for thieves: src/fork/jobs.c. A thief may mistake an older job of such a worker for an
 * exclusive one; then the job's joins run fewer tasks than they could.
 *
 *	before = exclusive_begin()	the thread is exclusive until exclusive_end(before)
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
	/* Relaxed, because a thief acquires a job that is forked after this store. [F4] */
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

/* Also called in the child of a fork, where the thread is no longer a worker. */
static inline void exclusive_end(bool before)
{
	if (!before)
		exclusive__set(nap__self(), false);
}

#endif /* NAP_EXCLUSIVE_H */
