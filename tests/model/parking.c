/* SPDX-License-Identifier: MIT */
/*
 * Parking (src/sync/event.h): one waiter, and several threads that each set a reason. The waiter
 * frees the event's word, which is memory of its own, as soon as it has what it waits for.
 * Invariants: each reason is taken once; the woken waiter sees what led to the reason (the data
 * are not atomic) [E1]; a setter does not touch the word after it has set the bit.
 */
#include <nap/check.h>

#include "sync/event.h"
#include "seam.h"

static uint32_t *event;
static int latch_data, pool_data;

static void setup(void)
{
	event = check_alloc(sizeof(*event));
	check_name(event, sizeof(*event), "event");
}

static void set_latch(void *unused)
{
	(void)unused;
	latch_data = 1;
	event_set(event, EVENT_LATCH);
}

static void set_pool(void *unused)
{
	(void)unused;
	pool_data = 1;
	event_set(event, EVENT_POOL);
}

/*
 * Waits for @reasons; checks that each comes once (@before: those that came earlier), and that
 * the data of each is there.
 */
static uint32_t take(uint32_t reasons, uint32_t before, uint64_t deadline)
{
	uint32_t taken = event_wait(event, reasons, deadline);

	CHECK(!(taken & ~reasons) && !(taken & before));
	if (taken & EVENT_LATCH)
		CHECK(latch_data == 1);
	if (taken & EVENT_POOL)
		CHECK(pool_data == 1);
	return before | taken;
}

static void wait_for_both(void *unused)
{
	uint32_t got = 0;

	(void)unused;
	while (got != (EVENT_LATCH | EVENT_POOL))
		got = take(EVENT_ANY, got, UINT64_MAX);
	check_free(event);
}

/* Two setters at the same time: neither reason swallows the other, and both wake the waiter. */
CHECK_SCENARIO(event_two_reasons, .about = "two reasons at the same time: none is swallowed",
	.setup = setup,
	.threads = { { wait_for_both, .name = "waiter" }, { set_latch }, { set_pool } });

/* The two setters again, when the kernel wakes the waiter for nothing. */
CHECK_SCENARIO(event_spurious, .about = "wake-ups for nothing neither end a wait nor lose a reason",
	.setup = setup, .spurious = 2,
	.threads = { { wait_for_both, .name = "waiter" }, { set_latch }, { set_pool } });

static void wait_for_one(void *unused)
{
	(void)unused;
	CHECK(take(EVENT_LATCH, 0, UINT64_MAX) == EVENT_LATCH);
	CHECK(take(EVENT_POOL, EVENT_LATCH, UINT64_MAX) == (EVENT_LATCH | EVENT_POOL));
	check_free(event);
}

/*
 * A wait takes the reasons that it is for, and leaves the other reason pending for the next wait.
 */
CHECK_SCENARIO(event_pending, .about = "a reason that is not waited for stays pending",
	.setup = setup, .spurious = 1,
	.threads = { { wait_for_one, .name = "waiter" }, { set_latch }, { set_pool } });

static void wait_timed(void *unused)
{
	uint32_t got;

	(void)unused;
	got = take(EVENT_LATCH, 0, 1);
	/* The reason is on its way, and must be waited for before the word may be freed. */
	if (!got)
		got = take(EVENT_LATCH, 0, UINT64_MAX);
	CHECK(got == EVENT_LATCH);
	check_free(event);
}

/* A deadline against a wake: this wait or the next one takes the reason. */
CHECK_SCENARIO(event_timed, .about = "a deadline and a reason at the same time: the reason is kept",
	.setup = setup, .spurious = 1,
	.threads = { { wait_timed, .name = "waiter" }, { set_latch } });
