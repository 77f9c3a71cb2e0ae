/* SPDX-License-Identifier: MIT */
/*
 * Fibers. Some of them spawn fibers and await them, wait for groups of tasks of another pool, and
 * yield. The soak counts each fiber as one task, but its pool counts each run between two waits as
 * a task. So the counts of this pool are not compared.
 */
#include <nap/fiber.h>

#include "soak.h"

#define ROOTS		16
#define CHILDREN	7
#define MEMBERS		8

static struct nap_pool *fibers, *tasks_of;

static struct root {
	struct item child[CHILDREN], member[MEMBERS], item;
	struct nap_fiber *fiber[CHILDREN];
	unsigned long rounds;
} roots[ROOTS];

static void run_member(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);
	struct nap_group *group = item->group;

	item_ran(item);
	if (nap_group_done(group))
		soak_fault("nap_group_done() found nothing to be done", 0);
}

/* Not inlined, because the counters belong to the thread on which the fiber runs at this time. */
static __attribute__((noinline)) void ran(struct item *item)
{
	item_ran(item);
}

static __attribute__((noinline)) void schedule(struct item *item)
{
	item_schedule(item);
}

static __attribute__((noinline)) void offer(struct item *item)
{
	item_offer(item);
}

static intptr_t child_main(void *arg)
{
	struct item *item = arg;

	for (uint32_t i = 0; i < item->left; i++)
		nap_yield();
	ran(item);
	return (intptr_t)item;
}

/* Schedules tasks on the other pool and waits for them. The fiber is suspended in this wait. */
static void wait_for_members(struct root *root)
{
	struct nap_group group = NAP_GROUP_INIT(tasks_of);
	int err;

	nap_group_add(&group, MEMBERS);
	for (int i = 0; i < MEMBERS; i++) {
		root->member[i].group = &group;
		schedule(&root->member[i]);
	}
	err = nap_group_wait(&group);
	if (err)
		soak_fault("nap_group_wait() in a fiber returned", err);
}

static void await_children(struct root *root)
{
	for (int i = 0; i < CHILDREN; i++) {
		intptr_t result = 0;
		int err = nap_await(root->fiber[i], &result);

		if (err || result != (intptr_t)&root->child[i])
			soak_fault("nap_await() of a fiber that ends returned", err);
	}
}

static intptr_t root_main(void *arg)
{
	struct root *root = arg;

	for (unsigned long n = 0; n < root->rounds && !soak_interrupted(); n++) {
		for (int i = 0; i < CHILDREN; i++) {
			int err;

			offer(&root->child[i]);
			err = nap_spawn(fibers, &root->fiber[i], child_main, &root->child[i]);
			if (err)
				soak_fault("nap_spawn() on a running pool returned", err);
		}
		wait_for_members(root);
		await_children(root);
	}
	ran(&root->item);
	return 0;
}

static void begin(struct root *root, unsigned int shape, unsigned long tasks)
{
	int err;

	root->rounds = tasks / ROOTS / (CHILDREN + MEMBERS) + 1;
	item_init(&root->item, shape, item_only, fibers);
	for (int c = 0; c < CHILDREN; c++) {
		item_init(&root->child[c], shape, item_only, fibers);
		root->child[c].left = (uint32_t)(c % 3);
	}
	for (int m = 0; m < MEMBERS; m++)
		item_init(&root->member[m], shape, run_member, tasks_of);
	item_offer(&root->item);
	err = nap_spawn(fibers, NULL, root_main, root);
	if (err)
		soak_fault("nap_spawn() on a running pool returned", err);
}

/*
 * Starts the roots, and joins both pools. The join drains: all fibers run to their end, whatever
 * they wait for.
 */
void soak_fibers(unsigned int shape, unsigned long tasks)
{
	static struct nap_pool pools[2];
	const struct nap_config config = { .max_workers = 2, .idle = soak_idle,
		.worker_start = tally_worker_start, .worker_stop = tally_worker_stop };

	fibers = &pools[0];
	tasks_of = &pools[1];
	if (nap_pool_init(fibers, &config) || nap_pool_init(tasks_of, &config))
		soak_fault("nap_pool_init() failed", 0);
	for (int i = 0; i < ROOTS; i++)
		begin(&roots[i], shape, tasks);
	if (nap_pool_join(fibers, NULL) || nap_pool_join(tasks_of, NULL))
		soak_fault("nap_pool_join() of a running pool failed", 0);
	for (int i = 0; i < ROOTS; i++) {
		items_check(&roots[i].item, 1);
		items_check(roots[i].child, CHILDREN);
		items_check(roots[i].member, MEMBERS);
	}
}
