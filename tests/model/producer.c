/* SPDX-License-Identifier: MIT */
/*
 * Producer slots (src/worker/producer.h): callers enter and leave slots, while the closer closes
 * the intake and waits. Invariants, as of a gate: the closer sees what was done inside; no thread
 * enters afterwards; leaving is a caller's last touch of the pool.
 */
#include "worker/producer.h"

#include <nap/check.h>

#include "pool_setup.h"

static int inside[2], left[2], closed;

static void setup(void)
{
	pool_new(1, 2);
	check_name(pool->producers, sizeof(pool->producers), "seats");
}

/* Enters by the gate, which gives a thread its producer slot the second time. */
static bool come_by_the_gate(void)
{
	if (!gate_enter(&pool->intake))
		return false;
	nap__producer_take(pool);
	gate_leave(&pool->intake);
	return true;
}

static void come(int *slot)
{
	struct nap__producer *producer = producer_enter(pool);

	if (!producer)
		return;
	CHECK(!closed);
	*slot = 1;
	producer_leave(producer);
}

static void come_again(void *slot)
{
	if (come_by_the_gate() && come_by_the_gate())
		come(slot);
}

static void come_twice_more(void *slot)
{
	if (come_by_the_gate() && come_by_the_gate()) {
		come(slot);
		come(slot);
	}
}

static void close_pool(void *unused)
{
	(void)unused;
	gate_close(&pool->intake);
	CHECK(gate_wait_empty(&pool->intake, UINT64_MAX) == 0);
	CHECK(nap__producers_wait_empty(pool, UINT64_MAX) == 0);
	closed = 1;
	left[0] = inside[0];
	left[1] = inside[1];
	inside[0] = inside[1] = 2;
}

/*
 * Frees the pool if the caller has been inside: that caller does not come again, and no longer
 * touches the pool.
 */
static void close_and_free(void *unused)
{
	close_pool(unused);
	if (left[0])
		pool_free();
}

/* A test of [G1] and [G3] in ordering.rst. */
CHECK_SCENARIO(producer,
	.about = "nobody is in a producer slot when it was waited for, and the pool may go",
	.setup = setup,
	.threads = { { come_again, &inside[0], "caller" }, { close_and_free, .name = "closer" } });

CHECK_SCENARIO(producer_again, .about = "a producer slot is entered again while the pool is closed",
	.setup = setup,
	.threads = { { come_twice_more, &inside[0], "caller" }, { close_pool, .name = "closer" } });

CHECK_SCENARIO(seat_two, .about = "two have seats, or are about to, when the pool is closed",
	.setup = setup, .random = 20000,
	.threads = { { come_again, &inside[0], "caller1" }, { come_again, &inside[1], "caller2" },
		     { close_pool, .name = "closer" } });
