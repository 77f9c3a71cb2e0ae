/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int begun, go_on;

static void long_one(struct nap_task *task)
{
	(void)task;
	SET(begun);
	UNTIL(go_on);
}

static void never(struct nap_task *task)
{
	(void)task;
	TRY(!"it does not begin");
}

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1), unused;
	struct nap_task first = NAP_TASK_INIT(long_one), second = NAP_TASK_INIT(never);
	struct nap_batch left;

	TRY(end_within(&unused, &left, 1000) == 0 && left.count == 0);
	TRY(nap_schedule(&pool, &first) == 0 && nap_schedule(&pool, &second) == 0);
	UNTIL(begun);
	TRY(end_within(&pool, &left, 1000000) == -ETIMEDOUT);
	SET(go_on);
	TRY(nap_pool_join(&pool, &left) == 0 && left.count == 1 && left.head == &second);
	return 0;
}
