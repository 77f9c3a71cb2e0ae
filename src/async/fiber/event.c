/* SPDX-License-Identifier: MIT */
/*
 * Events: nap/sync.h.
 *
 * The word has the flag, and the lock of the list (src/sync/lock_word.h). The setter sets the flag
 * when it releases the lock, with its last touch of the event: a thread that sees the flag may free
 * the event.
 */
#include <nap/sync.h>

#include "arch/atomic.h"
#include "async/fiber/budget.h"
#include "async/fiber/waiters.h"
#include "os/happens.h"
#include "sync/deadline.h"

#define HAPPENED LOCK_STATE

void nap_event_set(struct nap_event *event)
{
	struct nap__fiber_waiter *all;

	unseen_begin();
	happens_before(event);
	word_take(&event->state);
	all = waiters_claim_all(&event->waiters);
	/* pairs with the acquire in has_happened() [Y4] */
	word_give(&event->state, HAPPENED, HAPPENED);
	waiters_go_on(all);
	unseen_end();
}

void nap_event_reset(struct nap_event *event)
{
	nap_fetch_and_relaxed(&event->state, ~HAPPENED);
}

static bool has_happened(uint32_t *word)
{
	/* pairs with the release in nap_event_set() [Y4] */
	return nap_load_acquire(word) & HAPPENED;
}

/* The setter holds the lock until the flag is set: the waiter sees the flag, or is claimed. */
static __attribute__((noinline)) int wait_for_event(struct nap_event *event, uint64_t deadline)
{
	return waiters_wait(&event->waiters, &event->state, has_happened, deadline,
			    NAP_TRACE_ON_EVENT, event);
}

/*
 * @until is a deadline; with @from_now it is a timeout, so that only a wait reads the clock. If
 * @until is 0 the call only polls.
 */
static inline __attribute__((always_inline)) int event_await(struct nap_event *event,
							     uint64_t until, bool from_now)
{
	int err = 0;

	unseen_begin();
	if (until)
		budget_spend();
	if (!has_happened(&event->state))
		err = wait_for_event(event, from_now ? deadline_after(until) : until);
	if (!err)
		happens_after(event);
	unseen_end();
	return err;
}

int nap_event_wait_until(struct nap_event *event, uint64_t deadline)
{
	return event_await(event, deadline, false);
}

int nap_event_wait_for(struct nap_event *event, uint64_t timeout_ns)
{
	return event_await(event, timeout_ns, true);
}

int nap_event_wait(struct nap_event *event)
{
	/* Not noticed in tests when true for false: NAP_FOREVER from now on is the same. */
	return event_await(event, NAP_FOREVER, false);
}

bool nap_event_is_set(struct nap_event *event)
{
	bool happened;

	unseen_begin();
	happened = has_happened(&event->state);
	if (happened)
		happens_after(event);
	unseen_end();
	return happened;
}
