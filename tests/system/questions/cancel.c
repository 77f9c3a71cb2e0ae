/* SPDX-License-Identifier: MIT */
#include "try.h"
#include <stdbool.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static int begun, ended, result_of[2];
static struct nap_work works[2];

static bool try_next(struct nap_work *work)
{
	(void)work;
	SET(begun);
	return false;
}

static void done(struct nap_work *work, int result)
{
	result_of[work - works] = result;
	if (work == &works[0])
		SET(ended);
}

#include PIECE

int main(void)
{
	TRY(start(&works[0]) == 0 && start(&works[1]) == 0);
	UNTIL(begun);
	TRY(nap_cancel(&works[1]));		/* it has not begun, and will not */
	TRY(!nap_cancel(&works[0]));		/* it runs, and is notified */
	UNTIL(ended);
	nap_work_init(&works[0], look_up, done, NULL);
	works[0].deadline = 1;			/* has passed */
	ended = 0;
	TRY(result_of[0] == -EINTR && nap_work_schedule(&pool, &works[0]) == 0);
	TRY(nap_pool_join(&pool, NULL) == 0 && result_of[0] == -ETIMEDOUT &&
	    result_of[1] == -ECANCELED);
	return 0;
}
