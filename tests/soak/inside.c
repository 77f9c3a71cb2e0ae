/* SPDX-License-Identifier: MIT */
/* Shapes in which tasks schedule tasks. */
#include "soak.h"

/*
 * Families: a root schedules its children, and the child that runs last schedules the root again.
 * CHILDREN tasks fit into a ring, FLOOD_CHILDREN do not.
 */
#define FAMILIES	8
#define CHILDREN	200
#define FLOOD_CHILDREN	600

struct family {
	struct item root, child[2 * FLOOD_CHILDREN];
	/* how many children are scheduled one by one, and how many in batches */
	unsigned int one_by_one, batch;
	unsigned long turns;
	uint32_t missing nap__line;		/* atomic */
};

static struct family families[FAMILIES];

static void run_child(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);
	struct family *family = item->family;

	item_ran(item);
	/*
	 * A release, because the child that comes last, and then the root, must see this child's
	 * writes.
	 */
	if (nap_fetch_sub_acq_rel(&family->missing, 1) == 1 && family->turns) {
		item_schedule(&family->root);
	}
}

static void run_root(struct nap_task *task)
{
	struct family *family = nap_container_of(task, struct item, task)->family;
	struct nap_batch batch = NAP_BATCH_INIT;
	unsigned int one_by_one = family->one_by_one, n = one_by_one + family->batch;

	item_ran(&family->root);
	family->turns = soak_interrupted() ? 0 : family->turns - 1;
	/*
	 * The root counts as a child, too. Otherwise the last child could schedule the root before
	 * the root has scheduled all children.
	 */
	nap_store_relaxed(&family->missing, n + 1);
	for (unsigned int i = 0; i < one_by_one; i++)
		item_schedule(&family->child[i]);
	for (unsigned int i = one_by_one; i < n; i++) {
		item_add(&batch, &family->child[i]);
		if (i % 64 == 63 || i == n - 1)
			item_schedule_batch(&batch, &soak_a);
	}
	if (nap_fetch_sub_acq_rel(&family->missing, 1) == 1 && family->turns)
		item_schedule(&family->root);
}

static void family_init(struct family *family, unsigned int shape)
{
	family->one_by_one = shape == FLOOD ? FLOOD_CHILDREN : shape == INSIDE_ONE ? CHILDREN : 0;
	family->batch = shape == FLOOD ? FLOOD_CHILDREN : shape == INSIDE_BATCH ? CHILDREN : 0;
	item_init(&family->root, shape, run_root, &soak_a);
	family->root.family = family;
	for (int i = 0; i < 2 * FLOOD_CHILDREN; i++) {
		item_init(&family->child[i], shape, run_child, &soak_a);
		family->child[i].family = family;
	}
}

static void quiesce_a(void)
{
	int err = nap_pool_quiesce(&soak_a);

	if (err)
		soak_fault("nap_pool_quiesce() of a running pool returned", err);
}

void soak_inside(unsigned int shape, unsigned long tasks)
{
	for (int i = 0; i < FAMILIES; i++) {
		struct family *family = &families[i];

		family_init(family, shape);
		family->turns = 1 + tasks / FAMILIES / (family->one_by_one + family->batch + 1);
		item_schedule(&family->root);
	}
	quiesce_a();
	for (int i = 0; i < FAMILIES; i++) {
		items_check(&families[i].root, 1);
		items_check(families[i].child, 2 * FLOOD_CHILDREN);
	}
}

/* ---- a task that schedules itself ---- */

#define AGAIN_ITEMS	64

static struct item again[AGAIN_ITEMS];

static void run_again(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);

	item_ran(item);
	if (item->left-- > 0 && !soak_interrupted())
		item_schedule(item);
}

void soak_again(unsigned int shape, unsigned long tasks)
{
	for (int i = 0; i < AGAIN_ITEMS; i++) {
		item_init(&again[i], shape, run_again, &soak_a);
		again[i].left = (uint32_t)(tasks / AGAIN_ITEMS);
		item_schedule(&again[i]);
	}
	quiesce_a();
	items_check(again, AGAIN_ITEMS);
}

/* ---- trees: node i has the children 2i + 1 and 2i + 2 ---- */

#define TREES		4
#define NODES		4095

static struct item trees[TREES][NODES];

static void run_node(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task), *tree = item->family;
	size_t child = 2 * (size_t)(item - tree) + 1;

	item_ran(item);
	if (child < NODES) {
		item_schedule(&tree[child]);
		item_schedule(&tree[child + 1]);
	}
}

void soak_tree(unsigned int shape, unsigned long tasks)
{
	for (int t = 0; t < TREES; t++)
		for (int i = 0; i < NODES; i++) {
			item_init(&trees[t][i], shape, run_node, &soak_a);
			trees[t][i].family = trees[t];
		}
	for (unsigned long i = 0; i < tasks && !soak_interrupted(); i += TREES * NODES) {
		for (int t = 0; t < TREES; t++)
			item_schedule(&trees[t][0]);
		quiesce_a();
	}
	items_check(trees[0], TREES * NODES);
}
