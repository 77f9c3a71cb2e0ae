/* SPDX-License-Identifier: MIT */
#include "try.h"
static int answers;

struct request {
	struct nap_task task;
};

static void answer(struct request *request)
{
	(void)request;
	answers++;
}

#include PIECE

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);

	for (int i = 0; i < 100; i++) {
		struct request *request = malloc(sizeof(*request));

		TRY(request);
		nap_task_init(&request->task, run);
		TRY(nap_schedule(&pool, &request->task) == 0);
	}
	TRY(nap_pool_join(&pool, NULL) == 0 && answers == 100);
	return 0;
}
