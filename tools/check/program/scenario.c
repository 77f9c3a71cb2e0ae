/* SPDX-License-Identifier: MIT */
#include "graph/fatal.h"
#include "program/clock.h"
#include "program/fault.h"
#include "program/faults.h"
#include "program/foreign_writes.h"
#include "program/freed.h"
#include "program/gone.h"
#include "program/locals.h"
#include "program/locations.h"
#include "program/locks.h"
#include "program/names.h"
#include "program/ops.h"
#include "program/outcome.h"
#include "program/outside.h"
#include "program/pthreads.h"
#include "program/scenario.h"
#include "program/siblings.h"
#include "program/siblings_learnt.h"
#include "program/sites.h"
#include "program/stop.h"
#include "program/turns.h"
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
	locals_forget();
	creations_clear();
	reuse_begin();
	siblings_clear();
	twice_clear();
	fault.found = false;
	faults_forget();
	if (s->setup && !run_outside(s->setup)) {
		search_failed(fault.found ? FOUND_FAULT : UNDECIDED);
		run_shorten(0);
		return false;
	}
	memory_snapshot();
	return true;
}

void scenario_runs(void)
{
	memory_reset();
	locations_begin();
	turns_begin();
	foreign_begin();
	locks_begin();
	visits_begin();
	locals_begin();
	keys_begin();
	clock_begin();
	joins_begin();
	siblings_begin();
	ends_begin();
	verifier_begin();
	faults_begin();
	outcome_begin();
}

void scenario_searched(void)
{
	faults_forget();
	witnessed = 0;
	unroll_was_met = nondet_was_met = false;
	stops_clear();
	*left_stuck = '\0';
}
