/* SPDX-License-Identifier: MIT */
/* The slots for tasks, and the checks of their counts. */
#include "fuzz.h"

struct slot slots[SLOTS];

/* Checks the counts of a slot whose tasks have all ended. */
void slot_check(struct slot *slot)
{
	CHECK(slot->offered == slot->ran + slot->refused + slot->returned, slot->offered);
	if (slot->offered && !slot->refused && !slot->returned)
		CHECK(slot->ran == runs_of(slot), slot->ran);
}

struct slot *slot_take(enum kind kind, uint32_t arg)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[i];

		if (nap_load_acquire(&slot->pending))
			continue;
		slot_check(slot);
		slot->kind = kind;
		slot->arg = slot->left = arg;
		slot->pool = slot->group = NONE;
		nap_store_relaxed(&slot->pending, 1);
		slot->offered = slot->ran = slot->refused = slot->returned = 0;
		return slot;
	}
	return NULL;
}

void slot_ready(struct slot *slot)
{
	nap_fetch_sub_release(&slot->pending, 1);
}

bool is_alone(uint32_t p)
{
	for (int i = 0; i < SLOTS; i++)
		if (nap_load_acquire(&slots[i].pending) && slots[i].home != p)
			return false;
	for (uint32_t other = 0; other < POOLS; other++)
		if (other != p && nap_load_relaxed(&pools[other].heap))
			return false;
	return true;
}

void model_end(void)
{
	for (int i = 0; i < SLOTS; i++) {
		CHECK(!nap_load_acquire(&slots[i].pending), i);
		slot_check(&slots[i]);
	}
	for (int p = 0; p < POOLS; p++) {
		CHECK(!nap_load_relaxed(&pools[p].heap), p);
		CHECK(!nap_load_relaxed(&pools[p].users), p);
	}
	for (int g = 0; g < GROUPS; g++) {
		CHECK(!nap_load_acquire(&groups[g].members), g);
		CHECK(!nap_load_acquire(&groups[g].waiters), g);
	}
	seam_end();
}
