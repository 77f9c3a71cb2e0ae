/* SPDX-License-Identifier: MIT */
/* Whether a pool has nothing to do: src/idle/at_rest.c. */
#ifndef NAP_AT_REST_H
#define NAP_AT_REST_H

#include <stdbool.h>

#include <nap/pool.h>

/*
 * Any thread inside the pool: nothing was queued and nobody inside a task, at some moment during
 * the call. What the tasks did is visible.
 */
bool nap__pool_at_rest(struct nap_pool *pool);

#endif /* NAP_AT_REST_H */
