/* SPDX-License-Identifier: MIT */
/* The calling fiber: nap/fiber.h. */
#include <nap/fiber.h>

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "os/os.h"
#include "worker/phase.h"
#include "worker/self.h"

/* Returns NULL also in a task that a wait of the fiber runs on the fiber's stack. */
struct nap_fiber *nap_fiber_self(void)
{
	struct nap__self *self = nap__self();

	return self->outer ? NULL : self->fiber;
}

bool nap_fiber_canceled(void)
{
	struct nap_fiber *fiber = nap_fiber_self();

	return fiber &&
	       ((nap_load_relaxed(&fiber->wait.state) & WAIT_TO_END) || pool_stopped(fiber->pool));
}

bool nap_fiber_shield(bool shielded)
{
	struct nap_fiber *fiber = nap_fiber_self();
	uint32_t word;

	if (!fiber)
		return false;
	word = shielded ? nap_fetch_or_relaxed(&fiber->wait.state, WAIT_SHIELDED) :
			  nap_fetch_and_relaxed(&fiber->wait.state, ~WAIT_SHIELDED);
	return word & WAIT_SHIELDED;
}

bool nap_fiber_set_local(void *local)
{
	struct nap_fiber *fiber = nap_fiber_self();

	if (fiber)
		fiber->local = local;
	return fiber;
}

void *nap_fiber_local(void)
{
	struct nap_fiber *fiber = nap_fiber_self();

	return fiber ? fiber->local : NULL;
}

static inline __attribute__((always_inline)) void yield_here(void)
{
	struct nap_fiber *fiber = fiber_waiting();

	if (fiber)
		nap__fiber_yield(fiber);	/* after a stop the joiner runs the fiber */
	else
		nap__os_yield();
}

/* Yields in a program with a race detector. */
static __attribute__((noinline)) void yield_apart(void)
{
	unseen_begin();
	yield_here();
	unseen_end();
}

void nap_yield(void)
{
	if (is_detected())
		yield_apart();
	else
		yield_here();
}
