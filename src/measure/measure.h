/* SPDX-License-Identifier: MIT */
/*
 * The room measure/ (this header is its door).
 *
 * What a pool did, in numbers: histograms (histogram.h), the times of the tasks that wait
 * (stamps.h), counting (count.c), beginning and end (ops.c), reading (read.c). The rest of the pool
 * sees a pointer, pool->measure, and a table (ops.c, src/worker/measure.h).
 *
 * Typically no pool is measured. In a measured pool each schedule puts the time into the table of
 * stamps. The thread that runs the task takes the time out, and counts it in histograms that this
 * thread alone writes.
 *
 * Where the bounds of a bucket are: bucket_of() and bucket_bound() in histogram.h. Where a task has
 * no room for its time: stamp_put() in stamps.h.
 *
 * The first use of the pool maps all memory of the room; the joiner unmaps it, when no other thread
 * is inside.
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
 * The histograms that one thread writes, or that all threads without a record share. Each party (a
 * class, or ordinary tasks) has three histograms: NAP_MEASURE_WAIT, _RUN, _QUEUE.
 */
struct nap__measured {
	struct nap__histogram wake nap__line;
	struct nap__histogram of[][NAP_MEASURE_WAKE];
};

/* The wakes of one worker. The waker writes the struct, except @seen. */
struct nap__waking {
	uint64_t at nap__line;		/* A: the time of the last wake, ns */
	uint64_t seen;			/* O: the last value of @at that was counted */
};

/* The memory of a measured pool. All members are set before pool->measure is published. */
struct nap__measure {
	uint64_t mask nap__line;	/* the number of cells in the table of stamps, less one */
	struct nap__stamp *stamps;
	/* sets of histograms: one for each record, and a shared one */
	char *sets;
	size_t set_size;		/* bytes of a set */
	uint32_t workers;		/* records with an index, those of guests included */
	uint32_t parties;
};

/* Returns the number of parties: the classes of @pool, and the ordinary tasks. */
static inline uint32_t measure_parties(struct nap_pool *pool)
{
	struct nap_classes *classes = pool->config.classes;

	if (!classes)
		return 1;
	return 1 + (classes->count && classes->count < NAP_CLASSES ? classes->count : NAP_CLASSES);
}

/* Returns the index of a party among the pool's parties: the ordinary tasks come first. */
static inline uint32_t measure_place(uint32_t party)
{
	return party == PARTY_ORDINARY ? 0 : party + 1;
}

static inline struct nap__waking *measure_waking(struct nap__measure *measure, uint32_t index)
{
	return (struct nap__waking *)(void *)(measure + 1) + index;
}

/*
 * Returns set @n: that of the record with index @n, or, if @n is measure->workers, the shared set.
 */
static inline struct nap__measured *measured_at(struct nap__measure *measure, uint32_t n)
{
	return (struct nap__measured *)(void *)(measure->sets + n * measure->set_size);
}

/* Functions of struct nap__measure_ops: src/measure/count.c */
void nap__measure_put(struct nap_pool *pool, uint32_t party, uint64_t length, struct nap_task *head,
		      struct nap_task *tail);
void nap__measure_put_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
			  struct nap_task *tail);
uint64_t nap__measure_begin(struct nap_pool *pool, struct nap_task *task);
void nap__measure_end(struct nap_pool *pool, uint64_t begun);
void nap__measure_wake(struct nap_worker *worker);
void nap__measure_woken(struct nap_worker *worker);

#endif /* NAP_MEASURE_INTERNAL_H */
