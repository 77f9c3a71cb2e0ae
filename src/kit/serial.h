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
 * @worker, or a thread from outside: @n more wait in queues of @pool. The task that a queue is to
 * the pool stands for the first of them, which is counted where that task is queued. For
 * src/life/remaining.c.
 */
static inline void serial_count(struct nap_pool *pool, struct nap_worker *worker, uint64_t n)
{
	/* The record of a guest may be on its stack. */
	if (worker && !worker->guest)
		stat_add(&worker->serial_waiting, n);
	else
		nap_fetch_add_relaxed(&pool->serial_waiting, n);
}

/* How a task is pushed. */
enum serial_push {
	SERIAL_PUSH,
	SERIAL_PUSH_LAST,	/* after it everything is refused */
	SERIAL_PUSH_MARKED,	/* for an owner that knows of two kinds: src/kit/order.c */
};

/* Any thread: the public calls, for a @caller of @call. 0 or -ESHUTDOWN, and for a work -EBUSY. */
int nap__serial_push(struct nap_serial *serial, struct nap_task *task, enum serial_push how,
		     const char *call, void *caller);
int nap__serial_push_work(struct nap_serial *serial, struct nap_work *work, enum serial_push how);

/*
 * The caller is inside the pool, as @worker or by the intake, and has pushed onto a queue that was
 * armed, so the queue is the caller's: its tasks have their turn.
 */
void nap__serial_begin(struct nap_serial *serial, struct nap_pool *pool, struct nap_worker *worker);

/* The same for a caller that has pushed the last task, and is inside no pool: it is run here. */
void nap__serial_run_last(struct nap_serial *serial);

/* The queue is the caller's by a push onto one that was armed, and what its owners did is seen. */
void nap__serial_take_over(struct nap_serial *serial);

/*
 * The caller has the queue, and gives it up: its task is queued in the pool again, after what is
 * there, and stands for one task that waits. After a stop it is the joiner's.
 */
void nap__serial_go_on_later(struct nap_serial *serial, struct nap_pool *pool);

#endif /* NAP_SERIAL_INTERNAL_H */
