/* SPDX-License-Identifier: MIT */
#include <nap/fiber.h>
#include <nap/group.h>
#include <nap/nap.h>
#include <stdlib.h>

struct request {
	struct nap_fiber_start start;
	struct nap_group *all;
};

static intptr_t serve(void *arg)
{
	struct request *request = arg;
	struct nap_group *all = request->all;

	nap_yield();	/* or any other wait */
	free(request);
	nap_group_done(all);
	return 0;
}

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
	struct nap_fibers_config config = { .most = 8 };
	struct nap_group all = NAP_GROUP_INIT(&pool);

	if (nap_fibers_init(&pool, &config))
		return 1;
	for (int i = 0; i < 1000; i++) {
		struct request *request = malloc(sizeof(*request));

		if (!request)
			return 1;
		request->all = &all;
		nap_group_add(&all, 1);
		if (nap_fiber_start_init(&request->start, &pool, serve, request) ||
		    nap_schedule(&pool, &request->start.task))
			return 1;
	}
	nap_group_wait(&all);
	return nap_pool_join(&pool, NULL);
}
