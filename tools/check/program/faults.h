/* SPDX-License-Identifier: MIT */
/*
 * All faults of an execution (--all-faults), instead of the first one only. The thread that has
 * done a fault has no later event; a data race is noted, and its access happens. The other threads
 * go on, so that the search meets the executions that only their later events lead to.
 */
#ifndef NAP_CHECK_FAULTS_H
#define NAP_CHECK_FAULTS_H

#include "explore/search.h"
#include "program/fault.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

extern bool all_faults;		/* false: the functions here do nothing, and return false */

/* The faults of this execution. */
#define MAX_MET 16
extern struct fault met[MAX_MET];
extern unsigned nr_met;

void faults_begin(void);	/* when an execution begins */
void faults_forget(void);	/* when a scenario or a search begins */

/* Keeps @fault, which was a data race. Returns whether the access is to happen. */
bool faults_pass(void);

/* Keeps @fault. Ends the running thread, if the others can go on without it. */
void faults_end_thread(void);

/* Keeps @fault, which no thread has done. */
void faults_keep(void);

/*
 * After a fault, a data race for example, a thread may do something else when the execution is
 * repeated. Then this execution is given up, but the search goes on. Returns whether that has
 * happened.
 */
bool faults_excuse(void);

/*
 * A thread now writes or expects @value, and has written or expected @was the first time. Gives up
 * the execution if the two differ.
 */
extern bool has_met;		/* an execution of this search had a fault */
void faults_differ(void);
static inline void faults_compare(uint64_t value, uint64_t was)
{
	if (__builtin_expect(has_met, 0) && value != was)
		faults_differ();
}

#pragma GCC visibility pop

#endif /* NAP_CHECK_FAULTS_H */
