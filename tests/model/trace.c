/* SPDX-License-Identifier: MIT */
/*
 * The rings of events of src/trace/track.h and src/trace/shared.h, of two events each: a reader
 * copies while writers overwrite. Invariants: a copied event is whole, and has the number that
 * belongs to its place; a worker's events have no gap; when the writers are done, as many events
 * as fit are there.
 */
/* model.mk links no worker into a program that defines its ring size; this one uses no ring. */
#define NAP_RING_SIZE	2

#include "trace/shared.h"
#include "trace/track.h"

#include <nap/check.h>

enum { SIZE = 2, MASK = SIZE - 1, EVENTS = 3 };

static union {
	struct nap__trace_ring ring;
	char memory[sizeof(struct nap__trace_ring) + SIZE * TRACE_WORDS * sizeof(uint64_t)];
} own;
static union {
	struct nap__trace_shared ring;
	char memory[sizeof(struct nap__trace_shared) + SIZE * sizeof(struct nap__trace_slot)];
} all;
static uint64_t copy[SIZE * SHARED_WORDS];

static void begin(void)
{
	check_name(&own, sizeof(own), "own");
	check_name(&all, sizeof(all), "all");
}

/* ---- a worker's ring */

static void put_one(uint64_t e)
{
	const uint64_t words[TRACE_WORDS] = { e + 1, e + 1, e + 1, e + 1 };

	CHECK(trace_ring_begin(&own.ring));
	trace_ring_put(&own.ring, MASK, words);
}

static void owner(void *arg)
{
	(void)arg;
	for (uint64_t e = 0; e < EVENTS; e++)
		put_one(e);
}

/* Whether the copy at @at is the whole event @e. */
static bool is_event(const uint64_t *at, uint64_t e)
{
	for (uint32_t i = 0; i < TRACE_WORDS; i++)
		if (at[i] != e + 1)
			return false;
	return true;
}

static uint64_t check_own(void)
{
	uint64_t first, at, written = trace_ring_copy(&own.ring, MASK, copy, &first, &at);

	CHECK(first <= written && written <= EVENTS && written - first <= SIZE);
	for (uint64_t e = first; e < written; e++)
		CHECK(is_event(&copy[(at + e - first) * TRACE_WORDS], e));
	return written - first;
}

static void reader(void *arg)
{
	(void)arg;
	check_own();
}

/* The reader leaves out one slot, because the owner may be about to write it. */
static void judge_own(void)
{
	CHECK(own.ring.head == EVENTS && !own.ring.dropped);
	CHECK(check_own() == SIZE - 1);
}

/* A test of [M2] and [M3] in ordering.rst. */
CHECK_SCENARIO(trace_own,
	.about = "trace: a worker overwrites its oldest events while another thread copies them",
	.setup = begin, .finally = judge_own,
	.threads = { { owner, NULL, "owner" }, { reader, NULL, "reader" } });

/* ---- the ring of all others */

static void put_shared(uint64_t value)
{
	const uint64_t words[SHARED_WORDS] = { value, value, value, value, value };

	trace_shared_put(&all.ring, MASK, words);
}

static void one(void *arg)
{
	put_shared((uintptr_t)arg);
}

static void two(void *arg)
{
	put_shared((uintptr_t)arg);
	put_shared((uintptr_t)arg + 1);
}

static uint32_t read_shared(void)
{
	uint64_t end = nap_load_relaxed(&all.ring.tickets);
	uint32_t n = 0;

	for (uint64_t t = end > SIZE ? end - SIZE : 0; t < end; t++) {
		if (!trace_shared_get(&all.ring, MASK, t, copy))
			continue;
		n++;
		CHECK(copy[0]);
		for (uint32_t i = 1; i < SHARED_WORDS; i++)
			CHECK(copy[i] == copy[0]);
	}
	return n;
}

static void read_all(void *arg)
{
	(void)arg;
	read_shared();
}

static void judge_all(void)
{
	CHECK(all.ring.tickets == EVENTS && all.ring.dropped <= 1);
	CHECK(read_shared() >= SIZE - all.ring.dropped);
}

/* A test of [M4] and [M5] in ordering.rst. */
CHECK_SCENARIO(trace_shared,
	.about = "trace: two threads from outside, one of them a lap behind, and a reader",
	.setup = begin, .finally = judge_all,
	.threads = { { two, (void *)10, "writer 0" }, { one, (void *)20, "writer 1" },
		     { read_all, NULL, "reader" } });
