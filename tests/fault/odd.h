/* SPDX-License-Identifier: MIT */
/* The parts that tests of odd tasks and odd calls share. */
#ifndef NAP_TESTS_FAULT_ODD_H
#define NAP_TESTS_FAULT_ODD_H

#include "fault/report.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static unsigned long scheduled;

static inline void schedule(struct nap_task *task)
{
	nap_fetch_add_relaxed(&scheduled, 1);
	if (nap_schedule(&pool, task))
		abort();
}

static inline void end(struct __test_metadata *_metadata, const char *fault, unsigned long n)
{
	struct nap_pool_stats stats;

	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	nap_pool_get_stats(&pool, &stats);
	EXPECT_EQ(stats.workers.run + stats.helped, scheduled);
	fault_report(fault, n, scheduled, nr_run);
}

/* Frees the task. Overwrites its memory first, so that a late access shows. */
static inline void free_oneself(struct nap_task *task)
{
	memset(task, 0xee, sizeof(*task));
	free(task);
	nap_fetch_add_relaxed(&nr_run, 1);
}

#endif /* NAP_TESTS_FAULT_ODD_H */
