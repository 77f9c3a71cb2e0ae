/* SPDX-License-Identifier: MIT */
/*
 * Wait groups (src/wait/group.c) whose count comes to zero while another thread still adds. No
 * thread waits, so adding is allowed, and the nap_group_done() that made the count zero may still
 * be under way. Invariant: the adder's wait ends when all is done, and then the adder may free
 * the group.
 */
#include "wait/group.h"
#include "pool_setup.h"

static struct nap_group *group;
static int data[2];

static void one(void)
{
	group = check_alloc(sizeof(*group));
	check_name(&group->waiters, sizeof(group->waiters), "group.waiters");
	check_name(&group->state, sizeof(group->state), "group.state");
	nap_group_init(group, pool);
	CHECK(nap_group_add(group, 1) == 0);
}

static void done(void *slot)
{
	*(int *)slot = 1;
	CHECK(nap_group_done(group) == 0);
}

static void add_more(void)
{
	CHECK(nap_group_add(group, 1) == 0);
	done(&data[1]);
	CHECK(nap_group_wait(group) == 0);
	CHECK(data[0] == 1 && data[1] == 1);
	check_free(group);
}

static void add_at_once(void *unused)
{
	(void)unused;
	add_more();
}

CHECK_SCENARIO(group_again,
	.about = "what is added while the first is done is waited for, and may be freed",
	.setup = one,
	.threads = { { done, &data[0], "doer" }, { add_at_once, .name = "adder" } });

/*
 * Two threads add at once to a group whose earlier wait has ended. Only one of them adds to a
 * count of zero; each then waits at least for what it has added.
 */
static uint32_t nr_added;

static void closed_before(void)
{
	group = check_alloc(sizeof(*group));
	check_name(&group->waiters, sizeof(group->waiters), "group.waiters");
	check_name(&group->state, sizeof(group->state), "group.state");
	nap_group_init(group, pool);
	group->state = GROUP_WAITER_ONE;
	group->waiters = WAITLIST_CLOSED;
}

static void add_and_wait(void *unused)
{
	(void)unused;
	CHECK(nap_group_add(group, 1) == 0);
	nap_fetch_add_release(&nr_added, 1);
	CHECK(nap_group_wait(group) == 0);
	CHECK(data[0] == 1 && data[1] == 1);
}

static void do_both(void *unused)
{
	(void)unused;
	while (nap_load_acquire(&nr_added) < 2)
		nap_cpu_relax();
	done(&data[0]);
	done(&data[1]);
}

CHECK_SCENARIO(group_two_adders, .about = "two add to a group that was waited for before, and wait",
	.setup = closed_before, .random = 10000,
	.threads = { { add_and_wait, .name = "adder 0" }, { add_and_wait, .name = "adder 1" },
		     { do_both, .name = "doer" } });

/*
 * Adds after a wait that may have timed out. After a timeout, too, the thread may add: the wait
 * has left nothing in the group.
 */
static void add_after_timeout(void *unused)
{
	int err = nap_group_wait_for(group, 1);

	(void)unused;
	CHECK(err == 0 || err == -ETIMEDOUT);
	add_more();
}

CHECK_SCENARIO(group_again_timed, .about = "the same by one that has waited before, and given up",
	.setup = one, .spurious = 1,
	.threads = { { done, &data[0], "doer" }, { add_after_timeout, .name = "adder" } });
