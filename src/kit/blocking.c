/* SPDX-License-Identifier: MIT */
/*
 * Blocking sections: nap/blocking.h. Typically most_blocked is 0, and a section does nothing.
 * Otherwise a section raises the limit of workers; typically a worker is on standby then
 * (src/sched/standby.h), and the next task calls this worker back.
 */
#include <errno.h>

#include <nap/nap.h>

#include "os/happens.h"
#include "sync/debug.h"
#include "worker/capacity.h"
#include "worker/self.h"
#include "worker/trace.h"

/* Returns this thread's own worker, even while the thread is another pool's guest; or NULL. */
static struct nap_worker *own_thread(void)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->worker;

	for (struct nap__outer *o = self->outer; o && (!worker || worker->guest); o = o->outer)
		worker = o->worker;
	return worker && !worker->guest && !worker->ended ? worker : NULL;
}

void nap_blocking_begin(void)
{
	struct nap_worker *worker = own_thread();

	if (!worker || worker->sections++)
		return;
	trace(worker->pool, NAP_TRACE_BLOCK_BEGIN, NAP_TRACE_NOBODY, 0, 0);
	/* Not noticed in tests when dropped: no worker is counted then. */
	if (!worker->pool->config.most_blocked)
		return;
	unseen_begin();
	nap__replace(worker, REPLACED_IN_SECTION);
	unseen_end();
}

void nap_blocking_end(void)
{
	struct nap_worker *worker = own_thread();

	if (!worker)
		return;
	if (!worker->sections) {
		if (DEBUG_BUILD)
			nap__os_panic(__builtin_return_address(0),
				      "nap_blocking_end: no section was begun");
		return;
	}
	if (--worker->sections)
		return;
	trace(worker->pool, NAP_TRACE_BLOCK_END, NAP_TRACE_NOBODY, 0, 0);
	/* Not noticed in tests when dropped: no worker was counted. */
	if (!worker->pool->config.most_blocked)
		return;
	unseen_begin();
	nap__replace_no_more(worker, REPLACED_IN_SECTION);
	unseen_end();
}

void nap_blocking(void (*fn)(void *arg), void *arg)
{
	nap_blocking_begin();
	fn(arg);
	nap_blocking_end();
}
