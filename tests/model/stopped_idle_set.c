/* SPDX-License-Identifier: MIT */
/*
 * The idle set (src/idle/set.h) when a worker or a popper stops for ever in the middle of an
 * operation. Invariants: no other thread waits in enter, withdraw or pop. A popper that has taken
 * a worker's entry owes that worker a wake when it stops: that worker, and no other, is lost to
 * the set until the popper goes on.
 */
#include "idle_set_setup.h"

#define STOPPER	0u

/* Returns how many entries are neither in the set nor counted by a popper as popped. */
CHECK_OUTSIDE static int lost_entries(void)
{
	int listed[WORKERS] = { 0 }, lost = 0;
	struct nap_worker *worker;

	while ((worker = set_pop(&pool)))
		CHECK(++listed[worker->index] == 1);
	for (uint32_t i = 0; i < WORKERS; i++) {
		int missing = entered[i] - popped[0][i] - popped[1][i] - listed[i];

		CHECK(missing == 0 || missing == 1);
		lost += missing;
	}
	return lost;
}

static void nothing_lost(void)
{
	CHECK(lost_entries() == 0);
}

/* ---- a worker stops: set_enter, set_withdraw */

CHECK_SCENARIO(stopped_set_enter,
	.about = "a worker stops on its way in: another enters, a popper pops, "
		 "all others are found",
	.setup = listed_1, .finally = nothing_lost, .may_stop = 1u << STOPPER,
	.threads = { { enter, &workers[1], "worker1" }, { enter, &workers[2], "worker2" },
		     { pop_twice, POPPER(0), "popper" } });

/* Leaves the set for another reason than a pop, and comes back. */
static void leave_set(void *worker)
{
	if (!set_withdraw(worker))
		return;
	set_enter(&pool, worker);
}

/*
 * A withdrawn worker leaves a stale entry, and the popper that pops it discards it: then no
 * thread has the entry.
 */
static void stale_is_lost(void)
{
	CHECK(lost_entries() <= check_stopped(STOPPER));
}

CHECK_SCENARIO(stopped_set_withdraw,
	.about = "a worker stops between withdrawing and coming back: poppers pass over its entry",
	.setup = listed_2, .finally = stale_is_lost, .may_stop = 1u << STOPPER,
	.threads = { { leave_set, &workers[1], "worker1" }, { pop, POPPER(0), "popper1" },
		     { pop_twice, POPPER(1), "popper2" } });

/* ---- a popper stops: set_pop */

static int lost;

static void judge_popper(void)
{
	lost = lost_entries();
	CHECK(lost <= check_stopped(STOPPER));
}

static bool one_in_hand(void)
{
	return lost == 1;
}

CHECK_SCENARIO(stopped_set_pop,
	.about = "a popper stops: another pops, a worker enters; "
		 "one worker at most is in its hands",
	.setup = listed_2, .finally = judge_popper, .may_stop = 1u << STOPPER,
	.exists = one_in_hand, .allowed = CHECK_RC11,
	.threads = { { pop, POPPER(0), "popper1" }, { pop_twice, POPPER(1), "popper2" },
		     { enter, &workers[2], "worker2" } });

/* The worker withdraws without a wait, whether its entry is in the set or in the popper's hands. */
static void withdraw_and_end(void *worker)
{
	set_withdraw(worker);
}

CHECK_SCENARIO(stopped_set_pop_withdraw,
	.about = "a popper stops with a worker in its hands: set_withdraw() does not wait for it",
	.setup = listed_2, .may_stop = 1u << STOPPER,
	.threads = { { pop, POPPER(0), "popper" },
		     { withdraw_and_end, &workers[1], "worker1" },
		     { withdraw_and_end, &workers[0], "worker0" } });

/*
 * A worker that cannot withdraw waits for EVENT_WORK, as in src/idle/sync.c, because a popper has
 * taken its entry for good and sets EVENT_WORK next. This wait is by design: the worker must not go
 * on before the wake has come.
 */
static void withdraw_as_sync(void *worker)
{
	if (!set_withdraw(worker))
		event_wait(&((struct nap_worker *)worker)->event, EVENT_WORK, UINT64_MAX);
}

static void waits_for_the_popper(void)
{
	CHECK(!check_waits(1) || (check_stopped(STOPPER) && popped[0][1]));
	CHECK(!check_waits(2) || (check_stopped(STOPPER) && popped[0][0]));
	CHECK(!check_waits(1) || !check_waits(2));
}

static bool waits(void)
{
	return check_waits(1);
}

CHECK_SCENARIO(stopped_set_owes,
	.about = "by design: who was popped waits for the one who has popped it, "
		 "and nobody else does",
	.setup = listed_2, .finally = waits_for_the_popper, .may_stop = 1u << STOPPER,
	.may_block = true, .exists = waits, .allowed = CHECK_RC11,
	.threads = { { pop, POPPER(0), "popper" },
		     { withdraw_as_sync, &workers[1], "worker1" },
		     { withdraw_as_sync, &workers[0], "worker0" } });
