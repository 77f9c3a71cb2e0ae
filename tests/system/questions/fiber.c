/* SPDX-License-Identifier: MIT */
#include "try.h"
#define PARTS 10

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

struct job {
	struct nap_group group;
	struct part {
		struct nap_task task;
		struct job *job;
	} parts[PARTS];
};

#include PIECE

static int on_a_fiber;

static void part(struct nap_task *task)
{
	on_a_fiber += nap_fiber_self() != NULL;
	nap_group_done(&nap_container_of(task, struct part, task)->job->group);
}

int main(void)
{
	static struct job job = { .group = NAP_GROUP_INIT(&pool) };
	struct nap_fiber *fiber;
	intptr_t result = -1;

	for (int i = 0; i < PARTS; i++)
		job.parts[i] = (struct part){ NAP_TASK_INIT(part), &job };
	TRY(nap_spawn(&pool, &fiber, long_job, &job) == 0);
	TRY(nap_await(fiber, &result) == 0 && result == 0 && on_a_fiber == 0);
	return nap_pool_join(&pool, NULL);
}
