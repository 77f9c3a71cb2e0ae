/* SPDX-License-Identifier: MIT */
/* The events of the table of waits: tests/fault/waits.h. */
#include "fault/waits.h"

#include <errno.h>
#include <unistd.h>

#include "worker/phase.h"

const char *const waits_event[EVENTS] = {
	"possible", "deadline 0", "deadline passed", "deadline passes", "no deadline",
	"canceled before", "canceled meanwhile", "canceled at the same time", "closed", "forgotten",
	"home drains", "home stopped before", "home stops", "the other stops",
	"the other is joined", "in the child of a fork", "in the child, after a task that forked",
	"the same of a serial queue", "no memory", "no thread",
};

/* Shuts the pool down. Perhaps the call under test has done this already. */
static void shut_down(struct cell *cell, struct nap_pool *pool, enum nap_shutdown how)
{
	int err = nap_pool_shutdown(pool, how);

	WAITS_CHECK(cell, err == 0 || err == -EALREADY);
}

static void stop(struct cell *cell, struct nap_pool *pool, uint32_t *stops)
{
	nap_store_relaxed(stops, 1);
	shut_down(cell, pool, NAP_STOP);
}

/* Makes the event happen if it comes before the call. Then lets the caller go on. */
void waits_before(struct cell *cell)
{
	switch (cell->event) {
	case POSSIBLE:
		waits_give(cell);
		break;
	case CANCELED:
		nap_fiber_cancel(cell->fiber);
		break;
	case STOPPED:
		stop(cell, &cell->world->home, &cell->world->home_stops);
		break;
	case NO_MEMORY:
		nap_store_relaxed(&waits_no_memory, true);
		break;
	default:
		break;
	}
	waits_set(&cell->go);
}

static void *cancel_too(void *arg)
{
	struct cell *cell = arg;

	waits_set(&cell->ready);
	waits_until(&cell->set);
	nap_fiber_cancel(cell->fiber);
	return NULL;
}

static void begin_ender(struct cell *cell, void *(*run)(void *cell))
{
	WAITS_CHECK(cell, pthread_create(&cell->ender, NULL, run, cell) == 0);
	cell->has_ender = true;
}

static void race(struct cell *cell)
{
	begin_ender(cell, cancel_too);
	waits_until(&cell->ready);
	waits_set(&cell->set);
	waits_give(cell);
	pthread_join(cell->ender, NULL);
	cell->has_ender = false;
}

static void *join_other(void *arg)
{
	struct cell *cell = arg;
	int err = nap_pool_join(&cell->world->other, NULL);

	WAITS_CHECK(cell, err == 0 || err == -EALREADY);
	return NULL;
}

/*
 * Joins the other pool on another thread. Waits until the join has ended; if a part of the call
 * runs in that pool, only until the join has begun.
 */
static void end_other(struct cell *cell)
{
	bool runs = waits_is_on_other(cell->who) || (cell->call->flags & RUNS_IN_OTHER);
	enum nap__phase until = runs ? PHASE_DRAIN : PHASE_JOINED;

	begin_ender(cell, join_other);
	while (pool_phase(&cell->world->other) < until)
		usleep(20);
}

void waits_meanwhile(struct cell *cell)
{
	switch (cell->event) {
	case CANCEL:
		nap_fiber_cancel(cell->fiber);
		break;
	case RACE:
		race(cell);
		break;
	case CLOSED:
		cell->call->close(cell);
		break;
	case FORGOTTEN:
		cell->call->forget(cell);
		break;
	case DRAINS:
		shut_down(cell, &cell->world->home, NAP_DRAIN);
		break;
	case STOPS:
		stop(cell, &cell->world->home, &cell->world->home_stops);
		break;
	case OTHER_STOPS:
		stop(cell, &cell->world->other, &cell->world->other_stops);
		break;
	case OTHER_ENDS:
		end_other(cell);
		break;
	default:
		break;
	}
}

void waits_finish_event(struct cell *cell)
{
	if (cell->has_ender)
		pthread_join(cell->ender, NULL);
}
