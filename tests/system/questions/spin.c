/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static void nothing(struct nap_task *task)
{
	(void)task;
}

int main(void)
{
	struct nap_task task = NAP_TASK_INIT(nothing);

	TRY(nap_schedule(&pool, &task) == 0);
	return nap_pool_join(&pool, NULL);
}
