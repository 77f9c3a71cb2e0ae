/* SPDX-License-Identifier: MIT */
/*
 * Two faults around the end of Zap's pool (src/thread_pool.zig, Event, shutdown(), unregister()
 * and join()).
 *
 * The shutdown strands a parked worker (oven-sh/bun#32494). Workers A and B are parked on one
 * event, which says WAITING. A notify changes WAITING to NOTIFIED and wakes A. Perhaps worker C,
 * which has not slept, takes the token and leaves EMPTY. The shutdown comes before A has run on,
 * finds no WAITING, and wakes no worker: B sleeps for ever, and so does the joiner.
 *
 * The pool is used after it was freed (mitchellh/libxev#113, #130). The last worker to leave
 * counts itself down and then notifies the joiner through an event in the pool. A joiner that
 * checks in between finds no worker left, does not wait, and frees the pool.
 *
 * nap has neither the event nor the notification: published_nap.c, published_nap_end.c.
 */

#include "published_event.h"

/* ---- a parked worker is stranded ---- */

static struct published_event idle_event;

/* A and B: idle workers, which sleep again after every wake until the pool has ended. */
static void parked(void *arg)
{
	(void)arg;
	do {
		published_event_wait(&idle_event);
	} while (atomic_load_explicit(&idle_event.word, memory_order_relaxed) != EVENT_SHUTDOWN);
}

/* C: a worker that comes from a task, finds no other task, and waits once. */
static void newcomer(void *arg)
{
	(void)arg;
	published_event_wait(&idle_event);
}

static void scheduler(void *arg)
{
	(void)arg;
	published_event_notify(&idle_event);
	published_event_shutdown(&idle_event);
}

static void name_event(void)
{
	check_name(&idle_event, sizeof(idle_event), "idle_event");
}

CHECK_SCENARIO(published_shutdown_strands,
	.about = "published form: a shutdown behind a wake leaves a worker parked for ever",
	.setup = name_event,
	.threads = { { parked, NULL, "A" }, { parked, NULL, "B" }, { scheduler, NULL, "main" } },
	.models = CHECK_ALL, .finds = "dead-lock: B waits");

CHECK_SCENARIO(published_shutdown_strands_behind_newcomer,
	.about = "published form: the same behind a worker that takes the token without sleeping",
	.setup = name_event,
	.threads = { { parked, NULL, "A" }, { parked, NULL, "B" }, { newcomer, NULL, "C" },
		     { scheduler, NULL, "main" } },
	.models = CHECK_ALL, .finds = "dead-lock: B waits");

/* ---- the pool is used after it was freed ---- */

#define SHUTDOWN	1u
#define SPAWNED_ONE	4u

struct pool {
	_Atomic uint32_t sync;
	struct published_event join_event;
};

static struct pool *pool;

static void begin_join(void)
{
	pool = check_alloc(sizeof(*pool));
	pool->sync = 2 * SPAWNED_ONE + SHUTDOWN;
	check_name(pool, sizeof(*pool), "pool");
}

static void leaving(void *arg)
{
	(void)arg;
	if (atomic_fetch_sub_explicit(&pool->sync, SPAWNED_ONE, memory_order_release) ==
	    SPAWNED_ONE + SHUTDOWN)
		published_event_notify(&pool->join_event);
}

static void joiner(void *arg)
{
	(void)arg;
	/*
	 * Zap's load is relaxed; acquire here, so that only what comes after the count is at
	 * fault.
	 */
	while (atomic_load_explicit(&pool->sync, memory_order_acquire) != SHUTDOWN)
		published_event_wait(&pool->join_event);
	check_free(pool);
}

CHECK_SCENARIO(published_join_use_after_free,
	.about = "published form: the last worker notifies through a pool that was freed",
	.setup = begin_join,
	.threads = { { joiner, NULL, "joiner" }, { leaving, NULL, "first" },
		     { leaving, NULL, "last" } },
	.models = CHECK_ALL, .finds = "use of freed memory: free by joiner");
