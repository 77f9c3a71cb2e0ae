/* SPDX-License-Identifier: MIT */
/*
 * Workers whose functions wait for each other's slots, for so long that one must give up.
 * Invariant: exactly one of them gives up, whatever becomes of its slot.
 */
#include <nap/submit.h>

#include "kit/slots.h"
#include "kit/submit_stuck.h"
#include "pool_setup.h"

#define SLOTS	2

static struct nap_submitter submits[1], *submit = submits;
static struct nap_slot slots[SLOTS];
static struct nap__slot_wait waits[SLOTS + 1];
static bool told[SLOTS];		/* each worker writes its own entry; not atomic */


static void be_stuck(unsigned index)
{
	waits[index] = (struct nap__slot_wait){
		.submit = submit,
		.wait = { .deadline = NAP_FOREVER, .worker = registry_at(pool, index),
			  .runs = WAIT_RUNS_ANYTHING },
	};
	nap__slot_be_stuck(&waits[index].wait);
}

/* Setup: the slots hold the functions of two workers, and both workers wait. */
static void setup(void)
{
	bool passed;

	pool_new(3, 0);
	pool_add_worker(0);
	pool_add_worker(0);
	CHECK(nap_submit_init(submit, pool, slots, SLOTS, 0, 0, NULL, NULL) == 0);
	check_name(&submit->taken, sizeof(submit->taken), "taken");
	check_name(&submit->free, sizeof(submit->free), "free");
	check_name(&submit->stuck, sizeof(submit->stuck), "stuck");
	for (unsigned i = 0; i < SLOTS; i++) {
		CHECK(slots_count_up(submit, &passed) && slots_pop(submit) == &slots[i]);
		slots_begin(&slots[i]);
		be_stuck(i);
		waits[i].wait.alone_until = 1;
	}
}

/*
 * Returns from the function that got the error; then its worker goes idle, as in src/kit/submit.c
 * and src/sched/loop.c.
 */
static void give_back_and_rest(unsigned index)
{
	struct nap_worker *worker = waits[index].wait.worker;

	slots_push(submit, &slots[index]);
	slots_count_down(submit);
	nap_store_release(&worker->rest, worker->rest + 1);
}

static void look(void *index)
{
	unsigned i = (unsigned)(uintptr_t)index;

	told[i] = nap__slot_gives_up(&waits[i].wait);
	if (told[i])
		give_back_and_rest(i);
}

#define WAITER(index) { look, (void *)(uintptr_t)(index), "W" #index }

static void one_is_told(void)
{
	CHECK(told[0] + told[1] == 1);
	CHECK(stuck_in(submit->stuck) == 1);
}

CHECK_SCENARIO(submit_stuck_two, .about = "two workers wait for each other's slots",
	.setup = setup, .finally = one_is_told,
	.threads = { WAITER(0), WAITER(1) });

/*
 * Setup: a third worker, which was idle, waits, too. In the count this worker replaces the worker
 * that got the error.
 */
static void setup_third(void)
{
	setup();
	pool_add_worker(0)->rest = 1;
}

static void rest_ends(unsigned index)
{
	nap_store_relaxed(&registry_at(pool, index)->rest, 2);
	nap_fence_seq_cst();
}

static void come(void *none)
{
	(void)none;
	rest_ends(2);
	be_stuck(2);
}

static void one_is_told_at_most(void)
{
	CHECK(told[0] + told[1] <= 1);
	CHECK(stuck_in(submit->stuck) == 3u - told[0] - told[1]);
}

CHECK_SCENARIO(submit_stuck_third, .about = "the same as a third one begins to",
	.setup = setup_third, .finally = one_is_told_at_most,
	.threads = { WAITER(0), WAITER(1), { come, NULL, "W2" } });

/* Takes the slot of the function that got the error, as a thread that is about to schedule does. */
static void take(void *none)
{
	bool passed;

	(void)none;
	if (slots_count_up(submit, &passed))
		slots_pop(submit);
}

CHECK_SCENARIO(submit_stuck_taken,
	.about = "the same beside a thread that takes what is given back",
	.setup = setup, .finally = one_is_told,
	.threads = { WAITER(0), WAITER(1), { take, NULL, "taker" } });

static void nobody_is_told(void)
{
	CHECK(!told[0]);
}

/* Setup: the second slot is taken, and its function is about to begin on a worker that was idle. */
static void setup_begins(void)
{
	bool passed;

	pool_new(2, 0);
	pool_add_worker(0);
	pool_add_worker(0)->rest = 1;
	CHECK(nap_submit_init(submit, pool, slots, SLOTS, 0, 0, NULL, NULL) == 0);
	for (unsigned i = 0; i < SLOTS; i++)
		CHECK(slots_count_up(submit, &passed) && slots_pop(submit) == &slots[i]);
	slots_begin(&slots[0]);
	be_stuck(0);
	waits[0].wait.alone_until = 1;
}

static void begin(void *none)
{
	(void)none;
	rest_ends(1);
	slots_begin(&slots[1]);
}

CHECK_SCENARIO(submit_stuck_begins,
	.about = "one worker waits, and one begins the function in the other slot",
	.setup = setup_begins, .finally = nobody_is_told,
	.threads = { WAITER(0), { begin, NULL, "W1" } });

/*
 * Setup: the function in the second slot ends, its worker waits in another function, and a thread
 * holds the slot.
 */
static void setup_ends(void)
{
	setup_begins();
	registry_at(pool, 1)->rest = 0;
	slots_begin(&slots[1]);
}

static void end(void *none)
{
	(void)none;
	slots_push(submit, &slots[1]);
	slots_count_down(submit);
	be_stuck(1);
}

CHECK_SCENARIO(submit_stuck_hand,
	.about = "one worker waits, one gives a slot back and waits, and a thread takes it",
	.setup = setup_ends, .finally = nobody_is_told,
	.threads = { WAITER(0), { end, NULL, "W1" }, { take, NULL, "taker" } });
