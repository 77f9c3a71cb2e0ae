/* SPDX-License-Identifier: MIT */
/* What a pool's workers have done, besides running tasks, for each 1,000 tasks: nap/stats.h. */
#ifndef NAP_BENCH_COUNTS_H
#define NAP_BENCH_COUNTS_H

#include <nap/nap.h>
#include <stdio.h>

static inline struct nap_worker_stats counts_of(struct nap_pool *pool)
{
	struct nap_pool_stats stats;

	nap_pool_get_stats(pool, &stats);
	return stats.workers;
}

/* Returns the system calls, as nap/stats.h counts them. */
static inline uint64_t counts_calls(const struct nap_worker_stats *s)
{
	return 2 * s->parked + 5 * s->dozed + s->yielded + s->asked;
}

static inline void counts_print(const char *name, struct nap_worker_stats from,
				struct nap_worker_stats to)
{
	double tasks = (double)(to.run - from.run) / 1e3;

	printf("%-14s %8.1f slept %8.1f told before %8.1f empty searches %8.1f system calls\n",
	       name, (double)(to.parked - from.parked) / tasks,
	       (double)(to.spun - from.spun) / tasks, (double)(to.searched - from.searched) / tasks,
	       (double)(counts_calls(&to) - counts_calls(&from)) / tasks);
}

#endif /* NAP_BENCH_COUNTS_H */
