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
 * An ordered queue behaves like the single queue of a thread pool such as libuv's. Tasks of
 * nap_schedule() have no such order: a worker may take several tasks at once into its own queue,
 * and there a later task of another worker may overtake them.
 *
 * Order. A task begins when a worker takes it out of the queue, immediately before the worker calls
 * it. Tasks begin one at a time, the earliest first. So when a worker takes a task, the worker of
 * the previous task has called that task's function, or does so next. From then on the two
 * functions run side by side: the later one may act before the first instruction of the earlier
 * one. Where this must not happen, use a serial queue (nap/serial.h). On a pool of one worker tasks
 * also end in their order, except that a task that waits may run later ones in its wait.
 *
 * If one call of nap_order_schedule() has returned before another begins, the task of the first
 * call is the earlier one. If two calls overlap, either task may be the earlier one.
 *
 * Slow tasks. Of the tasks that were scheduled as NAP_ORDER_SLOW at most @most_slow run at a time,
 * so that the remaining workers are free for fast tasks. When a slow task is at the head of the
 * queue while @most_slow slow tasks run, fast tasks pass it over. The passed-over task stays before
 * all later slow tasks, and begins next when a running slow task has returned. A slow task counts
 * from its beginning until its function has returned, even while it waits for something. So a slow
 * task that waits for a later slow task may wait for ever. A slow task that was passed over sees
 * what was written by all slow tasks that have returned.
 *
 * Cost. Nothing is allocated. To the pool the queue is one task, the queue's own task, in the
 * injection queue. This task takes one of the queue's tasks, schedules itself again if another task
 * may begin, and then calls the taken task. So each task of the queue is one dequeue, other work
 * has its share as always, and each worker wakes the next. Such a wake takes about half a
 * microsecond: if the queue's tasks take less, a single worker may run most of them, and
 * nap_schedule() runs more tasks a second. Each return of a slow task adds at most one schedule of
 * the queue's own task.
 *
 * The memory of a queue stays until nap_pool_join(), and every call on the queue, has returned. A
 * drain (NAP_DRAIN, nap/pool.h) runs all tasks of the queue; nap_order_close() takes back what a
 * stop has left. A work in the queue may be canceled as usual (nap/work.h); its entry stays in the
 * queue until its turn comes. The child of a fork initialises the queue again, as it does the pool.
 * If a task calls fork(2), and returns in the child, no other task of the queue runs in the child.
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
 * enum nap_order_kind - how many tasks of a kind may run at a time
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
 * Access letters: I: set at init, A: atomic, O: only the worker that owns the queue.
 */
struct nap_order {
	struct nap_serial serial;	/* the queue; its owner runs one task */
	uint32_t most_slow nap__zero;		/* I: 0: no bound */
	uint32_t slow_begun nap__zero;		/* O: slow tasks that have begun */
	uint32_t slow_ended nap__zero;		/* A: slow tasks that have returned */
	uint32_t is_told nap__zero;		/* A: @told is in the queue, or about to be */
	/* an entry of the queue, by which the owner learns that slow tasks have returned */
	struct nap_task told nap__zero;
	struct nap_task *held nap__zero;	/* O: passed-over slow tasks, the oldest first */
	struct nap_task *held_last nap__zero;	/* O: the last of the passed-over tasks, if any */
};

/**
 * nap_order_init() - prepare a queue on @pool
 * @order:     new memory, aligned as a pointer is; or a queue that has been closed
 * @most_slow: the most slow tasks that may run at a time; 0: no bound
 *
 * Starts nothing. Returns 0, or -EINVAL when a pointer is NULL, or @order is not aligned.
 */
int nap_order_init(struct nap_order *order, struct nap_pool *pool, uint32_t most_slow);

/**
 * nap_order_schedule() - run @task after all tasks of the queue that were scheduled before have
 * begun
 * @kind: NAP_ORDER_FAST or NAP_ORDER_SLOW
 *
 * Any thread, tasks of the queue included. Lock-free; what the caller wrote before is visible to
 * the task. Returns 0; -ESHUTDOWN when the pool was shut down (tasks on a draining pool may still
 * schedule): then @task is the caller's; -EINVAL when a pointer is NULL, or @kind is neither.
 */
int nap_order_schedule(struct nap_order *order, enum nap_order_kind kind, struct nap_task *task);

/** nap_order_work() - nap_order_schedule() of a work (nap/work.h); -EBUSY: @work is not idle */
int nap_order_work(struct nap_order *order, enum nap_order_kind kind, struct nap_work *work);

/**
 * nap_order_depth() - how many tasks wait in @order, and have not begun
 *
 * Any thread, as long as the memory is there. The call writes nothing and orders nothing. The
 * number was right at some time during the call; but while tasks begin faster than the call can
 * read the counts, it may be too small by some of those that begin during the call, never too
 * large. Returns 0 for NULL, and while 2^31 tasks or more wait, which take 32 GiB at least.
 */
uint32_t nap_order_depth(const struct nap_order *order);

/**
 * nap_order_close() - take back the tasks that have not begun
 * @left: the tasks are appended to this batch, in the order of the queue. nap_pool_join() empties
 *        the batch that it gets; so call this after the join
 *
 * Call it after nap_pool_join(), or when nothing was ever scheduled on @order. If a queue has tasks
 * left, the batch of nap_pool_join() has the queue's own task, too, which the program drops;
 * nap_order_of() recognises it. nap_work_finish() does all of this. After this call the queue
 * refuses everything. Returns 0, or -EINVAL when a pointer is NULL.
 */
int nap_order_close(struct nap_order *order, struct nap_batch *left);

/** nap_order_of() - the queue whose own task @task is, or NULL */
struct nap_order *nap_order_of(struct nap_task *task);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_ORDER_H */
