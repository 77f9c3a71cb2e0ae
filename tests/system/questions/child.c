/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int count;

static void add(struct nap_task *task)
{
	(void)task;
	count++;
}

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
	struct nap_task task = NAP_TASK_INIT(add);
	int status;
	pid_t pid;

	TRY(nap_schedule(&pool, &task) == 0 && nap_pool_quiesce(&pool) == 0);
	pid = fork();
	if (pid == 0) {
		TRY(nap_schedule(&pool, &task) == -ESHUTDOWN);
		TRY(nap_pool_quiesce(&pool) == -ESHUTDOWN);
		TRY(in_the_child(&pool, &task, add) == 0);
		TRY(nap_pool_join(&pool, NULL) == 0 && count == 2);
		exit(0);
	}
	TRY(waitpid(pid, &status, 0) == pid && status == 0);
	TRY(nap_pool_join(&pool, NULL) == 0 && count == 1);
	return 0;
}
