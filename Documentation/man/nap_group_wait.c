/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>

static struct nap_pool pool;
static struct nap_group group = NAP_GROUP_INIT(&pool);

static void part(struct nap_task *task)
{
	(void)task;
	nap_group_done(&group);
}

int main(void)
{
	struct nap_task parts[4];

	nap_group_add(&group, 4);
	for (int i = 0; i < 4; i++) {
		nap_task_init(&parts[i], part);
		if (nap_schedule(&pool, &parts[i]))
			nap_group_done(&group);
	}
	nap_group_wait(&group);
	return nap_pool_join(&pool, NULL);
}
