/* SPDX-License-Identifier: MIT */
/*
 * The search in several processes (-j). When a process that runs graphs sees that another process
 * may be started, it divides the alternatives that it has noted. A child, made by fork(2), takes
 * the older half, and the process keeps the newer half. So each graph is run by one process, and no
 * process has to wait.
 *
 * A part is what one process runs. Parts have an order: the one in which a single process would
 * come to them. A child's part comes right after its parent's. A part may end the search: by a
 * fault, a bound, or something learnt. The first part that does so counts, and the parts after it
 * do not. So verdict and counts are those of one process.
 *
 * The process whose part is the last to end, or whose part ends the search, goes on with the
 * program (reports, the next scenario); the others leave. The process that was started first waits
 * for all, and ends with the exit status of the process that goes on.
 */
#ifndef NAP_CHECK_PARTS_H
#define NAP_CHECK_PARTS_H

#include <stdbool.h>

#include "explore/search.h"

#pragma GCC visibility push(hidden)	/* so that variables are accessed without the GOT */

/* search.c: whether the search is divided among processes. */
bool parts_are_divided(void);

/* Makes the caller the only part of a new search. */
void parts_begin(void);

/*
 * For a saved search, after parts_begin(): makes parts of what was saved (saving.h). True: the
 * caller's part is empty, and parts_take_waiting() comes next. False: nothing was saved, or what
 * the parts have learnt makes it void.
 */
bool parts_resume(void);

/*
 * Ends the caller's part, and begins the first part that waits for a process. False: there is none
 * to begin. True: the search is at the new part's alternatives; or *@ran is RAN_ANEW, because a run
 * on the way there has learnt something. *@first: nothing of the part was run, and its first graph
 * is next.
 */
bool parts_take_waiting(enum ran *ran, bool *first);

/*
 * Called between two graphs: starts another part, if a process is free. False: the part is void, or
 * the search ends (saving.h).
 */
bool parts_go_on(void);

/*
 * The part has ended, in the way @ran. Returns only in the process that goes on, with the way in
 * which the whole search ended; @result is then that of all parts that count.
 */
enum ran parts_end(enum ran ran);

/*
 * Adds up, approximately, what all parts have run; returns how many graphs are left (progress.h),
 * or -1 if another part has done so in the last second.
 */
double parts_progress(struct result *all);

/* The CPU time of all parts, and how many graphs they have run. */
double parts_cpu_seconds(void);
unsigned long parts_number_run(void);

/* Whether a search has been run in parts, be it in one part. */
bool parts_are_in_use(void);

#pragma GCC visibility pop

#endif /* NAP_CHECK_PARTS_H */
