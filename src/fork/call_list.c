/* SPDX-License-Identifier: MIT */
/*
 * Waiting calls, as work for the pool: src/fork/call_list.h. A worker takes the call that was
 * listed first; the callers of the other calls are woken, and list their calls anew.
 */
#include "fork/call_list.h"

#include <nap/nap.h>

#include "life/pool.h"
#include "worker/source.h"
#include "worker/worker.h"

static bool calls_are_queued(struct nap_pool *pool, bool takeable)
{
	(void)takeable;
	return calls_wait(pool);
}

static struct nap_task *take_first_call(struct nap_pool *pool)
{
	struct nap__waiter *oldest = (struct nap__waiter *)waitlist__detach(&pool->calls);
	struct nap__call *call;

	if (!oldest)
		return NULL;
	while (oldest->next) {
		struct nap__waiter *next = oldest->next;

		event_set(oldest->event, EVENT_LATCH);
		oldest = next;
	}
	call = nap_container_of(oldest, struct nap__call, listed);
	call->taken = true;
	return &call->task;
}

static struct nap_task *take_call(struct nap_worker *worker)
{
	return calls_wait(worker->pool) ? take_first_call(worker->pool) : NULL;
}

/* Wakes the callers, which check again: a guest record may be free now, or none will ever be. */
static void callers_hear(struct nap_pool *pool, enum nap__news news, struct nap_worker *worker)
{
	(void)worker;
	if ((news == NEWS_GUEST_LEFT || news == NEWS_STOPPED) && calls_wait(pool))
		waitlist_wake(&pool->calls, EVENT_LATCH);
}

static void count_calls(struct nap_pool *pool, struct nap__remaining *left)
{
	left->calls = nap_load_relaxed(&pool->callers);
}

const struct nap__source nap__calls_source = {
	.queued = calls_are_queued,
	.take = take_call,
	.hear = callers_hear,
	.count = count_calls,
};

void nap__call_list(struct nap_pool *pool, struct nap__call *call)
{
	source_link(pool, KIND_CALLS);
	waitlist_add(&pool->calls, &call->listed);
}
