/* SPDX-License-Identifier: MIT */
/*
 * Writing an event: src/worker/trace.h. Typically the calling thread is a worker, and writes into
 * its own ring; a guest and any other thread write into the shared ring.
 */
#include "trace/trace.h"

#include "arch/atomic.h"
#include "clock.h"
#include "os/os.h"
#include "worker/self.h"
#include "worker/worker.h"

uint64_t nap__trace_ticks(const struct nap__trace *trace)
{
	return trace->by_system ? nap__os_now() : nap__ticks();
}

/* Returns the ring of @worker; NULL: it has none. */
static struct nap__trace_ring *ring_of(struct nap__trace *trace, const struct nap_worker *worker)
{
	if (!worker || worker->guest)
		return NULL;
	return trace_ring_at(trace, worker->index < trace->capacity ? worker->index :
								    worker->index - NAP_GUESTS);
}

void nap__trace_event(struct nap_pool *pool, uint32_t kind, uint32_t other, uint64_t a, uint64_t b)
{
	/* pairs with install() [M6] */
	struct nap__trace *trace = nap_load_acquire(&pool->trace);
	/*
	 * The words of a struct nap_trace_outside; @kind is in the lower half, because the machines
	 * are little-endian.
	 */
	uint64_t words[SHARED_WORDS] = { 0, kind | (uint64_t)other << 32, a, b, 0 };
	struct nap__trace_ring *ring;

	if (!nap_load_relaxed(&trace->on))
		return;
	ring = ring_of(trace, own_worker(pool));
	if (!ring) {
		words[0] = nap__trace_ticks(trace);
		words[4] = thread_number(nap__self());
		trace_shared_put(trace_shared(trace), trace->mask, words);
	} else if (trace_ring_begin(ring)) {
		words[0] = trace_ring_time(ring, nap__trace_ticks(trace));
		trace_ring_put(ring, trace->mask, words);
	}
}
