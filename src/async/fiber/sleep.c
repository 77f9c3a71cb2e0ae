/* SPDX-License-Identifier: MIT */
/* nap_sleep(): a wait that nothing but its deadline or a cancellation ends. */
#include <nap/timer.h>

#include <errno.h>

#include "async/fiber/fiber.h"
#include "async/fiber/wait.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "worker/self.h"
#include "worker/worker.h"

int nap_sleep_until(uint64_t deadline)
{
	struct nap__sleeper sleeper;
	struct nap_worker *worker;
	int err;

	unseen_begin();
	worker = nap__self()->worker;
	err = nap__sleeper_begin(&sleeper, worker ? worker->pool : NULL);
	if (!err) {
		sleeper_waits_for(&sleeper, NAP_TRACE_ON_TIME, NULL);
		err = nap__sleep(&sleeper, deadline);
	}
	unseen_end();
	return err == -ETIMEDOUT ? 0 : err;
}

int nap_sleep(uint64_t ns)
{
	return nap_sleep_until(deadline_of(ns));
}
