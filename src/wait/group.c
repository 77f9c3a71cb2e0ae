/* SPDX-License-Identifier: MIT */
/* nap_group_add() and nap_group_done(). src/wait/group.h explains the state; group_wait.c waits. */
#include "wait/group.h"

#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "sync/debug.h"
#include "sync/event.h"
#include "sync/waitlist.h"

void nap_group_init(struct nap_group *group, struct nap_pool *pool)
{
	debug_null(group, "group", __func__, __builtin_return_address(0));
	*group = (struct nap_group)NAP_GROUP_INIT(pool);
}

int nap__group_add(struct nap_group *group, uint32_t n)
{
	uint64_t state = nap_load_relaxed(&group->state);

	if (n == 0)
		return 0;
	for (;;) {
		if (n > GROUP_COUNT_MAX - group_count(state))
			return -EOVERFLOW;
		/*
		 * If the count is zero all waiters have returned, though the state still counts
		 * them, and the list may be opened. The list is opened before the count rises,
		 * because another thread that finds the count above zero may wait at once.
		 */
		if (state && !group_count(state))
			nap_cmpxchg_relaxed(&group->waiters, WAITLIST_CLOSED, 0);
		/*
		 * The list is opened before this: pairs with group_is_complete(). [D2] The schedule
		 * of the counted work orders this before the matching nap_group_done().
		 */
		if (nap_try_cmpxchg_release(&group->state, &state,
					    group_count(state) ? state + n : (uint64_t)n))
			return 0;
	}
}

static __attribute__((noinline)) int add_watched(struct nap_group *group, uint32_t n)
{
	int err;

	unseen_begin();
	err = nap__group_add(group, n);
	unseen_end();
	return err;
}

int nap_group_add(struct nap_group *group, uint32_t n)
{
	debug_null(group, "group", __func__, __builtin_return_address(0));
	return is_detected() ? add_watched(group, n) : nap__group_add(group, n);
}

static int group_count_down(struct nap_group *group)
{
	uint64_t state = nap_load_relaxed(&group->state);

	for (;;) {
		if (group_count(state) == 0)
			return -EINVAL;
		/*
		 * Publishes what the caller did before: pairs with group_is_complete(), and with
		 * the load below in the last call. [D1]
		 */
		if (nap_try_cmpxchg_release(&group->state, &state, state - 1))
			break;
	}
	/* If work remains, or no thread waits, the compare-exchange was the last touch. */
	if (group_count(state) != 1 || state == 1)
		return 0;
	/*
	 * The last call acquires what all other calls did, for the waiters: this load reads the
	 * call's own read-modify-write, which continues the release sequences of all others. [D1]
	 */
	nap_load_acquire(&group->state);
	waitlist_close(&group->waiters, EVENT_LATCH);
	return 0;
}

int nap__group_done(struct nap_group *group)
{
	happens_before(group);
	return group_count_down(group);
}

static __attribute__((noinline)) int done_watched(struct nap_group *group)
{
	int err;

	unseen_begin();
	err = nap__group_done(group);
	unseen_end();
	return err;
}

int nap_group_done(struct nap_group *group)
{
	debug_null(group, "group", __func__, __builtin_return_address(0));
	return is_detected() ? done_watched(group) : group_count_down(group);
}
