/* SPDX-License-Identifier: MIT */
/*
 * Guests of a pool without a worker: threads that call nap_call(). Invariants: a waiter for
 * quiescence waits for a guest, and then sees what was done in the guest's call; when a guest has
 * left, another guest may have its record.
 */
#include "pool_setup.h"

static uint32_t begun;
static int data;

static void no_worker(void)
{
	pool_new(1, 2);
	check_name(&begun, sizeof(begun), "begun");
}

static void begin_and_write(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	nap_store_relaxed(&begun, 1);
	data = 42;
}

static void call(void *fn)
{
	CHECK(nap_call(pool, fn, NULL) == 0);
}

static void quiesce_and_read(void *unused)
{
	(void)unused;
	if (!nap_load_relaxed(&begun))
		return;
	CHECK(nap_pool_quiesce(pool) == 0);
	CHECK(data == 42);
}

static void nobody_waits(void)
{
	CHECK(!check_waits(0) && !check_waits(1));
	CHECK(guests_inside(pool) == 0 && nap__idle_quiet(pool));
}

CHECK_SCENARIO(guest_quiesce, .about = "who waits for a quiet pool waits for a guest",
	.setup = no_worker, .finally = nobody_waits, .may_block = true,
	.threads = { { call, begin_and_write, "guest" },
		     { quiesce_and_read, NULL, "waiter" } });

/* Searches for work, which touches the guest's record. */
static void search(struct nap_worker *worker, void *arg)
{
	(void)arg;
	CHECK(nap_worker_self() == worker);
	CHECK(nap_pool_help(pool, 1) == 0);
}

static void records_free(void)
{
	nobody_waits();
	CHECK(nap_load_relaxed(&pool->nr_guests) <= 2);
	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		CHECK(nap_load_relaxed(&w->record) == RECORD_FREE);
}

CHECK_SCENARIO(guest_after_guest, .about = "two calls at the same time, or on one record",
	.setup = no_worker, .finally = records_free,
	.threads = { { call, search, "guest1" }, { call, search, "guest2" } });
