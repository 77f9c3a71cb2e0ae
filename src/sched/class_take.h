/* SPDX-License-Identifier: MIT */
/* Taking tasks of classes, and places in them: src/sched/class_take.c. */
#ifndef NAP_CLASS_TAKE_H
#define NAP_CLASS_TAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/worker.h"

/* On the stack of a thread inside a task of a class with a limit: it has a place there. */
struct nap__place {
	struct nap__place *outer;
	struct nap_pool *pool;
	struct nap_class *class;
};

/*
 * Worker of a pool with classes, or guest: the next task of a class, or NULL. @ordinary: that has
 * its turn, too, and when it is due the answer is NULL. The result is to be given to nap__run()
 * before anything else is taken. *@more is set when others are to be told of what was left.
 */
struct nap_task *nap__take_class(struct nap_worker *worker, bool ordinary, bool *more);

/*
 * Worker of a pool with classes: a task of theirs, or what @dequeue finds as in another pool,
 * whichever has the turn; or else the other. Others are told of what was left.
 */
struct nap_task *nap__dequeue_classed(struct nap_worker *worker,
				      struct nap_task *(*dequeue)(struct nap_worker *worker));

/* Worker: the task that it took last, which is about to be run. @place: until nap__class_leave(). */
struct nap_task *nap__class_enter(struct nap_worker *worker, struct nap__place *place);
void nap__class_leave(struct nap_worker *worker, struct nap__place *place);

/* Worker: others are told now of what it would have looked at next. */
void nap__class_settle(struct nap_worker *worker);

/* Any thread inside: @batch, not empty, is queued in @class, and somebody told of it. */
void nap__class_publish(struct nap_pool *pool, struct nap_class *class, struct nap_batch *batch);

#endif /* NAP_CLASS_TAKE_H */
