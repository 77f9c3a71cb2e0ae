/* SPDX-License-Identifier: MIT */
/*
 * A fiber awaits a fiber of another pool. At the same time the awaited fiber ends, or its pool is
 * stopped or joined, or the awaiter is canceled (src/async/fiber/await.c, foreign.c, left.c).
 * Invariants: the awaiter goes on; a result arrives in full, and in a drain no result is lost; no
 * thread touches the awaited fiber once the fiber's pool has been joined.
 */
#include <errno.h>
#include <string.h>

#include "fiber_setup.h"

#define RESULT 7

static struct nap_fiber *ending;
static struct nap__stack_note note;
static intptr_t result;
static int awaited, plain;
static uint32_t call_is_over;

/* Setup: the awaited fiber is memory that is freed with its pool. */
static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	fiber_is(0);
	pool_new(1, CHECK_THREADS);
	ending = check_alloc(sizeof(*ending));
	memset(ending, 0, sizeof(*ending));
	ending->pool = pool;
	ending->fibers = nap__fibers_of(pool);
	ending->fibers->spawned = 1;
	ending->fibers->notes = &note;
	ending->life = FIBER_BEGUN;
	check_name(&ending->joiner, sizeof(ending->joiner), "ending.joiner");
	awaited = 1;
	plain = call_is_over = 0;
	result = 0;
}

/* Overwrites the stack on which the awaiter waited, so that a late use of it is found. */
static __attribute__((noinline)) void use_the_stack(void)
{
	char buffer[512];

	memset(buffer, 1, sizeof(buffer));
	asm volatile("" : : "r" (buffer) : "memory");
}

static void await(void *unused)
{
	(void)unused;
	awaited = nap_await(ending, &result);
	if (!awaited)
		CHECK(plain == RESULT && result == RESULT);
	use_the_stack();
	nap_store_release(&call_is_over, 1);
}

static void end(void *unused)
{
	(void)unused;
	plain = RESULT;
	ending->result = RESULT;
	ending->life = FIBER_ENDED;
	nap__fiber_end(ending);
}

static void join_and_free(void)
{
	struct nap_batch left;

	CHECK(nap_pool_join(pool, &left) == 0);
	check_free(ending);
	pool_free();
}

/*
 * Stops the pool, ends its fiber as the joiner of a stopped pool does, then joins and frees the
 * pool.
 */
static void stop_end_and_free(void *unused)
{
	pool_await_call(&call_is_over);
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	end(unused);
	join_and_free();
}

/* Ends the fiber before the join, as a drain does, then joins and frees the pool. */
static void end_join_and_free(void *unused)
{
	pool_await_call(&call_is_over);
	end(unused);
	join_and_free();
}

static void cancel(void *unused)
{
	(void)unused;
	CHECK(nap_fiber_cancel(&fibers[0].fiber) == 0);
}

static void has_result_or_canceled(void)
{
	CHECK(awaited == 0 || awaited == -ECANCELED);
}

static void was_told(void)
{
	CHECK(awaited == -ECANCELED && ending->joiner == JOINER_NONE);
}

static void has_result(void)
{
	CHECK(awaited == 0);
}

CHECK_SCENARIO(await_ended_stop, .about = "a fiber awaits one of another pool, which is stopped",
	.setup = begin, .finally = was_told,
	.threads = { { await, NULL, "awaiter" }, { pool_stop, NULL, "stopper" } });

CHECK_SCENARIO(await_ended_stopped, .about = "the same, and its joiner ends the other fiber",
	.setup = begin, .finally = has_result_or_canceled, .random = 20000,
	.threads = { { await, NULL, "awaiter" }, { stop_end_and_free, NULL, "joiner" } });

CHECK_SCENARIO(await_ended_joined, .about = "a fiber awaits one of another pool, which is joined",
	.setup = begin, .finally = has_result, .random = 20000,
	.threads = { { await, NULL, "awaiter" }, { end_join_and_free, NULL, "joiner" } });

CHECK_SCENARIO(await_ended_canceled, .about = "the same, and the waiter is canceled",
	.setup = begin, .finally = has_result_or_canceled, .random = 20000,
	.threads = { { await, NULL, "awaiter" }, { stop_end_and_free, NULL, "joiner" },
		     { cancel, NULL, "canceler" } });

CHECK_SCENARIO(await_ended_at_once, .about = "the other fiber ends as its pool is stopped",
	.setup = begin, .finally = has_result_or_canceled, .random = 20000,
	.threads = { { await, NULL, "awaiter" }, { pool_stop, NULL, "stopper" },
		     { end, NULL, "end" } });
