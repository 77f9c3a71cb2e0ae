/* SPDX-License-Identifier: MIT */
/*
 * Checks for misuse in a debug build (make DEBUG=1): a failed check prints one line with the misuse
 * and the caller, and aborts. In other builds these functions are empty. A call for which the
 * headers promise an error is no misuse.
 *
 * A scheduled task carries a mark in the top bit of its run pointer, which is 0 in every address of
 * user space. The mark survives every queue, and is set by an atomic OR. So a second schedule of
 * the task is found even when the two schedules race.
 */
#ifndef NAP_DEBUG_H
#define NAP_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/atomic.h"
#include "os/os.h"

#define DEBUG_SCHEDULED	((uintptr_t)1 << 63)

#ifdef NAP_DEBUG
#define DEBUG_BUILD true
#else
#define DEBUG_BUILD false
#endif

static inline void debug_null(const void *arg, const char *what, const char *call, void *caller)
{
	if (DEBUG_BUILD && !arg)
		nap__os_panic(caller, "%s: no %s", call, what);
}

/* For calls that return an error if @pool is NULL. */
static inline void debug_aligned(struct nap_pool *pool, const char *call, void *caller)
{
	if (DEBUG_BUILD && (uintptr_t)pool % NAP__CACHE_LINE)
		nap__os_panic(caller, "%s: pool %p is not aligned to %d bytes", call, (void *)pool,
			      NAP__CACHE_LINE);
}

static inline void debug_pool(struct nap_pool *pool, const char *call, void *caller)
{
	debug_null(pool, "pool", call, caller);
	debug_aligned(pool, call, caller);
}

static inline void debug__mark(struct nap_task *task, const char *call, void *caller)
{
	uintptr_t run;

	debug_null(task, "task", call, caller);
	if ((uintptr_t)task % _Alignof(struct nap_task))
		nap__os_panic(caller, "%s: task %p is not aligned to %d bytes", call, (void *)task,
			      (int)_Alignof(struct nap_task));
	if (!task->run)
		nap__os_panic(caller, "%s: task %p has no run function", call, (void *)task);
	run = nap_fetch_or_relaxed((uintptr_t *)&task->run, DEBUG_SCHEDULED);
	if (run & DEBUG_SCHEDULED)
		nap__os_panic(caller, "%s: task %p is scheduled twice", call, (void *)task);
}

/* Returns the address of the function of @task, which may be queued, and so marked. */
static inline uintptr_t debug_run(const struct nap_task *task)
{
	return (uintptr_t)task->run & (DEBUG_BUILD ? ~DEBUG_SCHEDULED : UINTPTR_MAX);
}

static inline void debug_unmark(struct nap_task *task)
{
	if (DEBUG_BUILD)
		nap_fetch_and_relaxed((uintptr_t *)&task->run, ~DEBUG_SCHEDULED);
}

static inline void debug_mark_list(struct nap_task *head, struct nap_task *tail, const char *call,
				   void *caller)
{
	if (!DEBUG_BUILD)
		return;
	for (struct nap_task *task = head; ; task = task->next) {
		debug__mark(task, call, caller);
		if (task == tail)
			break;
		if (!task->next)
			nap__os_panic(caller, "%s: the batch ends before its tail %p", call,
				      (void *)tail);
	}
}

/* Takes the marks off a batch that was refused, and is the caller's again. */
static inline void debug_unmark_list(struct nap_task *head, struct nap_task *tail)
{
	if (!DEBUG_BUILD)
		return;
	for (struct nap_task *task = head; task != tail; task = task->next)
		debug_unmark(task);
	debug_unmark(tail);
}

#endif /* NAP_DEBUG_H */
