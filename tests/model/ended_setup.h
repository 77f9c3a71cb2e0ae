/* SPDX-License-Identifier: MIT */
/*
 * A fiber whose wait may end in four ways at once: it gets what it waits for, is canceled, times
 * out, or its pool is stopped. To be included once, in place of fiber_setup.h. Invariant: one of
 * them ends the wait, what was given is with the fiber or still there, and nothing left of that
 * wait ends the fiber's next one.
 */
#ifndef MODEL_ENDED_SETUP_H
#define MODEL_ENDED_SETUP_H

#include <string.h>

#include "async/timer/timers.h"
#include "worker/phase.h"
#include "fiber_setup.h"

#define LATER 2000u	/* by the checker's clock: to come */

static struct nap_worker clock_reader;
static int result;		/* not atomic: F0's */
static bool next_began;		/* the same */
static uint32_t ended_as;		/* of F0's wait, when its call is over */
static uint32_t is_over;

/* Setup: thread 0 is the fiber. */
static void ended_begin(void)
{
	struct nap__timers *timers;

	pool_new(1, CHECK_THREADS);
	fiber_is(0);
	timers = &nap__fibers_of(pool)->async.timers;
	check_name(timers, sizeof(*timers), "pool.timers");
	/* so that no worker is notified of what is armed */
	timers->poller = POLLER_IN_PASSING;
	clock_reader.pool = pool;
	result = 1;
	next_began = false;
	ended_as = is_over = 0;
}

/* The memory of the stack is used for something else. */
static __attribute__((noinline)) void use_the_stack(void)
{
	char buffer[512];

	memset(buffer, 1, sizeof(buffer));
	asm volatile("" : : "r" (buffer) : "memory");
}

/*
 * F0 after its call, which has returned @err. It begins to wait for something else, shielded if
 * it knows that it was asked to end, and stops there.
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

/* As a scope does it, in two steps. */
static void claim_and_cancel(void)
{
	struct nap__fiber_wait *wait = &fibers[0].fiber.wait;
	uint32_t number;

	if (wait_ask(wait, WAIT_ASKED, &number) &&
	    nap__fiber_wait_claim(wait, number, WAIT_CANCELED))
		nap__fiber_wait_ready(wait);
}

/* A worker that checks the clock, once. It has nothing to run: the fiber is a thread. */
static void time_out(void *unused)
{
	bool more = false;

	(void)unused;
	CHECK(!nap__timers_fire(&clock_reader, &nap__fibers_of(pool)->async.timers, LATER, &more));
	CHECK(!more);
}

/* The joiner comes when no worker still runs the fiber: it has left its stack, or has ended. */
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

/*
 * The fiber has found at its second check what it wants, and the wait that it had begun was
 * canceled.
 */
static inline bool withdrawn(void)
{
	return result == 0 && (ended_as & WAIT_READY) && (ended_as & WAIT_WHY) == WAIT_CANCELED;
}

/*
 * NAME_or_canceled() and NAME_or_late(), for .finally: after the one or the other @left checks
 * what is left. NAME_and_cancel(), a thread: @gives, and then cancels.
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

/* @waits: F0's call, to which (void *)LATER is a deadline, NULL none. */
#define WITHDRAWN(waits, gives_and_cancels) { { waits, NULL, "F0" }, { gives_and_cancels, NULL, "giver" } }
#define CANCELED(waits, gives) { { waits, NULL, "F0" }, { gives, NULL, "giver" }, { cancel, NULL, "canceler" } }
#define TIMED(waits, gives) { { waits, (void *)LATER, "F0" }, { gives, NULL, "giver" }, { time_out, NULL, "clock" } }
#define STOPPED(waits, gives) { { waits, NULL, "F0" }, { gives, NULL, "giver" }, { stop, NULL, "joiner" } }

static inline uint64_t deadline_in(void *deadline)
{
	return deadline ? (uintptr_t)deadline : NAP_FOREVER;
}

#endif /* MODEL_ENDED_SETUP_H */
