/* SPDX-License-Identifier: MIT */
/*
 * Running a fiber, and the rest of its pool, on the calling thread: nap/here.h. The thread is a
 * guest (src/sched/guest.h) that awaits the fiber. So the thread runs queued tasks, polls for
 * timers and files, and sleeps, as a worker does.
 */
#include <nap/here.h>

#include <errno.h>

#include <nap/call.h>

struct here {
	struct nap_pool *pool;
	nap_fiber_fn fn;
	void *arg;
	intptr_t *result;
	int err;
};

static void run_here(struct nap_worker *worker, void *arg)
{
	struct here *here = arg;
	struct nap_fiber *fiber;

	(void)worker;
	here->err = nap_spawn(here->pool, &fiber, here->fn, here->arg);
	if (here->err)
		return;
	here->err = nap_await(fiber, here->result);
	/* The handle is not needed: the pool's joiner ends the fiber, or has ended it. */
	if (here->err)
		nap_detach(fiber);
}

int nap_run(struct nap_pool *pool, nap_fiber_fn fn, void *arg, intptr_t *result)
{
	struct here here = { pool, fn, arg, result, 0 };
	int err;

	if (!pool || !fn)
		return -EINVAL;
	err = nap_call(pool, run_here, &here);
	return err ? err : here.err;
}
