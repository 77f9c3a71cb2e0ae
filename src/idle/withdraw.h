/* SPDX-License-Identifier: MIT */
#ifndef NAP_IDLE_WITHDRAW_H
#define NAP_IDLE_WITHDRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "idle/set.h"

/*
 * The worker: get out of the idle set; if a wake is on its way already, take it, which may mean to
 * wait for whoever has popped us. True: it was.
 */
static inline bool withdraw(struct nap_worker *worker)
{
	bool woken = worker->listed && !set_withdraw(worker);

	if (woken)
		event_wait(&worker->event, EVENT_WORK, UINT64_MAX);
	worker->listed = false;
	return woken;
}

/* Any thread: wake the worker that was parked last; false when none is listed. */
static inline bool set_wake(struct nap_pool *pool)
{
	struct nap_worker *worker = set_pop(pool);

	if (worker)
		event_set(&worker->event, EVENT_WORK);
	return worker != NULL;
}

#endif /* NAP_IDLE_WITHDRAW_H */
