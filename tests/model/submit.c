/* SPDX-License-Identifier: MIT */
/*
 * Slots of a submitter: threads take a slot, run a function in it, and give the slot back; some
 * wait for a slot. Invariants: no two threads have the same slot at a time; what is in a slot is
 * its user's; no slot is lost; each thread that passes a mark (many slots in use, or few) is
 * called back, so that the last call sees the present state; a waiter for a slot gets one.
 */
#include <errno.h>

#include <nap/check.h>
#include <nap/pool.h>
#include <nap/submit.h>

#include "arch/atomic.h"
#include "kit/slots.h"
#include "seam.h"

#define SLOTS	2
#define USERS	(CHECK_THREADS + 1)	/* the last entry is for setup and .finally */

static struct nap_pool pool;
static struct nap_submitter submits[1], *submit = submits;
static struct nap_slot slots[SLOTS];
/* written by the thread that has the slot; not atomic, so a missing order is a race */
static int in_use[SLOTS];
static int results[USERS];
static struct nap_batch queued[USERS];
static uint32_t said_high;		/* the state that the last call of marked() found */

static void fn(void *arg)
{
	CHECK(arg == slots);
}

/* Stands for the pool: the thread that schedules keeps the task, and runs it in run_own(). */
int nap_schedule(struct nap_pool *p, struct nap_task *task)
{
	struct nap_slot *slot = nap_container_of(task, struct nap_slot, task);
	int *use = &in_use[slot - slots];

	(void)p;
	CHECK(slot >= slots && slot < slots + submit->count && *use == 0);
	*use = 1;
	nap_batch_push(&queued[check_self()], task);
	return 0;
}

static void run_own(void)
{
	struct nap_task *task = nap_batch_pop(&queued[check_self()]);
	struct nap_slot *slot = nap_container_of(task, struct nap_slot, task);

	in_use[slot - slots] = 0;
	task->run(task);
}

/* Keeps the state, and checks that the state is still the same afterwards. */
static void marked(struct nap_submitter *s)
{
	uint32_t is_high;

	do {
		is_high = nap_submit_is_high(s);
		nap_xchg_acq_rel(&said_high, is_high);
	} while (is_high != nap_submit_is_high(s));
}

static void slots_of(uint32_t count, uint32_t high, nap_mark_fn mark)
{
	CHECK(nap_submit_init(submit, &pool, slots, count, high, 0, mark, NULL) == 0);
	check_name(&submit->taken, sizeof(submit->taken), "taken");
	check_name(&submit->free, sizeof(submit->free), "free");
	check_name(&submit->event, sizeof(submit->event), "event");
}

static void submit_and_run(void *times)
{
	for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
		int err = nap_submit(submit, fn, slots);

		CHECK(err == 0 || err == -EAGAIN);
		results[check_self()] += !err;
		if (!err)
			run_own();
	}
}

#define USER(name, times) { submit_and_run, (void *)(uintptr_t)(times), name }

static void all_are_free(void)
{
	struct nap_submit_stats stats;

	nap_submit_get_stats(submit, &stats);
	CHECK(stats.taken == 0 && stats.most >= 1 && stats.most <= submit->count);
	for (uint32_t i = 0; i < submit->count; i++)
		CHECK(nap_submit(submit, fn, slots) == 0);
	CHECK(nap_submit(submit, fn, slots) == -EAGAIN);
}

static void setup(void)
{
	slots_of(2, 0, NULL);
}

CHECK_SCENARIO(submit_two, .about = "two slots, two who take one, one of them twice",
	.setup = setup, .finally = all_are_free,
	.threads = { USER("A", 1), USER("B", 2) });

/* Sampled; explored in full it has 80,086,968 executions. */
CHECK_SCENARIO(submit_again, .about = "two slots, two who take one twice",
	.random = 20000,
	.setup = setup, .finally = all_are_free,
	.threads = { USER("A", 2), USER("B", 2) });

/* At least two of the three get a slot. */
static void not_all_refused(void)
{
	CHECK(results[0] + results[1] + results[2] >= 2);
	all_are_free();
}

CHECK_SCENARIO(submit_three, .about = "two slots, three who want one",
	.random = 20000,
	.setup = setup, .finally = not_all_refused,
	.threads = { USER("A", 1), USER("B", 1), USER("C", 1) });

/* A thread that finds all functions begun sees what was done before each of them. */
static int begun;	/* not atomic, so a missing order is a race */

static void submit_begin_and_run(void *none)
{
	(void)none;
	CHECK(nap_submit(submit, fn, slots) == 0);
	begun = 1;
	run_own();
}

static void look_at_all(void *none)
{
	(void)none;
	if (slots_taken_last(submit) == 1 && slots_nr_run(submit) == 1)
		CHECK(begun == 1);
}

static void setup_one(void);

CHECK_SCENARIO(submit_all_run, .about = "one slot, and who asks whether its function has begun",
	.setup = setup_one, .finally = all_are_free,
	.threads = { { submit_begin_and_run, NULL, "A" }, { look_at_all, NULL, "looker" } });

/*
 * Setup: one slot. A thread that took the end of the list for a slot would write to memory that
 * is not the list's.
 */
static void setup_one(void)
{
	slots_of(1, 0, NULL);
}

static void write_behind(void *none)
{
	(void)none;
	*(volatile uint32_t *)&slots[1].next = 7;
}

CHECK_SCENARIO(submit_behind, .about = "one slot, and two who take it, beside a stranger's memory",
	.setup = setup_one, .finally = all_are_free,
	.threads = { USER("A", 1), USER("B", 1), { write_behind, NULL, "stranger" } });

/* ---- marks */

static void setup_marks(void)
{
	slots_of(2, 2, marked);
}

/*
 * The last call has found the present state, whichever mark was passed last, and by whichever
 * thread.
 */
static void is_low(void)
{
	CHECK(!nap_submit_is_high(submit) && nap_load_relaxed(&said_high) == 0);
	CHECK(nap_submit(submit, fn, slots) == 0 && nap_submit(submit, fn, slots) == 0);
	CHECK(nap_submit_is_high(submit) && nap_load_relaxed(&said_high) == 1);
}

CHECK_SCENARIO(submit_marks, .about = "the marks are passed by two, or by none",
	.setup = setup_marks, .finally = is_low,
	.threads = { USER("A", 1), USER("B", 1) });

/* ---- waiting */

static void setup_wait(void)
{
	setup_one();
	seam_no_timeouts();
}

static void wait_and_run(void *none)
{
	(void)none;
	CHECK(nap_submit_wait(submit, fn, slots, NAP_FOREVER) == 0);
	run_own();
}

#define WAITER(name) { wait_and_run, NULL, name }

CHECK_SCENARIO(submit_wait, .about = "one slot, and two who wait for it",
	.setup = setup_wait, .finally = all_are_free,
	.threads = { WAITER("A"), WAITER("B") });

/*
 * Setup: there are two slots. The count lets one of them be taken, and one is taken. The waiter
 * is notified of the other slot.
 */
static void setup_count(void)
{
	slots_of(2, 0, NULL);
	seam_no_timeouts();
	CHECK(nap_submit_set_count(submit, 1) == 0);
	CHECK(nap_submit(submit, fn, slots) == 0 && nap_submit(submit, fn, slots) == -EAGAIN);
}

static void raise_count(void *none)
{
	(void)none;
	CHECK(nap_submit_set_count(submit, 2) == 0);
}

static void first_and_all_are_free(void)
{
	run_own();
	all_are_free();
}

CHECK_SCENARIO(submit_wait_count, .about = "who waits for a slot, and the count that rises",
	.setup = setup_count, .finally = first_and_all_are_free,
	.threads = { WAITER("A"), { raise_count, NULL, "setter" } });

CHECK_SCENARIO(submit_wait_three, .about = "one slot, and three who wait for it",
	.random = 10000,
	.setup = setup_wait, .finally = all_are_free,
	.threads = { WAITER("A"), WAITER("B"), WAITER("C") });
