/* SPDX-License-Identifier: MIT */
/*
 * Prints a page of metrics: of pools whose names need escapes, are not UTF-8, or are missing; of a
 * pool that is measured; and of a submitter.
 */
#include <stdio.h>

#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2, .measure = NAP_MEASURE), other;
static struct nap_slot slots[4];
static struct nap_submitter submitter;
static char page[65536];

static void nothing(struct nap_task *task)
{
	(void)task;
}

int main(void)
{
	struct nap_metrics_pool pools[] = { { &pool, "one" }, { &other, "an \"odd\" \\ name\n" },
					    { &other, "no \xff\xc3 UTF-8" }, { &other, NULL },
					    { &pool, NULL } };
	struct nap_metrics_submitter submitters[] = { { &submitter, "slots" } };
	struct nap_task tasks[10];
	size_t len;

	for (int i = 0; i < 10; i++) {
		nap_task_init(&tasks[i], nothing);
		if (nap_schedule(&pool, &tasks[i]))
			return 1;
	}
	if (nap_pool_quiesce(&pool) ||
	    nap_submit_init(&submitter, &pool, slots, 4, 0, 0, NULL, NULL))
		return 1;
	len = nap_metrics_pools(pools, 5, page, sizeof(page));
	len += nap_metrics_submitters(submitters, 1, page + len, sizeof(page) - len);
	fputs(page, stdout);
	return nap_pool_join(&pool, NULL) || len >= sizeof(page);
}
