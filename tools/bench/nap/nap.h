/* SPDX-License-Identifier: MIT */
/* What nap's rows have in common: one pool, started as the row says. */
#ifndef NAP_BENCH_NAP_H
#define NAP_BENCH_NAP_H

#include <nap/nap.h>

#include "common/count.h"
#include "common/row.h"

extern struct nap_pool bench_pool;

/*
 * Returns when the workers exist, unless HOW is "cold". If HOW is the name of a protocol, the pool
 * uses that.
 */
void bench_start(const struct size *size);
void bench_end(void);

static inline void bench_schedule(struct nap_task *task)
{
	if (nap_schedule(&bench_pool, task))
		row_die("nap_schedule() refused");
}

/* Runs @task. The last part of the work calls count_done(&bench_count). */
extern struct count bench_count;
static inline void bench_run(struct nap_task *task)
{
	count_set(&bench_count, 1);
	bench_schedule(task);
	count_wait(&bench_count);
}

/* Returns the resident memory in bytes. */
uint64_t bench_resident(void);

/* The rows of each file, except those of tasks one by one, which are all listed in tasks.c. */
extern const struct row probe_rows[], batch_rows[], region_rows[], tree_rows[], array_rows[];
extern const struct row queue_rows[], work_rows[], fiber_rows[], echo_rows[], beside_rows[];
extern const struct row pool_rows[], loop_rows[], lock_rows[], timer_rows[];

#endif /* NAP_BENCH_NAP_H */
