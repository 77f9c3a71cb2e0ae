/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <stdio.h>
#include <string.h>

static struct nap_pool pool;

int main(void)
{
	struct nap_config config = { .max_workers = 2, .name = "hash" };
	int err = nap_pool_init(&pool, &config);

	if (!err)
		err = nap_pool_prewarm(&pool, 1);
	if (err) {
		fprintf(stderr, "no worker: %s\n", strerror(-err));
		return 1;
	}
	return nap_pool_join(&pool, NULL);
}
