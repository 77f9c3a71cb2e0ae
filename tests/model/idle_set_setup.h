/* SPDX-License-Identifier: MIT */
/*
 * The workers that the scenarios of the idle set share, and how often each has entered and was
 * popped.
 */
#ifndef MODEL_IDLE_SET_SETUP_H
#define MODEL_IDLE_SET_SETUP_H

#include <nap/check.h>
#include <nap/nap.h>

#include "idle/set.h"
#include "sync/event.h"
#include "seam.h"

#define WORKERS 3u
#define POPPERS 2u

static struct nap_pool pool;
static struct nap_worker workers[WORKERS];

/* Volatile, so that the write stands before the next operation, at which the thread may stop. */
/* written by the worker, and before that by setup */
static volatile int entered[WORKERS];
static volatile int popped[POPPERS][WORKERS];	/* written by the popper */

static inline void enter(void *worker)
{
	set_enter(&pool, worker);
	entered[((struct nap_worker *)worker)->index]++;
}

/* Setup: of WORKERS workers the first @listed are in the set; the last of these is on top. */
static inline void make(uint32_t listed)
{
	pool.records = workers;
	check_name(&pool.idle_set, sizeof(pool.idle_set), "idle_set");
	for (uint32_t i = 0; i < WORKERS; i++) {
		workers[i].pool = &pool;
		workers[i].index = i;
		check_name(&workers[i].idle_next, sizeof(uint32_t), "idle_next");
		check_name(&workers[i].idle_state, sizeof(uint32_t), "idle_state");
		check_name(&workers[i].event, sizeof(uint32_t), "event");
		if (i < listed)
			enter(&workers[i]);
	}
}

static inline void listed_1(void)
{
	make(1);
}

static inline void listed_2(void)
{
	make(2);
}

/* Pops a worker. @popper is POPPER(n), the counts of popper n. */
static inline void pop(void *popper)
{
	struct nap_worker *worker = set_pop(&pool);

	if (worker) {
		((volatile int *)popper)[worker->index]++;
		event_set(&worker->event, EVENT_WORK);
	}
}

static inline void pop_twice(void *popper)
{
	pop(popper);
	pop(popper);
}

#define POPPER(n) ((void *)popped[n])

#endif /* MODEL_IDLE_SET_SETUP_H */
