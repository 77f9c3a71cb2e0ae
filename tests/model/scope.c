/* SPDX-License-Identifier: MIT */
/*
 * Scopes (src/async/fiber/scope.c): a member that fails cancels the others, and the scope's end
 * waits for all members. Invariants: each member is canceled once, and goes on; no thread touches
 * the scope after its end.
 */
#include <errno.h>

#include "async/fiber/scope.h"
#include "sync/deadline.h"
#include "fiber_setup.h"

static struct nap_scope *scope;
static bool came_in;

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	fiber_is(0);
	fiber_is(1);
	scope = check_alloc(sizeof(*scope));
	CHECK(nap_scope_begin(scope, pool) == 0);
	check_name(scope, sizeof(*scope), "scope");
	came_in = false;
}

static void enter(unsigned number)
{
	CHECK(nap__scope_enter(scope, &fibers[number].fiber));
}

static void two_inside(void)
{
	begin();
	enter(0);
	enter(1);
}

/* Leaves the scope, as the end of a fiber does. */
static void leave(unsigned number, intptr_t result)
{
	fibers[number].fiber.result = result;
	nap__scope_leave(&fibers[number].fiber);
	nap__scope_count_out(scope);
}

static void fail(void *unused)
{
	(void)unused;
	leave(0, -EIO);
}

/* Waits for something that never comes, until the wait is canceled, and leaves. */
static void wait_and_leave(void *number)
{
	struct nap__sleeper sleeper;
	int err = nap__sleeper_begin(&sleeper, NULL);

	if (!err)
		err = nap__sleep(&sleeper, NAP_FOREVER);
	CHECK(err == -ECANCELED);
	leave((unsigned)(uintptr_t)number, err);
}

static void end_and_free(void *unused)
{
	(void)unused;
	CHECK(nap_scope_end(scope) == -EIO);
	CHECK(!scope->members);
	check_free(scope);
}

CHECK_SCENARIO(scope_fails,
	.about = "a fiber fails as another one begins to wait, and the scope is ended",
	.setup = two_inside, .random = 20000,
	.threads = { { fail, NULL, "fails" }, { wait_and_leave, (void *)1, "waits" },
		     { end_and_free, NULL, "end" } });

/* Leaves with a failure. Each of two members does so, and cancels the other. */
static void both_fail(void *number)
{
	leave((unsigned)(uintptr_t)number, -EIO);
}

CHECK_SCENARIO(scope_both_fail, .about = "two fibers fail at once, and the scope is ended",
	.setup = two_inside,
	.threads = { { both_fail, NULL, "one" }, { both_fail, (void *)1, "other" },
		     { end_and_free, NULL, "end" } });

/* ---- a fiber that joins the scope while all its fibers are canceled is refused, or canceled */

static void come_in_and_wait(void *unused)
{
	(void)unused;
	came_in = nap__scope_enter(scope, &fibers[0].fiber);
	if (came_in)
		wait_and_leave(NULL);
}

static void cancel(void *unused)
{
	(void)unused;
	CHECK(nap_scope_cancel(scope) == 0);
}

static void is_empty(void)
{
	CHECK(!scope->members);
	CHECK(scope->failure == (came_in ? -ECANCELED : 0));
}

CHECK_SCENARIO(scope_canceled, .about = "a fiber comes into a scope that is canceled",
	.setup = begin, .finally = is_empty,
	.threads = { { come_in_and_wait, NULL, "comes" }, { cancel, NULL, "canceler" } });

/* A shielded fiber is canceled in its next wait that is not shielded. */
static void wait_shielded_first(void *unused)
{
	(void)unused;
	nap_fiber_shield(true);
	nap_fiber_shield(false);
	wait_and_leave(NULL);
}

static void one_inside(void)
{
	begin();
	enter(0);
	came_in = true;
}

CHECK_SCENARIO(scope_shielded, .about = "a scope is canceled as a fiber of it lays down its shield",
	.setup = one_inside, .finally = is_empty,
	.threads = { { wait_shielded_first, NULL, "waits" }, { cancel, NULL, "canceler" } });

/* ---- the end of a scope whose fiber had the only stack */

static struct nap_fiber *only;

static void one_stack(void)
{
	const struct nap_fibers_config config = { .stack_size = 16 << 10, .most = 1,
						  .flags = NAP_FIBER_NO_GUARD };
	struct nap__fibers *all;

	begin();
	all = nap__fibers_of(pool);
	check_name(&all->warm, sizeof(all->warm), "warm");
	check_name(&all->moves, sizeof(all->moves), "moves");
	CHECK(nap__stacks_init(all, &config) == 0);
	only = nap__stack_take(all, NULL);
	CHECK(only && nap__scope_enter(scope, only));
	only->joiner = JOINER_NOBODY;
	only->result = 0;
}

static void end_member(void *unused)
{
	(void)unused;
	nap__fiber_end(only);
}

static void end_and_take_stack(void *unused)
{
	(void)unused;
	CHECK(nap_scope_end(scope) == 0);
	check_free(scope);
	CHECK(nap__stack_take(nap__fibers_of(pool), NULL) == only);
}

CHECK_SCENARIO(scope_stack, .about = "after a scope has ended its fibers' stacks are free",
	.setup = one_stack,
	.threads = { [2] = { end_member, NULL, "member" }, { end_and_take_stack, NULL, "end" } });

/* ---- a wait that is begun and withdrawn */

/*
 * Begins a wait and withdraws, as each call does whose second check finds what it wants. A thread
 * that would have ended this wait must not end the next one.
 */
static void withdraw_twice(void *unused)
{
	struct nap__sleeper sleeper;

	(void)unused;
	if (nap__sleeper_begin(&sleeper, NULL) == 0) {
		int err = nap__sleeper_withdraw(&sleeper);

		CHECK(err == -EAGAIN || err == -ECANCELED);
	}
	nap_fiber_shield(true);
	CHECK(nap__sleeper_begin(&sleeper, NULL) == 0);
	CHECK(nap__sleeper_withdraw(&sleeper) == -EAGAIN);
	leave(0, -ECANCELED);
}

static void nobody_ended_the_second(void)
{
	CHECK(!(fibers[0].fiber.wait.state & (WAIT_OPEN | WAIT_READY | WAIT_OFF)));
	is_empty();
}

CHECK_SCENARIO(scope_withdrawn,
	.about = "a scope is canceled as a fiber of it withdraws from a wait, and begins another",
	.setup = one_inside, .finally = nobody_ended_the_second,
	.threads = { { withdraw_twice, NULL, "withdraws" }, { cancel, NULL, "canceler" } });

/* ---- the end of a scope, with a wait that may time out */

static void end_until_and_free(void *unused)
{
	intptr_t result = 1;
	int err = nap_scope_end_until(scope, deadline_after(1), &result);

	(void)unused;
	CHECK(err == 0 || err == -ETIMEDOUT);
	if (err)
		CHECK(nap_scope_end_until(scope, NAP_FOREVER, &result) == 0);
	CHECK(result == -EIO && !scope->members);
	check_free(scope);
}

CHECK_SCENARIO(scope_timed,
	.about = "the last fiber ends as somebody gives up waiting for the scope",
	.setup = one_inside,
	.threads = { { fail, NULL, "fails" }, { end_until_and_free, NULL, "end" } });

/* ---- the fiber that has opened the scope */

static void owned_with_one_inside(void)
{
	begin();
	scope->owner = &fibers[1].fiber;
	fibers[1].fiber.scopes = scope;
	enter(0);
}

/* After the close no request of the scope is left, and no wait is ended because of the scope. */
static void wait_close_and_wait(void *unused)
{
	struct nap__sleeper sleeper;

	(void)unused;
	if (nap__sleeper_begin(&sleeper, NULL) == 0)
		CHECK(nap__sleep(&sleeper, NAP_FOREVER) == -ECANCELED);
	nap__scope_close(scope);
	CHECK(nap__sleeper_begin(&sleeper, NULL) == 0);
	CHECK(nap__sleeper_withdraw(&sleeper) == -EAGAIN);
	CHECK(nap_scope_end(scope) == -EIO);
	check_free(scope);
}

/* As wait_close_and_wait(), but the scope's body does not wait. */
static void close_and_wait(void *unused)
{
	struct nap__sleeper sleeper;

	(void)unused;
	if (nap__sleeper_begin(&sleeper, NULL) == 0)
		nap__sleeper_withdraw(&sleeper);
	nap__scope_close(scope);
	CHECK(nap__sleeper_begin(&sleeper, NULL) == 0);
	CHECK(nap__sleeper_withdraw(&sleeper) == -EAGAIN);
}

static void nothing_is_left(void)
{
	CHECK(!(fibers[1].fiber.wait.state & (WAIT_TO_END | WAIT_OPEN | WAIT_READY)));
	CHECK(!fibers[1].fiber.scopes);
}

CHECK_SCENARIO(scope_owner, .about = "a fiber fails as the one that has opened the scope waits",
	.setup = owned_with_one_inside,
	.threads = { { fail, NULL, "fails" }, { wait_close_and_wait, NULL, "owner" } });

CHECK_SCENARIO(scope_owner_closes,
	.about = "a fiber fails as the one that has opened the scope comes to its end",
	.setup = owned_with_one_inside, .finally = nothing_is_left,
	.threads = { { fail, NULL, "fails" }, { close_and_wait, NULL, "owner" } });
