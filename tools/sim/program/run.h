/* SPDX-License-Identifier: MIT */
/* One run of one work on one machine, and the run's result. */
#ifndef NAP_SIM_RUN_H
#define NAP_SIM_RUN_H

#include "kernel/threads.h"
#include "machine/fields.h"

#define RESULT_FIELDS	48u
#define RESULT_SITES	64u

struct sim_pool;
struct sim_work;

struct run {
	/* as the command line has it */
	const struct sim_work *work;
	const struct sim_pool *pool;
	unsigned cpus, workers, producers, loops;
	uint64_t tasks, grain_ns;
	uint64_t seed;
	const char *why;		/* NULL, or a field whose sites are wanted */

	uint64_t random;		/* the state of sim_random(), never 0 */
	uint32_t nobody;		/* a futex word that no thread ever wakes */
	bool measures;
	uint64_t begin;			/* ps */
};
extern struct run sim_run;

/* Begins the numbers of sim_random(). */
void random_seed(uint64_t seed);

/* What was measured; has no pointers, so that it can go through a pipe. Times are ps. */
struct result {
	bool ended;
	char why[160];			/* not ended: the reason */
	unsigned cpus, workers, threads;
	uint64_t elapsed, tasks;
	uint64_t spent[NR_CAUSES];	/* the time of all threads, by cause */
	uint64_t found, searched, sleeps, idle_beside;
	uint64_t woken, wakes_in_vain;
	/* from the schedule of a task to its beginning; 0: not told */
	uint64_t waited_sum, waited_most;
	/* from the beginning until every worker was inside a task; 0: never */
	uint64_t awake_at;
	uint64_t steals;
	uint64_t stolen[NR_FAR];	/* steals of nap's workers, by their distance */
	uint64_t moved[NR_FAR];
	unsigned nr_fields, nr_sites;
	struct result_field {
		char name[64];
		uint64_t moved[NR_FAR], by_access[3], waited, queued;
		unsigned cpus;
	} field[RESULT_FIELDS];
	struct result_site {
		uintptr_t pc;
		char field[64];
		enum access access;
		uint64_t moved, waited;
		unsigned cpus;
	} site[RESULT_SITES];
};
extern struct result sim_result;

/* Runs sim_run.work, and fills in the sim_result. Once in a process. */
void run_once(void);

#endif /* NAP_SIM_RUN_H */
