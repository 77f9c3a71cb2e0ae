/* SPDX-License-Identifier: MIT */
/* The table by which a pool calls its tracer: src/worker/trace.h. */
#include "trace/trace.h"

#include "arch/atomic.h"
#include "os/os.h"

/* @writes: write the trace to the file of NAP_TRACE first, if there is one. */
static void unmap_trace(struct nap_pool *pool, struct nap__trace *trace, bool writes)
{
	int file = nap__trace_unlist(trace);

	/* Not noticed in tests when > for >=: nap__os_create() returns no number below 3. */
	if (file >= 0) {
		if (writes)
			nap__trace_to(pool, trace, file, NAP_TRACE_JOINED);
		nap__os_close(file);
	}
	nap_store_relaxed(&pool->trace, NULL);
	nap__os_unmap(trace, trace_size(trace));
}

static void forget_trace(struct nap_pool *pool)
{
	unmap_trace(pool, nap_load_relaxed(&pool->trace), false);
}

static void end_trace(struct nap_pool *pool)
{
	struct nap__trace *trace = nap_load_relaxed(&pool->trace);

	if (trace->flags & NAP_TRACE_AT_JOIN)
		nap__trace_to(pool, trace, trace->fd, NAP_TRACE_JOINED);
	unmap_trace(pool, trace, true);
}

const struct nap__trace_ops nap__trace_ops = {
	.event = nap__trace_event,
	.start = nap__trace_from_start,
	.end = end_trace,
	.forget = forget_trace,
};
