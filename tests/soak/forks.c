/* SPDX-License-Identifier: MIT */
/*
 * Tasks that each fork and join a tree of jobs, and then schedule themselves. The leaves of the
 * tree are counted one by one. A task is counted as wrong if one of its jobs did not run exactly
 * once.
 */
#include "soak.h"

#define FORKERS	16
#define DEPTH	5
#define LEAVES	(1u << DEPTH)

static struct forker {
	struct item item;
	uint8_t runs[LEAVES];
} forkers[FORKERS];

/* The leaves from @first to @first + @n - 1. */
struct leaves {
	struct forker *forker;
	unsigned int first, n;
};

static void run_leaves(struct nap_worker *worker, struct nap_frame *top, struct leaves leaves);
NAP_JOB_VOID(run_leaves, struct leaves)

static void run_leaves(struct nap_worker *worker, struct nap_frame *top, struct leaves leaves)
{
	struct leaves lower = leaves, upper = leaves;

	if (leaves.n == 1) {
		leaves.forker->runs[leaves.first]++;
		return;
	}
	lower.n = upper.n = leaves.n / 2;
	upper.first += upper.n;
	run_leaves(worker, run_leaves_fork(worker, top, upper), lower);
	run_leaves_join(worker, top, upper);
}

static void run_forker(struct nap_task *task)
{
	struct forker *forker = nap_container_of(task, struct forker, item.task);
	struct item *item = &forker->item;

	run_leaves(nap_worker_self(), nap_top(nap_worker_self()),
		   (struct leaves){ forker, 0, LEAVES });
	for (unsigned int i = 0; i < LEAVES; i++) {
		if (forker->runs[i] != 1)
			tally_add(&soak_tally->wrong[item->shape], 1);
		forker->runs[i] = 0;
	}
	item_ran(item);
	if (item->left-- > 0 && !soak_interrupted())
		item_schedule(item);
}

void soak_forks(unsigned int shape, unsigned long tasks)
{
	int err;

	for (int i = 0; i < FORKERS; i++) {
		item_init(&forkers[i].item, shape, run_forker, &soak_a);
		forkers[i].item.left = (uint32_t)(tasks / FORKERS);
		item_schedule(&forkers[i].item);
	}
	err = nap_pool_quiesce(&soak_a);
	if (err)
		soak_fault("nap_pool_quiesce() of a running pool returned", err);
	for (int i = 0; i < FORKERS; i++)
		items_check(&forkers[i].item, 1);
}
