/* SPDX-License-Identifier: MIT */
/* Running a pool's tasks on a thread that waits: src/wait/help.c. */
#ifndef NAP_HELP_H
#define NAP_HELP_H

#include <stdbool.h>

#include <nap/pool.h>

#include "wait/deadlock.h"
#include "worker/async.h"

/* Run one task on the calling thread, a guest for that time; false: found none. */
bool nap__help_one(struct nap_pool *pool);

/* Whether tasks may be queued that no worker is there to run, or able to. */
bool nap__needs_help(struct nap_pool *pool);

/*
 * By a thread inside: the same, or nobody else looks at the clock and at files. The thread helps
 * then, and if there was nothing it looks again after a pause.
 */
static inline bool needs_help_or_look(struct nap_pool *pool)
{
	return nap__needs_help(pool) || (async_unattended(pool) && all_at_nest_limit(pool));
}

#endif /* NAP_HELP_H */
