/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

#include <poll.h>

static struct nap_cq cq;
static struct nap_task tasks[1000];
static int next;

static void out(struct nap_task *task)
{
	TRY(task == &tasks[next++]);
}

static void run(struct nap_task *task)
{
	nap_task_init(task, out);
	TRY(nap_cq_push(&cq, task) == 0);
}

/* All come out, in order, though the loop looks once. */
int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
	struct pollfd fd;

	TRY(nap_cq_init(&cq) == 0);
	for (int i = 0; i < 1000; i++)
		nap_task_init(&tasks[i], run);
	TRY(schedule_all(&pool, tasks, 1000) == 0 && nap_pool_join(&pool, NULL) == 0);
	fd = (struct pollfd){ .fd = nap_cq_fd(&cq), .events = POLLIN };
	TRY(nap_cq_depth(&cq) == 1000 && poll(&fd, 1, 0) == 1);
	TRY(nap_cq_run(&cq, 0) == 1000 && next == 1000);
	nap_cq_run(&cq, 0);
	TRY(poll(&fd, 1, 0) == 0);
	return 0;
}
