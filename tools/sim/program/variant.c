/* SPDX-License-Identifier: MIT */
#include "program/variant.h"

#include <string.h>

#include <nap/trace_file.h>

#include "kernel/threads.h"
#include "program/access.h"
#include "program/run.h"
#include "program/workers.h"

static uint32_t varied;

void sim_vary(uint32_t variants)
{
	varied = variants;
}

bool sim_is_varied(enum variant variant)
{
	return varied & variant;
}

/*
 * The fences that a pool may leave out. Values are never stale here, so what the fences prevent
 * does not happen.
 */
static const struct {
	enum variant variant;
	const char *function;
} fences[] = {
	{ VARIANT_ZAP_FENCES, "idle_is_notified" },
	{ VARIANT_ZAP_FENCES, "notify_sync" },
	{ VARIANT_ZAP_FENCES, "prepare" },
	{ VARIANT_RAYON_FENCES, "stop_looking" },
};

void sim_fence_in(const char *function)
{
	for (unsigned i = 0; varied && i < sizeof(fences) / sizeof(fences[0]); i++)
		if (varied & fences[i].variant && !strcmp(function, fences[i].function))
			return;
	access_fence();
}

#define MOST_PAUSES	256u

bool sim_backs_off(bool succeeded)
{
	static uint32_t pauses[MAX_THREADS];
	uint32_t *mine = &pauses[current->number];

	if (succeeded) {
		*mine = 0;
		return false;
	}
	if (!(varied & VARIANT_BACK_OFF))
		return false;
	*mine = !*mine ? 4 : *mine < MOST_PAUSES ? 2 * *mine : *mine;
	pay(CAUSE_PAUSE, *mine * machine.relax);
	turn();
	return true;
}

/*
 * The distance of a steal is that from the CPU on which the victim runs, or ran last, to the
 * thief's.
 */
void sim_traced(uint32_t kind, uint32_t other)
{
	enum far far;

	if ((kind != NAP_TRACE_STEAL && kind != NAP_TRACE_JOB_BEGIN) || other == NAP_TRACE_NOBODY ||
	    !sim_run.measures)
		return;
	topology_distance(&machine, threads[thread_of_worker(other)].cpu, current->cpu, &far);
	sim_result.stolen[far]++;
}
