/* SPDX-License-Identifier: MIT */
/*
 * The room trace/ (this header is its door).
 *
 * What a pool did, event by event: the rings (track.h, shared.h), writing an event (record.c),
 * beginning and ending (begin.c), the file (write.c), NAP_TRACE (hosted/from_start.c).
 * The rest of the pool sees a pointer, pool->trace, and a table (ops.c, src/worker/trace.h).
 *
 * Typically no pool is traced. In one that is, a worker writes five words into its own ring.
 *
 * Where memory comes from: the first nap_trace_begin() maps a struct nap__trace and all rings. Where
 * it goes: the joiner unmaps it, when nobody else is inside.
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

/* Access: I set before it is published, A atomic, L under the lock. */
struct nap__trace {
	uint64_t mask;			/* I: the events of each ring, less one */
	uint32_t capacity;		/* I: of workers: pool_capacity() */
	bool by_system;			/* I: ticks are nanoseconds of CLOCK_MONOTONIC */
	uint64_t begin_ticks;		/* I */
	uint64_t begin_ns;		/* I */
	struct nap_pool_stats before;	/* I */
	uint32_t on;			/* A: events are written */
	uint32_t lock nap__line;	/* A: one thread at a time begins or ends */
	uint32_t flags;			/* L: of the options */
	int fd;				/* L: with NAP_TRACE_AT_JOIN */
	/* Under a lock of hosted/from_start.c, once listed there: */
	int file;			/* of NAP_TRACE, nap's own, still to be written; or -1 */
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

/* The index of the worker that has ring @n: guests' records lie in front of the spare ones. */
static inline uint32_t trace_index(const struct nap__trace *trace, uint32_t n)
{
	return n < trace->capacity ? n : n + NAP_GUESTS;
}

/* See struct nap__trace_ops. src/trace/record.c */
void nap__trace_event(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b);

/* Returns the time of an event. */
uint64_t nap__trace_ticks(const struct nap__trace *trace);

/* Reads both clocks at one time, as nearly as can be. */
void nap__trace_both(const struct nap__trace *trace, uint64_t *ticks, uint64_t *ns);

/*
 * nap_trace_begin() for a thread inside the pool, or at the pool's first use. *@made: the trace,
 * which may have been there before.
 */
int nap__trace_begin(struct nap_pool *pool, const struct nap_trace_options *options,
		     struct nap__trace **made);

/* nap_trace_write() for a thread that is inside, or is the joiner: adds @flags to the file's. */
int nap__trace_to(struct nap_pool *pool, struct nap__trace *trace, int fd, uint32_t flags);

/* src/trace/hosted/, src/trace/bare/: see struct nap__trace_ops. */
void nap__trace_from_start(struct nap_pool *pool);

/*
 * Before the trace is unmapped: NAP_TRACE's exit handler must not find it. Returns the file that
 * NAP_TRACE has created for it, which is the caller's to be closed; or -1.
 */
int nap__trace_unlist(struct nap__trace *trace);

#endif /* NAP_TRACE_INTERNAL_H */
