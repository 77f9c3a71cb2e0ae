/* SPDX-License-Identifier: MIT */
/*
 * A wait group's words. One has the count of what is still to be done, and how many wait for it:
 *
 *	group->state	bits 0..30   what is still to be done
 *			bits 32..63  threads that sleep for it, or are about to
 *	group->waiters	their nodes; closed when all is done and somebody was counted
 *
 * The thread that counts the last one down learns by the same compare-exchange whether anybody
 * waits. If nobody does, that was its last touch of the group, which is complete with it: another
 * thread may find it so and free it, or add to it again. If somebody does, the closing of the list
 * is its last touch, and nobody who is counted leaves before it.
 *
 * Rejected: closing the list whenever the count reaches zero. A thread that adds to a group, waits
 * for nothing yet, and finds it at zero cannot know whether the closing is still to come; it would
 * then close what has just been added to, or write to a group that is gone.
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
 * Any thread. One that is counted as a waiter itself is in the state, which is then not 0: it
 * learns that the group is complete by the closed list.
 */
static inline bool group_is_complete(struct nap_group *group)
{
	/* Pairs with nap_group_done(): what they all did [D1]; nap_group_add(): the list [D2]. */
	return !nap_load_acquire(&group->state) || waitlist_closed(&group->waiters);
}

/*
 * Be counted as a waiter. False: not counted, because there is nothing left to be done; the list
 * will be closed, unless the group is complete.
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
 * nap_group_wait_for() of a thread that runs nothing until then, whatever it is; the end of the
 * group's pool ends it nevertheless.
 */
int nap__group_sleep_until(struct nap_group *group, uint64_t deadline);

/* Stop being counted. False: too late, the list is about to be closed, which is to be awaited. */
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
