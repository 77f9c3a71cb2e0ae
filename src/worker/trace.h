/* SPDX-License-Identifier: MIT */
/*
 * The calls by which a pool traces what it does: nap/trace.h. The tracer is an option of the
 * library, with one table of functions: src/trace/ops.c.
 *
 * A pool that is not watched, that is, neither traced nor measured (src/worker/measure.h), pays one
 * load and one test where an event would be written. The fast paths do not even have this test: a
 * watched pool is not plain (src/worker/phase.h), so its threads take the slow paths, where the
 * tests are.
 *
 * An event belongs to the calling thread's worker in the pool, or else to the thread, which is
 * inside one of the pool's gates. So no thread writes an event when the joiner gives the rings of
 * events back.
 */
#ifndef NAP_WORKER_TRACE_H
#define NAP_WORKER_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>
#include <nap/trace_file.h>

#include "arch/atomic.h"

struct nap_task;

/* An event's kind and flags in one number. */
#define TRACE_FLAGS(kind, flags)	((uint32_t)(kind) | (uint32_t)(flags) << 16)

struct nap__trace_ops {
	/* Writes an event of the calling thread, if the pool is being traced. */
	void (*event)(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b);
	/*
	 * Called at the first use of a pool, before its limit is set: begins a trace if the
	 * environment asks for it.
	 */
	void (*start)(struct nap_pool *pool);
	/*
	 * Called by the joiner, when no other thread is inside: writes the trace if this was asked
	 * for, and unmaps it.
	 */
	void (*end)(struct nap_pool *pool);
	/* Called in the child of a fork: unmaps the child's copy. */
	void (*forget)(struct nap_pool *pool);
};

extern const struct nap__trace_ops nap__trace_ops __attribute__((visibility("hidden")));

/* in the bare library, unless it was built with TRACE=1, and in the model checker */
#ifdef NAP_NO_TRACE
#define is_watched(pool)		((void)(pool), false)
#define is_watching()		false
#define trace_start(pool)	((void)(pool))
#else
/* The bits of pool->watched. */
#define WATCH_TRACE	1u	/* was ever traced; the table decides about each event */
#define WATCH_MEASURE	2u	/* is measured: src/worker/measure.h */

static inline bool is_watched(struct nap_pool *pool)
{
	return __builtin_expect(nap_load_relaxed(&pool->watched), false);
}

/* Whether any pool was ever watched, for callers that do not know the pool. */
extern uint32_t nap__watching __attribute__((visibility("hidden")));	/* atomic */
static inline bool is_watching(void)
{
	return __builtin_expect(nap_load_relaxed(&nap__watching), false);
}

/* Sets @bit, WATCH_TRACE or WATCH_MEASURE: from now on threads call the table. */
static inline void watch(struct nap_pool *pool, uint32_t bit)
{
	nap_store_relaxed(&nap__watching, 1);
	nap_fetch_or_relaxed(&pool->watched, bit);
}

/* Called at the first use of a pool. */
static inline void trace_start(struct nap_pool *pool)
{
	nap__trace_ops.start(pool);
}
#endif

/* As trace(), in a pool that is watched. Out of line, so that callers are short. */
void nap__trace(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b);

/*
 * Called by a thread inside @pool, or its worker: writes an event. @kind: with flags by
 * TRACE_FLAGS().
 */
static inline void trace(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a,
			 uint64_t b)
{
	if (is_watched(pool))
		nap__trace(pool, kind, other, a, b);
}

/* As trace(), for an event of an object and a function, without another party. */
static inline void trace_object(struct nap_pool *pool, uint32_t kind, const void *object,
				uintptr_t fn)
{
	trace(pool, kind, NAP_TRACE_NOBODY, (uintptr_t)object, fn);
}

/*
 * Out of line, because a fiber may wait between two such calls, and continue on another thread: the
 * caller must not keep values that it has read from the first thread's record.
 */
void nap__trace_here(uint32_t kind, const void *object, uintptr_t b);

/* As trace(), in the pool of the calling thread's worker; does nothing on other threads. */
static inline void trace_here(uint32_t kind, const void *object, uintptr_t b)
{
	if (is_watching())
		nap__trace_here(kind, object, b);
}

#endif /* NAP_WORKER_TRACE_H */
