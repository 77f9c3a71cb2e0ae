/* SPDX-License-Identifier: MIT */
/*
 * A pool's classes (nap/class.h): what is queued in them, and what could be taken. Nothing is taken
 * here: src/kit/class_take.c.
 *
 * A class with a limit counts the threads that have a place in it (class->inside). A worker that
 * takes a task counts up under the queue's consumer lock, so one at a time; a worker that has run
 * one counts down. What is queued in a class without a place left is taken by nobody, and wakes
 * nobody. No wake-up is lost when a place gets free:
 *
 *	who counts down			who schedules
 *	---------------			-------------
 *	inside - 1			push the task
 *	full fence [K5]			full fence [K5]
 *	is the queue empty? done	is there a place? notify
 *	else notify			else done
 *
 * Either the one sees the task, or the other sees the place. A worker that searches at that time,
 * finds the task and no place, and parks, relies on the one that counts down. Its last look is
 * after the fence of its protocol ([S1], [O1], [C1]), before which it is registered as idle:
 *
 *	leaves the class	the worker		schedules
 *	----------------	----------		---------
 *	inside - 1		registered as idle	push the task
 *	full fence [K5]		full fence		full fence [K5]
 *	queue: empty		queue: not empty	place: notify
 *				no place: park
 *
 * This does not happen without a wake-up. The worker saw no place, so its fence comes before that
 * of the one that counts down. That one saw no task, so its fence comes before the scheduler's. The
 * scheduler therefore finds the worker registered as idle, and sees the place; so it wakes
 * somebody, whose search is after all three.
 *
 * The holder of the consumer lock turns others away, and looks for a place on their behalf, after
 * its unlock and a fence, as the scheduler does.
 *
 * Rejected: counting up before the lock, and down when nothing comes out (two that count for one
 * place see it taken by each other, and a search that finds nothing would have to wake others);
 * handing the place to the next task as src/kit/serial.c hands its queue on (then a limit of one
 * runs its class on one worker, whatever the weights say); queues of the pool's own (a first
 * schedule could fail for lack of memory).
 */
#ifndef NAP_CLASS_INTERNAL_H
#define NAP_CLASS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/class.h>

#include "arch/atomic.h"
#include "queue/kind.h"

/* Beside the classes, in their turns: whatever has none. */
#define CLASS_ORDINARY	NAP_CLASSES

/* How many @pool has; a static initialiser cannot refuse a larger number. */
static inline uint32_t class_count(struct nap_pool *pool)
{
	struct nap_classes *classes = pool->config.classes;

	if (!classes)
		return 0;
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

/* Any thread: whether something is queued in a class; @takeable: that a search could take. */
static inline bool classes_queued(struct nap_pool *pool, bool takeable)
{
	struct nap_classes *classes = pool->config.classes;

	for (uint32_t i = class_count(pool); i-- > 0;)
		if (takeable ? class_takeable(&classes->of[i]) : !inject_empty(&classes->of[i].queue))
			return true;
	return false;
}

#endif /* NAP_CLASS_INTERNAL_H */
