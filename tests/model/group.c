/* SPDX-License-Identifier: MIT */
/*
 * Wait groups (src/wait/group.c): members report that they are done, while threads from outside
 * wait, time out or poll, or a stop ends their wait. Invariants: a waiter sees what the members
 * have written (not atomic); the last nap_group_done() does not touch the group after the wait
 * has ended, because the waiter then frees the group.
 */
#include "pool_setup.h"

static struct nap_group *group;
static int data[2];

static void group_of(uint32_t n)
{
	group = check_alloc(sizeof(*group));
	check_name(&group->waiters, sizeof(group->waiters), "group.waiters");
	check_name(&group->state, sizeof(group->state), "group.state");
	nap_group_init(group, pool);
	CHECK(nap_group_add(group, n) == 0);
}

static void one(void)
{
	group_of(1);
}

static void two(void)
{
	group_of(2);
}

static void done(void *slot)
{
	*(int *)slot = 1;
	CHECK(nap_group_done(group) == 0);
}

static void wait_free(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(group) == 0);
	check_free(group);
	CHECK(data[0] == 1 && data[1] == 1);
}

/* The last member passes on what the other member did [D1]. */
CHECK_SCENARIO(group_two_done, .about = "two are done: the waiter sees both and may free it",
	.setup = two,
	.threads = { { done, &data[0], "doer1" }, { done, &data[1], "doer2" },
		     { wait_free, .name = "waiter" } });

static void wait_timed_free(void *unused)
{
	int err = nap_group_wait_for(group, 1);

	(void)unused;
	CHECK(err == 0 || err == -ETIMEDOUT);
	if (err)
		CHECK(nap_group_wait(group) == 0);
	check_free(group);
	CHECK(data[0] == 1);
}

/* A deadline against the last nap_group_done(): after a timeout the group stays usable. */
CHECK_SCENARIO(group_timed, .about = "a wait that times out leaves the group as it was",
	.setup = one, .spurious = 1,
	.threads = { { done, &data[0], "doer" }, { wait_timed_free, .name = "waiter" } });

static void poll_group(void *unused)
{
	int err = nap_group_wait_for(group, 0);

	(void)unused;
	CHECK(err == 0 || err == -ETIMEDOUT);
	if (!err)
		CHECK(data[0] == 1);
}

CHECK_SCENARIO(group_poll, .about = "polling finds it complete only with what was done",
	.setup = one, .threads = { { done, &data[0], "doer" }, { poll_group, .name = "poller" } });

static void wait_timed(void *unused)
{
	int err = nap_group_wait_for(group, 1);

	(void)unused;
	CHECK(err == 0 || err == -ETIMEDOUT);
	if (!err)
		CHECK(data[0] == 1);
}

static void wait_ever(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(group) == 0);
	CHECK(data[0] == 1);
}

/*
 * When the timed waiter leaves, it also takes the second waiter out of the list; the second
 * waiter then lists itself again. Sampled: a run of all 17 million executions (--exhaustive)
 * takes five minutes, and found no fault.
 */
CHECK_SCENARIO(group_two_waiters, .about = "one waiter's deadline does not cost the other its wake",
	.setup = one, .random = 20000,
	.threads = { { done, &data[0], "doer" }, { wait_timed, .name = "timed" },
		     { wait_ever, .name = "waiter" } });

static void done_more(void *unused)
{
	(void)unused;
	data[0] = 1;
	CHECK(nap_group_add(group, 1) == 0);
	CHECK(nap_group_done(group) == 0);
	CHECK(nap_group_done(group) == 0);
}

static void wait_one(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(group) == 0);
	check_free(group);
	CHECK(data[0] == 1);
}

CHECK_SCENARIO(group_add, .about = "what is added before the last is done is waited for",
	.setup = one,
	.threads = { { done_more, .name = "doer" }, { wait_one, .name = "waiter" } });

/* ---- the group's pool ends */

static int stopped;

static void of_pool(void)
{
	pool_new(1, 2);
	group_of(1);
}

static void stop(void *unused)
{
	(void)unused;
	stopped = 1;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

static void wait_canceled(void *unused)
{
	(void)unused;
	CHECK(nap_group_wait(group) == -ECANCELED);
	CHECK(stopped == 1);
	check_free(group);
}

/*
 * The stopper raises the phase before it takes the list; the waiter lists itself before it checks
 * the phase [Q1]. A notified waiter sees what was done before the stop [P1].
 */
CHECK_SCENARIO(group_stop, .about = "a stop ends the wait for what will not be done",
	.setup = of_pool,
	.threads = { { stop, .name = "stopper" }, { wait_canceled, .name = "waiter" } });
