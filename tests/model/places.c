/* SPDX-License-Identifier: MIT */
/*
 * nap_call() when there are too few guest records. A caller waits for a record, while a guest
 * leaves, a worker runs the caller's function, the caller's time is over, or the pool is stopped.
 * Invariants: no waiting caller is forgotten; the function runs once, or does not run and the
 * caller gets an error.
 */
#include "fork/call_list.h"
#include "pool_setup.h"

static struct forked { int runs, err; } called[2];

static void count_run(struct nap_worker *worker, void *arg)
{
	CHECK(nap_worker_self() == worker);
	((struct forked *)arg)->runs++;
}

static void call(void *arg)
{
	CHECK(nap_call(pool, count_run, arg) == 0);
	CHECK(((struct forked *)arg)->runs == 1);
}

/* Calls with a deadline. Once the call has ended, no thread touches the call's argument. */
static void try_call(void *arg)
{
	struct forked *c = arg;

	c->err = nap_call_for(pool, count_run, c, 1000);
	CHECK(c->runs == (c->err == 0));
	CHECK(c->err == 0 || c->err == -ETIMEDOUT || c->err == -ECANCELED ||
	      c->err == -ESHUTDOWN);
}

/*
 * Setup: @n guest records are free. One worker is only counted: it stands for a worker inside a
 * task that never ends.
 */
static void places(uint32_t n)
{
	pool_new(2, 2);
	pool->nr_guests = NAP_GUESTS - n;
	pool_count_worker();
	check_name(called, sizeof(called), "called");
}

static void one_place(void)
{
	places(1);
	pool_count_worker();
}

static void no_place(void)
{
	places(0);
	pool_set_idle(pool_add_worker(2));
}

static void one_place_one_worker(void)
{
	places(1);
	pool_set_idle(pool_add_worker(2));
}

static void both_called(void)
{
	CHECK(called[0].runs == 1 && called[1].runs == 1);
	CHECK(!check_waits(0) && !check_waits(1));
	CHECK(guests_inside(pool) == 0 && !calls_wait(pool));
}

static void one_called(void)
{
	CHECK(called[0].runs == 1 && !check_waits(0));
	CHECK(!calls_wait(pool));
}

CHECK_SCENARIO(places_left, .about = "who leaves gives a waiting caller its place",
	.setup = one_place, .finally = both_called,
	.threads = { { call, &called[0], "caller1" }, { call, &called[1], "caller2" } });

CHECK_SCENARIO(places_worker, .about = "a worker that sleeps runs the call",
	.random = SAMPLE_OTHERS,
	.setup = no_place, .finally = one_called, .may_block = true,
	.threads = { { call, &called[0], "caller" }, [2] = PARKED(0) });

/* Setup: no call was ever listed, so the worker does not check for calls yet. */
static void no_place_about_to_park(void)
{
	places(0);
	pool_signal(pool_add_worker(2));
}

CHECK_SCENARIO(places_first, .about = "the first call that is listed, while a worker goes to sleep",
	.setup = no_place_about_to_park, .finally = one_called, .may_block = true,
	.threads = { { call, &called[0], "caller" }, [2] = WORKER(0) });

CHECK_SCENARIO(places_either, .about = "a worker or who leaves, whichever comes first",
	.random = 10000,
	.setup = one_place_one_worker, .finally = both_called, .may_block = true,
	.threads = { { call, &called[0], "caller1" }, { call, &called[1], "caller2" },
		     [2] = PARKED(0) });

static void none_waits(void)
{
	CHECK(!check_waits(0) && !check_waits(1) && !calls_wait(pool));
	CHECK(guests_inside(pool) == 0);
}

CHECK_SCENARIO(places_timed, .about = "a caller whose time is over, and one who leaves",
	.setup = one_place, .finally = none_waits,
	.threads = { { call, &called[0], "caller1" }, { try_call, &called[1], "caller2" } });

CHECK_SCENARIO(places_timed_worker, .about = "a caller whose time is over, and a worker",
	.random = 10000,
	.setup = no_place, .finally = none_waits, .may_block = true,
	.threads = { { try_call, &called[0], "caller" }, [2] = PARKED(0) });

static void nowhere(void)
{
	places(0);
	pool_count_worker();
}

static void call_or_canceled(void *arg)
{
	struct forked *c = arg;

	c->err = nap_call(pool, count_run, c);
	CHECK(c->runs == 0 && (c->err == -ECANCELED || c->err == -ESHUTDOWN));
}

CHECK_SCENARIO(places_stop, .about = "a stop wakes who waits for a place",
	.setup = nowhere, .finally = none_waits,
	.threads = { { call_or_canceled, &called[0], "caller" }, { pool_stop, NULL, "stop" } });

/* ---- a waiter for quiescence does not wait for a call that has given up */

static void nobody_to_call(void)
{
	pool_new(1, 2);
	pool->nr_guests = NAP_GUESTS;
	/* so that no worker is started */
	idle_ops(pool)->shutdown(pool);
	check_name(called, sizeof(called), "called");
}

static void quiesce(void *unused)
{
	(void)unused;
	CHECK(nap_pool_quiesce(pool) == 0);
}

CHECK_SCENARIO(places_quiesce, .about = "who waits for quiet, and a caller whose time is over",
	.setup = nobody_to_call, .finally = none_waits,
	.threads = { { try_call, &called[0], "caller" }, { quiesce, NULL, "waiter" } });

/*
 * The waiter has found a guest inside, and checks again when that guest has left. Then the waiter
 * finds the call listed, so the pool is not quiet. Then the call gives up, and the waiter finds
 * no call to run.
 */
static struct nap__unregistered record;
static struct nap_worker *helper;

static void nobody_to_call_but_a_helper(void)
{
	nobody_to_call();
	helper = nap__guest_begin_unregistered(pool, &record);
}

static void leave(void *unused)
{
	(void)unused;
	nap__guest_end(helper);
}

CHECK_SCENARIO(places_quiesce_leave, .about = "the same, and a helper leaves",
	.random = 10000,
	.setup = nobody_to_call_but_a_helper, .finally = none_waits,
	.threads = { { try_call, &called[0], "caller" }, { quiesce, NULL, "waiter" },
		     { leave, NULL, "helper" } });
