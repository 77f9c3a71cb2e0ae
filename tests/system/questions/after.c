/* SPDX-License-Identifier: MIT */
#include "try.h"
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_work link_work;
static struct nap_after after;
static int compiled, fails, result_of_link;

#include PIECE

static int compile(struct nap_work *work)
{
	(void)work;
	__atomic_fetch_add(&compiled, 1, __ATOMIC_RELAXED);
	return fails;
}

static int link_all(struct nap_work *work)
{
	(void)work;
	TRY(__atomic_load_n(&compiled, __ATOMIC_RELAXED) == 20);
	return 7;
}

static void linked(struct nap_work *work, int result)
{
	(void)work;
	result_of_link = result;
}

int main(void)
{
	static struct nap_work parts[20];

	for (int i = 0; i < 20; i++)
		nap_work_init(&parts[i], compile, part_done, NULL);
	nap_work_init(&link_work, link_all, linked, NULL);
	TRY(build(parts, 20) == 0 && nap_pool_quiesce(&pool) == 0 && result_of_link == 7);
	fails = 1;
	compiled = 0;
	TRY(build(parts, 20) == 0 && nap_pool_join(&pool, NULL) == 0 &&
	    result_of_link == -ECANCELED);
	return 0;
}
