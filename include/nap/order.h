/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_order_schedule - tasks that begin in order, and run side by side
 *
 * Tasks of an ordered queue begin in the order in which they were scheduled, and run side by side.
 *
 *	static struct nap_order order;
 *
 *	nap_order_init(&order, &pool, 2);			two slow ones at a time, at most
 *	nap_order_schedule(&order, NAP_ORDER_FAST, &hash->task);
 *	nap_order_schedule(&order, NAP_ORDER_SLOW, &lookup->task);
 *
 * Such a queue is the single queue of a pool such as libuv's, on a pool that has many queues: a
 * task of nap_schedule() may be moved in bulk to a worker, where a later task may overtake it.
 *
 * Order. A task begins when a worker takes it out of the queue, immediately before the worker calls
 * it. Tasks begin one at a time, the earliest first. So when a task is taken, the one before it has
 * been taken by a worker that does nothing else before it calls that task. The functions of both
 * then run side by side: what the later one does may come before the first instruction of the
 * earlier one. Where that must not happen, use a serial queue (nap/serial.h). On a pool of one
 * worker tasks also end in their order.
 *
 * What two threads schedule at the same time has the order of the two calls' effects, which is the
 * order of the calls where one has returned before the other.
 *
 * Slow tasks. Of the tasks that were scheduled as NAP_ORDER_SLOW at most @most_slow run at a time,
 * so that others have the remaining workers. When a slow task is at the head of the queue while
 * that many run, the fast tasks after it pass it over. The passed-over task stays before all later
 * slow tasks, and begins next when a slow task has returned. A slow task counts from when it begins
 * until its function has returned, whatever it waits for. So a slow task that waits for one
 * scheduled later may wait for ever. A slow task that was passed over sees what the slow ones that
 * have returned have written.
 *
 * Cost. Nothing is allocated. To the pool the queue is one task, which waits among what was
 * scheduled from outside, begins one task, and is queued again before it calls that, if there is
 * another to begin. So each task is one dequeue, other work is served as ever, and workers join in
 * one after another, each woken by the one before it. Where a task is shorter than that takes,
 * about half a microsecond, a single worker may run most of them, and nap_schedule() does more in a
 * second. When a slow task returns the queue is scheduled at most once more.
 *
 * A queue stays until nap_pool_join() has returned, and every call. A drain runs all of it. What a
 * stop leaves: nap_order_close(). A work may be canceled as everywhere (nap/work.h); its entry in
 * the queue is kept until it comes out. In the child of a fork the queue is initialised again, as
 * its pool is. A task that forks, and returns in the child, is the last one of the queue to run
 * there.
 */
#ifndef NAP_ORDER_H
#define NAP_ORDER_H

#include <stdint.h>

#include "config.h"
#include "serial.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_work;

/**
 * enum nap_order_kind - how many of a task's kind may run at a time
 * @NAP_ORDER_FAST: as many as there are workers
 * @NAP_ORDER_SLOW: at most @most_slow of nap_order_init()
 */
enum nap_order_kind {
	NAP_ORDER_FAST,
	NAP_ORDER_SLOW
};

/**
 * struct nap_order - an ordered queue; public so that it can be static, private in every field
 *
 * Access: I set at init, A atomic, O the worker that has the queue.
 */
struct nap_order {
	struct nap_serial serial;	/* the queue; its owner runs one task */
	uint32_t most_slow nap__zero;		/* I: 0: no bound */
	uint32_t slow_begun nap__zero;		/* O */
	uint32_t slow_ended nap__zero;		/* A */
	uint32_t is_told nap__zero;		/* A: @told is queued, or about to be */
	struct nap_task told nap__zero;		/* in the queue: slow tasks have returned */
	struct nap_task *held nap__zero;	/* O: passed-over slow tasks, the oldest first */
	struct nap_task *held_last nap__zero;	/* O: the last of these, if there are any */
};

/**
 * nap_order_init() - prepare a queue on @pool
 * @order:     new memory, aligned as a pointer is; or a queue that has been closed
 * @most_slow: how many slow tasks may run at a time; 0: any number
 *
 * Starts nothing. Returns 0, or -EINVAL when a pointer is NULL, or @order is not aligned.
 */
int nap_order_init(struct nap_order *order, struct nap_pool *pool, uint32_t most_slow);

/**
 * nap_order_schedule() - run @task; it begins after all that were scheduled here before
 * @kind: NAP_ORDER_FAST or NAP_ORDER_SLOW
 *
 * Any thread, tasks of the queue included. Lock-free; what the caller wrote before is visible to
 * the task. Returns 0; -ESHUTDOWN when the pool was shut down, except to what runs on a pool that
 * drains: then the task is the caller's; -EINVAL when a pointer is NULL, or @kind is another.
 */
int nap_order_schedule(struct nap_order *order, enum nap_order_kind kind, struct nap_task *task);

/** nap_order_work() - nap_order_schedule() of a work (nap/work.h); -EBUSY: @work is not idle */
int nap_order_work(struct nap_order *order, enum nap_order_kind kind, struct nap_work *work);

/**
 * nap_order_depth() - how many tasks wait in @order, and have not begun
 *
 * Any thread, as long as the memory is there. The number was right at some time during the call,
 * which writes nothing and orders nothing. Returns 0 for NULL.
 */
uint32_t nap_order_depth(const struct nap_order *order);

/**
 * nap_order_close() - take back the tasks that have not begun
 * @left: gets these, in the order of the queue, appended to what the batch has; so this comes after
 *        nap_pool_join(), which empties its batch
 *
 * After nap_pool_join(), or when nothing was ever scheduled here. Of a queue that has something
 * left the join returns the queue's own task, which nap_order_of() knows, and which is to be
 * dropped. nap_work_finish() does all this. After this call the queue refuses everything. Returns
 * 0, or -EINVAL when a pointer is NULL.
 */
int nap_order_close(struct nap_order *order, struct nap_batch *left);

/** nap_order_of() - the queue whose own task @task is, or NULL */
struct nap_order *nap_order_of(struct nap_task *task);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_ORDER_H */
