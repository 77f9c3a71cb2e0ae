/* SPDX-License-Identifier: MIT */
/* Waiting until a pool has nothing to do: src/wait/quiesce.c. */
#ifndef NAP_QUIESCE_H
#define NAP_QUIESCE_H

#include <stdint.h>

#include <nap/pool.h>

/* Until the pool is quiet; 0, -ECANCELED, -ETIMEDOUT or -ESHUTDOWN (forked in between). */
int nap__quiesce(struct nap_pool *pool, uint64_t deadline);

#endif /* NAP_QUIESCE_H */
