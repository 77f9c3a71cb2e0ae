/* SPDX-License-Identifier: MIT */
/*
 * The file of a trace: nap/trace_file.h. Each ring is copied to memory (track.h, shared.h), and
 * then written to the file. So a slow file holds up no writer of events, and few events are lost.
 */
#include <nap/trace.h>

#include <errno.h>
#include <string.h>

#include <nap/class.h>
#include <nap/stats.h>

#include "arch/atomic.h"
#include "clock.h"
#include "life/pool.h"
#include "os/happens.h"
#include "os/os.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "sync/lock.h"
#include "trace/trace.h"
#include "worker/enter.h"
#include "worker/phase.h"

_Static_assert(sizeof(struct nap_trace_event) == TRACE_WORDS * sizeof(uint64_t) &&
	       sizeof(struct nap_trace_outside) == SHARED_WORDS * sizeof(uint64_t),
	       "a ring has the words of an event");

/* The file that is being written. */
struct trace_out {
	int fd;
	int err;		/* 0, or the first negative errno, after which no more is written */
	void *scratch;
	size_t size;		/* bytes of @scratch */
};

static void put_bytes(struct trace_out *out, const void *data, size_t size)
{
	if (!out->err)
		out->err = nap__os_write(out->fd, data, size);
}

static void put_section(struct trace_out *out, uint32_t type, uint32_t id, uint64_t length)
{
	struct nap_trace_section section = { .type = type, .id = id, .length = length };

	put_bytes(out, &section, sizeof(section));
}

static void put_padding(struct trace_out *out, uint64_t length)
{
	const uint64_t zero = 0;	/* Not noticed in tests when 1 for 0: a reader skips it. */

	if (length % sizeof(zero))
		put_bytes(out, &zero, sizeof(zero) - length % sizeof(zero));
}

/* Writes a section of text; no section if there is no text. */
static void put_text(struct trace_out *out, uint32_t type, const char *text, size_t length)
{
	if (!length)
		return;
	put_section(out, type, 0, length);
	put_bytes(out, text, length);
	put_padding(out, length);
}

/* Writes the sections with which a reader finds the names of addresses. */
static void put_texts(struct trace_out *out, const char *name)
{
	if (name)
		put_text(out, NAP_TRACE_NAME, name, strlen(name));
	put_text(out, NAP_TRACE_EXE, out->scratch, nap__os_executable(out->scratch, out->size));
	put_text(out, NAP_TRACE_MAPS, out->scratch, nap__os_mappings(out->scratch, out->size));
}

static void put_header(struct trace_out *out, struct nap_pool *pool, struct nap__trace *trace,
		       uint32_t flags)
{
	struct nap_trace_file file = {
		.magic = { 'n', 'a', 'p', 'T', 'R', 'A', 'C', 'E' },
		.version = NAP_TRACE_VERSION,
		.order = NAP_TRACE_ORDER,
		.header_size = sizeof(file),
		.event_size = sizeof(struct nap_trace_event),
		.outside_size = sizeof(struct nap_trace_outside),
		.section_size = sizeof(struct nap_trace_section),
		.clock = trace->by_system ? NAP_TRACE_MONOTONIC : NAP__TICKS_CLOCK,
		.flags = flags | (nap_load_relaxed(&trace->on) ? NAP_TRACE_ON : 0) |
			 (pool_canceled(pool) ? NAP_TRACE_STOPPED : 0),
		.pid = nap__os_process_number(),
		.workers = nap_load_relaxed(&pool->limit),
		.pool = (uintptr_t)pool,
		.ring = trace->mask + 1,
		.begin_ticks = trace->begin_ticks,
		.begin_ns = trace->begin_ns,
		.capacity = trace->capacity,
		.guests = NAP_GUESTS,
	};

	nap__trace_both(trace, &file.end_ticks, &file.end_ns);
	put_bytes(out, &file, sizeof(file));
}

static void put_classes(struct trace_out *out, struct nap_classes *classes)
{
	uint32_t count;

	if (!classes)
		return;
	count = classes->count && classes->count < NAP_CLASSES ? classes->count : NAP_CLASSES;
	put_section(out, NAP_TRACE_CLASSES, 0, count * sizeof(struct nap_trace_class));
	for (uint32_t i = 0; i < count; i++) {
		struct nap_trace_class class = { .address = (uintptr_t)&classes->of[i],
						 .weight = classes->of[i].weight,
						 .limit = classes->of[i].limit };

		put_bytes(out, &class, sizeof(class));
	}
}

static void put_stats(struct trace_out *out, struct nap_pool *pool, struct nap__trace *trace)
{
	struct nap_pool_stats now;

	nap__pool_stats(pool, &now);
	put_section(out, NAP_TRACE_STATS, 0, sizeof(trace->before));
	put_bytes(out, &trace->before, sizeof(trace->before));
	put_section(out, NAP_TRACE_STATS, 1, sizeof(now));
	put_bytes(out, &now, sizeof(now));
}

static void put_track(struct trace_out *out, uint32_t type, uint32_t id,
		      struct nap_trace_track *track, const void *events, size_t size)
{
	track->lost = track->written - track->kept;
	put_section(out, type, id, sizeof(*track) + track->kept * size);
	put_bytes(out, track, sizeof(*track));
	put_bytes(out, events, track->kept * size);
}

static void put_worker(struct trace_out *out, struct nap__trace *trace, uint32_t n)
{
	struct nap__trace_ring *ring = trace_ring_at(trace, n);
	/* Not noticed in tests when 1 for 0: the first member is set below. */
	struct nap_trace_track track = { 0 };
	uint64_t *words = out->scratch, first, begin;

	/*
	 * This load comes before the copy, so that a ring that was never written gets no memory
	 * here.
	 */
	if (!nap_load_relaxed(&ring->head))
		return;
	track.written = trace_ring_copy(ring, trace->mask, words, &first, &begin);
	track.kept = track.written - first;
	track.dropped = nap_load_relaxed(&ring->dropped);
	put_track(out, NAP_TRACE_WORKER, trace_index(trace, n), &track,
		  words + begin * TRACE_WORDS, sizeof(struct nap_trace_event));
}

static void put_outside(struct trace_out *out, struct nap__trace *trace)
{
	struct nap__trace_shared *ring = trace_shared(trace);
	uint64_t end = nap_load_relaxed(&ring->tickets);
	struct nap_trace_track track = { .dropped = nap_load_relaxed(&ring->dropped) };
	uint64_t *words = out->scratch;

	for (uint64_t t = end > trace->mask ? end - trace->mask - 1 : 0; t < end; t++)
		if (trace_shared_get(ring, trace->mask, t, words + track.kept * SHARED_WORDS))
			track.kept++;
	/* The counts were read at different times. */
	track.written = end > track.dropped + track.kept ? end - track.dropped : track.kept;
	put_track(out, NAP_TRACE_OUTSIDE, 0, &track, out->scratch,
		  sizeof(struct nap_trace_outside));
}

/* Written last, so that the file has every pause that lies between two events of a track. */
static void put_pauses(struct trace_out *out, struct nap__trace *trace)
{
	struct nap_trace_pause *pauses = out->scratch;
	uint32_t count;

	lock_take(&trace->lock);
	count = trace->nr_pauses;
	for (uint32_t i = 0; i < count; i++)
		pauses[i] = trace->pauses[i];
	lock_give(&trace->lock);
	if (!count)
		return;
	put_section(out, NAP_TRACE_PAUSES, 0, count * sizeof(*pauses));
	put_bytes(out, pauses, count * sizeof(*pauses));
}

/*
 * The least size of @scratch, which has to hold the text of /proc: about a hundred bytes for each
 * mapping of the process.
 */
#define SCRATCH_LEAST ((size_t)1 << 20)

int nap__trace_to(struct nap_pool *pool, struct nap__trace *trace, int fd, uint32_t flags)
{
	struct trace_out out = { .fd = fd };

	out.size = (trace->mask + 1) * sizeof(struct nap_trace_outside);
	out.size = out.size < SCRATCH_LEAST ? SCRATCH_LEAST : out.size;
	out.scratch = nap__os_map(out.size);
	if (!out.scratch)
		return -ENOMEM;
	put_header(&out, pool, trace, flags);
	put_texts(&out, pool->config.name);
	put_classes(&out, pool->config.classes);
	put_stats(&out, pool, trace);
	for (uint32_t n = 0; n < trace_rings(trace) && !out.err; n++)
		put_worker(&out, trace, n);
	put_outside(&out, trace);
	put_pauses(&out, trace);
	put_section(&out, NAP_TRACE_LAST, 0, 0);
	nap__os_unmap(out.scratch, out.size);
	return out.err;
}

int nap_trace_write(struct nap_pool *pool, int fd)
{
	struct nap__trace *trace;
	int err = -ESHUTDOWN;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	unseen_begin();
	if (visits_enter(pool)) {
		trace = nap_load_acquire(&pool->trace);	/* pairs with install() [M6] */
		err = trace ? nap__trace_to(pool, trace, fd, 0) : -ENODATA;
		gate_leave(&pool->visits);
	}
	unseen_end();
	return err;
}
