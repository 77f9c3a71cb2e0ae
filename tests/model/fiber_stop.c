/* SPDX-License-Identifier: MIT */
/*
 * A stop and a join, against a thread (the teller) that ends the wait of a fiber that has left its
 * stack (src/async/fiber/ready.c, left.c, stop.c, wait_end.c). Invariants: a worker or the joiner
 * runs the fiber to its end, once; the fiber gets what the teller handed over; no thread touches
 * the fiber once its pool has been joined.
 */
#include "async/fiber/ready.c"

#include "async/fiber/direct.h"
#include "async/fiber/stacks.h"
#include "sync/lock.h"
#include "pool_setup.h"

static struct nap_fiber *fiber;
static uint32_t lock;
static bool listed;	/* guarded by the lock: whether the fiber waits for the teller */
/* stands for what a mutex guards; not atomic, so a missing order is a race */
static int given;
static int ran;
static bool is_to_wait;
static int on_stack;	/* written before the fiber leaves its stack; not atomic */

/* Setup: the fiber waits, and has left its stack. */
static void begin_in_pool(uint32_t limit)
{
	static const struct nap_fibers_config one = { .most = 1, .flags = NAP_FIBER_NO_GUARD };
	struct nap__fibers *all;

	pool_new(limit, 2);
	all = nap__fibers_of(pool);
	CHECK(nap__stacks_init(all, &one) == 0);
	fiber = nap__stack_take(all, NULL);
	nap_task_init(&fiber->task, nap__fiber_run);
	fiber->joiner = JOINER_NOBODY;
	fiber->life = FIBER_BEGUN;
	fiber->wait.state = WAIT_NUMBER | WAIT_OPEN | WAIT_OFF;
	nap__fibers_count_spawned(all, NULL);
	check_name(&fiber->wait.state, sizeof(fiber->wait.state), "fiber.wait");
	check_name(&fiber->handed, sizeof(fiber->handed), "fiber.handed");
	lock = given = ran = 0;
	on_stack = 1;
	is_to_wait = false;
	listed = true;
}

static void begin(void)
{
	begin_in_pool(1);
}

/* Setup: the fiber runs, is listed, and has not left its stack. */
static void begin_running(void)
{
	begin_in_pool(2);
	fiber->wait.state = WAIT_NUMBER | WAIT_OPEN;
	is_to_wait = true;
	on_stack = 0;
	pool_add_worker(2);
	pool_add_worker(2);
}

/* The fiber's function: waits for the teller, and ends when its wait is over. */
struct nap_fiber *nap__fiber_enter(struct nap_fiber *f, struct nap_task **next)
{
	bool was_listed;

	if (next)
		*next = NULL;
	if (is_to_wait) {
		is_to_wait = false;
		on_stack = 1;
		return f;
	}
	CHECK(f == fiber && (f->wait.state & WAIT_READY) && on_stack == 1);
	lock_take(&lock);
	was_listed = listed;
	listed = false;
	lock_give(&lock);
	CHECK(given == !was_listed);
	ran++;
	nap_store_relaxed(&f->life, FIBER_ENDED);
	return f;
}

struct nap_fiber *nap__fiber_waiting(void)
{
	return NULL;
}

void nap__fiber_suspend(struct nap_fiber *f)
{
	(void)f;
	CHECK(false);
}

void nap__fiber_yield(struct nap_fiber *f)
{
	(void)f;
	CHECK(false);
}

/*
 * Ends the fiber's wait, as a thread that unlocks a mutex does: claims the wait under the lock,
 * hands over, and makes the fiber ready.
 */
static void tell(void *unused)
{
	bool claimed;

	(void)unused;
	lock_take(&lock);
	claimed = listed && nap__fiber_wait_claim(&fiber->wait, WAIT_NUMBER, WAIT_WOKEN);
	if (claimed) {
		listed = false;
		given = 1;
	}
	lock_give(&lock);
	if (claimed)
		nap__fiber_wait_ready(&fiber->wait);
}

static void stop_and_join(void *unused)
{
	struct nap_batch left;

	(void)unused;
	CHECK(nap_pool_shutdown(pool, NAP_STOP) == 0);
	CHECK(nap_pool_join(pool, &left) == 0);
	CHECK(left.count == 0);
	CHECK(ran == 1);
	pool_free();
}

CHECK_SCENARIO(fiber_stop_told, .about = "a fiber is told as its pool is stopped and joined",
	.setup = begin, .random = 5000,
	.threads = { { tell, NULL, "teller" }, { stop_and_join, NULL, "joiner" } });

static void leave_stack(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 0));
	nap__fiber_run(&fiber->task);
}

static void has_ended(void)
{
	CHECK(ran == 1);
}

/* Another worker resumes the fiber. [A3] [A4] */
CHECK_SCENARIO(fiber_told_off, .about = "a fiber is told as it leaves its stack",
	.setup = begin_running, .finally = has_ended, .may_block = true, .random = 5000,
	.threads = { { tell, NULL, "teller" }, [2] = { leave_stack, NULL, "W0" }, WORKER(1) });

/*
 * ---- the fiber switches to another fiber, which then marks the first one's stack as left
 * (src/async/fiber/direct.h)
 */

/* Ends the wait as tell() does, with the claim that nap's own objects use. */
static void tell_whole(void *unused)
{
	enum nap__claim claim = CLAIM_NONE;

	(void)unused;
	lock_take(&lock);
	if (listed)
		claim = nap__fiber_wait_claim_whole(&fiber->wait, WAIT_NUMBER);
	if (claim) {
		listed = false;
		given = 1;
	}
	lock_give(&lock);
	if (claim == CLAIM_OFF)
		nap__fiber_ready(fiber);
	else if (claim)
		nap__fiber_wait_ready(&fiber->wait);
}

/* Runs the other fiber, on the worker of the first fiber: the first one's stack has been left. */
static void arrive(void *unused)
{
	(void)unused;
	self_is(nap__self(), registry_at(pool, 0));
	is_to_wait = false;
	on_stack = 1;
	nap__fiber_left(fiber);
}

CHECK_SCENARIO(fiber_told_switched, .about = "a fiber is told as it switches to another",
	.setup = begin_running, .finally = has_ended, .may_block = true, .random = 5000,
	.threads = { { tell_whole, NULL, "teller" }, [2] = { arrive, NULL, "W0" }, WORKER(1) });
