/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <inttypes.h>
#include <stdio.h>

static struct nap_pool pool;

int main(void)
{
	struct nap_pool_stats stats;

	nap_pool_prewarm(&pool, 1);
	if (nap_pool_get_stats(&pool, &stats) == 0)
		printf("%" PRIu32 " workers, %" PRIu64 " tasks\n", stats.spawned,
		       stats.workers.run);
	return nap_pool_join(&pool, NULL);
}
