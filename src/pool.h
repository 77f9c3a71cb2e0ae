/* SPDX-License-Identifier: MIT */
/* The beginning of a pool's end: src/pool.c. */
#ifndef NAP_POOL_INTERNAL_H
#define NAP_POOL_INTERNAL_H

#include <nap/pool.h>

/* nap_pool_shutdown(), for who is inside nap. */
int nap__shutdown(struct nap_pool *pool, enum nap_shutdown mode);

#endif /* NAP_POOL_INTERNAL_H */
