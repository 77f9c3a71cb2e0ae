/* SPDX-License-Identifier: MIT */
/* The workers' counters as a whole: src/life/stats.c. */
#ifndef NAP_STATS_INTERNAL_H
#define NAP_STATS_INTERNAL_H

#include <nap/pool.h>
#include <nap/stats.h>

/* Add up the workers' counters; the caller keeps the records alive. */
void nap__stats_sum(struct nap_pool *pool, struct nap_worker_stats *sum);

#endif /* NAP_STATS_INTERNAL_H */
