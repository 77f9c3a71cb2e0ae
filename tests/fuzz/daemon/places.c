/* SPDX-License-Identifier: MIT */
/* Places: each has what the model knows of one work. */
#include <stdlib.h>
#include <time.h>

#include "daemon.h"

#define OF_DRIVER	28	/* for works of the driver; the rest is for works of works */

struct place places[PLACES];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Makes a new work in @place, of @kind, for pool @p. @queue gets its end; NONE: no queue does. */
static void prepare(struct place *place, uint32_t p, uint32_t queue, enum kind kind, uint32_t how)
{
	static const uint64_t times[] = { 0, 0, 5000, 100000000000u };
	uint64_t time = times[how >> 4 & 3];

	place->kind = kind;
	place->pool = p;
	place->pool_nr = pools[p].nr;
	place->queue = queue;
	place->arg = how;
	place->has_done = queue != NONE || how & 4 || kind == CANCEL;
	place->again = place->has_done && kind != CANCEL && kind != SERIAL ? how >> 6 : 0;
	place->answer = (int)how * 3 - 100;
	place->target = NULL;
	place->serial = NONE;
	place->waits_for = place->told = place->ran = place->canceled = 0;
	place->opening = queue == NONE ? 0 : nap_load_acquire(&queues[queue].opening);
	place->late = how & 8 && how & 0x30;
	place->unit = malloc(sizeof(*place->unit));
	if (!place->unit)
		abort();
	*place->unit = (struct unit){ .place = place };
	nap_work_init(&place->unit->work, work_turn, place->has_done ? work_done : NULL,
		      queue == NONE ? NULL : queues[queue].cq);
	if (place->late)
		place->unit->work.deadline = 1;
	else if (time)
		place->unit->work.deadline = now() + time;
}

struct place *place_take(uint32_t p, uint32_t queue, enum kind kind, uint32_t how)
{
	int i = is_driver ? 0 : OF_DRIVER, end = is_driver ? OF_DRIVER : PLACES;

	for (; i < end; i++) {
		if (nap_load_relaxed(&places[i].live) || nap_xchg_acquire(&places[i].live, 1))
			continue;
		/* A queue with users is neither freed nor moved. */
		if (queue != NONE)
			nap_fetch_add_relaxed(&queues[queue].users, 1);
		prepare(&places[i], p, queue, kind, how);
		return &places[i];
	}
	return NULL;
}

void place_free(struct place *place)
{
	uint32_t queue = place->queue;

	free(place->unit);
	place->unit = NULL;
	nap_store_release(&place->live, 0);
	if (queue != NONE)
		nap_fetch_sub_release(&queues[queue].users, 1);
}

/*
 * Whether the driver gets to know the end of the work: on a loop, or because the driver waits for
 * the work.
 */
static bool may_cancel(const struct place *place)
{
	if (!nap_load_acquire((uint32_t *)&place->live))
		return false;
	if (place->queue == NONE)
		return !place->has_done;
	return queues[place->queue].open && place->opening == queues[place->queue].opening;
}

struct place *place_to_cancel(uint32_t nr)
{
	struct place *place = &places[nr % OF_DRIVER];

	return may_cancel(place) ? place : NULL;
}
