/* SPDX-License-Identifier: MIT */
/*
 * The room trace/ (this header is its door).
 *
 * What a pool did, event by event: the rings (track.h, shared.h), writing an event (record.c),
 * beginning and ending (begin.c), the file (write.c), NAP_TRACE (hosted/from_start.c).
 * The rest of the pool sees a pointer, pool->trace, and a table (ops.c, src/worker/trace.h).
 *
 * Typically no pool is traced. In a traced pool a worker writes an event of a few words into its
 * own ring.
 *
 * Where an event is left out that was overwritten during the copy: trace_ring_copy() in track.h,
 * trace_shared_get() in shared.h.
 *
 * The first nap_trace_begin() maps a struct nap__trace and all rings; the joiner unmaps them, when
 * no other thread is inside.
 *
 * From outside: the public calls of nap/trace.h, and the functions of struct nap__trace_ops.
 */
#ifndef NAP_TRACE_INTERNAL_H
#define NAP_TRACE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/stats.h>
#include <nap/trace.h>
#include <nap/trace_file.h>

#include "trace/track.h"
#include "trace/shared.h"
#include "worker/capacity.h"
#include "worker/trace.h"

/* Access letters: I: set before the trace is published, A: atomic, L: under the lock. */
struct nap__trace {
	uint64_t mask;			/* I: the number of events in each ring, less one */
	uint32_t capacity;		/* I: the number of workers' rings: pool_capacity() */
	bool by_system;			/* I: ticks are nanoseconds of CLOCK_MONOTONIC */
	uint64_t begin_ticks;		/* I */
	uint64_t begin_ns;		/* I */
	struct nap_pool_stats before;	/* I */
	uint32_t on;			/* A: whether events are written */
	uint32_t lock nap__line;	/* A: held by the thread that begins or ends a trace */
	uint32_t flags;			/* L: flags of the options */
	int fd;				/* L: with NAP_TRACE_AT_JOIN */
	uint32_t nr_pauses;		/* L */
	struct nap_trace_pause pauses[NAP_TRACE_PAUSES_MOST];	/* L: the oldest first */
	/* Protected by the lock of hosted/from_start.c once the trace is listed there: */
	/* the file of NAP_TRACE that is still to be written; or -1 */
	int file;
	struct nap_pool *pool;
	struct nap__trace *next;
};

/* Returns how many rings of workers there are: guests have none. */
static inline uint32_t trace_rings(const struct nap__trace *trace)
{
	return trace->capacity + SPARE_RECORDS;
}

static inline size_t trace_ring_size(const struct nap__trace *trace)
{
	return sizeof(struct nap__trace_ring) +
	       (trace->mask + 1) * TRACE_WORDS * sizeof(uint64_t);
}

static inline size_t trace_size(const struct nap__trace *trace)
{
	return sizeof(*trace) + trace_rings(trace) * trace_ring_size(trace) +
	       sizeof(struct nap__trace_shared) +
	       (trace->mask + 1) * sizeof(struct nap__trace_slot);
}

static inline struct nap__trace_ring *trace_ring_at(struct nap__trace *trace, uint32_t n)
{
	char *rings = (char *)(trace + 1);

	return (struct nap__trace_ring *)(void *)(rings + n * trace_ring_size(trace));
}

static inline struct nap__trace_shared *trace_shared(struct nap__trace *trace)
{
	return (struct nap__trace_shared *)(void *)trace_ring_at(trace, trace_rings(trace));
}

/* Returns the index of the worker that has ring @n: guests' records come before the spare ones. */
static inline uint32_t trace_index(const struct nap__trace *trace, uint32_t n)
{
	return n < trace->capacity ? n : n + NAP_GUESTS;
}

/* Functions of struct nap__trace_ops: src/trace/record.c */
void nap__trace_event(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b);

/* Returns the time of an event. */
uint64_t nap__trace_ticks(const struct nap__trace *trace);

/* Reads both clocks at the same time, as nearly as possible. */
void nap__trace_both(const struct nap__trace *trace, uint64_t *ticks, uint64_t *ns);

/*
 * As nap_trace_begin(), for a thread inside the pool, or at the pool's first use. *@made: the
 * trace, which may have existed before.
 */
int nap__trace_begin(struct nap_pool *pool, const struct nap_trace_options *options,
		     struct nap__trace **made);

/*
 * As nap_trace_write(), for a thread inside the pool or the joiner; adds @flags to the flags of the
 * file.
 */
int nap__trace_to(struct nap_pool *pool, struct nap__trace *trace, int fd, uint32_t flags);

/* A function of struct nap__trace_ops, in src/trace/hosted/ and src/trace/bare/. */
void nap__trace_from_start(struct nap_pool *pool);

/*
 * Called before the trace is unmapped, so that NAP_TRACE's exit handler does not find it. Returns
 * the file that NAP_TRACE has created for the trace, which the caller has to close; or -1.
 */
int nap__trace_unlist(struct nap__trace *trace);

#endif /* NAP_TRACE_INTERNAL_H */
