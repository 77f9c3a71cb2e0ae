/* SPDX-License-Identifier: MIT */
/*
 * The state of a wait group. One word has the count of unfinished work and the number of waiters:
 *
 *	group->state	bits 0..30   unfinished work
 *			bits 32..63  threads that sleep until no work is left, or are about to
 *	group->waiters	the waiters' nodes; closed when no work is left and a waiter was counted
 *
 * The compare-exchange that takes the count to zero also shows whether a thread waits. If none
 * waits, the group is complete, and this was the last touch of it: another thread may find the
 * group complete and free it, or add to it again. If a thread waits, the last touch is closing the
 * list, and no counted waiter leaves before the list is closed.
 *
 * Rejected: closing the list whenever the count reaches zero. A thread that adds to a group without
 * waiters, and finds the count at zero, could not know whether the closing is still to come. The
 * closing could then hit waiters for the added work, or a group that was freed.
 */
#ifndef NAP_GROUP_INTERNAL_H
#define NAP_GROUP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/group.h>

#include "arch/atomic.h"
#include "sync/waitlist.h"

#define GROUP_COUNT_MAX		((uint32_t)INT32_MAX)
#define GROUP_WAITER_ONE	((uint64_t)1 << 32)

static inline uint32_t group_count(uint64_t state)
{
	return (uint32_t)state;
}

/*
 * Whether the group is complete. Called by any thread. While a waiter is counted the state is not
 * 0, so a counted waiter learns from the closed list that the group is complete.
 */
static inline bool group_is_complete(struct nap_group *group)
{
	/*
	 * Sees what other threads did: pairs with nap_group_done() [D1]. Sees the open list: pairs
	 * with nap_group_add() [D2].
	 */
	return !nap_load_acquire(&group->state) || waitlist_closed(&group->waiters);
}

/*
 * Counts the caller as a waiter. False: no work is left; the group is complete, or its list is
 * about to be closed.
 */
static inline bool group_count_waiter(struct nap_group *group)
{
	uint64_t state = nap_load_relaxed(&group->state);

	while (group_count(state)) {
		if (nap_try_cmpxchg_relaxed(&group->state, &state, state + GROUP_WAITER_ONE))
			return true;
	}
	return false;
}

/*
 * As the public calls whose names lack a "_". The caller is between unseen_begin() and
 * unseen_end(), which do not nest (src/os/happens.h).
 */
int nap__group_add(struct nap_group *group, uint32_t n);
int nap__group_done(struct nap_group *group);
int nap__group_wait_until(struct nap_group *group, uint64_t deadline);

/*
 * As nap__group_wait_until(), but the caller runs no tasks, not even as a worker. The end of the
 * group's pool ends the wait, too.
 */
int nap__group_sleep_until(struct nap_group *group, uint64_t deadline);

/*
 * Stops counting the caller as a waiter. False: it is too late, and the caller has to wait until
 * the list is closed.
 */
static inline bool group_uncount_waiter(struct nap_group *group)
{
	uint64_t state = nap_load_relaxed(&group->state);

	while (group_count(state)) {
		if (nap_try_cmpxchg_relaxed(&group->state, &state, state - GROUP_WAITER_ONE))
			return true;
	}
	return false;
}

#endif /* NAP_GROUP_INTERNAL_H */
