/* SPDX-License-Identifier: MIT */
/* Workers' threads, without a libc. */
#include "arch/atomic.h"
#include "os/bare/bare.h"
#include "os/linux/cpus.h"
#include "os/os.h"
#include "thread/linux/place.h"
#include "worker/worker.h"

static void run_worker(void *worker)
{
	nap__os_thread_setup(worker);
	nap__worker_main(worker);
}

/*
 * Moves the new thread off the caller's CPU. If the kernel refuses, the thread stays where the
 * kernel has put it.
 */
static void place(struct nap_worker *worker, struct nap_bare_thread *thread)
{
	struct cpu_mask mask;
	size_t size = nap__place_elsewhere(worker->pool, &mask);

	if (size)
		nap__syscall3(NAP__NR_sched_setaffinity, thread->tid, (long)size, (long)&mask);
	nap__place_done(worker);
}

int nap__os_thread_start(struct nap_worker *worker, size_t stack_size)
{
	const uint64_t all = ~(uint64_t)0;
	struct nap_bare_thread *thread;
	uint64_t old;
	int err;

	if (stack_size && stack_size < STACK_MIN)
		stack_size = STACK_MIN;
	/*
	 * The new thread inherits the mask: all signals are blocked until the worker has set its
	 * own mask.
	 */
	nap__set_signal_mask(&all, &old);
	nap_store_relaxed(&worker->placed, false);
	err = nap__thread_start(&thread, stack_size, worker->pool->config.guard_size, run_worker,
				worker);
	if (!err)
		place(worker, thread);
	nap__set_signal_mask(&old, NULL);
	if (!err)
		worker->thread = (uintptr_t)thread;
	return err;
}

int nap__os_thread_join(struct nap_worker *worker, uint64_t deadline)
{
	struct nap_bare_thread *thread = (struct nap_bare_thread *)worker->thread;
	int err = nap__thread_wait(thread, deadline);

	if (err)
		return err;
	/*
	 * worker->thread is cleared before the mapping is released. Otherwise a child that is
	 * forked in between could unmap what has been mapped there since (nap__os_thread_lost()).
	 */
	nap_store_relaxed(&worker->thread, 0);
	nap__thread_unmap(thread);
	return 0;
}

void nap__os_thread_reap(struct nap_worker *worker)
{
	nap__os_thread_join(worker, UINT64_MAX);
}

/* There is no cancellation without a libc. */
int nap__os_cancel_off(void)
{
	return 0;
}

void nap__os_cancel_back(int before)
{
	(void)before;
}

void nap__os_thread_lost(struct nap_worker *worker)
{
	struct nap_bare_thread *thread;

	thread = (struct nap_bare_thread *)nap_load_relaxed(&worker->thread);
	if (thread)
		nap__thread_unmap(thread);
}
