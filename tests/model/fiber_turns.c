/* SPDX-License-Identifier: MIT */
/*
 * Which fiber yields, and which fiber runs next. F0 and F1 have one worker, which changes between
 * them only where a fiber yields. Invariants: a fiber yields when its budget of calls is used up
 * (src/async/fiber/budget.c); a select soon takes a case that becomes possible (select.c); a
 * fiber whose wait for a condition is ended by a stop has the mutex again (cond.c).
 */
#include <errno.h>

#include "os/futex.h"
#include "worker/phase.h"
#include "fiber_setup.h"

#include <nap/channel.h>
#include <nap/sync.h>

#define FEW 2		/* the budget of calls, in place of NAP_FIBER_BUDGET */

static struct nap_mutex mutex;
static uint32_t has_worker;		/* the number of the fiber that has the worker */
static unsigned calls;
/* stands for all that one fiber does before the other goes on; not atomic */
static int other_ran;

static void await_worker(uint32_t me)
{
	uint32_t who;

	while ((who = nap_load_acquire(&has_worker)) != me)
		nap__futex_wait(&has_worker, who, UINT64_MAX);
	nap__self()->budget = 0u - FEW;
}

static void give_worker_to(uint32_t other)
{
	nap_store_release(&has_worker, other);
	nap__futex_wake(&has_worker, 1);
}

static void give_way(struct nap_fiber *fiber)
{
	uint32_t me = check_self();

	(void)fiber;
	give_worker_to(!me);
	await_worker(me);
}

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	fiber_is(0);
	fiber_is(1);
	fiber_yields = give_way;
	nap_mutex_init(&mutex);
	check_name(&mutex.state, sizeof(mutex.state), "mutex");
	check_name(&has_worker, sizeof(has_worker), "worker");
	has_worker = calls = 0;
	other_ran = 0;
}

/* ---- the budget */

static void lock_for_ever(void *unused)
{
	(void)unused;
	await_worker(0);
	while (!other_ran) {
		CHECK(calls++ < FEW);
		CHECK(nap_mutex_lock(&mutex) == 0);
		nap_mutex_unlock(&mutex);
	}
}

/* Locks the mutex as F1, while F0 has yielded inside a call and does not hold the mutex. */
static void lock_in_between(void *unused)
{
	(void)unused;
	await_worker(1);
	other_ran = 1;
	CHECK(nap_mutex_lock(&mutex) == 0);
	nap_mutex_unlock(&mutex);
	give_worker_to(0);
}

static void lock_outside(void *unused)
{
	(void)unused;
	CHECK(nap_mutex_lock(&mutex) == 0);
	nap_mutex_unlock(&mutex);
}

CHECK_SCENARIO(fiber_budget,
	.about = "a fiber whose waits are over at once gives way, with empty hands",
	.random = 20000, .setup = begin,
	.threads = { { lock_for_ever, NULL, "F0" }, { lock_in_between, NULL, "F1" },
		     { lock_outside, NULL, "outside" } });

/* ---- a select with two cases: one is always possible, the other once its channel is closed */

static struct nap_channel closed, closes;
static uint32_t has_closed;
static unsigned rounds, early;

/* Leaves out executions in which more selects than this come before the close. */
#define EARLY_ROUNDS 2

static void select_begin(void)
{
	begin();
	nap_channel_init(&closed, NULL, 0, 0);
	nap_channel_init(&closes, NULL, 0, 0);
	check_name(&closed.lock, sizeof(closed.lock), "closed.lock");
	check_name(&closes.lock, sizeof(closes.lock), "closes.lock");
	closed.closed = true;
	has_closed = rounds = early = 0;
}

static int select_one(void)
{
	struct nap_select_case cases[] = { { .channel = &closed }, { .channel = &closes } };
	int chosen = nap_select(cases, 2);

	CHECK(chosen >= 0 && cases[chosen].result == -EPIPE);
	return chosen;
}

static void select_until_both(void *unused)
{
	(void)unused;
	do {
		if (nap_load_acquire(&has_closed))
			CHECK(++rounds <= NAP_FAIR_SELECTS * 2);
		else
			check_assume(++early <= EARLY_ROUNDS);
	} while (select_one() == 0);
}

static void close_it(void *unused)
{
	(void)unused;
	nap_channel_close(&closes);
	nap_store_release(&has_closed, 1);
}

/* Selects from the same channels, in a third thread. */
static void select_too(void *unused)
{
	(void)unused;
	select_one();
}

CHECK_SCENARIO(fair_select,
	.about = "a case that can be done has its turn, beside one that always can",
	.random = 20000, .setup = select_begin, .may_block = true,
	.threads = { { select_until_both, NULL, "F0" }, [2] = { close_it, NULL, "closer" },
		     { select_too, NULL, "outside" } });

/*
 * ---- a condition: F0 waits for it, and needs the mutex again; F1 locks the mutex, and waits for
 * an event
 */

static struct nap_cond cond;
static struct nap_event unset;
static uint32_t is_over[2];

static void cond_begin(void)
{
	begin();
	CHECK(nap_mutex_trylock(&mutex));
	cond = (struct nap_cond)NAP_COND_INIT;
	unset = (struct nap_event)NAP_EVENT_INIT;
	check_name(&cond.lock, sizeof(cond.lock), "cond.lock");
	check_name(&unset.state, sizeof(unset.state), "event");
	is_over[0] = is_over[1] = 0;
}

static void wait_for_condition(void *unused)
{
	(void)unused;
	CHECK(nap_cond_wait(&cond, &mutex) == -ECANCELED);
	CHECK(!nap_mutex_trylock(&mutex) && other_ran != 1);
	nap_mutex_unlock(&mutex);
	nap_store_release(&is_over[0], 1);
	give_worker_to(1);
}

/* Holds the mutex during a wait. After the stop F1 runs only when F0 yields, or ends. */
static void own_over_a_wait(void *unused)
{
	(void)unused;
	if (nap_mutex_lock(&mutex) == 0) {
		other_ran = 1;
		CHECK(nap_event_wait(&unset) == -ECANCELED);
		await_worker(1);
		other_ran = 2;
		nap_mutex_unlock(&mutex);
	}
	nap_store_release(&is_over[1], 1);
	give_worker_to(0);
}

/*
 * Ends the wait of fiber @number as the joiner does. No worker runs the fiber at this time, because
 * the fiber has ended, or waits.
 */
static void end_wait(uint32_t number)
{
	struct nap__fiber_wait *wait = &fibers[number].fiber.wait;
	uint32_t now;

	if (nap_load_acquire(&is_over[number]))
		return;
	now = nap_load_acquire(&wait->state);
	check_assume((now & WAIT_OFF) && (now & WAIT_OPEN));
	check_assume(nap__fiber_wait_claim(wait, now, WAIT_CANCELED));
	nap__fiber_wait_ready(wait);
}

static void stop(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	end_wait(1);
	end_wait(0);
}

CHECK_SCENARIO(cond_stopped, .about = "a waiter for a condition has the mutex again after a stop",
	.random = 20000, .setup = cond_begin,
	.threads = { { wait_for_condition, NULL, "F0" }, { own_over_a_wait, NULL, "F1" },
		     { stop, NULL, "joiner" } });
