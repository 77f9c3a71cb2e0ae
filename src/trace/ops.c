/* SPDX-License-Identifier: MIT */
/* The table by which a pool calls its tracer: src/worker/trace.h. */
#include "trace/trace.h"

#include "arch/atomic.h"
#include "os/os.h"

static void forget_trace(struct nap_pool *pool)
{
	struct nap__trace *trace = nap_load_relaxed(&pool->trace);

	nap__trace_unlist(trace);
	nap_store_relaxed(&pool->trace, NULL);
	nap__os_unmap(trace, trace_size(trace));
}

static void end_trace(struct nap_pool *pool)
{
	struct nap__trace *trace = nap_load_relaxed(&pool->trace);

	nap_store_relaxed(&trace->on, 0);
	if (trace->flags & NAP_TRACE_AT_JOIN)
		nap__trace_to(pool, trace, trace->fd, NAP_TRACE_JOINED);
	forget_trace(pool);
}

const struct nap__trace_ops nap__trace_ops = {
	.event = nap__trace_event,
	.start = nap__trace_from_start,
	.end = end_trace,
	.forget = forget_trace,
};
