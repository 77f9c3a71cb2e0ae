/* SPDX-License-Identifier: MIT */
/* Running a pool's tasks on a thread that waits: src/wait/help.c. */
#ifndef NAP_HELP_H
#define NAP_HELP_H

#include <stdbool.h>

#include <nap/pool.h>

#include "wait/deep.h"
#include "worker/async.h"

/* Run one task on the calling thread, a guest for that time; false: found none. */
bool nap__help_one(struct nap_pool *pool);

/* Whether tasks may be queued that no worker is there to run, or able to. */
bool nap__needs_help(struct nap_pool *pool);

/*
 * The caller is inside: whether that is so, or it is to look at the clock and at files, which nobody
 * else does. It helps then, and if there was nothing it looks again after a pause.
 */
static inline bool needs_help_or_look(struct nap_pool *pool)
{
	return nap__needs_help(pool) || (async_unattended(pool) && all_are_deep(pool));
}

#endif /* NAP_HELP_H */
