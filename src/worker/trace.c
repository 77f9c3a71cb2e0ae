/* SPDX-License-Identifier: MIT */
/* Calls of the tracer, out of line: src/worker/trace.h. */
#include "worker/trace.h"

#include "worker/self.h"
#include "worker/worker.h"

#ifndef NAP_NO_TRACE
uint32_t nap__watching;

void nap__trace(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b)
{
	if (nap_load_relaxed(&pool->trace))
		nap__trace_ops.event(pool, kind, other, a, b);
}

void nap__trace_here(uint32_t kind, const void *object, uintptr_t b)
{
	struct nap_worker *worker = nap__self()->worker;

	if (worker)
		trace_object(worker->pool, kind, object, b);
}
#endif
