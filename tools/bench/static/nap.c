/* SPDX-License-Identifier: MIT */
/*
 * The least program: it schedules one task, and waits for it. The peers' programs beside this
 * file do the same.
 */
#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_group group = NAP_GROUP_INIT(&pool);

static void runs(struct nap_task *unused)
{
	(void)unused;
	nap_group_done(&group);
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(runs);

	nap_group_add(&group, 1);
	return nap_schedule(&pool, &task) || nap_group_wait(&group) || nap_pool_join(&pool, NULL);
}
