/* SPDX-License-Identifier: MIT */
/* Taking tasks of classes, and permits in them: src/kit/class_take.c. */
#ifndef NAP_CLASS_TAKE_H
#define NAP_CLASS_TAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/permits.h"
#include "worker/worker.h"

/* On the stack of a thread inside a task of a class with a limit. */
struct nap__class_permit {
	struct nap__permit permit;
	struct nap_pool *pool;
	struct nap_class *class;
};

/*
 * Worker of a pool with classes, or guest: the next task of a class, or NULL. @ordinary: tasks
 * without a class take part, and when they are due the answer is NULL. The result is to be given to
 * nap__run() before anything else is taken. *@more is set when others are to be told of what was
 * left.
 */
struct nap_task *nap__take_class(struct nap_worker *worker, bool ordinary, bool *more);

/* Worker: the task that it took last, which is about to be run. @permit: until nap__class_leave(). */
struct nap_task *nap__class_enter(struct nap_worker *worker, struct nap__class_permit *permit);
void nap__class_leave(struct nap_worker *worker, struct nap__class_permit *permit);

/* Any thread inside: @batch, not empty, is queued in @class, and somebody told of it. */
void nap__class_publish(struct nap_pool *pool, struct nap_class *class, struct nap_batch *batch);

#endif /* NAP_CLASS_TAKE_H */
