/* SPDX-License-Identifier: MIT */
/*
 * What the works have in common. A work makes its tasks. It calls begin(), which starts the pool
 * and the measurement. It lets sim_run.tasks tasks run, each of sim_run.grain_ns. It calls end(),
 * which waits for all tasks, and checks that each has run as often as it has to.
 */
#ifndef NAP_SIM_COMMON_H
#define NAP_SIM_COMMON_H

#include <stddef.h>

#include "program/work.h"

struct task {
	struct nap_task task;
	uint64_t scheduled;	/* ns; 0: its delay is not asked for */
	uint32_t runs;
} __attribute__((aligned(64)));

extern struct task *tasks;
extern uint64_t nr_tasks;
extern uint32_t runs_wanted;	/* of each task: 1, unless the work has another number */

/* Code that checks and adds up belongs to the simulator and not to the work: it costs nothing. */
#define OF_SIMULATOR __attribute__((no_sanitize("thread"), no_sanitize_coverage))

/* Makes @n tasks, which run for sim_run.grain_ns. */
void make_tasks(uint64_t n);

/* all_tasks() links all tasks; schedule_all() schedules them as one batch. */
struct nap_batch all_tasks(void);
void schedule_all(struct nap_batch *batch);

/* Fails the run unless each task has run as often as it has to. */
void check_tasks(void);

/* Notes that a task began @ns after its time. */
void note_delay(uint64_t ns);

void begin(void);
void end(void);

/*
 * Begins @n iterations of loop_body(), each of @ns. With @uneven the first takes no time, and the
 * later ones take longer and longer, up to 2 * @ns. iterations_checked() fails the run unless each
 * index was seen once since iterations_begin().
 */
void iterations_begin(uint64_t n, uint64_t ns, bool uneven);
void iterations_checked(void);

#endif /* NAP_SIM_COMMON_H */
