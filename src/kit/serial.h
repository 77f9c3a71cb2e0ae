/* SPDX-License-Identifier: MIT */
/*
 * The parts of serial queues that scheduling (src/kit/serial_schedule.c) and running
 * (src/kit/serial.c) share.
 */
#ifndef NAP_SERIAL_INTERNAL_H
#define NAP_SERIAL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/serial.h>
#include <nap/work.h>

#include "arch/atomic.h"
#include "worker/self.h"
#include "worker/worker.h"

/*
 * Counts @n more tasks that wait in serial queues of @pool, for src/life/remaining.c. @worker: the
 * caller's worker, or NULL. The first task of each queue is not counted here: the queue's own task
 * stands for it, and is counted where it is queued.
 */
static inline void serial_count(struct nap_pool *pool, struct nap_worker *worker, uint64_t n)
{
	/* A guest's record may lie on the guest's stack, and end with the call. */
	if (worker && !worker->guest)
		stat_add(&worker->serial_waiting, n);
	else
		nap_fetch_add_relaxed(&pool->serial_waiting, n);
}

/*
 * Called by a worker that runs the queue's own task and begins none of the queue's tasks: the task
 * for which the own task stood still waits.
 */
static inline void serial_none_begun(struct nap_pool *pool)
{
	serial_count(pool, own_inside(pool), 1);
}

/* How often the counts of a queue are read again, while its tasks begin. */
#define SERIAL_READINGS	16

/*
 * Returns how many tasks wait in the queue; 0 from 2^31 on. If no task begins between the two
 * readings of nr_begun, both counts were right at the same time. A thread that is preempted in
 * between reads again; after the last reading the result is too small rather than too large.
 */
static inline uint32_t serial_length(const struct nap_serial *serial)
{
	uint32_t *nr_pushed = (uint32_t *)&serial->nr_pushed, pushed;
	uint32_t *nr_begun = (uint32_t *)&serial->nr_begun, before, begun;
	int readings = 0;

	/* Sees what was pushed before that, as does the last load: pairs with pop(). [X10] */
	begun = nap_load_acquire(nr_begun);
	do {
		before = begun;
		/* Sees what had begun before the push: pairs with push_and_leave(). [X10] */
		pushed = nap_load_acquire(nr_pushed);
		begun = nap_load_acquire(nr_begun);
	} while (begun != before && ++readings < SERIAL_READINGS);
	/* The counts wrap. Of the difference's two halves the upper one is for negative numbers. */
	return (int32_t)(pushed - begun) > 0 ? pushed - begun : 0;
}

/* How a task is pushed. */
enum serial_push {
	SERIAL_PUSH,
	SERIAL_PUSH_LAST,	/* the queue refuses all later tasks */
	SERIAL_PUSH_MARKED,	/* the task is marked, for src/kit/order.c */
};

/*
 * Pushes. @call: the name of the public call, @caller: its caller's address, both for messages.
 * Returns 0 or -ESHUTDOWN, for a work also -EBUSY.
 */
int nap__serial_push(struct nap_serial *serial, struct nap_task *task, enum serial_push how,
		     const char *call, void *caller);
int nap__serial_push_work(struct nap_serial *serial, struct nap_work *work, enum serial_push how);

/*
 * Schedules the queue's own task. The caller is inside the pool, as @worker or in the intake. It
 * owns the queue, because its push found the queue armed.
 */
void nap__serial_begin(struct nap_serial *serial, struct nap_pool *pool, struct nap_worker *worker);

/*
 * As nap__serial_begin(), for a caller outside that has pushed the last task: runs this task on the
 * calling thread.
 */
void nap__serial_run_last(struct nap_serial *serial);

/*
 * Runs @task, which has left its queue. @is_first: the counts contain @task already, as the queue's
 * own task.
 */
void nap__run_in_order(struct nap_task *task, bool is_first);

/* Acquires what earlier owners have done. The caller's push found the queue armed. */
void nap__serial_take_over(struct nap_serial *serial);

/*
 * Gives up the queue, which the caller owns: injects the queue's own task again, so that this task
 * comes after all injected tasks. In the counts the own task stands for one waiting task. After a
 * stop the joiner gets the own task.
 */
void nap__serial_go_on_later(struct nap_serial *serial, struct nap_pool *pool);

#endif /* NAP_SERIAL_INTERNAL_H */
