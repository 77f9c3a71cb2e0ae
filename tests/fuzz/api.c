/* SPDX-License-Identifier: MIT */
/*
 * The driver: every byte string is a program of calls. The model that checks the calls is in
 * fuzz.h.
 */
#include <sched.h>

#include "fuzz.h"

#define CALLS_MAX	300

struct bytes {
	const uint8_t *data;
	size_t size;
};

/* Returns the next byte; zeros after the end of the string. */
static uint32_t next(struct bytes *bytes)
{
	if (!bytes->size)
		return 0;
	bytes->size--;
	return *bytes->data++;
}

enum call {
	SCHEDULE, SCHEDULE_BATCH, GROUP, PREWARM, HELP, QUIESCE, QUIESCE_FOR, GROUP_WAIT,
	GROUP_INIT, SHUTDOWN, JOIN, INIT, RENEW, STATS, FAIL_STARTS, FAIL_MAPS, SPURIOUS, DOOR,
	PAUSE, BADLY, NR_CALLS
};

static void one_call(struct bytes *bytes)
{
	uint32_t call = next(bytes) % NR_CALLS, p = next(bytes), a;

	switch (call) {
	case SCHEDULE:
		a = next(bytes);
		call_schedule(p % POOLS, (p >> 2) % NR_KINDS, a, a >> 3);
		break;
	case SCHEDULE_BATCH:
		a = next(bytes);
		call_schedule_batch(p % POOLS, (p >> 2) % (SLOTS + 1), a);
		break;
	case GROUP:
		a = next(bytes);
		call_group(a % GROUPS, a >> 4, p % POOLS);
		break;
	case PREWARM:
		call_prewarm(p % POOLS, p >> 4);
		break;
	case HELP:
		call_help(p % POOLS, p >> 2);
		break;
	case QUIESCE:
		call_quiesce(p % POOLS, NAP_FOREVER);
		break;
	case QUIESCE_FOR:
		call_quiesce(p % POOLS, timeout_of(p >> 2));
		break;
	case GROUP_WAIT:
		call_wait(p % GROUPS, timeout_of(p >> 2));
		break;
	case GROUP_INIT:
		call_group_init(p % GROUPS, (p >> 2) % (POOLS + 1));
		break;
	case SHUTDOWN:
		call_shutdown(p % POOLS, (p >> 2) % 4);
		break;
	case JOIN:
		call_join(p % POOLS, p & 4);
		break;
	case INIT:
		call_init(p % POOLS, next(bytes));
		break;
	case RENEW:
		call_renew(p % POOLS);
		break;
	case STATS:
		call_stats(p % POOLS);
		break;
	case FAIL_STARTS:
		nap_store_relaxed(&fail_starts, p == 0xff ? UINT32_MAX : p % 8);
		break;
	case FAIL_MAPS:
		nap_store_relaxed(&fail_maps, p == 0xff ? UINT32_MAX : p % 8);
		break;
	case SPURIOUS:
		/*
		 * @spurious is never 1, so some sleeps are real. Otherwise no time limit of a wait
		 * would ever be reached.
		 */
		nap_store_relaxed(&spurious, p % 8 ? 1 + p % 8 : 0);
		break;
	case DOOR:
		nap_store_release(&door_closed, p % 2);
		break;
	case PAUSE:
		for (uint32_t i = 0; i < p % 128; i++)
			sched_yield();
		if (p < 128)
			break;
		a = next(bytes);
		call_loops(p % POOLS, a, next(bytes));
		break;
	case BADLY:
		call_badly(p % POOLS, (p >> 2) % GROUPS);
		break;
	}
}

static void begin(void)
{
	loops_begun = 0;
	seam_begin();
	model_begin();
	for (uint32_t p = 0; p < POOLS; p++)
		call_renew(p);
	for (uint32_t g = 0; g < GROUPS; g++)
		call_group_init(g, g);
}

/*
 * Quiesces every pool twice, because a task of one pool may schedule on another pool that was
 * already quiet.
 */
static void end(void)
{
	for (uint32_t turn = 0; turn < 2 * POOLS; turn++)
		call_quiesce(turn % POOLS, NAP_FOREVER);
	for (uint32_t p = 0; p < POOLS; p++)
		call_join(p, true);
	model_end();
	free_pools();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };

	begin();
	for (int i = 0; i < CALLS_MAX && bytes.size; i++)
		one_call(&bytes);
	end();
	return 0;
}
