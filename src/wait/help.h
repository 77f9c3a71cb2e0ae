/* SPDX-License-Identifier: MIT */
/* Running a pool's tasks on a thread that waits: src/wait/help.c. */
#ifndef NAP_HELP_H
#define NAP_HELP_H

#include <stdbool.h>

#include <nap/pool.h>

#include "wait/deadlock.h"
#include "worker/async.h"

/* Runs one task on the calling thread, as a guest. False: no task was found. */
bool nap__help_one(struct nap_pool *pool);

/* Whether tasks may be queued that no worker is able to run. */
bool nap__needs_help(struct nap_pool *pool);

/*
 * Whether the pool needs help, or no thread polls its timers and files. If so the calling thread,
 * which is inside, helps; if it finds no task it checks again after a pause.
 */
static inline bool needs_help_or_look(struct nap_pool *pool)
{
	return nap__needs_help(pool) || (async_unattended(pool) && all_at_nest_limit(pool));
}

#endif /* NAP_HELP_H */
