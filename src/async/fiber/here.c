/* SPDX-License-Identifier: MIT */
/*
 * A fiber, and the rest of its pool, on the calling thread: nap/here.h. The thread is a guest
 * (src/sched/guest.h) that awaits the fiber; so it runs what is queued, polls for timers and files,
 * and sleeps as a worker does.
 */
#include <nap/here.h>

#include <errno.h>

#include <nap/call.h>

struct run {
	struct nap_pool *pool;
	nap_fiber_fn fn;
	void *arg;
	intptr_t *result;
	int err;
};

static void run_here(struct nap_worker *worker, void *arg)
{
	struct run *run = arg;
	struct nap_fiber *fiber;

	(void)worker;
	run->err = nap_spawn(run->pool, &fiber, run->fn, run->arg);
	if (run->err)
		return;
	run->err = nap_await(fiber, run->result);
	/* The joiner ends the fiber, or has done so: the handle is not needed. */
	if (run->err)
		nap_detach(fiber);
}

int nap_run(struct nap_pool *pool, nap_fiber_fn fn, void *arg, intptr_t *result)
{
	struct run run = { pool, fn, arg, result, 0 };
	int err;

	if (!pool || !fn)
		return -EINVAL;
	err = nap_call(pool, run_here, &run);
	return err ? err : run.err;
}
