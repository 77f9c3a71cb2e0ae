/* SPDX-License-Identifier: MIT */
/*
 * A fiber of another pool, or a thread from outside, waits for a group. At the same time the
 * group's pool ends, or the last nap_group_done() comes, or a thread cancels the fiber
 * (src/async/fiber/foreign.c and group.c, src/wait/group_wait.c). Invariants: the waiter goes on
 * and learns why; after the end of the wait no thread touches what the waiter has listed; the
 * waiter touches nothing of a pool that has been joined.
 */
#include <errno.h>
#include <string.h>

#include "sync/waitlist.h"
#include "wait/group.h"
#include "fiber_setup.h"

static struct nap_group group;
static int waited;
static uint32_t call_is_over;

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	fiber_is(0);
	pool_new(1, CHECK_THREADS);
	group = (struct nap_group)NAP_GROUP_INIT(pool);
	nap_group_add(&group, 1);
	check_name(&group, sizeof(group), "group");
	waited = 1;
	call_is_over = 0;
}

/* Overwrites the stack on which the wait ran, so that a late use of it is found. */
static __attribute__((noinline)) void use_the_stack(void)
{
	char buffer[512];

	memset(buffer, 1, sizeof(buffer));
	asm volatile("" : : "r" (buffer) : "memory");
}

static void wait_in_fiber(void *unused)
{
	(void)unused;
	CHECK(nap__fiber_group_wait(&group, NAP_FOREVER, &waited));
	use_the_stack();
	nap_store_release(&call_is_over, 1);
}

static void wait_in_thread(void *unused)
{
	(void)unused;
	waited = nap_group_wait(&group);
	use_the_stack();
	nap_store_release(&call_is_over, 1);
}

static void stop_and_free(void *unused)
{
	struct nap_batch left;

	(void)unused;
	pool_await_call(&call_is_over);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	pool_free();
}

static void drain_and_free(void *unused)
{
	(void)unused;
	pool_await_call(&call_is_over);
	CHECK(nap_pool_join(pool, NULL) == 0);
	pool_free();
}

static void done(void *unused)
{
	(void)unused;
	nap_group_done(&group);
}

static void cancel(void *unused)
{
	(void)unused;
	CHECK(nap_fiber_cancel(&fibers[0].fiber) == 0);
}

static void was_told(void)
{
	CHECK(waited == -ECANCELED);
}

CHECK_SCENARIO(group_ended_stopped,
	.about = "a fiber waits for another pool's group, and that pool is stopped",
	.setup = begin, .finally = was_told,
	.threads = { { wait_in_fiber, NULL, "fiber" }, { stop_and_free, NULL, "joiner" } });

/*
 * Stops the group's pool. The pool has no fibers of its own. The waiter has given the pool the
 * function to call when the pool ends. [Q1]
 */
static void stop(void *unused)
{
	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
}

CHECK_SCENARIO(group_ended_stopped_first, .about = "the same, and the pool is not joined",
	.setup = begin, .finally = was_told,
	.threads = { { wait_in_fiber, NULL, "fiber" }, { stop, NULL, "stopper" } });

CHECK_SCENARIO(group_ended_stopped_thread,
	.about = "a thread waits for a group, and its pool is stopped",
	.setup = begin, .finally = was_told,
	.threads = { { wait_in_thread, NULL, "waiter" }, { stop_and_free, NULL, "joiner" } });

static void learnt_something(void)
{
	CHECK(waited == 0 || waited == -ECANCELED);
}

CHECK_SCENARIO(group_ended_done,
	.about = "a fiber waits, the group is complete, and its pool is stopped",
	.random = 20000, .setup = begin, .finally = learnt_something,
	.threads = { { wait_in_fiber, NULL, "fiber" }, { stop_and_free, NULL, "joiner" },
		     { done, NULL, "last" } });

CHECK_SCENARIO(group_ended_done_thread,
	.about = "a thread waits, the group is complete, and its pool is stopped",
	.random = 20000, .setup = begin, .finally = learnt_something,
	.threads = { { wait_in_thread, NULL, "waiter" }, { stop_and_free, NULL, "joiner" },
		     { done, NULL, "last" } });

CHECK_SCENARIO(group_ended_canceled,
	.about = "a fiber waits, is canceled, and the group's pool is stopped",
	.random = 20000, .setup = begin, .finally = was_told,
	.threads = { { wait_in_fiber, NULL, "fiber" }, { stop_and_free, NULL, "joiner" },
		     { cancel, NULL, "canceler" } });

static void is_complete(void)
{
	CHECK(waited == 0);
}

/*
 * A waiter of a joined pool gets no notice from the pool; other threads may still count the group
 * down.
 */
CHECK_SCENARIO(group_ended_joined, .about = "a fiber waits, and the group's pool is joined",
	.random = 20000, .setup = begin, .finally = is_complete,
	.threads = { { wait_in_fiber, NULL, "fiber" }, { drain_and_free, NULL, "joiner" },
		     { done, NULL, "last" } });

CHECK_SCENARIO(group_ended_joined_thread, .about = "a thread waits, and the group's pool is joined",
	.random = 20000, .setup = begin, .finally = is_complete,
	.threads = { { wait_in_thread, NULL, "waiter" }, { drain_and_free, NULL, "joiner" },
		     { done, NULL, "last" } });

/* ---- a waiter that is woken for nothing, as when another waiter leaves the list */

static void wake_and_stop(void *unused)
{
	pool_await_call(&call_is_over);
	waitlist_wake(&group.waiters, EVENT_LATCH);
	waitlist_wake(&pool->waiters, EVENT_POOL);
	stop_and_free(unused);
}

static void wake_and_drain(void *unused)
{
	pool_await_call(&call_is_over);
	waitlist_wake(&group.waiters, EVENT_LATCH);
	waitlist_wake(&pool->waiters, EVENT_POOL);
	drain_and_free(unused);
	done(unused);
}

CHECK_SCENARIO(group_ended_kicked,
	.about = "a fiber is woken for nothing, and the group's pool is stopped",
	.setup = begin, .finally = was_told, .random = 20000,
	.threads = { { wait_in_fiber, NULL, "fiber" }, { wake_and_stop, NULL, "joiner" } });

CHECK_SCENARIO(group_ended_kicked_joined,
	.about = "a fiber is woken for nothing, and the group's pool is joined",
	.setup = begin, .finally = is_complete, .random = 20000,
	.threads = { { wait_in_fiber, NULL, "fiber" }, { wake_and_drain, NULL, "joiner" } });

CHECK_SCENARIO(group_ended_kicked_thread,
	.about = "a thread is woken for nothing, and the group's pool is stopped",
	.setup = begin, .finally = was_told, .random = 20000,
	.threads = { { wait_in_thread, NULL, "waiter" }, { wake_and_stop, NULL, "joiner" } });

CHECK_SCENARIO(group_ended_kicked_joined_thread,
	.about = "a thread is woken for nothing, and the group's pool is joined",
	.setup = begin, .finally = is_complete, .random = 20000,
	.threads = { { wait_in_thread, NULL, "waiter" }, { wake_and_drain, NULL, "joiner" } });
