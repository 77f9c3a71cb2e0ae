/* SPDX-License-Identifier: MIT */
/*
 * The room measure/ (this header is its door).
 *
 * What a pool did, in numbers: histograms (histogram.h), the times of the tasks that wait
 * (stamps.h), counting (count.c), beginning and end (ops.c), reading (read.c). The rest of the pool
 * sees a pointer, pool->measure, and a table (ops.c, src/worker/measure.h).
 *
 * Typically no pool is measured. In one that is, each schedule puts the time into the table of
 * stamps; the thread that runs the task takes it out, and counts in histograms that it alone writes.
 *
 * Where memory comes from: the first use of the pool maps all of it. Where it goes: the joiner unmaps
 * it, when nobody else is inside.
 *
 * From outside: the public calls of nap/histogram.h, and the functions of struct nap__measure_ops.
 */
#ifndef NAP_MEASURE_INTERNAL_H
#define NAP_MEASURE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/class.h>
#include <nap/histogram.h>

#include "measure/histogram.h"
#include "measure/stamps.h"
#include "worker/capacity.h"
#include "worker/measure.h"

/*
 * The histograms that one thread writes, or that all threads without their own share. Of each party
 * three: MEASURE_WAIT, _RUN, _QUEUE.
 */
struct nap__measured {
	struct nap__histogram wake nap__line;
	struct nap__histogram of[][NAP_MEASURE_WAKE];
};

/* A worker's wakes: written by the waker, except @seen. */
struct nap__waking {
	uint64_t at nap__line;		/* A: when it was woken last, ns */
	uint64_t seen;			/* O: the last of these that was counted */
};

/* All is set before the table is published. */
struct nap__measure {
	uint64_t mask nap__line;	/* the cells of the table of stamps, less one */
	struct nap__stamp *stamps;
	char *sets;			/* of histograms: one a record, and one that is shared, */
	size_t set_size;		/* in bytes */
	uint32_t workers;		/* records with an index, guests' included */
	uint32_t parties;
};

/* Returns how many classes @pool has, and one more. */
static inline uint32_t measure_parties(struct nap_pool *pool)
{
	struct nap_classes *classes = pool->config.classes;

	if (!classes)
		return 1;
	return 1 + (classes->count && classes->count < NAP_CLASSES ? classes->count : NAP_CLASSES);
}

/* A party's place among those that the pool has: the ordinary tasks come first. */
static inline uint32_t measure_place(uint32_t party)
{
	return party == PARTY_ORDINARY ? 0 : party + 1;
}

static inline struct nap__waking *measure_waking(struct nap__measure *measure, uint32_t index)
{
	return (struct nap__waking *)(void *)(measure + 1) + index;
}

/* @n: a worker's index, or measure->workers: the one that is shared. */
static inline struct nap__measured *measured_at(struct nap__measure *measure, uint32_t n)
{
	return (struct nap__measured *)(void *)(measure->sets + n * measure->set_size);
}

/* See struct nap__measure_ops. src/measure/count.c */
void nap__measure_put(struct nap_pool *pool, uint32_t party, uint64_t length, struct nap_task *head,
		      struct nap_task *tail);
void nap__measure_put_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
			  struct nap_task *tail);
uint64_t nap__measure_begin(struct nap_pool *pool, struct nap_task *task);
void nap__measure_end(struct nap_pool *pool, uint64_t begun);
void nap__measure_wake(struct nap_worker *worker);
void nap__measure_woken(struct nap_worker *worker);

#endif /* NAP_MEASURE_INTERNAL_H */
