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
 * A queue is for an object that two threads must not use at once: a connection, a file. No thread
 * blocks, as it would for a lock, and no thread belongs to the queue. A pool may have any number of
 * queues.
 *
 * What one task has written is visible to the next task. A task runs on whichever worker has the
 * queue; a stop takes effect between two tasks. A task that waits for a later task of its own queue
 * waits for ever. The child of a fork initialises the queue again, as it does the pool. If a task
 * calls fork(2), and returns in the child, no other task of the queue runs in the child.
 *
 * Waits in a task. A task of a queue may wait for anything else. A join in such a task (nap/fork.h,
 * and so a loop, a sort, a call that forks) runs only jobs of the worker that has taken the awaited
 * job; so do the joins of these jobs on other workers. A join elsewhere runs any task; here such a
 * nested task might wait for this queue, and so for the task below it on the stack, for ever.
 * nap_group_wait(), nap_submit_wait() and nap_pool_help() do run any task of the pool. So a task
 * that they may run must not wait for this queue. Where a program cannot ensure that, its task
 * waits for a group without a pool, which runs nothing (nap/group.h).
 *
 * The quantum. After NAP_SERIAL_QUANTUM tasks the worker leaves a queue that has more tasks, and
 * puts the queue at the end of the injection queue (nap/pool.h). So a quantum is one dequeue,
 * however many tasks it has. A task from outside, or another serial queue, begins after at most
 * NAP_SERIAL_QUANTUM tasks of each serial queue that was injected earlier; among ordinary tasks a
 * serial queue begins within NAP_FAIR_DEQUEUES, as other tasks do. Ordinary tasks that the queue's
 * tasks schedule come before the queue's next quantum. Statistics count each task of the queue, not
 * the quantum.
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
 * Access letters: I: set at init, A: atomic, O: only the thread that owns the queue.
 */
struct nap_serial {
	struct nap_pool *pool;			/* I */
	/* the task by which the queue is in its pool's queues */
	struct nap_task task nap__zero;
	uintptr_t pushed nap__zero;		/* A: src/queue/inbox.h */
	/* O: tasks that the owner has taken, the oldest first */
	struct nap_task *taken nap__zero;
	/* A: tasks that were accepted, or are about to be */
	uint32_t nr_pushed nap__zero;
	uint32_t nr_begun nap__zero;		/* A, written by O: tasks that have begun */
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
 * @serial: initialised, and not used yet
 *
 * Each quantum, of up to NAP_SERIAL_QUANTUM tasks, is one task of that class: it goes to the tail
 * of the class's queue, counts as one task against the class's weight, and until its end as one
 * task against the class's limit. Returns 0, or -EINVAL when @serial is NULL, or its pool has no
 * such class.
 */
int nap_serial_set_class(struct nap_serial *serial, uint32_t which);

/**
 * nap_serial_schedule() - run @task after the tasks that were scheduled here before
 *
 * Any thread, tasks of the queue included. Lock-free; what the caller wrote before is visible to
 * the task. Tasks that one thread schedules run in that order. Returns 0, or -ESHUTDOWN: then the
 * task is the caller's; -EINVAL when a pointer is NULL.
 */
int nap_serial_schedule(struct nap_serial *serial, struct nap_task *task);

/**
 * nap_serial_end() - end a queue, with a last task or without one
 * @task: runs after all others; NULL: there is no last task
 *
 * After this call the queue refuses everything. With a @task nap no longer touches @serial once
 * @task has begun, so @task, and no other, may free @serial.
 *
 * An end is no new work: the queue accepts an end while the pool drains, too, and after a join that
 * has drained the pool, as long as the pool's memory is there. If the queue is empty then, a caller
 * outside the pool runs @task itself, before the call returns. If this caller is itself such a
 * @task, or a @done that is called because of a refusal (nap/after.h), the new @task runs only when
 * the outer function has returned: so a chain of ends takes no more stack than two of them. If the
 * caller is a fiber, its waits in such a @task are those of a thread. A stop refuses an end with a
 * @task: nap_serial_close() takes back what the stop leaves.
 *
 * Without a @task the memory is the caller's when this call returns 0. After -EINPROGRESS the queue
 * has ended, too, but still runs tasks that were scheduled before; the memory is nap's until
 * another call without a @task returns 0, or the pool was joined. Then what the queue's tasks have
 * written is visible. A call without a @task is never refused by a stop, and does not read the
 * pool. In the child of a fork -EINPROGRESS stays, because the queue's tasks are the parent's.
 *
 * Returns 0; -EINPROGRESS without a task, see above; -ESHUTDOWN when the queue had its last task,
 * or the pool was stopped: then @task is the caller's; -EINVAL when @serial is NULL.
 */
int nap_serial_end(struct nap_serial *serial, struct nap_task *task);

/** nap_serial_work() - nap_serial_schedule() with a work (nap/work.h); -EBUSY: @work is not idle */
int nap_serial_work(struct nap_serial *serial, struct nap_work *work);

/**
 * nap_serial_end_work() - nap_serial_end() with a work, whose @done may free @serial
 * @work: its @fn may be NULL here: then only @done is called, and @fn is set unless the call fails
 *
 * A canceled @work still ends the queue. Returns as nap_serial_end(); -EBUSY when
 * @work is not idle; -EINVAL when it is NULL.
 */
int nap_serial_end_work(struct nap_serial *serial, struct nap_work *work);

/**
 * nap_serial_depth() - how many tasks wait in @serial, and have not begun
 *
 * Any thread, as long as the memory is there. The call writes nothing and orders nothing. The
 * number was right at some time during the call; but while tasks begin faster than the call can
 * read the counts, it may be too small by some of those that begin during the call, never too
 * large. Returns 0 for NULL, and while 2^31 tasks or more wait, which take 32 GiB at least.
 */
uint32_t nap_serial_depth(const struct nap_serial *serial);

/**
 * nap_serial_close() - take back the tasks that have not run
 * @left: the tasks are appended to this batch, oldest first. nap_pool_join() empties the batch that
 *        it gets; so call this after the join
 *
 * Call it after nap_pool_join(), or when nothing was ever scheduled on @serial. If a queue has
 * tasks left, the batch of nap_pool_join() has the queue's own task, too, which the program drops;
 * nap_serial_of() recognises it. nap_work_finish() does all of this. After this call the queue
 * refuses everything. Returns 0, or -EINVAL when a pointer is NULL.
 */
int nap_serial_close(struct nap_serial *serial, struct nap_batch *left);

/** nap_serial_of() - the queue whose own task @task is, or NULL */
struct nap_serial *nap_serial_of(struct nap_task *task);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SERIAL_H */
