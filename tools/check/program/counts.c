/* SPDX-License-Identifier: MIT */
/* Semaphores and barriers: words that count. Threads wait for them as for locks (locks.c). */
#include <errno.h>

#include "program/caller.h"
#include "program/locations.h"
#include "program/locks.h"
#include "program/ops.h"

int count_take(uint32_t *word, bool try, bool timed, uintptr_t pc)
{
	if (OUTSIDE)
		return 0;
	for (;;) {
		uint32_t old = (uint32_t)op_load(word, 4, O_RELAXED, pc);

		object_is_there(word, old, pc);
		if (!old) {
			if (try)
				return EAGAIN;
			if (timed && op_choose(2, 0, pc))
				return ETIMEDOUT;
			wait_for_newer("the semaphore", word, timed, pc);
		} else if (op_rmw(word, 4, RMW_CAS, old - 1, old, O_ACQUIRE, O_RELAXED,
				  pc) == old) {
			return 0;
		}
	}
}

void count_give(uint32_t *word, uintptr_t pc)
{
	object_is_there(word, (uint32_t)op_rmw(word, 4, RMW_ADD, 1, 0, O_ACQ_REL, O_RELAXED, pc),
			pc);
}

/*
 * The last thread to come notifies the other threads by a location outside of the barrier's memory:
 * a notified thread may destroy the barrier while some of the others have yet to go on.
 */
bool meet(uint32_t *arrived, uint32_t total, uint32_t barrier, uintptr_t pc)
{
	uint32_t before = (uint32_t)op_rmw(arrived, 4, RMW_ADD, 1, 0, O_ACQ_REL, O_RELAXED, pc);
	unsigned told = location_hidden(HIDDEN_BARRIER, (uint64_t)barrier << 24 | before / total);

	object_is_there(arrived, before, pc);
	if ((before + 1) % total == 0) {
		hidden_store(told, O_RELEASE, 0, pc);
		return true;
	}
	threads[self].waits_on = (uintptr_t)arrived;
	hidden_await(told, O_ACQUIRE, 0, false, pc);
	return false;
}

uint32_t barrier_number(void)
{
	static uint32_t by_setup;
	uint32_t nth = OUTSIDE ? by_setup++ : threads[self].barriers++;

	return self << 24 | (nth & 0xffffff);
}
