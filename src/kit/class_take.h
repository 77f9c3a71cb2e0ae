/* SPDX-License-Identifier: MIT */
/* Taking tasks of classes, and permits in them: src/kit/class_take.c. */
#ifndef NAP_CLASS_TAKE_H
#define NAP_CLASS_TAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/lend.h"
#include "worker/worker.h"

/* A permit, on the stack of a thread that runs a task of a class with a limit. */
struct nap__class_permit {
	struct nap__permit permit;
	struct nap_pool *pool;
	struct nap_class *class;
};

/*
 * Returns the next task of a class, or NULL. @ordinary: the tasks without a class compete as one
 * class; returns NULL if they are next. The caller, a worker or guest of a pool with classes, gives
 * the task to nap__run() before it takes another one. *@more: other workers have to be notified of
 * tasks that remain.
 */
struct nap_task *nap__take_class(struct nap_worker *worker, bool ordinary, bool *more);

/*
 * Returns the task that @worker has taken, and now runs. @permit: memory that is in use until
 * nap__class_leave().
 */
struct nap_task *nap__class_enter(struct nap_worker *worker, struct nap__class_permit *permit);
void nap__class_leave(struct nap_worker *worker, struct nap__class_permit *permit);

/*
 * Queues @batch, which is not empty, in @class, and notifies. Called by any thread inside the pool.
 */
void nap__class_publish(struct nap_pool *pool, struct nap_class *class, struct nap_batch *batch);

#endif /* NAP_CLASS_TAKE_H */
