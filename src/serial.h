/* SPDX-License-Identifier: MIT */
/* Serial queues, between scheduling (src/serial_schedule.c) and running (src/serial.c). */
#ifndef NAP_SERIAL_INTERNAL_H
#define NAP_SERIAL_INTERNAL_H

#include <stdint.h>

#include <nap/serial.h>

#include "atomic.h"
#include "worker.h"

/*
 * @worker, or a thread from outside: @n more wait in queues of @pool. The task that a queue is to
 * the pool stands for the first of them, which is counted where that task is queued. For
 * src/left.c.
 */
static inline void serial_count(struct nap_pool *pool, struct nap_worker *worker, uint64_t n)
{
	/* The record of a guest may be on its stack. */
	if (worker && !worker->guest)
		stat_add(&worker->serial_waiting, n);
	else
		nap_fetch_add_relaxed(&pool->serial_waiting, n);
}

/*
 * The caller is inside the pool, as @worker or by the intake, and has pushed onto a queue that was
 * armed, so the queue is the caller's: its tasks have their turn.
 */
void nap__serial_begin(struct nap_serial *serial, struct nap_pool *pool, struct nap_worker *worker);

/* The same for a caller that has pushed the last task, and is inside no pool: it is run here. */
void nap__serial_run_last(struct nap_serial *serial);

#endif /* NAP_SERIAL_INTERNAL_H */
