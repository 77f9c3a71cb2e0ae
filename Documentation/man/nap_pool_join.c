/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <errno.h>

static struct nap_pool pool;

int main(void)
{
	struct nap_batch left;
	int err;

	nap_pool_prewarm(&pool, 1);
	err = nap_pool_join_for(&pool, &left, 5000000000);
	if (err == -ETIMEDOUT) {
		nap_pool_shutdown(&pool, NAP_STOP);
		err = nap_pool_join(&pool, &left);
		nap_work_end_left(&left);
	}
	return err;
}
