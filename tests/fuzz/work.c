/* SPDX-License-Identifier: MIT */
/* The driver's schedules, its groups, and its calls with bad arguments. */
#include <errno.h>

#include "fuzz.h"

/* Takes a slot for a task of @kind; NULL: no slot is free. */
static struct slot *prepare(uint32_t p, enum kind kind, uint32_t arg, uint32_t other)
{
	static const uint32_t args[NR_KINDS] = {
		[AGAIN] = 8, [SINGLY] = CHILDREN + 1, [BATCH] = CHILDREN + 1, [FORK] = CHILDREN + 1,
		[WAIT] = 4, [END] = 4, [HELPER] = 8, [HEAP] = 5, [WARM] = 5,
		[JOBS] = CHILDREN + 1,
	};
	struct slot *slot = slot_take(kind, args[kind] ? arg % args[kind] : 0);

	if (!slot)
		return NULL;
	slot->home = p;
	if (kind == OTHER || kind == END || kind == HELPER || kind == WATCH)
		slot->pool = other % POOLS;
	if (kind == WAIT) {
		slot->group = other % GROUPS;
		slot->pool = groups[slot->group].pool;
		nap_fetch_add_relaxed(&groups[slot->group].waiters, 1);
	}
	if (slot->pool != NONE)
		nap_fetch_add_relaxed(&pools[slot->pool].users, 1);
	return slot;
}

void call_schedule(uint32_t p, enum kind kind, uint32_t arg, uint32_t other)
{
	struct slot *slot = prepare(p, kind, arg, other);

	if (!slot)
		return;
	offer(&slot->root, p);
	slot_ready(slot);
}

void call_schedule_batch(uint32_t p, uint32_t n, uint32_t kinds)
{
	struct item *items[SLOTS];
	uint32_t taken = 0;

	while (taken < n) {
		uint32_t by_n = kinds + taken * (kinds >> 4);
		struct slot *slot = prepare(p, by_n % NR_KINDS, by_n, by_n >> 2);

		if (!slot)
			break;
		items[taken++] = &slot->root;
	}
	offer_batch(items, taken, p);
	while (taken)
		slot_ready(items[--taken]->slot);
}

/*
 * Schedules members of a group: as a batch, or one by one if @n is odd. No thread waits for the
 * group yet.
 */
void call_group(uint32_t g, uint32_t n, uint32_t p)
{
	struct fuzz_group *group = &groups[g];
	struct item *items[SLOTS];
	uint32_t taken = 0;

	if (nap_load_acquire(&group->waiters))
		return;
	if (group->pool != NONE)
		p = group->pool;
	for (struct slot *slot; taken < n && (slot = slot_take(MEMBER, 0)); taken++) {
		slot->home = p;
		slot->group = g;
		items[taken] = &slot->root;
	}
	nap_fetch_add_relaxed(&group->todo, taken);
	nap_fetch_add_relaxed(&group->members, taken);
	CHECK(nap_group_add(&group->group, taken) == 0, taken);
	if (n % 2 == 0 && !offer_batch(items, taken, p))
		for (uint32_t i = 0; i < taken; i++)
			group_done(g);
	for (uint32_t i = 0; i < taken; i++) {
		if (n % 2 && !offer(items[i], p))
			group_done(g);
		slot_ready(items[i]->slot);
	}
}

void call_group_init(uint32_t g, uint32_t p)
{
	if (nap_load_acquire(&groups[g].members) || nap_load_acquire(&groups[g].waiters))
		return;
	groups[g].pool = p < POOLS ? p : NONE;
	nap_group_init(&groups[g].group, p < POOLS ? pools[p].pool : NULL);
}

void call_badly(uint32_t p, uint32_t g)
{
	struct nap_config many = { .max_workers = NAP_MAX_WORKERS + 1 };
	struct nap_config flat = { .stack_size = 100 };
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_group group = NAP_GROUP_INIT(pools[p].pool);
	struct nap_pool_stats stats;
	struct nap_pool *memory = pools[0].pool;

	CHECK(nap_pool_init(NULL, NULL) == -EINVAL, 0);
	CHECK(nap_pool_init((struct nap_pool *)((char *)memory + 8), NULL) == -EINVAL, 0);
	CHECK(nap_pool_init(memory, &many) == -EINVAL, 0);
	CHECK(nap_pool_init(memory, &flat) == -EINVAL, 0);
	CHECK(nap_schedule_batch(pools[p].pool, &batch) == 0, p);
	CHECK(nap_pool_get_stats(NULL, &stats) == -EINVAL, 0);
	CHECK(nap_pool_get_stats(pools[p].pool, NULL) == -EINVAL, 0);
	CHECK(nap_worker_get_stats(pools[p].pool, 0, NULL) == -EINVAL, 0);
	CHECK(nap_group_done(&group) == -EINVAL, 0);
	CHECK(nap_group_wait(&group) == 0, 0);
	CHECK(nap_group_add(&group, 0) == 0, 0);
	CHECK(nap_group_add(&group, INT32_MAX) == 0, 0);
	CHECK(nap_group_add(&group, 1) == -EOVERFLOW, 0);
	CHECK(nap_group_done(&group) == 0, 0);
	CHECK(nap_group_add(&group, 2) == -EOVERFLOW, 0);
	if (!nap_load_acquire(&groups[g].members))
		CHECK(nap_group_done(&groups[g].group) == -EINVAL, g);
	CHECK(!nap_worker_self(), 0);
}
