/* SPDX-License-Identifier: MIT */
/*
 * Taking the call that was listed first; the others are woken, and list themselves anew:
 * src/fork/call.c.
 */
#include "worker/call_list.h"

#include <nap/nap.h>

struct nap_task *nap__take_call(struct nap_pool *pool)
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
