/* SPDX-License-Identifier: MIT */
/*
 * Where the pool measures its tasks: nap/histogram.h. As the tracer (src/worker/trace.h) an option of
 * the library, and one table: src/measure/ops.c. One word says whether a pool is traced or measured,
 * so the two cost one test together; and a measured pool is never plain.
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
#include "worker/trace.h"
#include "worker/worker.h"

/* The number of a class, or this: tasks without a class. */
#define PARTY_ORDINARY	NAP_CLASSES

struct nap__measure_ops {
	/* The first use of a pool, before its limit is set. */
	void (*start)(struct nap_pool *pool);
	/* Before a list is published behind @length others: each task waits from now on. */
	void (*put)(struct nap_pool *pool, uint32_t party, uint64_t length, struct nap_task *head,
		    struct nap_task *tail);
	/* Before a worker runs a list that is in no queue: each task waits since @when, ns. */
	void (*put_due)(struct nap_pool *pool, uint64_t when, struct nap_task *head,
			struct nap_task *tail);
	/* @task begins. Returns what end() wants, which is not 0 if the task is measured. */
	uint64_t (*begin)(struct nap_pool *pool, struct nap_task *task);
	void (*end)(struct nap_pool *pool, uint64_t begun);
	/* Before @worker is woken for work, and when @worker goes on. */
	void (*wake)(struct nap_worker *worker);
	void (*woken)(struct nap_worker *worker);
	/* The joiner, alone, or the child of a fork: unmaps all. */
	void (*forget)(struct nap_pool *pool);
};

extern const struct nap__measure_ops nap__measure_ops __attribute__((visibility("hidden")));

#ifdef NAP_NO_TRACE
#define CAN_MEASURE	false
#define measure_start(pool)	((void)(pool))
#define watch_end(pool)		((void)(pool))
#define watch_forget(pool)	((void)(pool))
#define measure_read(pool, what, which, out)	((void)(pool), (void)(out), -ENODATA)
#else
#define CAN_MEASURE	true
#define measure_read	nap_pool_histogram

/* The first use of a pool. */
static inline void measure_start(struct nap_pool *pool)
{
	if (pool->config.measure)
		nap__measure_ops.start(pool);
}

/* The joiner, alone: ends what watches @pool. */
static inline void watch_end(struct nap_pool *pool)
{
	if (nap_load_relaxed(&pool->trace))
		nap__trace_ops.end(pool);
	if (nap_load_relaxed(&pool->measure))
		nap__measure_ops.forget(pool);
}

/* The child of a fork: as watch_end(), and nothing is written. */
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

/* Before a list is published: a SCHEDULE of each task; @flags and @other are the event's. */
static inline void watch_list(struct nap_pool *pool, uint32_t flags, uint32_t other,
			      struct nap_task *head, struct nap_task *tail)
{
	if (is_watched(pool))
		nap__watch_list(pool, flags, other, head, tail);
}

/*
 * As watch_list() of a task behind @length others in a queue of the program's, which may be in a
 * @class. To be called in a watched pool, because the length is dear.
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
 * Before the own task of such a queue is published, which stands for others: the next put of this
 * thread does not measure it. Out of line, as above.
 */
void nap__watch_own(struct nap_task *own);
static inline void watch_own(struct nap_pool *pool, struct nap_task *own)
{
	if (is_watched(pool))
		nap__watch_own(own);
}

/* Before a worker takes a list that was due @when, ns, and is scheduled nowhere. Out of line, as above. */
void nap__watch_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
		    struct nap_task *tail);
static inline void watch_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
			     struct nap_task *tail)
{
	if (is_watched(pool) && head)
		nap__watch_due(pool, when, head, tail);
}

/* A BEGIN. @flags are the event's. Returns what watch_end() wants. */
uint64_t nap__watch_begin(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
			  nap_task_fn run);
static inline uint64_t watch_begin(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
				   nap_task_fn run)
{
	return is_watched(pool) ? nap__watch_begin(pool, flags, task, run) : 0;
}

/* The END of that BEGIN. @task may be gone. */
void nap__watch_return(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
		       nap_task_fn run, uint64_t begun);
static inline void watch_return(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
				nap_task_fn run, uint64_t begun)
{
	if (is_watched(pool))
		nap__watch_return(pool, flags, task, run, begun);
}

/* Before @worker is woken for work: a WAKE. */
void nap__watch_wake(struct nap_worker *worker);
static inline void watch_wake(struct nap_worker *worker)
{
	if (is_watched(worker->pool))
		nap__watch_wake(worker);
}

/* @worker goes on: an UNPARK. @reasons: EVENT_ */
void nap__watch_unpark(struct nap_worker *worker, uint32_t reasons, bool ready);
static inline void watch_unpark(struct nap_worker *worker, uint32_t reasons, bool ready)
{
	if (is_watched(worker->pool))
		nap__watch_unpark(worker, reasons, ready);
}

#endif /* NAP_WORKER_MEASURE_H */
