/* SPDX-License-Identifier: MIT */
/*
 * Where the pool says what it does: nap/trace.h. The tracer is an option of the library, and one
 * table: src/trace/ops.c.
 *
 * A pool that is not watched, that is, neither traced nor measured (src/worker/measure.h), pays one
 * load and one test where an event would be written. Its fast paths have neither: a watched pool is
 * not plain (src/worker/phase.h), so its threads take the slow paths, where the tests are.
 *
 * An event is of the calling thread: of its worker in the pool, or else of a thread from outside,
 * which is inside one of the pool's gates. So the joiner, which gives the rings back, is alone.
 */
#ifndef NAP_WORKER_TRACE_H
#define NAP_WORKER_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>
#include <nap/trace_file.h>

#include "arch/atomic.h"

struct nap_task;

/* An event's kind, and its flags. */
#define TRACE_FLAGS(kind, flags)	((uint32_t)(kind) | (uint32_t)(flags) << 16)

struct nap__trace_ops {
	/* Writes an event of the calling thread, if the pool is traced now. */
	void (*event)(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b);
	/* The first use of a pool, before its limit is set: begins if the environment says so. */
	void (*start)(struct nap_pool *pool);
	/* The joiner, alone: writes the trace if that was asked for, and unmaps it. */
	void (*end)(struct nap_pool *pool);
	/* The child of a fork: unmaps its copy. */
	void (*forget)(struct nap_pool *pool);
};

extern const struct nap__trace_ops nap__trace_ops __attribute__((visibility("hidden")));

#ifdef NAP_NO_TRACE		/* the bare library, unless it was built with TRACE=1; the model checker */
#define is_watched(pool)		((void)(pool), false)
#define is_watching()		false
#define trace_start(pool)	((void)(pool))
#else
/* The bits of pool->watched. */
#define WATCH_TRACE	1u	/* was traced once; the table decides about each event */
#define WATCH_MEASURE	2u	/* is measured: src/worker/measure.h */

static inline bool is_watched(struct nap_pool *pool)
{
	return __builtin_expect(nap_load_relaxed(&pool->watched), false);
}

/* Whether any pool was or is, for callers that have no pool at hand. */
extern uint32_t nap__watching __attribute__((visibility("hidden")));	/* A */
static inline bool is_watching(void)
{
	return __builtin_expect(nap_load_relaxed(&nap__watching), false);
}

/* From now on threads look whether there is something to do for @bit of WATCH_. */
static inline void watch(struct nap_pool *pool, uint32_t bit)
{
	nap_store_relaxed(&nap__watching, 1);
	nap_fetch_or_relaxed(&pool->watched, bit);
}

/* The first use of a pool. */
static inline void trace_start(struct nap_pool *pool)
{
	nap__trace_ops.start(pool);
}
#endif

/* As trace(), in a pool that is watched. Out of line, so that callers are short. */
void nap__trace(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b);

/* Thread inside @pool, or its worker: an event. @kind: TRACE_FLAGS() where it has some. */
static inline void trace(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b)
{
	if (is_watched(pool))
		nap__trace(pool, kind, other, a, b);
}

/* As trace(), of an object and a function, without another party. */
static inline void trace_object(struct nap_pool *pool, uint32_t kind, const void *object, uintptr_t fn)
{
	trace(pool, kind, NAP_TRACE_NOBODY, (uintptr_t)object, fn);
}

/* Out of line: in the middle of a fiber's wait a caller must not keep what it read of its thread. */
void nap__trace_here(uint32_t kind, const void *object, uintptr_t b);

/* As trace(), of the pool whose worker the calling thread is; not of other threads. */
static inline void trace_here(uint32_t kind, const void *object, uintptr_t b)
{
	if (is_watching())
		nap__trace_here(kind, object, b);
}

#endif /* NAP_WORKER_TRACE_H */
