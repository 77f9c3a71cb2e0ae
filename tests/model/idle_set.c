/* SPDX-License-Identifier: MIT */
/*
 * The idle set (src/idle/set.h): workers enter, withdraw and enter again, while poppers pop.
 * Invariants, for each worker: it was popped as often as it got EVENT_WORK; at the end it is in
 * the set if and only if it entered once more than it was popped. So no worker is popped twice or
 * lost, and idle_next never leads to a worker outside the set.
 */
#include "idle_set_setup.h"

/* Waits, as a parked worker, until it is popped, and then enters again. */
static void serve(void *worker)
{
	event_wait(&((struct nap_worker *)worker)->event, EVENT_WORK, UINT64_MAX);
	enter(worker);
}

/* Leaves the set for another reason than a pop, and comes back. */
static void leave_set(void *worker)
{
	if (set_withdraw(worker)) {
		/*
		 * set_enter() takes the worker's old entry up again, or adds one: the worker has
		 * one entry either way.
		 */
		set_enter(&pool, worker);
		return;
	}
	serve(worker);
}

static void enter_thread(void *worker)
{
	enter(worker);
}

static void account(void)
{
	int listed[WORKERS] = { 0 };
	struct nap_worker *worker;

	while ((worker = set_pop(&pool)))
		CHECK(++listed[worker->index] == 1);
	for (uint32_t i = 0; i < WORKERS; i++)
		CHECK(entered[i] == popped[0][i] + popped[1][i] + listed[i]);
}

static void listed_0(void)
{
	make(0);
}

/*
 * The top worker comes back while a popper that has read the worker's idle_next is about to
 * install that link. The tag keeps the popper from installing the old link.
 */
CHECK_SCENARIO(set_reenter, .about = "a worker comes back under a popper: no old link is used",
	.setup = listed_2, .finally = account, .may_block = true,
	.threads = { { pop, POPPER(0), "popper1" }, { pop_twice, POPPER(1), "popper2" },
		     { serve, &workers[1], "worker1" } });

/* Both workers come back. */
CHECK_SCENARIO(set_reenter_two, .about = "two popped workers come back: each is listed once",
	.setup = listed_2, .finally = account, .may_block = true,
	.threads = { { pop, POPPER(0), "popper1" }, { pop, POPPER(1), "popper2" },
		     { serve, &workers[0], "worker0" }, { serve, &workers[1], "worker1" } });

/* A withdrawn entry is discarded by the popper that pops it, or taken up by its worker. */
CHECK_SCENARIO(set_withdraw, .about = "withdraw against pops: no wake is lost or misspent",
	.setup = listed_2, .finally = account, .may_block = true,
	.threads = { { pop, POPPER(0), "popper1" }, { pop, POPPER(1), "popper2" },
		     { leave_set, &workers[1], "worker1" } });

CHECK_SCENARIO(set_withdraw_below, .about = "the same for an entry that is not on top",
	.setup = listed_2, .finally = account, .may_block = true,
	.threads = { { pop_twice, POPPER(0), "popper1" }, { leave_set, &workers[0], "worker0" } });

/*
 * Two workers enter against each other and against pops: a popper reads the link that a worker
 * has written last [I1].
 */
CHECK_SCENARIO(set_enter, .about = "two enter while another pops: nobody is lost",
	.setup = listed_1, .finally = account,
	.threads = { { pop_twice, POPPER(0), "popper" }, { enter_thread, &workers[1], "worker1" },
		     { enter_thread, &workers[2], "worker2" } });

CHECK_SCENARIO(set_enter_pop, .about = "two enter an empty set, two pop: nobody is lost",
	.setup = listed_0, .finally = account,
	.threads = { { pop, POPPER(0), "popper1" }, { pop, POPPER(1), "popper2" },
		     { enter_thread, &workers[1], "worker1" },
		     { enter_thread, &workers[2], "worker2" } });
