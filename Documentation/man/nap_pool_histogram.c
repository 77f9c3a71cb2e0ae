/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <inttypes.h>
#include <stdio.h>

static struct nap_pool pool = NAP_POOL_INIT(.measure = NAP_MEASURE);
static struct nap_task tasks[100];

static void nothing(struct nap_task *task)
{
	(void)task;
}

int main(void)
{
	struct nap_histogram waited;

	for (int i = 0; i < 100; i++) {
		nap_task_init(&tasks[i], nothing);
		nap_schedule(&pool, &tasks[i]);
	}
	nap_pool_quiesce(&pool);
	if (nap_pool_histogram(&pool, NAP_MEASURE_WAIT, NAP_ALL_CLASSES, &waited) == 0)
		printf("%" PRIu64 " tasks, half of them waited up to %" PRIu64 " ns\n",
		       waited.count, nap_histogram_quantile(&waited, 500000));
	return nap_pool_join(&pool, NULL);
}
