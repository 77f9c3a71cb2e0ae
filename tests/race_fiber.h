/* SPDX-License-Identifier: MIT */
/*
 * A thread that stands for a fiber, in calls that src/ has compiled into the test. A suspension
 * stands for the time until the wait has ended.
 */
#ifndef NAP_TESTS_RACE_FIBER_H
#define NAP_TESTS_RACE_FIBER_H

#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "worker/self.h"
#include "race.h"
#include "wrap.h"

static struct nap_pool pool;
static struct nap_fiber fiber = { .pool = &pool };
static struct nap__fiber_wait *const of_fiber = &fiber.wait;
static struct nap_worker worker;
static struct nap__fiber_host host;
static uint32_t nr_ready, nr_suspended;
static void (*at_suspension)(void);	/* ends the wait, in place of a step */

WRAP(void, nap__fiber_ready, (struct nap_fiber *ready))
{
	nr_ready += ready == &fiber;
}

WRAP(void, nap__fiber_suspend, (struct nap_fiber *suspended))
{
	nr_suspended += suspended == &fiber;
	if (of_fiber->state & WAIT_READY)
		return;
	if (at_suspension) {
		at_suspension();
	} else if (race_at) {
		race_slept = true;
		race_at = 0;
		race_step();
	} else {
		abort();
	}
}

/* The fiber's wait is the seventh of its stack. */
enum { SEVENTH = 7 * WAIT_NUMBER };

static inline void open_wait(uint32_t flags)
{
	of_fiber->fiber = &fiber;
	of_fiber->state = SEVENTH | WAIT_OPEN | flags;
	nr_ready = nr_suspended = 0;
}

static inline void be_fiber(bool is)
{
	struct nap__self *self = nap__self();

	worker.pool = &pool;
	host.worker = &worker;
	host.top = nap_top(&worker);
	fiber.host = &host;
	of_fiber->fiber = &fiber;
	self->fiber = is ? &fiber : NULL;
	self_is(self, is ? &worker : NULL);
}

#endif /* NAP_TESTS_RACE_FIBER_H */
