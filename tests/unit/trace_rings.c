/* SPDX-License-Identifier: MIT */
/*
 * src/trace/track.h and shared.h, step by step: which events a reader of a ring gets, and which are
 * dropped. One thread plays all writers and readers; tests/model/trace.c has them at once.
 */
#include "harness.h"
#include "trace/shared.h"
#include "trace/track.h"

enum { SIZE = 4, MASK = SIZE - 1 };

static union {
	struct nap__trace_ring ring;
	char memory[sizeof(struct nap__trace_ring) + SIZE * TRACE_WORDS * sizeof(uint64_t)];
} own;
static union {
	struct nap__trace_shared ring;
	char memory[sizeof(struct nap__trace_shared) + SIZE * sizeof(struct nap__trace_slot)];
} all;
static uint64_t copy[SIZE * TRACE_WORDS], first, at;

/* ---- a worker's ring */

/* Writes the next @n events. Each word says of which event it is, and which word it is. */
static void put_own(uint32_t n)
{
	while (n--) {
		uint64_t e = own.ring.head, words[TRACE_WORDS] = { e, e + 100, e + 200, e + 300 };

		if (!trace_ring_begin(&own.ring))
			abort();
		trace_ring_put(&own.ring, MASK, words);
	}
}

/* Copies the ring. Returns how many events are valid, or -1 if one of these is not right. */
static int copy_own(void)
{
	uint64_t written = trace_ring_copy(&own.ring, MASK, copy, &first, &at);

	for (uint64_t e = first; e < written; e++)
		for (uint32_t i = 0; i < TRACE_WORDS; i++)
			if (copy[(at + e - first) * TRACE_WORDS + i] != e + 100 * i)
				return -1;
	return written == own.ring.head ? (int)(written - first) : -1;
}

/* Of a full ring the owner may be writing the oldest event anew. */
TEST(a_reader_gets_all_events_that_are_not_being_overwritten)
{
	static const int kept[] = { 0, 1, 2, 3, SIZE - 1, SIZE - 1, SIZE - 1 };

	for (int n = 0; n < 7; n++) {
		EXPECT_EQ(copy_own(), kept[n]);
		EXPECT_EQ(first, (uint64_t)(n - kept[n]));
		EXPECT_EQ(at, n < SIZE ? 0 : 1);
		put_own(1);
	}
	put_own(100);
	EXPECT_EQ(copy_own(), SIZE - 1);
	EXPECT_EQ(own.ring.dropped, 0);
}

TEST(an_event_that_interrupts_another_is_dropped)
{
	EXPECT_TRUE(trace_ring_begin(&own.ring));
	EXPECT_FALSE(trace_ring_begin(&own.ring));
	EXPECT_FALSE(trace_ring_begin(&own.ring));
	EXPECT_EQ(own.ring.dropped, 2);
	own.ring.writing = 0;
	put_own(2);
	EXPECT_EQ(own.ring.dropped, 2);
	EXPECT_EQ(copy_own(), 2);
}

TEST(the_time_of_a_worker_never_goes_back)
{
	EXPECT_EQ(trace_ring_time(&own.ring, 5), 5);
	EXPECT_EQ(trace_ring_time(&own.ring, 4), 5);
	EXPECT_EQ(trace_ring_time(&own.ring, 5), 5);
	EXPECT_EQ(trace_ring_time(&own.ring, 6), 6);
}

/* ---- the ring of all others */

static void put_shared(uint32_t n)
{
	while (n--) {
		uint64_t t = all.ring.tickets;
		uint64_t words[SHARED_WORDS] = { t, t + 100, t + 200, t + 300, t + 400 };

		trace_shared_put(&all.ring, MASK, words);
	}
}

/* Whether the ring has the event of @ticket. Aborts if it gives another one. */
static bool has(uint64_t ticket)
{
	uint64_t words[SHARED_WORDS];

	if (!trace_shared_get(&all.ring, MASK, ticket, words))
		return false;
	for (uint32_t i = 0; i < SHARED_WORDS; i++)
		if (words[i] != ticket + 100 * i)
			abort();
	return true;
}

TEST(the_latest_events_of_all_others_are_there)
{
	EXPECT_FALSE(has(0));
	put_shared(3);
	EXPECT_TRUE(has(0) && has(1) && has(2));
	EXPECT_FALSE(has(3));
	put_shared(3);
	EXPECT_TRUE(has(2) && has(3) && has(4) && has(5));
	EXPECT_FALSE(has(0) || has(1) || has(6));
	EXPECT_EQ(all.ring.dropped, 0);
}

TEST(who_is_overtaken_drops_its_event)
{
	put_shared(4);
	/* A writer one lap behind is still writing the slot of the next ticket. */
	all.ring.slots[0].stamp = STAMP_BUSY(0);
	EXPECT_FALSE(has(0));
	put_shared(1);
	EXPECT_EQ(all.ring.dropped, 1);
	EXPECT_FALSE(has(0) || has(4));
	all.ring.slots[0].stamp = STAMP_DONE(0);
	EXPECT_TRUE(has(0));
	/* A writer one lap ahead has written the slot of the next ticket. */
	all.ring.slots[1].stamp = STAMP_DONE(9);
	put_shared(1);
	EXPECT_EQ(all.ring.dropped, 2);
	EXPECT_FALSE(has(1) || has(5));
	put_shared(1);
	EXPECT_TRUE(has(6));
	EXPECT_EQ(all.ring.dropped, 2);
}

TEST_HARNESS_MAIN
