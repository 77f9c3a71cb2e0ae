/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_serial_schedule - serial queues: tasks that run one after another
 *
 * A serial queue runs its tasks one after another, in order, on any worker.
 *
 *	struct connection {
 *		struct nap_serial serial;
 *		...
 *	};
 *
 *	nap_serial_init(&connection->serial, &pool);
 *	nap_serial_schedule(&connection->serial, &request->task);
 *
 * A queue is for what two threads must not do at once: for a connection, a file, an object. No
 * thread blocks, as for a lock, and no thread belongs to the queue. A pool may have any number of
 * queues.
 *
 * What one task has written is visible to the next one. A task runs on whichever worker has the
 * queue; a stop takes effect between two of them. A task that waits for a later one of its own
 * queue waits for ever. In the child of a fork a queue is initialised again, as its pool is. A task
 * that forks, and returns in the child, is the last one of the queue that runs in the child.
 *
 * Waits in a task. Other waits are allowed, with a difference. A join (nap/fork.h, and so loops,
 * sorts, calls that fork) runs, while it waits, only jobs that belong to it, on every worker that
 * has taken one of them. In other tasks a join runs any task; here that task might wait for this
 * queue, and so for the task in which it is nested. nap_group_wait(), nap_submit_wait() and
 * nap_pool_help() do run any task of the pool, because they may wait for any task. So no task that
 * they may run may wait for this queue. Where a program cannot ensure that, its task waits for a
 * group without a pool, which runs nothing (nap/group.h).
 *
 * The quantum. After NAP_SERIAL_QUANTUM tasks the worker leaves a queue that has more to do, and
 * the queue waits as a task does that was scheduled from outside, after the tasks that were there
 * before (nap/pool.h). So a quantum is one dequeue, however many tasks it has. A task from outside,
 * or another queue, begins after at most NAP_SERIAL_QUANTUM tasks of each queue that was there
 * earlier, and beside ordinary tasks within NAP_FAIR_DEQUEUES as ever. Ordinary tasks that the
 * queue's tasks schedule come before its next quantum. In statistics each task counts.
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

struct nap_class;
struct nap_work;

/** NAP_SERIAL_QUANTUM - how many tasks of a queue run before other work is served */
#define NAP_SERIAL_QUANTUM 16u

/**
 * struct nap_serial - a serial queue; public so that it can be embedded, private in every field
 *
 * Access: I set at init, A atomic, O the thread that has the queue.
 */
struct nap_serial {
	struct nap_pool *pool;			/* I */
	struct nap_task task nap__zero;		/* to the pool: the queue */
	uintptr_t pushed nap__zero;		/* A: src/queue/inbox.h */
	struct nap_task *taken nap__zero;	/* O: oldest first */
	uint32_t nr_pushed nap__zero;		/* A: accepted, or about to be */
	uint32_t nr_begun nap__zero;		/* A: written by O */
	struct nap_class *of_class nap__zero;	/* I: the class of its quanta, or NULL */
	/* I: how a quantum is queued in a class: src/kit/serial_class.c */
	void (*publish)(struct nap_pool *pool, struct nap_class *of_class,
			struct nap_batch *batch) nap__zero;
};

/**
 * nap_serial_init() - prepare a queue on @pool
 * @serial: new memory, or a queue that has been closed. It is aligned as a pointer is, so it may be
 *          part of what malloc() or new gives
 *
 * Starts nothing. Returns 0, or -EINVAL when a pointer is NULL, or @serial is not aligned.
 */
int nap_serial_init(struct nap_serial *serial, struct nap_pool *pool);

/**
 * nap_serial_set_class() - have the tasks of @serial run in class @which of its pool (nap/class.h)
 * @serial: initialised, and not used by anybody yet
 *
 * Each quantum, of up to NAP_SERIAL_QUANTUM tasks, is one task of that class: it goes to the tail
 * of the class's queue, weighs as one of its tasks, and holds one of the class's permits until it
 * ends. Returns 0, or -EINVAL when @serial is NULL, or its pool has no such class.
 */
int nap_serial_set_class(struct nap_serial *serial, uint32_t which);

/**
 * nap_serial_schedule() - run @task after the tasks that were scheduled here before
 *
 * Any thread, tasks of the queue included. Lock-free; what the caller wrote before is visible to
 * the task. What one thread schedules runs in that order. Returns 0, or -ESHUTDOWN: then the task
 * is the caller's; -EINVAL when a pointer is NULL.
 */
int nap_serial_schedule(struct nap_serial *serial, struct nap_task *task);

/**
 * nap_serial_end() - nap_serial_schedule() of a last task
 * @task: runs after all others; NULL: there is no last task
 *
 * After this call the queue refuses everything. With a @task nap no longer touches @serial once
 * @task has begun, so @task, and no other, may free @serial.
 *
 * An end is no new work: the queue accepts an end while the pool drains, too, and after a join that
 * has drained the pool. If the queue has nothing to do then, the caller, which is outside the pool,
 * runs @task itself, before this returns. Where the caller is itself such a @task, or a @done that
 * a refusal has ended (nap/after.h), the new @task runs when the caller has returned: so a chain of
 * ends takes no more stack than two of them. A fiber waits in such a @task as a thread does. A stop
 * refuses an end: nap_serial_close() is for what the stop leaves.
 *
 * Without a @task the memory is the caller's when this returns 0. After -EINPROGRESS the queue has
 * ended, too, but still runs what was scheduled before. Then the memory is nap's until another call
 * without a task returns 0, or the pool was joined; what the queue's tasks have written is visible
 * then. A call without a task never needs the pool, and a stop does not refuse it.
 *
 * Returns 0; -EINPROGRESS without a task, see above; -ESHUTDOWN when the queue had its last task,
 * or the pool was stopped: then @task is the caller's; -EINVAL when @serial is NULL.
 */
int nap_serial_end(struct nap_serial *serial, struct nap_task *task);

/** nap_serial_work() - nap_serial_schedule() with a work (nap/work.h); -EBUSY: @work is not idle */
int nap_serial_work(struct nap_serial *serial, struct nap_work *work);

/**
 * nap_serial_end_work() - nap_serial_end() with a work, whose @done may free @serial
 * @work: its @fn may be NULL here: nothing is run, and @done is called
 *
 * A canceled @work still ends the queue. Returns as nap_serial_end(); -EBUSY when
 * @work is not idle; -EINVAL when it is NULL.
 */
int nap_serial_end_work(struct nap_serial *serial, struct nap_work *work);

/**
 * nap_serial_depth() - how many tasks wait in @serial, and have not begun
 *
 * Any thread, as long as the memory is there. The number was right at some time during the call,
 * which writes nothing and orders nothing. Returns 0 for NULL.
 */
uint32_t nap_serial_depth(const struct nap_serial *serial);

/**
 * nap_serial_close() - take back the tasks that have not run
 * @left: gets these, oldest first, appended to what the batch has; so this comes after
 *        nap_pool_join(), which empties its batch
 *
 * After nap_pool_join(), or when nothing was ever scheduled here. Of a queue that has something
 * left the join returns the queue's own task, which nap_serial_of() knows, and which is to be
 * dropped. nap_work_finish() does all this. After this call the queue refuses everything. Returns
 * 0, or -EINVAL when a pointer is NULL.
 */
int nap_serial_close(struct nap_serial *serial, struct nap_batch *left);

/** nap_serial_of() - the queue whose own task @task is, or NULL */
struct nap_serial *nap_serial_of(struct nap_task *task);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SERIAL_H */
