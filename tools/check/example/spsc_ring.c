/* SPDX-License-Identifier: MIT */
/*
 * A ring of one producer and one consumer (Lamport: Specifying concurrent program modules, 1983),
 * as a scenario. The items are plain memory, so that an item that is read too early is a data race.
 *
 *	nap-check spsc_ring.c
 *	nap-check -DSEEDED_FAULT spsc_ring.c	# the consumer gives the slot back without release
 */
#include <nap/check.h>
#include <stdatomic.h>

#define SLOTS 2
#define ITEMS 4

#ifdef SEEDED_FAULT
#define GIVE_BACK memory_order_relaxed
#else
#define GIVE_BACK memory_order_release
#endif

static int slots[SLOTS];
static atomic_uint head, tail;		/* taken so far, put so far */

static bool put(int item)
{
	unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);

	if (at - atomic_load_explicit(&head, memory_order_acquire) == SLOTS)
		return false;
	slots[at % SLOTS] = item;
	atomic_store_explicit(&tail, at + 1, memory_order_release);
	return true;
}

static bool take(int *item)
{
	unsigned at = atomic_load_explicit(&head, memory_order_relaxed);

	if (at == atomic_load_explicit(&tail, memory_order_acquire))
		return false;
	*item = slots[at % SLOTS];
	atomic_store_explicit(&head, at + 1, GIVE_BACK);
	return true;
}

static void produce(void *arg)
{
	for (int i = 1; i <= ITEMS; i++)
		while (!put(i))
			;
}

static void consume(void *arg)
{
	for (int i = 1; i <= ITEMS; i++) {
		int item;

		while (!take(&item))
			;
		CHECK(item == i);
	}
}

CHECK_SCENARIO(in_order, .about = "each item arrives, in order", .models = CHECK_ALL & ~CHECK_TSO,
	       .threads = { { produce }, { consume } });
