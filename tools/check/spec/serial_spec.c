/* SPDX-License-Identifier: MIT */
/*
 * nap/serial.h. Tasks of a serial queue run one after another, in the order in which they were
 * scheduled: each is a run that begins when the run before it has ended, on any worker.
 *
 * serial->pushed is the last run, and ENDED when the queue refuses everything.
 */
#include "spec.h"

enum { ENDED = 1 };

int nap_serial_init(struct nap_serial *serial, struct nap_pool *pool)
{
	if (!serial || !pool || (uintptr_t)serial % sizeof(void *))
		return -EINVAL;
	serial->pool = pool;
	store_relaxed(&serial->pushed, 0);
	return 0;
}

static int schedule(struct nap_serial *serial, struct nap_task *task, uintptr_t flag)
{
	struct run *run = spec_run(serial->pool);
	uintptr_t last = relaxed(&serial->pushed);

	run->task = task;
	do {
		if (last & ENDED)
			return -ESHUTDOWN;
		run->before = (struct run *)last;
	} while (!__atomic_compare_exchange_n(&serial->pushed, &last, (uintptr_t)run | flag, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	if (!spec_begin(run))
		return 0;
	/* The pool has ended, and this run is over: the next one need not wait for it. */
	store_release(&run->ended, 1);
	return -ESHUTDOWN;
}

int nap_serial_schedule(struct nap_serial *serial, struct nap_task *task)
{
	return serial && task ? schedule(serial, task, 0) : -EINVAL;
}

/* Without a task the memory is the caller's when the last run has ended, and not before. */
int nap_serial_end(struct nap_serial *serial, struct nap_task *task)
{
	struct run *last;

	if (!serial)
		return -EINVAL;
	if (task)
		return schedule(serial, task, ENDED);
	last = (struct run *)(__atomic_fetch_or(&serial->pushed, ENDED, __ATOMIC_RELAXED) &
			      ~(uintptr_t)ENDED);
	return last && !acquire(&last->ended) ? -EINPROGRESS : 0;
}
