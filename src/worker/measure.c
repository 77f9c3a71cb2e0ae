/* SPDX-License-Identifier: MIT */
/*
 * The parts of src/worker/measure.h that are not inlined: calls of the tracer and of the
 * histograms.
 */
#include "worker/measure.h"

#include <nap/task.h>

#include "queue/ring.h"
#include "worker/queued.h"
#include "worker/self.h"

#ifndef NAP_NO_TRACE
static void trace_task(struct nap_pool *pool, uint32_t flags, uint32_t other, struct nap_task *task)
{
	nap__trace(pool, TRACE_FLAGS(NAP_TRACE_SCHEDULE, flags), other, (uintptr_t)task,
		   (uintptr_t)task->run);
}

static void trace_list(struct nap_pool *pool, uint32_t flags, uint32_t other, struct nap_task *head,
		       struct nap_task *tail)
{
	for (struct nap_task *task = head;; task = task->next) {
		trace_task(pool, flags, other, task);
		if (task == tail)
			break;
	}
}

/*
 * Whether the pool is measured. Acquires the contents of pool->measure: pairs with start_measure()
 * in src/measure/ops.c. [M6]
 */
static bool is_measured(struct nap_pool *pool)
{
	return nap_load_acquire(&pool->measure) != NULL;
}

/* Returns how many tasks are in the queue in which a list is about to be put. */
static uint64_t length_of(struct nap_pool *pool, uint32_t flags, uint32_t other)
{
	struct nap_worker *worker;

	if (flags & NAP_TRACE_CLASSED) {
		struct nap__queue *queue = &pool->config.classes->of[other].queue;
		uint64_t taken = nap_load_relaxed(&queue->taken);

		return left_between(nap_load_relaxed(&queue->pushed), taken);
	}
	if (flags & NAP_TRACE_INJECTED)
		return nap__injected_count(pool);
	worker = own_worker(pool);
	return ring_count(&worker->ring) + overflow_count(worker);
}

void nap__watch_list(struct nap_pool *pool, uint32_t flags, uint32_t other, struct nap_task *head,
		     struct nap_task *tail)
{
	uint32_t party = flags & NAP_TRACE_CLASSED ? other : PARTY_ORDINARY;

	trace_list(pool, flags, other, head, tail);
	if (is_measured(pool))
		nap__measure_ops.put(pool, party, length_of(pool, flags, other), head, tail);
}

void nap__watch_in_order(struct nap_pool *pool, struct nap_class *class, uint64_t length,
			 struct nap_task *task)
{
	trace_task(pool, NAP_TRACE_IN_ORDER, NAP_TRACE_NOBODY, task);
	if (is_measured(pool))
		nap__measure_ops.put(pool, class ? (uint32_t)(class - pool->config.classes->of) :
						   PARTY_ORDINARY, length, task, task);
}

void nap__watch_due(struct nap_pool *pool, uint64_t when, struct nap_task *head,
		    struct nap_task *tail)
{
	trace_list(pool, NAP_TRACE_AT_ONCE, NAP_TRACE_NOBODY, head, tail);
	if (is_measured(pool))
		nap__measure_ops.put_due(pool, when, head, tail);
}

void nap__watch_own(struct nap_task *own)
{
	nap__self()->set_aside = own;
}

uint64_t nap__watch_begin(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
			  nap_task_fn run)
{
	trace_object(pool, TRACE_FLAGS(NAP_TRACE_BEGIN, flags), task, (uintptr_t)run);
	return is_measured(pool) ? nap__measure_ops.begin(pool, task) : 0;
}

void nap__watch_return(struct nap_pool *pool, uint32_t flags, struct nap_task *task,
		       nap_task_fn run, uint64_t begun)
{
	/*
	 * If the task has forked, the child may have initialised the pool anew: then the pool is no
	 * longer measured.
	 */
	if (begun && is_measured(pool))
		nap__measure_ops.end(pool, begun);
	trace_object(pool, TRACE_FLAGS(NAP_TRACE_END, flags), task, (uintptr_t)run);
}

void nap__watch_wake(struct nap_worker *worker)
{
	trace(worker->pool, NAP_TRACE_WAKE, worker->index, 0, 0);
	if (is_measured(worker->pool))
		nap__measure_ops.wake(worker);
}

void nap__watch_unpark(struct nap_worker *worker, uint32_t reasons, bool ready)
{
	if (reasons & EVENT_WORK && is_measured(worker->pool))
		nap__measure_ops.woken(worker);
	trace(worker->pool, NAP_TRACE_UNPARK, NAP_TRACE_NOBODY, reasons, ready);
}
#endif
