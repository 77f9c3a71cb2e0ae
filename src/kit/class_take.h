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
 * class; NULL if they are next. The caller, a worker of a pool with classes or a guest, gives the
 * result to nap__run() before it takes anything else. *@more: others have to be notified of what
 * remains.
 */
struct nap_task *nap__take_class(struct nap_worker *worker, bool ordinary, bool *more);

/* Returns the task that @worker has taken, and now runs. @permit: until nap__class_leave(). */
struct nap_task *nap__class_enter(struct nap_worker *worker, struct nap__class_permit *permit);
void nap__class_leave(struct nap_worker *worker, struct nap__class_permit *permit);

/* Queues @batch, which is not empty, in @class, and notifies. Any thread inside. */
void nap__class_publish(struct nap_pool *pool, struct nap_class *class, struct nap_batch *batch);

#endif /* NAP_CLASS_TAKE_H */
