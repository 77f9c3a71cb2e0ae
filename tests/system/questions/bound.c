/* SPDX-License-Identifier: MIT */
#include "try.h"
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static int begun, go_on, answered;

struct request {
	int n;
};

static void answer(void *request)
{
	(void)request;
	SET(begun);
	UNTIL(go_on);
	answered++;
}

#include PIECE

int main(void)
{
	struct request request;

	for (int i = 0; i < 1000; i++)
		TRY(handle(&request) == 0);
	UNTIL(begun);
	TRY(handle(&request) == -EAGAIN);
	SET(go_on);
	TRY(nap_pool_join(&pool, NULL) == 0 && answered == 1000);
	return 0;
}
