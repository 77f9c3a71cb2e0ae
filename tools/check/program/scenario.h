/* SPDX-License-Identifier: MIT */
/* The scenario that is explored, and what all executions so far have shown of its program. */
#ifndef NAP_CHECK_SCENARIO_H
#define NAP_CHECK_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/check.h>

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern const struct check_scenario *scenario;
extern uint32_t may_stop;		/* threads, a bit each */

/* Whether the program has made any access. If not, the program was not instrumented. */
extern bool saw_access;

extern bool leaks_wanted;		/* leaks are faults */

/* Executions with the outcome that the scenario's exists() asks for. */
extern unsigned long witnessed;

/*
 * Makes @s the scenario, with memory as it is after its setup. The threads of the mask @stopping
 * may stop for ever. Then explore() can run run_graph(). False: setup has failed, and @result
 * says how.
 */
bool scenario_begin(const struct check_scenario *s, uint32_t stopping);

/* Called when an execution begins: sets back memory, and what is known of the execution. */
void scenario_runs(void);

/* Called when the search begins from the first graph. */
void scenario_searched(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_SCENARIO_H */
