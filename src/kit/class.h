/* SPDX-License-Identifier: MIT */
/*
 * A pool's classes (nap/class.h): whether tasks are queued in them, and could be taken.
 * src/kit/class_take.c takes them.
 *
 * A class with a limit counts the threads that have a permit (class->inside). A worker counts up
 * when it takes a task, under the queue's consumer lock (so one worker at a time), and counts down
 * when it has run the task. While a class has no free permit no worker takes its tasks, and none is
 * woken for them. No wake-up is lost when a permit gets free:
 *
 *	counts down			schedules
 *	-----------			---------
 *	inside - 1			push the task
 *	full fence [K5]			full fence [K5]
 *	is the queue empty? done	is a permit free? notify
 *	else notify			else done
 *
 * Either the thread that counts down sees the task, or the scheduler sees the permit. A third
 * thread may be involved: a worker that searches at that time, finds the task but no permit, and
 * parks. The worker registers as idle, executes the fence of its protocol ([S1], [O1], [C1]), and
 * then checks for the last time:
 *
 *	counts down		the worker		schedules
 *	-----------		----------		---------
 *	inside - 1		registered as idle	push the task
 *	full fence [K5]		full fence		full fence [K5]
 *	queue: empty		queue: not empty	permit: notify
 *				no permit: park
 *
 * Even then a worker is woken. The worker saw no permit, so its fence comes before the fence of the
 * thread that counts down. This thread saw no task, so its fence comes before the scheduler's
 * fence. The scheduler therefore finds the worker registered as idle, and sees the permit. So it
 * wakes a worker, whose search comes after all three fences.
 *
 * The holder of the consumer lock turns other workers away, and checks for a permit on their
 * behalf, after its unlock and a fence, as the scheduler does.
 *
 * Three designs were rejected. If a worker counted up before the lock, and down if there is no
 * task, two workers could each find the last permit taken by the other; then a search that finds
 * nothing would have to wake others. If the permit were handed to the next task, as
 * src/kit/serial.c hands its queue on, a class with a limit of one would run on one worker,
 * whatever the weights are. If the queues were in the pool, the first schedule could fail for lack
 * of memory.
 */
#ifndef NAP_CLASS_INTERNAL_H
#define NAP_CLASS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/class.h>

#include "arch/atomic.h"
#include "queue/kind.h"

/* The class number that stands for the tasks without a class, which compete as one more class. */
#define CLASS_ORDINARY	NAP_CLASSES

/*
 * Returns how many classes @pool has: at most NAP_CLASSES, because a static initialiser cannot
 * refuse a larger number.
 */
static inline uint32_t class_count(struct nap_pool *pool)
{
	struct nap_classes *classes = pool->config.classes;

	if (!classes)
		return 0;
	/* Not noticed in tests when <= for <: NAP_CLASSES in either case. */
	return classes->count && classes->count < NAP_CLASSES ? classes->count : NAP_CLASSES;
}

static inline bool class_has_permit(struct nap_class *class)
{
	return !class->limit || nap_load_relaxed(&class->inside) < class->limit;
}

static inline bool class_takeable(struct nap_class *class)
{
	return !inject_empty(&class->queue) && class_has_permit(class);
}

/*
 * Called by any thread: whether a task is queued in a class; with @takeable, a task that a search
 * could take.
 */
static inline bool classes_queued(struct nap_pool *pool, bool takeable)
{
	struct nap_classes *classes = pool->config.classes;

	for (uint32_t i = class_count(pool); i-- > 0;)
		if (takeable ? class_takeable(&classes->of[i]) :
			       !inject_empty(&classes->of[i].queue))
			return true;
	return false;
}

#endif /* NAP_CLASS_INTERNAL_H */
