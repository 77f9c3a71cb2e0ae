/* SPDX-License-Identifier: MIT */
/*
 * A fiber F0 whose wait several threads end at once: the giver gives what F0 waits for, the
 * canceler cancels F0, the clock times the wait out, or the joiner stops the pool. To be included
 * once, in place of fiber_setup.h. Invariants: one of them ends the wait; what was given is with
 * F0, or can still be had; nothing left of this wait ends F0's next wait.
 */
#ifndef MODEL_ENDED_SETUP_H
#define MODEL_ENDED_SETUP_H

#include <string.h>

#include "async/timer/timers.h"
#include "worker/phase.h"
#include "fiber_setup.h"

#define LATER 2000u	/* a deadline to come, by the checker's clock */

static struct nap_worker clock_reader;
static int result;		/* only F0 uses it; not atomic */
static bool next_began;		/* only F0 uses it; not atomic */
static uint32_t ended_as;		/* the state of F0's wait, when its call is over */
static uint32_t is_over;

/* Setup: thread 0 is the fiber F0. */
static void ended_begin(void)
{
	struct nap__timers *timers;

	pool_new(1, CHECK_THREADS);
	fiber_is(0);
	timers = &nap__fibers_of(pool)->async.timers;
	check_name(timers, sizeof(*timers), "pool.timers");
	/* so that arming F0's timer notifies no worker */
	timers->poller = POLLER_IN_PASSING;
	clock_reader.pool = pool;
	result = 1;
	next_began = false;
	ended_as = is_over = 0;
}

/* Overwrites the stack on which F0's call ran, so that a late use of it is found. */
static __attribute__((noinline)) void use_the_stack(void)
{
	char buffer[512];

	memset(buffer, 1, sizeof(buffer));
	asm volatile("" : : "r" (buffer) : "memory");
}

/*
 * Ends F0's call, which has returned @err. F0 begins its next wait, and stops there; the next
 * wait is shielded if F0 knows that it was asked to end.
 */
static void call_over(int err)
{
	struct nap__sleeper next;

	result = err;
	ended_as = nap_load_relaxed(&fibers[0].fiber.wait.state);
	use_the_stack();
	if (ended_as & WAIT_ASKED)
		nap_fiber_shield(true);
	next_began = nap__sleeper_begin(&next, NULL) == 0;
	nap_store_release(&is_over, 1);
}

/* .finally: the thread that ended the first wait has not touched the next one. */
static CHECK_OUTSIDE void next_is_untouched(void)
{
	uint32_t now = fibers[0].fiber.wait.state;

	CHECK(!(now & WAIT_OFF) || !next_began);
	if (next_began && ((now & WAIT_SHIELDED) || !(now & WAIT_ASKED)))
		CHECK((now & WAIT_OPEN) && !(now & WAIT_READY));
}

/* ---- threads that end the wait */

static void cancel(void *unused)
{
	(void)unused;
	CHECK(nap_fiber_cancel(&fibers[0].fiber) == 0);
}

/* Cancels F0 in two steps, as a scope does. */
static void claim_and_cancel(void)
{
	struct nap__fiber_wait *wait = &fibers[0].fiber.wait;
	uint32_t number;

	if (wait_ask(wait, WAIT_ASKED, &number) &&
	    nap__fiber_wait_claim(wait, number, WAIT_CANCELED))
		nap__fiber_wait_ready(wait);
}

/* Fires the due timers once, as a worker. There is no task to run, because F0 is a thread. */
static void time_out(void *unused)
{
	bool more = false;

	(void)unused;
	CHECK(!nap__timers_fire(&clock_reader, &nap__fibers_of(pool)->async.timers, LATER, &more));
	CHECK(!more);
}

/*
 * Stops the pool, and ends F0's wait as the joiner does. No worker runs F0 any longer: F0 has
 * left its stack, or has ended.
 */
static void stop(void *unused)
{
	struct nap__fiber_wait *wait = &fibers[0].fiber.wait;
	uint32_t now;

	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	if (nap_load_acquire(&is_over))
		return;
	now = nap_load_acquire(&wait->state);
	check_assume(now & WAIT_OFF);
	if ((now & WAIT_OPEN) && nap__fiber_wait_claim(wait, now, WAIT_CANCELED))
		nap__fiber_wait_ready(wait);
}

/* ---- for .finally and .exists */

static bool canceled_or_not(void)
{
	next_is_untouched();
	return result == 0 || result == -ECANCELED;
}

static bool late_or_not(void)
{
	next_is_untouched();
	return result == 0 || result == -ETIMEDOUT;
}

/* Whether F0's second check found what F0 wanted, and F0's wait was canceled by then. */
static inline bool withdrawn(void)
{
	return result == 0 && (ended_as & WAIT_READY) && (ended_as & WAIT_WHY) == WAIT_CANCELED;
}

/*
 * ENDED_FINALLY() defines NAME_or_canceled() and NAME_or_late() for .finally: each checks F0's
 * result, and then calls @left. ENDED_GIVES() defines the thread NAME_and_cancel(), which calls
 * @gives, and then cancels F0.
 */
#define ENDED_FINALLY(name, left)		\
	static void name##_or_canceled(void)	\
	{					\
		CHECK(canceled_or_not());	\
		left();				\
	}					\
						\
	static void name##_or_late(void)	\
	{					\
		CHECK(late_or_not());		\
		left();				\
	}

#define ENDED_GIVES(name, gives)			\
	static void name##_and_cancel(void *unused)	\
	{						\
		gives(unused);				\
		claim_and_cancel();			\
	}

/*
 * The threads of a scenario. @waits is F0's call; its argument is the deadline LATER, or NULL for
 * none.
 */
#define WITHDRAWN(waits, gives_and_cancels) \
	{ { waits, NULL, "F0" }, { gives_and_cancels, NULL, "giver" } }
#define CANCELED(waits, gives) \
	{ { waits, NULL, "F0" }, { gives, NULL, "giver" }, { cancel, NULL, "canceler" } }
#define TIMED(waits, gives) \
	{ { waits, (void *)LATER, "F0" }, { gives, NULL, "giver" }, { time_out, NULL, "clock" } }
#define STOPPED(waits, gives) \
	{ { waits, NULL, "F0" }, { gives, NULL, "giver" }, { stop, NULL, "joiner" } }

static inline uint64_t deadline_in(void *deadline)
{
	return deadline ? (uintptr_t)deadline : NAP_FOREVER;
}

#endif /* MODEL_ENDED_SETUP_H */
