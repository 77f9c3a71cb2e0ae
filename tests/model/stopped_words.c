/* SPDX-License-Identifier: MIT */
/*
 * Events, waitlists and gates (src/sync/event.h, src/sync/waitlist.h, src/sync/gate.h) when one
 * of their users stops for ever in the middle of an operation. Where a thread waits by design,
 * the scenario shows that this thread waits, and that no other one does.
 */
#include <nap/check.h>

#include "sync/event.h"
#include "sync/gate.h"
#include "sync/waitlist.h"
#include "seam.h"

#define STOPPER	0u

/* ---- events: a setter waits for no thread, neither for the waiter nor for another setter */

static uint32_t event;

static void set_latch(void *unused)
{
	(void)unused;
	event_set(&event, EVENT_LATCH);
}

static void set_pool(void *unused)
{
	(void)unused;
	event_set(&event, EVENT_POOL);
}

static void wait_latch(void *unused)
{
	(void)unused;
	CHECK(event_wait(&event, EVENT_LATCH, UINT64_MAX) == EVENT_LATCH);
}

CHECK_SCENARIO(stopped_event_waiter, .about = "a waiter stops: those who set its word complete",
	.may_stop = 1u << STOPPER,
	.threads = { { wait_latch, .name = "waiter" }, { set_latch }, { set_pool } });

/*
 * A setter that stops between the bit and the wake keeps the waiter asleep, but only for its own
 * reason: a setter with another reason finds the waiter parked, and wakes it.
 */
static void wait_any(void *unused)
{
	(void)unused;
	CHECK(event_wait(&event, EVENT_ANY, UINT64_MAX) & (EVENT_LATCH | EVENT_POOL));
}

CHECK_SCENARIO(stopped_event_setter, .about = "a setter stops: another's reason wakes the waiter",
	.may_stop = 1u << STOPPER,
	.threads = { { set_latch }, { set_pool }, { wait_any, .name = "waiter" } });

/* ---- waitlists: no thread waits for the thread that adds itself, wakes or closes */

struct place {
	struct nap__waiter node;
	uint32_t event;
};

static uintptr_t list;
static struct place places[2];

static void begin_list(void)
{
	check_name(&list, sizeof(list), "list");
	for (int i = 0; i < 2; i++) {
		places[i].node.event = &places[i].event;
		check_name(&places[i].event, sizeof(places[i].event), "place.event");
	}
}

static void add(void *place)
{
	waitlist_add(&list, &((struct place *)place)->node);
}

static void wake_list(void *unused)
{
	(void)unused;
	waitlist_wake(&list, EVENT_POOL);
}

static void close_list(void *unused)
{
	(void)unused;
	waitlist_close(&list, EVENT_LATCH);
}

CHECK_SCENARIO(stopped_waitlist_add,
	.about = "one stops while it enlists: others enlist, wake, close",
	.setup = begin_list, .may_stop = 1u << STOPPER,
	.threads = { { add, &places[0], "adds" }, { add, &places[1], "adds too" },
		     { wake_list, .name = "waker" }, { close_list, .name = "closer" } });

CHECK_SCENARIO(stopped_waitlist_wake,
	.about = "one stops while it wakes a list: others wake, close",
	.setup = begin_list, .may_stop = 1u << STOPPER,
	.threads = { { wake_list, .name = "waker" }, { add, &places[0], "adds" },
		     { wake_list, .name = "waker too" }, { close_list, .name = "closer" } });

/*
 * Enlists and leaves early. A waiter that finds itself taken out of the list waits for its
 * reason: until then the thread that took it out uses the node.
 */
static volatile bool listed[2];	/* volatile, so that it is set before the next operation */

static void add_and_leave(void *arg)
{
	struct place *place = arg;

	if (!waitlist_add(&list, &place->node))
		return;
	listed[place - places] = true;
	waitlist_remove(&list, &place->node, EVENT_POOL);
}

/* A leaver waits only if the stopped waker has taken it out of the list. */
static void waits_for_the_waker(void)
{
	if (!check_waits(1) && !check_waits(2))
		return;
	CHECK(check_stopped(STOPPER) && list == 0);
	CHECK(!check_waits(1) || listed[0]);
	CHECK(!check_waits(2) || listed[1]);
}

static bool leaver_waits(void)
{
	return check_waits(1);
}

CHECK_SCENARIO(stopped_waitlist_leave,
	.about = "by design: who was taken out of a list waits for the one who has taken it out",
	.setup = begin_list, .finally = waits_for_the_waker, .may_stop = 1u << STOPPER,
	.may_block = true, .exists = leaver_waits, .allowed = CHECK_RC11,
	.threads = { { wake_list, .name = "waker" }, { add_and_leave, &places[0], "leaver" },
		     { add_and_leave, &places[1], "leaver too" } });

/*
 * A waiter that stays waits, too, if a leaver has taken all waiters out and stops before it
 * notifies them.
 */
static void add_and_wait(void *arg)
{
	struct place *place = arg;

	if (waitlist_add(&list, &place->node))
		event_wait(&place->event, EVENT_ANY, UINT64_MAX);
}

static void waits_for_the_leaver(void)
{
	CHECK(!check_waits(1) || check_stopped(STOPPER));
	CHECK(!check_waits(2));
}

static bool stayer_waits(void)
{
	return check_waits(1);
}

CHECK_SCENARIO(stopped_waitlist_leaver,
	.about = "by design: whom an early leaver takes out waits for it, "
		 "although the list is closed",
	.setup = begin_list, .finally = waits_for_the_leaver, .may_stop = 1u << STOPPER,
	.may_block = true, .exists = stayer_waits, .allowed = CHECK_RC11,
	.threads = { { add_and_leave, &places[0], "leaver" },
		     { add_and_wait, &places[1], "stayer" },
		     { close_list, .name = "closer" } });

/* ---- gates: only the closer waits, until those inside have left */

static uint32_t gate;

static void call(void *unused)
{
	(void)unused;
	if (gate_enter(&gate))
		gate_leave(&gate);
}

static void close_gate(void *unused)
{
	(void)unused;
	gate_close(&gate);
}

CHECK_SCENARIO(stopped_gate_caller,
	.about = "one stops inside a gate: others come and go, it closes",
	.may_stop = 1u << STOPPER,
	.threads = { { call, .name = "caller" }, { call, .name = "caller too" },
		     { close_gate, .name = "closer" } });

static void close_and_wait(void *unused)
{
	close_gate(unused);
	gate_wait_empty(&gate, UINT64_MAX);
}

CHECK_SCENARIO(stopped_gate_closer,
	.about = "the closer stops: those inside leave, others are refused",
	.may_stop = 1u << STOPPER,
	.threads = { { close_and_wait, .name = "closer" }, { call, .name = "caller" },
		     { call, .name = "caller too" } });

static void waits_for_the_caller(void)
{
	CHECK(!check_waits(1) || check_stopped(STOPPER));
	CHECK(!check_waits(2));
}

static bool closer_waits(void)
{
	return check_waits(1);
}

CHECK_SCENARIO(stopped_gate_wait,
	.about = "by design: who waits for a gate to be empty waits for those inside",
	.finally = waits_for_the_caller, .may_stop = 1u << STOPPER, .may_block = true,
	.exists = closer_waits, .allowed = CHECK_RC11,
	.threads = { { call, .name = "caller" }, { close_and_wait, .name = "closer" },
		     { call, .name = "caller too" } });
