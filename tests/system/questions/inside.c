/* SPDX-License-Identifier: MIT */
#include "try.h"
#include <stdbool.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

struct pair {
	struct nap_task outer, inner;
	struct nap_group group;
	bool outer_ended;
};

#include PIECE

static void inner(struct nap_task *task)
{
	struct pair *pair = nap_container_of(task, struct pair, inner);

	TRY(!pair->outer_ended);
	nap_group_done(&pair->group);
}

int main(void)
{
	struct pair pair = { NAP_TASK_INIT(outer), NAP_TASK_INIT(inner), NAP_GROUP_INIT(&pool),
			     false };

	TRY(nap_schedule(&pool, &pair.outer) == 0 && nap_pool_join(&pool, NULL) == 0 &&
	    pair.outer_ended);
	return 0;
}
