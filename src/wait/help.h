/* SPDX-License-Identifier: MIT */
/* Running a pool's tasks on a thread that waits: src/wait/help.c. */
#ifndef NAP_HELP_H
#define NAP_HELP_H

#include <stdbool.h>

#include <nap/pool.h>

#include "idle/idle.h"
#include "wait/deadlock.h"
#include "worker/async.h"

/* Runs one task on the calling thread, as a guest. False: no task was found. */
bool nap__help_one(struct nap_pool *pool);

/* Whether tasks may be queued that no worker is able to run. */
bool nap__needs_help(struct nap_pool *pool);

/*
 * Whether no other thread runs the pool's tasks, so that a thread that waits for one of them, and
 * runs nothing else, has to run them, one at a time.
 */
static inline bool has_no_worker(struct nap_pool *pool)
{
	return !nap__idle_spawned(pool) && cannot_start(pool) && nap__needs_help(pool);
}

/*
 * Whether the pool needs help, or no thread polls its timers and files. If so the calling thread,
 * which is inside, helps; if it finds no task it checks again after a pause.
 */
static inline bool needs_help_or_look(struct nap_pool *pool)
{
	return nap__needs_help(pool) || (async_unattended(pool) && all_at_nest_limit(pool));
}

#endif /* NAP_HELP_H */
