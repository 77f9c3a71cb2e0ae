/* SPDX-License-Identifier: MIT */
/* struct nap_timer as the heap has it: src/timer/timer.c. */
#ifndef NAP_TIMER_INTERNAL_H
#define NAP_TIMER_INTERNAL_H

#include <nap/timer.h>

/* timer->state, under the lock. */
enum nap__timer_state {
	TIMER_IDLE,
	TIMER_ARMED,		/* it is in the heap */
	TIMER_QUEUED,		/* its task is scheduled, and has not begun */
};

/* What a timer's task runs, as long as that is scheduled by the timer. */
void nap__timer_run(struct nap_task *task);

/* Whoever has taken @node out of the heap: its timer's task, which is to be scheduled. */
static inline struct nap_task *nap__timer_queued(struct nap__timer_node *node)
{
	struct nap_timer *timer = nap_container_of(node, struct nap_timer, node);

	timer->state = TIMER_QUEUED;
	return &timer->task;
}

/* The joiner: a task of a timer's that is not run is the program's as it was. */
static inline struct nap_task *nap__timer_give_back(struct nap_task *task)
{
	struct nap_timer *timer = nap_container_of(task, struct nap_timer, task);

	timer->state = TIMER_IDLE;
	task->run = timer->run;
	return task;
}

#endif /* NAP_TIMER_INTERNAL_H */
