/* SPDX-License-Identifier: MIT */
/*
 * The states of a struct nap_timer, and the runs of timers' tasks.
 *
 *	IDLE --arm--> ARMED --fired--> QUEUED --begins--> IDLE, of a timer that is not periodic
 *	  ^             ^                                 RUNNING, of one that is
 *	  |             +-----ends: armed again-------------+
 *	  +-------------------canceled, or given back-------+
 *
 * The task of an IDLE timer may run, too, and may free the timer, or arm it again. So the record of
 * a run lies on the stack of the thread that runs the task, not in the timer. The lock of the
 * pool's timers protects timers and runs. The lock also orders a run before the next run, and
 * before a thread that finds that the run has ended [A2].
 */
#ifndef NAP_TIMER_INTERNAL_H
#define NAP_TIMER_INTERNAL_H

#include <stdbool.h>

#include <nap/timer.h>

#include "async/timer/timers.h"
#include "worker/self.h"

/* The values of timer->state, which is read and written under the lock. */
enum nap__timer_state {
	TIMER_IDLE,
	TIMER_ARMED,		/* the timer is in the heap */
	TIMER_QUEUED,		/* the task is scheduled and has not begun */
	TIMER_RUNNING,		/* a periodic timer's task runs (a one-shot timer is idle then) */
};

/*
 * A run of a timer's task, on the stack of the thread that runs the task. Access letter: K: under
 * the lock.
 */
struct nap__timer_run {
	struct nap__timer_run *next;	/* K: the next run in the pool */
	struct nap_timer *timer;	/* touched after the task only if @again is set */
	struct nap__self *self;		/* the record of the thread that runs the task */
	bool again;			/* K: the timer is RUNNING, and is to be armed again */
	bool forgotten;			/* K: another timer has the memory of @timer now */
};

/* Called under the lock: whether the task of @timer is scheduled or runs. */
bool nap__timer_goes_on(struct nap__timers *timers, struct nap_timer *timer);

/*
 * Called under the lock, at the end of a task of @timer: claims and returns the waiters for this
 * end.
 */
struct nap__fiber_waiter *nap__timer_ended(struct nap__timers *timers, struct nap_timer *timer);

/* The function of a timer's task while the timer is armed or the task is queued. */
void nap__timer_run(struct nap_task *task);

/*
 * Marks as queued the timer of @node, which the caller has removed from the heap. Returns the
 * timer's task, for the caller to schedule.
 */
static inline struct nap_task *nap__timer_queued(struct nap__timer_node *node)
{
	struct nap_timer *timer = nap_container_of(node, struct nap_timer, node);

	timer->state = TIMER_QUEUED;
	return &timer->task;
}

/* Called by the joiner: restores a timer's task that is not run, for the program. */
static inline struct nap_task *nap__timer_give_back(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);

	timer->state = TIMER_IDLE;
	task->run = timer->run;
	return task;
}

#endif /* NAP_TIMER_INTERNAL_H */
