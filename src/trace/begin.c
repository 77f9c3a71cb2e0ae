/* SPDX-License-Identifier: MIT */
/*
 * Beginning and ending a trace: nap/trace.h. The first nap_trace_begin() maps the rings, and later
 * calls find them. plain_close() closes the fast paths of a traced pool (src/worker/phase.h), so
 * the next schedule and the next task of each worker take the slow paths.
 */
#include <nap/trace.h>

#include <errno.h>

#include "arch/atomic.h"
#include "clock.h"
#include "life/pool.h"
#include "os/happens.h"
#include "os/os.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "sync/lock.h"
#include "trace/trace.h"
#include "worker/capacity.h"
#include "worker/enter.h"
#include "worker/phase.h"

#define EVENTS_LEAST 64u

/* How often both clocks are read; the reading that took the fewest ticks is used. */
#define READINGS 8

void nap__trace_both(const struct nap__trace *trace, uint64_t *ticks, uint64_t *ns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = nap__trace_ticks(trace), now = nap__os_now();
		uint64_t took = nap__trace_ticks(trace) - before;

		if (took >= least)
			continue;
		least = took;
		*ticks = trace->by_system ? now : before + took / 2;
		*ns = now;
	}
}

static uint64_t events_of(const struct nap_trace_options *options)
{
	uint64_t least = options->events ? options->events : NAP_TRACE_EVENTS;
	uint64_t events = EVENTS_LEAST;

	while (events < least)
		events *= 2;
	return events;
}

static struct nap__trace *make_trace(struct nap_pool *pool, const struct nap_trace_options *options)
{
	struct nap__trace shape = {
		.mask = events_of(options) - 1,
		.capacity = pool_capacity(pool),
		.by_system = options->flags & NAP_TRACE_BY_SYSTEM || !nap__ticks_are_steady(),
		.file = -1,
	}, *trace = nap__os_map(trace_size(&shape));

	if (!trace)
		return NULL;
	/* Without large pages only the pages that are written take memory. */
	nap__os_small_pages(trace, trace_size(&shape));
	*trace = shape;
	nap__trace_both(trace, &trace->begin_ticks, &trace->begin_ns);
	nap__pool_stats(pool, &trace->before);
	return trace;
}

/* Installs @mine; returns the pool's trace, which may be that of another thread. */
static struct nap__trace *install(struct nap_pool *pool, struct nap__trace *mine)
{
	/*
	 * The members of the trace are set before this: pairs with the loads of pool->trace. [M6]
	 */
	if (!nap_cmpxchg_release(&pool->trace, NULL, mine))
		return mine;
	nap__os_unmap(mine, trace_size(mine));
	/* A failed compare-exchange does not acquire, so the word is loaded again. [M6] */
	return nap_load_acquire(&pool->trace);
}

static struct nap__trace *get_trace(struct nap_pool *pool, const struct nap_trace_options *options)
{
	/* pairs with install() [M6] */
	struct nap__trace *trace = nap_load_acquire(&pool->trace);

	if (trace)
		return trace;
	trace = make_trace(pool, options);
	return trace ? install(pool, trace) : NULL;
}

/* Called under the lock when the trace ends: notes a pause, because the trace may go on later. */
static void pause_begin(struct nap__trace *trace)
{
	struct nap_trace_pause *pauses = trace->pauses;

	if (trace->nr_pauses == NAP_TRACE_PAUSES_MOST) {
		/*
		 * The two oldest pauses become one: most events between them were probably
		 * overwritten.
		 */
		pauses[0].begun = pauses[1].begun;
		for (uint32_t i = 2; i < NAP_TRACE_PAUSES_MOST; i++)
			pauses[i - 1] = pauses[i];
		trace->nr_pauses--;
	}
	pauses[trace->nr_pauses++] = (struct nap_trace_pause){ .ended = nap__trace_ticks(trace) };
}

/* Called under the lock when the trace begins or goes on: notes the end of the pause, if any. */
static void pause_end(struct nap__trace *trace)
{
	if (trace->nr_pauses)
		trace->pauses[trace->nr_pauses - 1].begun = nap__trace_ticks(trace);
}

int nap__trace_begin(struct nap_pool *pool, const struct nap_trace_options *options,
		     struct nap__trace **made)
{
	struct nap__trace *trace = get_trace(pool, options);
	int err = -EALREADY;

	*made = trace;
	if (!trace)
		return -ENOMEM;
	lock_take(&trace->lock);
	if (!nap_load_relaxed(&trace->on)) {
		if (options->flags & NAP_TRACE_AT_JOIN) {
			trace->flags |= NAP_TRACE_AT_JOIN;
			trace->fd = options->fd;
		}
		nap_store_relaxed(&trace->on, 1);
		watch(pool, WATCH_TRACE);
		plain_close(pool, PLAIN_TRACED);
		pause_end(trace);
		err = 0;
	}
	lock_give(&trace->lock);
	return err;
}

int nap_trace_begin(struct nap_pool *pool, const struct nap_trace_options *options)
{
	const struct nap_trace_options defaults = { 0 };
	struct nap__trace *trace;
	int err = -ESHUTDOWN;

	if (!options)
		options = &defaults;
	if (!pool || options->events > NAP_TRACE_EVENTS_MAX ||
	    options->flags & ~(NAP_TRACE_AT_JOIN | NAP_TRACE_BY_SYSTEM) ||
	    options->reserved || options->reserved_too)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	if (visits_enter(pool)) {
		err = nap__trace_begin(pool, options, &trace);
		gate_leave(&pool->visits);
	}
	unseen_end();
	return err;
}

static int end_inside(struct nap_pool *pool)
{
	/* pairs with install() [M6] */
	struct nap__trace *trace = nap_load_acquire(&pool->trace);
	int err = -EALREADY;

	if (!trace)
		return err;
	lock_take(&trace->lock);
	if (nap_load_relaxed(&trace->on)) {
		pause_begin(trace);
		nap_store_relaxed(&trace->on, 0);
		plain_open(pool, PLAIN_TRACED);
		err = 0;
	}
	lock_give(&trace->lock);
	return err;
}

int nap_trace_end(struct nap_pool *pool)
{
	int err = -ESHUTDOWN;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	if (visits_enter(pool)) {
		err = end_inside(pool);
		gate_leave(&pool->visits);
	}
	unseen_end();
	return err;
}
