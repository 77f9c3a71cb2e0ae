/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "program/callers.h"
#include "program/events.h"
#include "program/faults.h"
#include "program/ops.h"

bool all_faults;
struct fault met[MAX_MET];
unsigned nr_met;

static bool within;		/* during an execution, not a setup */
static bool raced;		/* this execution had a data race */
bool has_met;

void faults_begin(void)
{
	nr_met = 0;
	raced = false;
	within = true;
}

void faults_forget(void)
{
	has_met = within = false;
}

void faults_keep(void)
{
	if (!all_faults || !within || !fault.found)
		return;
	if (nr_met < MAX_MET && !callers_wanted) {
		met[nr_met] = fault;
		met[nr_met].behind_race = raced;
		met[nr_met++].executed = run_executed();
	}
	has_met = true;
	fault.found = false;
}

bool faults_pass(void)
{
	if (!all_faults)
		return false;
	faults_keep();
	raced = true;
	return true;
}

/* Executes the event that the thread was about to execute, so that other threads can read it. */
static void execute_last(void)
{
	if (threads[self].done < graph->count[self])
		executed(&graph->event[graph->event_of[self][threads[self].done]]);
}

void faults_end_thread(void)
{
	faults_keep();
	if (!all_faults || self == MAX_THREADS)
		return;
	execute_last();
	settle();
	if (half_done(graph) != (int)self)
		thread_stops(T_PRUNED);
}

#define DIFFERS "the program does not repeat itself"

void faults_differ(void)
{
	give_up(DIFFERS ": another value than before");
}

bool faults_excuse(void)
{
	if (!has_met || !result.why || strncmp(result.why, DIFFERS, sizeof(DIFFERS) - 1))
		return false;
	result.why = NULL;
	result.outcome = FOUND_NOTHING;
	return true;
}
