/* SPDX-License-Identifier: MIT */
/* Dumps all pools of the process, one after another. */
#include "dump/dump.h"

#include <errno.h>

#include "worker/pools.h"

int nap_pools_dump(int fd)
{
	int first = 0;

	for (uint32_t i = 0; i < NAP_POOLS; i++) {
		struct nap_pool *pool = pool_look(&nap__pools[i]);
		int err = pool ? nap__dump_pool(pool, fd) :
				 nap__dump_parents(pool_of_parent(&nap__pools[i]), fd);

		if (pool)
			pool_look_away(&nap__pools[i]);
		if (err && err != -ESHUTDOWN && !first)
			first = err;
	}
	return first;
}
