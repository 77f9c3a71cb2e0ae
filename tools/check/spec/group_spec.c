/* SPDX-License-Identifier: MIT */
/*
 * nap/group.h. A group counts. Its waiters go on when the count is 0, and see what was done before
 * each nap_group_done(). A wait on a worker lets other runs begin on it, if the group has a pool; a
 * wait for a group without one is only a sleep.
 */
#include "spec.h"

void nap_group_init(struct nap_group *group, struct nap_pool *pool)
{
	group->pool = pool;
	store_relaxed(&group->state, 0);
}

int nap_group_add(struct nap_group *group, uint32_t n)
{
	uint64_t before = __atomic_fetch_add(&group->state, n, __ATOMIC_RELAXED);

	if (before + n <= INT32_MAX)
		return 0;
	__atomic_fetch_sub(&group->state, n, __ATOMIC_RELAXED);
	return -EOVERFLOW;
}

/* A call too many is an error: the count, which has fallen below 0, is put back at once. */
int nap_group_done(struct nap_group *group)
{
	if (__atomic_fetch_sub(&group->state, 1, __ATOMIC_RELEASE))
		return 0;
	__atomic_fetch_add(&group->state, 1, __ATOMIC_RELAXED);
	return -EINVAL;
}

/* Whether the wait is over, and how. */
static bool is_over(struct nap_group *group, bool timed, int *err)
{
	*err = 0;
	if (!acquire(&group->state))
		return true;
	*err = group->pool && (is_stopped(group->pool) || self_is_stopped()) ? -ECANCELED :
									       -ETIMEDOUT;
	return timed || *err == -ECANCELED;
}

/* If the wait is over at once, or only polls, no other run begins on its worker. */
int nap_group_wait_until(struct nap_group *group, uint64_t deadline)
{
	bool steps;
	int err;

	if (!group)
		return -EINVAL;
	steps = spec_self && (group->pool || spec_self->fiber);
	if (steps && (is_over(group, !deadline, &err)))
		return err;
	if (steps)
		spec_waits();
	spec_waits_for("the group", group);
	while (!is_over(group, is_timed(deadline), &err))
		;
	waits_no_more();
	if (steps)
		spec_goes_on();
	return err;
}

int nap_group_wait(struct nap_group *group)
{
	return nap_group_wait_until(group, NAP_FOREVER);
}

int nap_group_wait_for(struct nap_group *group, uint64_t timeout_ns)
{
	return nap_group_wait_until(group, timeout_ns);
}
