/* SPDX-License-Identifier: MIT */
/*
 * Shapes that wait for groups and for quiescence, and a shape in which two pools schedule on each
 * other.
 */
#include <string.h>

#include "soak.h"

static void wait_for(struct nap_group *group)
{
	int err = nap_group_wait(group);

	if (err)
		soak_fault("nap_group_wait() on a running pool returned", err);
}

static void add_to(struct nap_group *group, unsigned int n)
{
	if (nap_group_add(group, n))
		soak_fault("nap_group_add() failed with so many", n);
}

/* item_ran() is the last access of the item. Then the waiting thread may offer it again. */
static void run_member(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);
	struct nap_group *group = item->group;

	item_ran(item);
	if (nap_group_done(group))
		soak_fault("nap_group_done() found nothing to be done", 0);
}

/* Schedules @items, and waits for all of them. The group is on the stack of this call. */
static void one_group(struct item *items, unsigned int n)
{
	struct nap_group group = NAP_GROUP_INIT(items->pool);

	add_to(&group, n);
	for (unsigned int i = 0; i < n; i++) {
		items[i].group = &group;
		item_schedule(&items[i]);
	}
	wait_for(&group);
	items_check(items, n);
	/* From now on no thread may touch the group. */
	memset(&group, 0xee, sizeof(group));
}

/* ---- from outside ---- */

#define MEMBERS_OUTSIDE	32

static struct item outside[SOAK_PRODUCERS][MEMBERS_OUTSIDE];

static void produce_groups(unsigned int producer, unsigned int shape, unsigned long tasks)
{
	struct item *items = outside[producer];

	for (int i = 0; i < MEMBERS_OUTSIDE; i++)
		item_init(&items[i], shape, run_member, &soak_a);
	for (unsigned long i = 0; i < tasks && !soak_interrupted(); i += MEMBERS_OUTSIDE)
		one_group(items, MEMBERS_OUTSIDE);
}

void soak_group_outside(unsigned int shape, unsigned long tasks)
{
	soak_produce(produce_groups, shape, tasks);
}

/* ---- on workers: a wait runs other tasks, also tasks that other threads wait for */

#define WAITERS		8
#define MEMBERS_INSIDE	15

static struct waiter {
	struct item item, member[MEMBERS_INSIDE];
} waiters[WAITERS];

static void run_waiter(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);
	struct waiter *waiter = item->family;

	item_ran(item);
	one_group(waiter->member, MEMBERS_INSIDE);
	if (item->left-- > 0 && !soak_interrupted())
		item_schedule(item);
}

void soak_group_inside(unsigned int shape, unsigned long tasks)
{
	for (int i = 0; i < WAITERS; i++) {
		struct waiter *waiter = &waiters[i];

		item_init(&waiter->item, shape, run_waiter, &soak_a);
		waiter->item.family = waiter;
		waiter->item.left = (uint32_t)(tasks / WAITERS / (MEMBERS_INSIDE + 1));
		for (int m = 0; m < MEMBERS_INSIDE; m++)
			item_init(&waiter->member[m], shape, run_member, &soak_a);
	}
	for (int i = 0; i < WAITERS; i++)
		item_schedule(&waiters[i].item);
	if (nap_pool_quiesce(&soak_a))
		soak_fault("nap_pool_quiesce() of a running pool failed", 0);
	for (int i = 0; i < WAITERS; i++) {
		items_check(&waiters[i].item, 1);
		items_check(waiters[i].member, MEMBERS_INSIDE);
	}
}

/* ---- quiescence, again and again ---- */

#define QUIESCE_ITEMS	32

static struct item quiesced[QUIESCE_ITEMS];

void soak_quiesce(unsigned int shape, unsigned long tasks)
{
	for (int i = 0; i < QUIESCE_ITEMS; i++)
		item_init(&quiesced[i], shape, item_only, &soak_a);
	for (unsigned long i = 0, n; i < tasks && !soak_interrupted(); i += n) {
		n = 1 + i % QUIESCE_ITEMS;
		for (unsigned long k = 0; k < n; k++)
			item_schedule(&quiesced[k]);
		if (nap_pool_quiesce(&soak_a))
			soak_fault("nap_pool_quiesce() of a running pool failed", 0);
		items_check(quiesced, QUIESCE_ITEMS);
	}
}

/* ---- scheduling back and forth ---- */

#define BALLS		64

static struct item balls[BALLS];

static void run_ball(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);
	struct nap_group *group = item->group;

	item_ran(item);
	if (item->left-- == 0 || soak_interrupted()) {
		nap_group_done(group);
		return;
	}
	item->pool = item->pool == &soak_a ? &soak_b : &soak_a;
	item_schedule(item);
}

void soak_ping_pong(unsigned int shape, unsigned long tasks)
{
	struct nap_group group = NAP_GROUP_INIT(&soak_b);

	add_to(&group, BALLS);
	for (int i = 0; i < BALLS; i++) {
		item_init(&balls[i], shape, run_ball, i % 2 ? &soak_a : &soak_b);
		balls[i].group = &group;
		balls[i].left = (uint32_t)(tasks / BALLS);
		item_schedule(&balls[i]);
	}
	wait_for(&group);
	items_check(balls, BALLS);
}
