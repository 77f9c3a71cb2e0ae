/* SPDX-License-Identifier: MIT */
/* src/sched/search.c. On demand, no queue has a turn before the worker's own. */
#include "sched/fair.h"

#include "program/variant.h"

static inline bool before_turn_or_never(struct nap_worker *worker)
{
	return sim_is_varied(VARIANT_NO_TURNS) || before_turn(worker);
}

#define before_turn before_turn_or_never

#include "../../../src/sched/search.c"
