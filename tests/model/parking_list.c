/* SPDX-License-Identifier: MIT */
/*
 * Waitlists (src/sync/waitlist.h): waiters enlist and sleep, or leave early, while another thread
 * wakes them or closes the list. Invariants: no waiter is left asleep; no thread touches a
 * waiter's node or word once the waiter has its reason or has left, because the waiter then frees
 * both.
 */
#include <nap/check.h>

#include "sync/event.h"
#include "sync/waitlist.h"
#include "seam.h"

struct place {
	struct nap__waiter node;
	uint32_t event;
};

static uintptr_t *list;
static int data;
static uint32_t flag;

static void setup(void)
{
	list = check_alloc(sizeof(*list));
	check_name(list, sizeof(*list), "list");
}

static struct place *place_new(void)
{
	struct place *place = check_alloc(sizeof(*place));

	check_name(&place->event, sizeof(place->event), "place.event");
	place->node.event = &place->event;
	return place;
}

static void close_list(void *unused)
{
	(void)unused;
	data = 1;
	waitlist_close(list, EVENT_LATCH);
}

/*
 * Waits once, as a group's waiter does. Returns false if the list was closed; otherwise returns
 * true, after the wake.
 */
static bool wait_once(struct place *place)
{
	if (waitlist_closed(list) || !waitlist_add(list, &place->node))
		return false;
	CHECK(event_wait(&place->event, EVENT_LATCH, UINT64_MAX) == EVENT_LATCH);
	return true;
}

static void wait_closed(void *free_list)
{
	struct place *place = place_new();

	while (wait_once(place))
		;
	check_free(place);
	CHECK(waitlist_closed(list));
	CHECK(data == 1);
	if (free_list)
		check_free(list);
}

static char yes;

/*
 * A single waiter may free the list, too, because the exchange is the closer's last touch of the
 * list.
 */
CHECK_SCENARIO(waitlist_close_free, .about = "close wakes the waiter and touches the list no more",
	.setup = setup,
	.threads = { { wait_closed, &yes, "waiter" }, { close_list, .name = "closer" } });

/* Two waiters enlist against each other and against the close [W1] [W2]. */
CHECK_SCENARIO(waitlist_close_two, .about = "close wakes who is listed, refuses who comes later",
	.setup = setup,
	.threads = { { wait_closed, .name = "waiter1" }, { wait_closed, .name = "waiter2" },
		     { close_list, .name = "closer" } });

static void read_closed(void *unused)
{
	(void)unused;
	if (waitlist_closed(list))
		CHECK(data == 1);
}

/* Only the list orders the data [W1]. */
CHECK_SCENARIO(waitlist_closed_data, .about = "whoever finds the list closed sees what was before",
	.setup = setup, .threads = { { read_closed }, { close_list, .name = "closer" } });

static void leave(void *unused)
{
	struct place *place = place_new();

	(void)unused;
	if (waitlist_add(list, &place->node))
		waitlist_remove(list, &place->node, EVENT_LATCH);
	check_free(place);
}

/*
 * A waiter that leaves early takes all waiters out; a waiter that is woken for nothing enlists
 * again.
 */
CHECK_SCENARIO(waitlist_leave, .about = "leaving early against a waiter and the close",
	.setup = setup,
	.threads = { { wait_closed, .name = "waiter" }, { leave, .name = "leaver" },
		     { close_list, .name = "closer" } });

CHECK_SCENARIO(waitlist_leave_two, .about = "two that leave early take each other out",
	.setup = setup,
	.threads = { { leave, .name = "leaver1" }, { leave, .name = "leaver2" },
		     { close_list, .name = "closer" } });

static void raise_flag(void *unused)
{
	(void)unused;
	nap_store_relaxed(&flag, 1);
	nap_fence_seq_cst();
	waitlist_wake(list, EVENT_POOL);
}

static void wait_flag(void *unused)
{
	struct place *place = place_new();

	(void)unused;
	CHECK(waitlist_add(list, &place->node));
	nap_fence_seq_cst();
	if (nap_load_relaxed(&flag))
		waitlist_remove(list, &place->node, EVENT_POOL);
	else
		event_wait(&place->event, EVENT_POOL, UINT64_MAX);
	check_free(place);
}

/*
 * A list that stays open, as the list of a pool's waiters does: a thread that enlists, fences and
 * checks does not sleep for ever.
 */
CHECK_SCENARIO(waitlist_wake, .about = "enlist and look against change and wake: nobody is left",
	.setup = setup,
	.threads = { { wait_flag, .name = "waiter1" }, { wait_flag, .name = "waiter2" },
		     { raise_flag, .name = "waker" } });
