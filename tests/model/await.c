/* SPDX-License-Identifier: MIT */
/*
 * A thread ends a fiber, while another thread awaits the fiber, is canceled during this wait, or
 * detaches the fiber (src/async/fiber/await.c, left.c). Invariants: the awaiter gets the result or
 * -ECANCELED; of two calls for one fiber one gets -EBUSY; the fiber's stack is given back once. The
 * memory of a fiber stays until its pool is joined.
 */
#include <errno.h>

#include "async/fiber/direct.h"
#include "fiber_setup.h"

#define RESULT 7

static struct nap_fiber ending;
static struct nap__stack_note note;
static intptr_t result;
static int awaited, detached, second, plain;

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	ending.pool = pool;
	ending.fibers = nap__fibers_of(pool);
	ending.fibers->notes = &note;
	ending.life = FIBER_BEGUN;
	check_name(&ending.joiner, sizeof(ending.joiner), "ending.joiner");
	result = awaited = detached = second = plain = 0;
}

static void end(void *unused)
{
	(void)unused;
	plain = RESULT;
	ending.result = RESULT;
	ending.life = FIBER_ENDED;
	nap__fiber_end(&ending);
}

static void await(void *unused)
{
	(void)unused;
	awaited = nap_await(&ending, &result);
	if (awaited)
		return;
	CHECK(plain == RESULT && result == RESULT);
	/* The ended fiber's stack is free: the caller may spawn. */
	CHECK(nap_load_relaxed(&ending.fibers->warm.head) >> 32 == 1);
}

static void detach(void *unused)
{
	(void)unused;
	detached = nap_detach(&ending);
}

static void cancel(void *unused)
{
	(void)unused;
	CHECK(nap_fiber_cancel(&fibers[0].fiber) == 0);
}

/* Returns how often the ended fiber's stack was given back. */
static CHECK_OUTSIDE uint64_t given(void)
{
	return ending.fibers->warm.head >> 32;
}

static void was_awaited(void)
{
	CHECK(!awaited && given() == 1);
	CHECK(nap__fibers_of(pool)->ended == 1);
}

/* ---- awaited */

static void fiber_awaits(void)
{
	begin();
	fiber_is(0);
}

CHECK_SCENARIO(await_by_fiber, .about = "a fiber awaits one that ends",
	.setup = fiber_awaits, .finally = was_awaited,
	.threads = { { await, NULL, "awaiter" }, { end, NULL, "end" } });

CHECK_SCENARIO(await_by_thread, .about = "a thread awaits a fiber that ends",
	.setup = begin, .finally = was_awaited,
	.threads = { { await, NULL, "awaiter" }, { end, NULL, "end" } });

/* ---- the awaiter is canceled: the fiber was awaited, or can still be awaited */

static void awaited_or_can_be(void)
{
	CHECK(awaited == 0 || awaited == -ECANCELED);
	CHECK(given() == !awaited);
	CHECK(!awaited || ending.joiner == JOINER_ENDED);
}

CHECK_SCENARIO(await_canceled, .about = "who awaits a fiber is canceled as that ends",
	.setup = fiber_awaits, .finally = awaited_or_can_be,
	.threads = { { await, NULL, "awaiter" }, { end, NULL, "end" },
		     { cancel, NULL, "canceler" } });

/* ---- detached */

static void was_detached(void)
{
	CHECK(!detached && given() == 1);
}

CHECK_SCENARIO(await_detached, .about = "a fiber is detached as it ends",
	.setup = begin, .finally = was_detached,
	.threads = { { detach, NULL, "detacher" }, { end, NULL, "end" } });

/* ---- two calls for one fiber, perhaps before the first has returned */

static void await_too(void *unused)
{
	intptr_t value = 0;

	(void)unused;
	second = nap_await(&ending, &value);
	CHECK(second || (plain == RESULT && value == RESULT));
}

static void detach_too(void *unused)
{
	(void)unused;
	second = nap_detach(&ending);
}

static void one_of_two(void)
{
	CHECK(given() == 1 && ending.joiner == JOINER_NOBODY);
	CHECK((!awaited && second == -EBUSY) || (awaited == -EBUSY && !second));
}

CHECK_SCENARIO(await_twice, .about = "a fiber and a thread await a fiber that ends",
	.setup = fiber_awaits, .finally = one_of_two,
	.threads = { { await, NULL, "awaiter" }, { end, NULL, "end" },
		     { await_too, NULL, "second awaiter" } });

CHECK_SCENARIO(await_and_detach, .about = "a fiber is awaited and detached as it ends",
	.setup = fiber_awaits, .finally = one_of_two,
	.threads = { { await, NULL, "awaiter" }, { end, NULL, "end" },
		     { detach_too, NULL, "detacher" } });

/* ---- the fiber that ends switches to its awaiter (src/async/fiber/direct.c) */

static struct nap_worker worker;

static void direct_begin(void)
{
	begin();
	worker.pool = pool;
	worker.tick = 0;
	ring_init(&worker.ring);
}

static void fiber_awaits_direct(void)
{
	direct_begin();
	fiber_is(0);
}

/*
 * Ends the fiber on its own stack, and switches to the awaiter. The awaiter first calls
 * nap__fiber_left() for the ended fiber, and then goes on.
 */
static void end_direct(void *unused)
{
	struct nap__fiber_host host = { .worker = &worker, .fiber = &ending, .direct = true };
	struct nap_fiber *awaiter;

	(void)unused;
	plain = RESULT;
	ending.result = RESULT;
	ending.life = FIBER_ENDED;
	CHECK(!nap__direct_end(&host, &awaiter));
	/* No other thread may get the stack before this thread has left it. */
	CHECK(nap_load_relaxed(&ending.fibers->warm.head) >> 32 == 0);
	nap__fiber_left(&ending);
	if (awaiter)
		nap__fiber_ready(awaiter);
}

CHECK_SCENARIO(await_direct, .about = "a fiber that ends switches to its awaiter",
	.setup = fiber_awaits_direct, .finally = was_awaited,
	.threads = { { await, NULL, "awaiter" }, { end_direct, NULL, "end" } });

CHECK_SCENARIO(await_direct_thread,
	.about = "a thread awaits a fiber that looks for a fiber to switch to",
	.setup = direct_begin, .finally = was_awaited,
	.threads = { { await, NULL, "awaiter" }, { end_direct, NULL, "end" } });

CHECK_SCENARIO(await_direct_twice,
	.about = "a fiber and a thread await a fiber that ends and switches to its awaiter",
	.setup = fiber_awaits_direct, .finally = one_of_two,
	.threads = { { await, NULL, "awaiter" }, { end_direct, NULL, "end" },
		     { await_too, NULL, "second awaiter" } });

CHECK_SCENARIO(await_direct_and_detach,
	.about = "a fiber is awaited and detached as it ends and switches to its awaiter",
	.setup = fiber_awaits_direct, .finally = one_of_two,
	.threads = { { await, NULL, "awaiter" }, { end_direct, NULL, "end" },
		     { detach_too, NULL, "detacher" } });

/*
 * The fiber's end keeps the stack on the worker, and uses no fence. So only the exchange of
 * fiber->joiner puts the store of the joiner's node before the load of the node by the fiber's end.
 */
static void await_alone(void *unused)
{
	(void)unused;
	awaited = nap_await(&ending, &result);
	CHECK(!awaited && plain == RESULT && result == RESULT);
}

static void end_on_worker(void *unused)
{
	struct nap__self *self = nap__self();

	self->worker = &worker;
	end(unused);
	self->worker = NULL;
}

static void direct_begin_keeping(void)
{
	direct_begin();
	ending.fibers->keep = 4;
	worker.nr_stacks = 0;
}

static void was_kept_or_given(void)
{
	CHECK(given() + worker.nr_stacks == 1);
}

CHECK_SCENARIO(await_on_worker,
	.about = "a thread awaits a fiber that ends on a worker, which keeps the stack",
	.setup = direct_begin_keeping, .finally = was_kept_or_given,
	.threads = { { await_alone, NULL, "awaiter" }, { end_on_worker, NULL, "end" } });

CHECK_SCENARIO(await_direct_canceled,
	.about = "an awaiter is canceled as a fiber ends, and switches to it",
	.setup = fiber_awaits_direct, .finally = awaited_or_can_be,
	.threads = { { await, NULL, "awaiter" }, { end_direct, NULL, "end" },
		     { cancel, NULL, "canceler" } });

CHECK_SCENARIO(await_direct_detached, .about = "a fiber is detached as it looks for its awaiter",
	.setup = direct_begin, .finally = was_detached,
	.threads = { { detach, NULL, "detacher" }, { end_direct, NULL, "end" } });

/* ---- a fiber is canceled by its number, while another fiber gets its stack */

static int asked;

static void one_runs(void)
{
	begin();
	fiber_is(0);
	fibers[0].fiber.life = FIBER_BEGUN;
	fiber_renew(&fibers[0].fiber);
	asked = 1;
}

static void cancel_the_first(void *unused)
{
	(void)unused;
	asked = nap__fiber_cancel_the(&fibers[0].fiber, 1);
	CHECK(asked == 0 || asked == -ESRCH);
}

/*
 * Runs two fibers on one stack, one after the other, while another thread cancels the first by its
 * number. The first ends without a wait; the second must not be asked to end.
 */
static void end_and_begin(void *unused)
{
	struct nap__sleeper sleeper;

	(void)unused;
	if (nap__sleeper_begin(&sleeper, NULL) == 0)
		nap__sleeper_withdraw(&sleeper);
	nap_store_relaxed(&fibers[0].fiber.life, FIBER_ENDED);
	fiber_renew(&fibers[0].fiber);
	nap_store_relaxed(&fibers[0].fiber.life, FIBER_BEGUN);
	CHECK(nap__sleeper_begin(&sleeper, NULL) == 0);
	CHECK(nap__sleeper_withdraw(&sleeper) == -EAGAIN);
}

static void second_is_not_asked(void)
{
	CHECK(!(fibers[0].fiber.wait.state & (WAIT_TO_END | WAIT_READY)));
}

CHECK_SCENARIO(await_cancel_id,
	.about = "a fiber is canceled by its number as it ends, and another begins on its stack",
	.setup = one_runs, .finally = second_is_not_asked,
	.threads = { { end_and_begin, NULL, "fiber" }, { cancel_the_first, NULL, "canceler" } });
