/* SPDX-License-Identifier: MIT */
/*
 * What works report of their tasks, and the figures made of it: searches, idle workers beside
 * queued tasks.
 */
#ifndef NAP_SIM_TASKS_H
#define NAP_SIM_TASKS_H

#include <stdint.h>

extern uint64_t tasks_begun;		/* how many tasks have begun */
extern uint64_t tasks_idle_beside;	/* ps that workers were not awake while tasks were queued */

/* tasks_forget() forgets what was counted; tasks_sum() adds it to the sim_result. */
void tasks_forget(void);
void tasks_sum(void);

/* Called by a worker that is about to sleep, and by a worker that is awake again. */
void tasks_sleep(void);
void tasks_awake(void);

#endif /* NAP_SIM_TASKS_H */
