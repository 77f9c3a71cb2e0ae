/* SPDX-License-Identifier: MIT */
/*
 * Serial queues: tasks that run one after another, in order, on any worker.
 *
 *	struct connection {
 *		struct nap_serial serial;
 *		...
 *	};
 *
 *	nap_serial_init(&connection->serial, &pool);
 *	nap_serial_schedule(&connection->serial, &request->task);
 *
 * For what must not be done by two at once: a connection, a file, an object. No thread waits for
 * its turn, as it would for a lock, and none belongs to the queue. Any number of queues on a pool.
 *
 * What one task has written is visible to the next one. A task runs on whichever worker has the
 * queue; after NAP_SERIAL_TURN of them other tasks of the pool have their turn. For the pool these
 * are one task, and its statistics count them as one; a stop comes between two of them. A task that
 * waits for a later one of its own queue waits for ever. In the child of a fork a queue is
 * initialised again, as its pool is.
 */
#ifndef NAP_SERIAL_H
#define NAP_SERIAL_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "state.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_work;

/** NAP_SERIAL_TURN - so many tasks of a queue run before others have their turn */
#define NAP_SERIAL_TURN 16u

/**
 * struct nap_serial - a serial queue; public so that it can be embedded, private in every field
 *
 * Access: I set at init, A atomic, O whoever has the queue.
 */
struct nap_serial {
	struct nap_pool *pool;			/* I */
	struct nap_task task nap__zero;		/* to the pool: the queue */
	uintptr_t pushed nap__line nap__zero;	/* A: src/queue/inbox.h */
	struct nap_task *taken nap__zero;	/* O: oldest first */
};

/**
 * nap_serial_init() - prepare a queue on @pool
 * @serial: new memory (64-byte aligned), or a queue that has been closed
 *
 * Starts nothing. Returns 0, or -EINVAL when a pointer is NULL, or @serial is not aligned.
 */
int nap_serial_init(struct nap_serial *serial, struct nap_pool *pool);

/**
 * nap_serial_schedule() - run @task behind what was scheduled here before
 *
 * Any thread, tasks of the queue included. Lock-free; what the caller wrote before is visible to
 * the task. What one thread schedules runs in that order. Returns 0, or -ESHUTDOWN: then the task
 * is the caller's; -EINVAL when a pointer is NULL.
 */
int nap_serial_schedule(struct nap_serial *serial, struct nap_task *task);

/**
 * nap_serial_end() - the same, and @task is the last one
 *
 * Behind it everything is refused, and nap does not touch @serial any more. So @task, and no other
 * one, may free it.
 */
int nap_serial_end(struct nap_serial *serial, struct nap_task *task);

/** nap_serial_work() - the first with a work (nap/work.h); -EBUSY when that is not idle */
int nap_serial_work(struct nap_serial *serial, struct nap_work *work);

/**
 * nap_serial_end_work() - the second with a work, whose @done may free @serial
 *
 * Also when it was canceled: its place is the last one all the same.
 */
int nap_serial_end_work(struct nap_serial *serial, struct nap_work *work);

/**
 * nap_serial_close() - take back what has not run
 * @left: gets it, oldest first, behind what it has
 *
 * Behind nap_pool_join(), or when nothing was ever scheduled here. Of a queue that has something
 * left that call returns the queue's own task, which nap_serial_of() knows, and which is to be
 * dropped. nap_work_finish() does all this. Behind this everything is refused. Returns 0, or
 * -EINVAL when a pointer is NULL.
 */
int nap_serial_close(struct nap_serial *serial, struct nap_batch *left);

/** nap_serial_of() - the queue whose own task @task is, or NULL */
struct nap_serial *nap_serial_of(struct nap_task *task);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SERIAL_H */
