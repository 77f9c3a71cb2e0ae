/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_group group = NAP_GROUP_INIT(&pool);

static void ring(struct nap_task *task)
{
	(void)task;
	puts("a tenth of a second");
	nap_group_done(&group);
}

int main(void)
{
	struct nap_timer timer;

	nap_timer_init(&timer, ring);
	nap_group_add(&group, 1);
	if (nap_schedule_after(&pool, &timer, 100000000))
		return 1;
	nap_group_wait(&group);
	return nap_pool_join(&pool, NULL) != 0;
}
