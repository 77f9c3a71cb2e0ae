/* SPDX-License-Identifier: MIT */
/* Misuse of fibers' handles that a debug build catches: one line, then abort. */
#include <nap/fiber.h>

#include "pool_fixture.h"
#include "unit/debug_dies.h"

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

static intptr_t returns(void *arg)
{
	return (intptr_t)arg;
}

static struct nap_fiber *spawned(intptr_t n)
{
	struct nap_fiber *fiber;

	if (nap_spawn(&pool, &fiber, returns, (void *)n))
		abort();
	return fiber;
}

MISUSES void await_twice(void)
{
	struct nap_fiber *fiber = spawned(1);

	nap_await(fiber, NULL);
	nap_await(fiber, NULL);
}

MISUSES void await_twice_until(void)
{
	struct nap_fiber *fiber = spawned(1);

	nap_await(fiber, NULL);
	nap_await_until(fiber, NULL, NAP_FOREVER);
}

/* The pages of the stack, with the fiber's record, were given back. */
MISUSES void await_what_was_trimmed(void)
{
	struct nap_fiber *fiber = spawned(1);

	nap_await(fiber, NULL);
	while (!nap_fibers_trim(&pool))
		;
	nap_await(fiber, NULL);
}

MISUSES void detach_what_was_awaited(void)
{
	struct nap_fiber *fiber = spawned(1);

	nap_await(fiber, NULL);
	nap_detach(fiber);
}

/*
 * If @second has the address of @first, the second await of @first takes the result and the handle
 * of @second.
 */
MISUSES void await_another_one(void)
{
	struct nap_fiber *first = spawned(1), *second;

	nap_await(first, NULL);
	second = spawned(2);
	nap_await_for(first, NULL, NAP_FOREVER);
	nap_await_until(second, NULL, NAP_FOREVER);
}

MISUSES void await_what_is_detached(void)
{
	struct nap_fiber *fiber = spawned(1);

	nap_pool_shutdown(&pool, NAP_STOP);	/* from here on no fiber begins */
	nap_detach(fiber);
	nap_await(fiber, NULL);
}

static struct nap_pool beside = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);

static intptr_t waits_for(void *group)
{
	return nap_group_wait(group);
}

static intptr_t awaits(void *fiber)
{
	return nap_await(fiber, NULL);
}

/* The fiber has ended, and its awaiter, a fiber of @beside, has not returned from its call. */
MISUSES void detach_what_has_ended_awaited(void)
{
	struct nap_group group = NAP_GROUP_INIT(NULL);
	struct nap_fiber *fiber;
	struct nap_fiber_stats stats;

	nap_group_add(&group, 1);
	if (nap_spawn(&pool, &fiber, waits_for, &group) ||
	    nap_spawn(&beside, NULL, awaits, fiber) || nap_pool_help(&beside, 1) != 1)
		abort();
	nap_group_done(&group);
	do {
		if (nap_fiber_get_stats(&pool, &stats))
			abort();
	} while (stats.live);
	nap_detach(fiber);
}

MISUSES void await_in_turn(void)
{
	for (intptr_t i = 0; i < 10; i++) {
		intptr_t result;

		if (nap_await(spawned(i), &result) || result != i)
			abort();
	}
	nap_detach(spawned(1));
	if (nap_pool_join(&pool, NULL))
		abort();
}

TEST(a_handle_that_is_no_more)
{
	EXPECT_DIES(await_twice, "was awaited, or detached, before");
	EXPECT_DIES(await_twice_until, "nap_await_until: fiber");
	EXPECT_DIES(detach_what_was_awaited, "nap_detach: fiber");
	EXPECT_DIES(await_another_one, "nap_await");
	EXPECT_DIES(await_what_was_trimmed, "nap_await: fiber");
}

TEST(a_handle_that_was_given_up)
{
	EXPECT_DIES(await_what_is_detached, "nap: ");
	EXPECT_DIES(detach_what_has_ended_awaited, "nap_detach: fiber");
}

TEST(right_use_of_handles_says_nothing)
{
	await_in_turn();
}

TEST_HARNESS_MAIN
