/* SPDX-License-Identifier: MIT */
/* A start that has failed, beside workers that are there, is tried again. */
#ifndef NAP_RETRY_H
#define NAP_RETRY_H

#include <stdbool.h>

#include <nap/pool.h>

/*
 * Any thread: whether a start has failed, beside workers that are there, and none has succeeded
 * since. Work that is left, or comes before the next try is allowed, may wait for that try.
 */
bool nap__start_owed(struct nap_pool *pool);

/* Any thread inside: as above; then it tries again, if there is work. */
bool nap__retry_start(struct nap_pool *pool);

#endif /* NAP_RETRY_H */
