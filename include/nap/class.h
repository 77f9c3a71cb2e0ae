/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_class_schedule - up to four kinds of tasks in one pool, each with a weight and a limit
 *
 * A pool has up to four classes of tasks, each with a weight and a limit of workers.
 *
 *	static struct nap_classes classes = { .of = {
 *		{ .weight = 8 },			NAP_CLASS_INTERACTIVE
 *		{ .weight = 4 },			NAP_CLASS_NORMAL
 *		{ .weight = 2, .limit = 2 },		NAP_CLASS_BATCH
 *		{ .weight = 1, .limit = 1 },		NAP_CLASS_IDLE
 *	} };
 *	static struct nap_pool pool = NAP_POOL_INIT(.classes = &classes);
 *
 *	nap_class_schedule(&pool, NAP_CLASS_BATCH, &job->task);
 *
 * So one pool serves instead of several pools. The class is an argument of the call, not a part of
 * the task. Each class has a queue of its own, first in, first out, in memory that the program
 * gives.
 *
 * Weights. Where several classes have something to run, each worker takes from them in proportion
 * to their weights. No class starves: NAP_CLASS_DEQUEUES() is the bound. Work that is not scheduled
 * by a call of this header is ordinary: tasks of nap_schedule(), works, forked jobs, calls, and
 * what runs in a serial queue without nap_serial_set_class() or a submitter without
 * nap_submit_set_class(). Ordinary work has no class and no limit, and the weight of
 * NAP_CLASS_NORMAL.
 *
 * Limits. At most @limit threads, workers or helpers, are inside tasks of a class at once. What a
 * task forks or schedules is not of the task's class. A task that waits runs other tasks during its
 * wait; tasks of the same class that are nested on one thread count once. A thread that is inside a
 * class has one of the class's @limit permits. If the thread sleeps in one of nap's waits, for any
 * pool, it gives its permit up until the wait ends. So a task may wait for tasks of its own class
 * or another, whatever the limits are. The price: when its sleep ends the thread goes on at once,
 * and if another thread has taken the permit, one thread more than the limit is inside for a while.
 * So a limit of 1 is not a lock; tasks of a serial queue (nap/serial.h) do run one at a time.
 *
 * Work conservation with limits: no worker parks while there is a task that the worker could take,
 * unless a wake-up is on its way. A worker cannot take a task whose class is at its limit; when a
 * permit of that class gets free, a worker takes the task, or is woken for it. (Under NAP_IDLE_SYNC
 * a waiter that is inside a class may keep its permit for up to NAP_DOZE_US before it sleeps.)
 *
 * A pool without classes pays for none of this. In a pool with classes a worker searches for each
 * task, and never takes the fast path from its own queue.
 */
#ifndef NAP_CLASS_H
#define NAP_CLASS_H

#include <stdint.h>

#include "config.h"
#include "state.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct nap_work;

/**
 * enum nap_class_name - the classes by convention; nap itself uses only the number NAP_CLASS_NORMAL
 */
enum nap_class_name {
	NAP_CLASS_INTERACTIVE,
	NAP_CLASS_NORMAL,
	NAP_CLASS_BATCH,
	NAP_CLASS_IDLE,
	NAP_CLASSES	/* how many classes there are at most */
};

/** NAP_CLASS_WEIGHT_MAX - the largest weight */
#define NAP_CLASS_WEIGHT_MAX 255u

/**
 * struct nap_class - one class; the program sets the first two fields, the others are nap's
 * @weight: 1 to NAP_CLASS_WEIGHT_MAX; 0 means 1. A larger weight is cut to NAP_CLASS_WEIGHT_MAX in
 *          a static initialiser, and refused by nap_pool_init()
 * @limit:  how many threads at most are inside tasks of the class; 0: no limit
 *
 * Access letters: I: set at init, A: atomic.
 */
struct nap_class {
	uint32_t weight nap__line nap__zero;	/* I */
	uint32_t limit nap__zero;		/* I */
	/* A: permits that are taken; not counted without a limit */
	uint32_t inside nap__zero;
	struct nap__queue queue nap__zero;	/* A */
};

/**
 * struct nap_classes - the classes of one pool, for nap_config.classes
 * @of:    the classes
 * @count: how many classes there are, 1 to NAP_CLASSES; 0: NAP_CLASSES. A larger count is cut to
 *         NAP_CLASSES in a static initialiser, and refused by nap_pool_init(). In a pool with one
 *         class ordinary tasks have its weight
 *
 * The program gives memory that is all zero, except the fields that it sets, and 64-byte aligned.
 * The memory is one pool's alone, from nap_pool_init(), or the pool's first use, until
 * nap_pool_join() has returned.
 */
struct nap_classes {
	struct nap_class of[NAP_CLASSES];
	uint32_t count nap__zero;		/* I */
};

/**
 * NAP_CLASS_DEQUEUES() - how soon a busy worker serves a class
 * @sum:    the sum of all weights, plus the weight of ordinary tasks once more
 * @weight: the weight of the class
 * @n:      how many tasks of the class come before the task
 *
 * A task begins, on some worker, within this many dequeues of each busy worker; dequeues at which
 * the class is at its limit do not count. A thread that the system has stopped while it takes or
 * queues a task of the class holds up the next tasks of the class. The bound holds for ordinary
 * tasks, too; in the dequeues that take ordinary tasks each queue is served as nap/pool.h says.
 */
#define NAP_CLASS_DEQUEUES(sum, weight, n)	(((n) + 1ull) * (sum) / (weight) + NAP_CLASSES)

/**
 * nap_class_schedule() - run @task on some worker, as a task of class @which
 * @which: a number below the pool's classes
 *
 * The promises are those of nap_schedule(). What the caller wrote before is visible to the task.
 * Tasks that one thread schedules in a class leave the class's queue in that order; on several
 * workers a later task may begin first.
 *
 * Returns 0, or -ESHUTDOWN: then the task is the caller's; -EINVAL when @pool has no class @which,
 * or a pointer is NULL.
 */
int nap_class_schedule(struct nap_pool *pool, uint32_t which, struct nap_task *task);

/**
 * nap_class_schedule_batch() - nap_class_schedule() of all of @batch, which is empty afterwards
 *
 * The batch is published and notified at once, and accepted or refused as a whole. On an error
 * @batch is as it was. An empty batch does nothing.
 */
int nap_class_schedule_batch(struct nap_pool *pool, uint32_t which, struct nap_batch *batch);

/** nap_class_work() - nap_class_schedule() of a work (nap/work.h); -EBUSY: the work is not idle */
int nap_class_work(struct nap_pool *pool, uint32_t which, struct nap_work *work);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CLASS_H */
