/* SPDX-License-Identifier: MIT */
#include "graph/fatal.h"
#include "program/fault.h"
#include "program/locations.h"
#include "program/names.h"
#include "program/ops.h"
#include "program/outside.h"
#include "program/pthreads.h"
#include "program/scenario.h"
#include "program/sites.h"
#include "program/stop.h"
#include "program/twice.h"
#include "program/verifier.h"
#include "program/waiters.h"

const struct check_scenario *scenario;
uint32_t may_stop;
bool saw_access, leaks_wanted;
unsigned long witnessed;

bool scenario_begin(const struct check_scenario *s, uint32_t stopping)
{
	scenario = s;
	may_stop = stopping;
	fatal_is_about(s->name);
	names_clear();
	waiters_find();
	sites_next_scenario();
	saw_access = heavy_fences = false;
	memory_forget_setup();
	memory_restore();
	locations_clear();
	creations_clear();
	twice_clear();
	fault.found = false;
	if (s->setup && !run_outside(s->setup)) {
		search_failed(fault.found ? FOUND_FAULT : UNDECIDED);
		run_nothing();
		return false;
	}
	memory_snapshot();
	return true;
}

void scenario_searched(void)
{
	witnessed = 0;
	unroll_was_met = nondet_was_met = false;
	stops_clear();
	*left_stuck = '\0';
}
