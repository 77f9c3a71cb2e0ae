/* SPDX-License-Identifier: MIT */
/*
 * F0 waits for another fiber of its pool, or for a group, while several threads end its wait
 * (ended_setup.h; src/async/fiber/await.c, group.c). F0's thread is no worker, so its call counts
 * as a visitor of the pool. More scenarios: in await.c an await is canceled; in await_ended.c and
 * group_ended.c another pool ends.
 */
#include "ended_setup.h"

#include "wait/group.h"

#define RESULT 7

/* written before the fiber ends, or the group is done; not atomic, so a missing order is a race */
static int plain;

/* ---- F0 waits for another fiber */

static struct nap_fiber *ending;
static struct nap__stack_note note;
static intptr_t got;

static void await_begin(void)
{
	ended_begin();
	ending = check_alloc(sizeof(*ending));
	memset(ending, 0, sizeof(*ending));
	ending->pool = pool;
	ending->fibers = nap__fibers_of(pool);
	ending->fibers->spawned = 1;
	ending->fibers->notes = &note;
	ending->life = FIBER_BEGUN;
	check_name(&ending->joiner, sizeof(ending->joiner), "ending.joiner");
	plain = 0;
	got = 0;
}

static void await(void *deadline)
{
	intptr_t value = 0;
	int err = nap_await_until(ending, &value, deadline_in(deadline));

	got = value;
	CHECK(err || plain == RESULT);
	call_over(err);
}

static void end(void *unused)
{
	(void)unused;
	plain = RESULT;
	ending->result = RESULT;
	ending->life = FIBER_ENDED;
	nap__fiber_end(ending);
}

ENDED_GIVES(end, end)

/* F0 has the result and the stack was given back, or the result can still be had. */
static CHECK_OUTSIDE void has_it_or_can(void)
{
	CHECK(got == (result ? 0 : RESULT));
	CHECK(ending->joiner == JOINER_ENDED || !result);
	CHECK(ending->fibers->warm.head >> 32 == (result == 0));
	CHECK(!result || ending->result == RESULT);
}

ENDED_FINALLY(has_it, has_it_or_can)

CHECK_SCENARIO(ended_await_withdrawn,
	.about = "a fiber ends as who begins to await it is canceled: some have both",
	.setup = await_begin, .finally = has_it_or_canceled, .exists = withdrawn,
	.allowed = CHECK_RC11,
	.threads = WITHDRAWN(await, end_and_cancel));

CHECK_SCENARIO(ended_await_timed, .about = "a fiber ends as a wait for it is too late",
	.setup = await_begin, .finally = has_it_or_late,
	.threads = TIMED(await, end));

CHECK_SCENARIO(ended_await_stopped,
	.about = "a fiber ends as the pool is stopped, whose fiber awaits it",
	.setup = await_begin, .finally = has_it_or_canceled,
	.threads = STOPPED(await, end));

/* ---- F0 waits for a group, which counts its waiters: F0 checks once more when it is listed */

static struct nap_group group;

static void group_begin(void)
{
	ended_begin();
	group = (struct nap_group)NAP_GROUP_INIT(pool);
	CHECK(nap_group_add(&group, 1) == 0);
	check_name(&group.state, sizeof(group.state), "group.state");
	check_name(&group.waiters, sizeof(group.waiters), "group.waiters");
	plain = 0;
}

static void wait_for_group(void *deadline)
{
	int err = 1;

	CHECK(nap__fiber_group_wait(&group, deadline_in(deadline), &err));
	CHECK(err || plain == RESULT);
	call_over(err);
}

static void done(void *unused)
{
	(void)unused;
	plain = RESULT;
	CHECK(nap_group_done(&group) == 0);
}

ENDED_GIVES(done, done)

/* A waiter that has given up is neither counted nor listed any longer. */
static CHECK_OUTSIDE void is_done(void)
{
	CHECK(!group_count(group.state));
	CHECK(!result || !group.state);
	CHECK(waitlist_closed(&group.waiters) || !group.waiters);
}

ENDED_FINALLY(done, is_done)

CHECK_SCENARIO(ended_group_withdrawn,
	.about = "a group is complete as who begins to wait is canceled: some have both",
	.setup = group_begin, .finally = done_or_canceled, .exists = withdrawn,
	.allowed = CHECK_RC11,
	.threads = WITHDRAWN(wait_for_group, done_and_cancel));

CHECK_SCENARIO(ended_group_canceled, .about = "a group is complete as who waits for it is canceled",
	.setup = group_begin, .finally = done_or_canceled,
	.threads = CANCELED(wait_for_group, done));

CHECK_SCENARIO(ended_group_timed, .about = "a group is complete as a wait for it is too late",
	.setup = group_begin, .finally = done_or_late,
	.threads = TIMED(wait_for_group, done));

CHECK_SCENARIO(ended_group_stopped,
	.about = "a group is complete as the pool of who waits is stopped",
	.setup = group_begin, .finally = done_or_canceled,
	.threads = STOPPED(wait_for_group, done));
