/* SPDX-License-Identifier: MIT */
/* 1-task FILE: counts the lines of a file, on a worker. */
#include <nap/nap.h>
#include <stdio.h>

#include "count.h"

struct job {
	struct nap_task task;
	const char *path;
};

static void run(struct nap_task *task)
{
	struct job *job = nap_container_of(task, struct job, task);

	printf("%ld %s\n", count_lines(job->path), job->path);
}

int main(int argc, char **argv)
{
	static struct nap_pool pool;
	struct job job = { NAP_TASK_INIT(run), argc > 1 ? argv[1] : "/etc/passwd" };

	nap_schedule(&pool, &job.task);
	return nap_pool_join(&pool, NULL) ? 1 : 0;
}
