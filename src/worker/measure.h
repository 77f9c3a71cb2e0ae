/* SPDX-License-Identifier: MIT */
/*
 * The calls by which a pool measures its tasks: nap/histogram.h. Measuring is an option of the
 * library, as is the tracer (src/worker/trace.h), and has one table of functions:
 * src/measure/ops.c. One word says whether a pool is traced or measured, so both together cost one
 * test. A measured pool is never plain (src/worker/phase.h).
 *
 * A call here stands where an event of a trace is written, and writes that event, too.
 */
#ifndef NAP_WORKER_MEASURE_H
#define NAP_WORKER_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/histogram.h>
#include <nap/pool.h>

#include "arch/atomic.h"
#include "sync/event.h"
#include "worker/self.h"
#include "worker/trace.h"
#include "worker/worker.h"

/* A party is the number of a class, or this: the tasks without a class. */
#define PARTY_ORDINARY	NAP_CLASSES

struct nap__measure_ops {
	/* Called at the first use of a pool, before its limit is set. */
	void (*start)(struct nap_pool *pool);
	/*
	 * Called before a list is published in a queue of @length tasks: each task waits from now
	 * on.
	 */
	void (*put)(struct nap_pool *pool, uint32_t party, uint64_t length, struct nap_task *head,
		    struct nap_task *tail);
	/*
	 * Called before a worker runs a list that is in no queue: each task has waited since @when,
	 * ns.
	 */
	void (*put_due)(struct nap_pool *pool, uint64_t when, struct nap_task *head,
			struct nap_task *tail);
	/* Called when @task begins. Returns the argument for end(); 0: the task is not measured. */
	uint64_t (*begin)(struct nap_pool *pool, struct nap_task *task);
	void (*end)(struct nap_pool *pool, uint64_t begun);
	/* wake() is called before @worker is woken for work, woken() when @worker goes on. */
	void (*wake)(struct nap_worker *worker);
	void (*woken)(struct nap_worker *worker);
	/*
	 * Called by the joiner, when no other thread is inside, or in the child of a fork: unmaps
	 * all memory.
	 */
	void (*forget)(struct nap_pool *pool);
};

extern const struct nap__measure_ops nap__measure_ops __attribute__((visibility("hidden")));

#ifdef NAP_NO_TRACE
#define CAN_MEASURE	false
#define measure_start(pool)	((void)(pool))
#define watch_end(pool)		((void)(pool))
#define watch_forget(pool)	((void)(pool))
#define measure_read(pool, what, which, out)	((void)(pool), (void)(out), -ENODATA)
#define measure_bound(bucket)	((void)(bucket), UINT64_MAX)
#else
#define CAN_MEASURE	true
#define measure_read	nap_pool_histogram
#define measure_bound	nap_histogram_bound

/* Called at the first use of a pool. */
static inline void measure_start(struct nap_pool *pool)
{
	if (pool->config.measure)
		nap__measure_ops.start(pool);
}

/*
 * Called by the joiner, when no other thread is inside: ends the trace and the histograms of @pool.
 */
static inline void watch_end(struct nap_pool *pool)
{
	if (nap_load_relaxed(&pool->trace))
		nap__trace_ops.end(pool);
	if (nap_load_relaxed(&pool->measure))
		nap__measure_ops.forget(pool);
}

/* Called in the child of a fork: as watch_end(), but writes no file. */
static inline void watch_forget(struct nap_pool *pool)
{
	if (nap_load_relaxed(&pool->trace))
		nap__trace_ops.forget(pool);
	if (nap_load_relaxed(&pool->measure))
		nap__measure_ops.forget(pool);
}
#endif

/* Out of line, because it is a loop. */
void nap__watch_list(struct nap_pool *pool, uint32_t flags, uint32_t other, struct nap_task *head,
		     struct nap_task *tail);

/*
 * Called before a list is published: writes an event SCHEDULE for each task; @flags and @other are
 * the event's.
 */
static inline void watch_list(struct nap_pool *pool, uint32_t flags, uint32_t other,
			      struct nap_task *head, struct nap_task *tail)
{
	if (is_watched(pool))
		nap__watch_list(pool, flags, other, head, tail);
}

/*
 * As watch_list(), for a task that is put into a serial or an ordered queue, behind @length others.
 * @class: the queue's class, or NULL. Called only in a watched pool, because the length is
 * expensive to find.
 */
void nap__watch_in_order(struct nap_pool *pool, struct nap_class *class, uint64_t length,
			 struct nap_task *task);
static inline void watch_in_order(struct nap_pool *pool, struct nap_class *class, uint64_t length,
				  struct nap_task *task)
{
	if (is_watched(pool))
		nap__watch_in_order(pool, class, length, task);
}

/*
 * Called before a serial or an ordered queue's own task is published. The own task stands for the
 * queue's first task, so this thread's put() of the own task does not measure it.
 */
void nap__watch_own(struct nap_task *own);
static inline void watch_own(struct nap_pool *pool, struct nap_task *own)
{
	if (is_watched(pool))
		nap__watch_own(own);
}

/* Called when the own task is published: later another task may have its address. */
static inline void watch_own_published(void)
{
	nap__self()->set_aside = NULL;
}

/*
 * Called before a worker runs a list that was due at the time @when, ns, and is in no queue: writes
 * an event SCHEDULE for each task.
 */
void nap__watch_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
		    struct nap_task *tail);
static inline void watch_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
			     struct nap_task *tail)
{
	if (is_watched(pool) && head)
		nap__watch_due(pool, when, head, tail);
}

/* Writes an event BEGIN with @flags. Returns the argument @begun of watch_return(). */
uint64_t nap__watch_begin(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
			  nap_task_fn run);
static inline uint64_t watch_begin(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
				   nap_task_fn run)
{
	return is_watched(pool) ? nap__watch_begin(pool, flags, task, run) : 0;
}

/* Writes the event END for a BEGIN. @task may be freed by now. */
void nap__watch_return(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
		       nap_task_fn run, uint64_t begun);
static inline void watch_return(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
				nap_task_fn run, uint64_t begun)
{
	if (is_watched(pool))
		nap__watch_return(pool, flags, task, run, begun);
}

/* Called before @worker is woken for work: writes an event WAKE. */
void nap__watch_wake(struct nap_worker *worker);
static inline void watch_wake(struct nap_worker *worker)
{
	if (is_watched(worker->pool))
		nap__watch_wake(worker);
}

/* Called when @worker goes on: writes an event UNPARK. @reasons: bits EVENT_... */
void nap__watch_unpark(struct nap_worker *worker, uint32_t reasons, bool ready);
static inline void watch_unpark(struct nap_worker *worker, uint32_t reasons, bool ready)
{
	if (is_watched(worker->pool))
		nap__watch_unpark(worker, reasons, ready);
}

#endif /* NAP_WORKER_MEASURE_H */
