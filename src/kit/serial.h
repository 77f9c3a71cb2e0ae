/* SPDX-License-Identifier: MIT */
/* Serial queues, between scheduling (src/kit/serial_schedule.c) and running (src/kit/serial.c). */
#ifndef NAP_SERIAL_INTERNAL_H
#define NAP_SERIAL_INTERNAL_H

#include <stdint.h>

#include <nap/serial.h>
#include <nap/work.h>

#include "arch/atomic.h"
#include "worker/worker.h"

/*
 * @n more tasks wait in serial queues of @pool. @worker: the caller's, or NULL. A queue's own task
 * stands for the first task in it, which is counted where the own task is queued. For
 * src/life/remaining.c.
 */
static inline void serial_count(struct nap_pool *pool, struct nap_worker *worker, uint64_t n)
{
	/* The record of a guest may lie on its stack, and go with it. */
	if (worker && !worker->guest)
		stat_add(&worker->serial_waiting, n);
	else
		nap_fetch_add_relaxed(&pool->serial_waiting, n);
}

/* How a task is pushed. */
enum serial_push {
	SERIAL_PUSH,
	SERIAL_PUSH_LAST,	/* and refuse everything after it */
	SERIAL_PUSH_MARKED,	/* marked, for src/kit/order.c */
};

/* Any thread: the public calls, for a @caller of @call. 0 or -ESHUTDOWN, and for a work -EBUSY. */
int nap__serial_push(struct nap_serial *serial, struct nap_task *task, enum serial_push how,
		     const char *call, void *caller);
int nap__serial_push_work(struct nap_serial *serial, struct nap_work *work, enum serial_push how);

/*
 * The caller is inside the pool, as @worker or by the intake, and has pushed onto a queue that was
 * armed. So the caller owns the queue: schedule its own task.
 */
void nap__serial_begin(struct nap_serial *serial, struct nap_pool *pool, struct nap_worker *worker);

/* The same for a caller that has pushed the last task, and is not inside the pool: run it here. */
void nap__serial_run_last(struct nap_serial *serial);

/* The caller owns the queue by a push onto an armed one: see what the owners before have done. */
void nap__serial_take_over(struct nap_serial *serial);

/*
 * The caller owns the queue, and gives it up: queue its own task in the pool again, after what is
 * there. The own task stands for one task that waits. After a stop the joiner gets it.
 */
void nap__serial_go_on_later(struct nap_serial *serial, struct nap_pool *pool);

#endif /* NAP_SERIAL_INTERNAL_H */
