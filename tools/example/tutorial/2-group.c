/* SPDX-License-Identifier: MIT */
/* 2-group FILE...: counts the lines of many files at once, and waits for the sum. */
#include <nap/nap.h>
#include <stdio.h>
#include <stdlib.h>

#include "count.h"

struct job {
	struct nap_task task;
	struct nap_group *group;
	const char *path;
	long lines;
};

static void run(struct nap_task *task)
{
	struct job *job = nap_container_of(task, struct job, task);

	job->lines = count_lines(job->path);
	nap_group_done(job->group);
}

int main(int argc, char **argv)
{
	static struct nap_pool pool;
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct job *jobs = calloc((size_t)argc, sizeof(*jobs));
	struct nap_batch batch = NAP_BATCH_INIT;
	long sum = 0;

	if (!jobs)
		return 1;
	nap_group_add(&group, (uint32_t)argc - 1);
	for (int i = 1; i < argc; i++) {
		jobs[i] = (struct job){ NAP_TASK_INIT(run), &group, argv[i], 0 };
		nap_batch_push(&batch, &jobs[i].task);
	}
	nap_schedule_batch(&pool, &batch);
	nap_group_wait(&group);
	for (int i = 1; i < argc; i++) {
		printf("%ld %s\n", jobs[i].lines, jobs[i].path);
		sum += jobs[i].lines > 0 ? jobs[i].lines : 0;
	}
	printf("%ld total\n", sum);
	free(jobs);
	return nap_pool_join(&pool, NULL) ? 1 : 0;
}
