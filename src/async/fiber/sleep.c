/* SPDX-License-Identifier: MIT */
/* nap_sleep(): a wait that nothing but its deadline or a cancellation ends. */
#include <nap/timer.h>

#include <errno.h>

#include "async/fiber/budget.h"
#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "worker/self.h"
#include "worker/worker.h"

/* Out of line, because the caller may have given way, and be on another thread. */
static __attribute__((noinline)) int sleep_here(uint64_t deadline)
{
	struct nap_worker *worker = nap__self()->worker;
	struct nap__sleeper sleeper;
	int err = nap__sleeper_begin(&sleeper, worker ? worker->pool : NULL);

	if (err)
		return err;
	sleeper_waits_for(&sleeper, NAP_TRACE_ON_TIME, NULL);
	return nap__sleep(&sleeper, deadline);
}

int nap_sleep_until(uint64_t deadline)
{
	int err;

	unseen_begin();
	budget_spend();
	err = sleep_here(deadline);
	unseen_end();
	return err == -ETIMEDOUT ? 0 : err;
}

int nap_sleep(uint64_t ns)
{
	return nap_sleep_until(deadline_of(ns));
}
