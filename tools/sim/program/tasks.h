/* SPDX-License-Identifier: MIT */
/* What works tell of their tasks, and what comes of it: searches, idle workers beside queued tasks. */
#ifndef NAP_SIM_TASKS_H
#define NAP_SIM_TASKS_H

#include <stdint.h>

extern uint64_t tasks_begun;		/* how many tasks have begun */
extern uint64_t tasks_idle_beside;	/* ps that workers were not awake while tasks were queued */

/* tasks_forget() forgets what was counted; tasks_sum() adds it to the sim_result. */
void tasks_forget(void);
void tasks_sum(void);

/* The running thread, a worker, is about to sleep; is awake again. */
void tasks_sleep(void);
void tasks_awake(void);

#endif /* NAP_SIM_TASKS_H */
