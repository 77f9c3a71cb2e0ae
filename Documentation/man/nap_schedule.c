/* SPDX-License-Identifier: MIT */
#include <nap/nap.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
	struct nap_task task;
	int number;
};

static struct nap_pool pool;

static void answer(struct nap_task *task)
{
	struct request *request = nap_container_of(task, struct request, task);

	printf("%d\n", request->number);
	free(request);
}

int main(void)
{
	for (int i = 0; i < 10; i++) {
		struct request *request = malloc(sizeof(*request));

		if (!request)
			break;
		request->number = i;
		nap_task_init(&request->task, answer);
		if (nap_schedule(&pool, &request->task))
			free(request);
	}
	return nap_pool_join(&pool, NULL);
}
