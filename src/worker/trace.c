/* SPDX-License-Identifier: MIT */
/* Calls of the tracer, out of line: src/worker/trace.h. */
#include "worker/trace.h"

#include <nap/task.h>

#include "worker/self.h"
#include "worker/worker.h"

#ifndef NAP_NO_TRACE
uint32_t nap__tracing;

void nap__trace(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b)
{
	nap__trace_ops.event(pool, kind, other, a, b);
}

void nap__trace_here(uint32_t kind, const void *object, uintptr_t b)
{
	struct nap_worker *worker = nap__self()->worker;

	if (worker)
		trace_object(worker->pool, kind, object, b);
}

void nap__trace_list(struct nap_pool *pool, uint32_t kind, uint32_t other, struct nap_task *head,
		     struct nap_task *tail)
{
	for (struct nap_task *task = head;; task = task->next) {
		nap__trace(pool, kind, other, (uintptr_t)task, (uintptr_t)task->run);
		if (task == tail)
			return;
	}
}
#endif
