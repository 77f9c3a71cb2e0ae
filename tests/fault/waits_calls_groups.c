/* SPDX-License-Identifier: MIT */
/*
 * The rows of the table of waits: waits for groups (of each pool, and of no pool), and awaits of
 * fibers.
 */
#include "fault/waits_calls.h"

#include <errno.h>
#include <unistd.h>

/* ---- groups */

static void begin_group(struct cell *cell, struct nap_pool *pool)
{
	nap_group_init(&cell->group, pool);
	nap_group_add(&cell->group, 1);
}

static void begin_home(struct cell *cell)
{
	begin_group(cell, &cell->world->home);
}

static void begin_other(struct cell *cell)
{
	begin_group(cell, &cell->world->other);
}

static void begin_none(struct cell *cell)
{
	begin_group(cell, NULL);
}

static void be_done(struct cell *cell)
{
	WAITS_CHECK(cell, nap_group_done(&cell->group) == 0);
}

static long wait_for_group(struct cell *cell)
{
	return WAITS_CALL(cell, nap_group_wait, &cell->group);
}

static bool is_counted(struct cell *cell)
{
	return nap_load_relaxed(&cell->group.state) >> 32;
}

/* Whether the group can still count down to 0, once, and has no waiters. */
static bool group_is_left(struct cell *cell)
{
	bool counted = nap_group_done(&cell->group) == 0;

	return counted == !cell->given && cell->group.waiters <= 1 &&
	       (cell->given || cell->group.state == 0) && nap_group_wait(&cell->group) == 0;
}

const struct call waits_group = {
	.name = "group",
	.flags = OF_HOME | OF_WORKER | TIMED | SUSPENDS | IS_GROUP,
	.init = begin_home,
	.possible = be_done,
	.listed = is_counted,
	.call = wait_for_group,
	.left = group_is_left,
};
const struct call waits_group_other = {
	.name = "group of other",
	.flags = OF_OTHER | OF_WORKER | TIMED | SUSPENDS | IS_GROUP,
	.init = begin_other,
	.possible = be_done,
	.listed = is_counted,
	.call = wait_for_group,
	.left = group_is_left,
};
const struct call waits_group_none = {
	.name = "group of none",
	.flags = TIMED | SUSPENDS | IS_GROUP,
	.init = begin_none,
	.possible = be_done,
	.listed = is_counted,
	.call = wait_for_group,
	.left = group_is_left,
};

/* ---- fibers */

static intptr_t waits_for_event(void *arg)
{
	struct cell *cell = arg;

	waits_set(&cell->begun);
	nap_event_wait(&cell->is_so);
	return 7;
}

static void begin_target(struct cell *cell, struct nap_pool *pool)
{
	WAITS_CHECK(cell, nap_spawn(pool, &cell->target, waits_for_event, cell) == 0);
	while (!waits_is_set(&cell->begun)) {
		if (cell->world->no_threads || cell->world->no_workers)
			nap_pool_help(pool, 0);
		usleep(20);
	}
}

static void begin_target_home(struct cell *cell)
{
	begin_target(cell, &cell->world->home);
}

static void begin_target_other(struct cell *cell)
{
	begin_target(cell, &cell->world->other);
}

static void have_target_end(struct cell *cell)
{
	nap_event_set(&cell->is_so);
}

static long await(struct cell *cell)
{
	intptr_t result = 0;
	long err = WAITS_CALL(cell, nap_await, cell->target, &result);

	return err ? err : result == 7 ? 0 : -EINVAL;
}

/*
 * Checks that a handle is still valid, and lets its fiber end. There is no handle if the call has
 * taken the fiber, or if the fiber's pool was stopped.
 */
static bool target_is_left(struct cell *cell)
{
	struct world *world = cell->world;
	uint32_t *stops = cell->call->flags & OF_HOME ? &world->home_stops : &world->other_stops;
	intptr_t result = 0;

	if (waits_took(cell) || nap_load_relaxed(stops))
		return true;
	nap_event_set(&cell->is_so);
	return nap_await(cell->target, &result) == 0 && result == 7;
}

/*
 * After a stop the joiner runs the caller and the awaited fiber to their ends. If the awaited fiber
 * ends first, the wait succeeds; otherwise it is canceled.
 */
static struct expected await_differs(enum who who, enum event event)
{
	return (struct expected){ waits_is_fiber(who) && event == STOPS ? '?' : 0, NULL };
}

const struct call waits_await = {
	.name = "await",
	.flags = OF_HOME | OF_WORKER | TIMED | SUSPENDS,
	.init = begin_target_home,
	.possible = have_target_end,
	.call = await,
	.left = target_is_left,
	.except = await_differs,
};
const struct call waits_await_other = {
	.name = "await of other",
	.flags = OF_OTHER | OF_WORKER | TIMED | SUSPENDS | RUNS_IN_OTHER,
	.init = begin_target_other,
	.possible = have_target_end,
	.call = await,
	.left = target_is_left,
};
