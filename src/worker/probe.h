/* SPDX-License-Identifier: MIT */
/*
 * Probes for tracers that attach from outside (USDT: perf, bpftrace, SystemTap): in the hosted
 * library only, and only if SystemTap's header exists. A probe is one nop, and a note with the
 * places of the arguments; each argument is in a register or in memory at that point anyway, so a
 * probe costs nothing when no tracer listens. Documentation/inside.rst lists the probes, and says
 * for which tasks they are exact.
 *
 * One probe needs more than a nop: for a list that is scheduled, a loop has a probe for each task.
 * The loop runs only while a tracer has incremented the probe's semaphore.
 */
#ifndef NAP_PROBE_H
#define NAP_PROBE_H

#include <stdbool.h>

#include <nap/task.h>

#ifdef NAP_PROBES
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* The semaphores, which tracers increment: src/worker/probe.c. */
#pragma GCC visibility push(hidden)
extern unsigned short nap_schedule_semaphore, nap_begin_semaphore, nap_end_semaphore,
	nap_park_semaphore, nap_unpark_semaphore, nap_wake_semaphore, nap_steal_semaphore,
	nap_resume_semaphore, nap_suspend_semaphore;
#pragma GCC visibility pop

#define probe1(name, a)			DTRACE_PROBE1(nap, name, a)
#define probe2(name, a, b)		DTRACE_PROBE2(nap, name, a, b)
#define probe3(name, a, b, c)		DTRACE_PROBE3(nap, name, a, b, c)
#define probe4(name, a, b, c, d)	DTRACE_PROBE4(nap, name, a, b, c, d)
#define probes_schedule()						\
	__builtin_expect(*(volatile unsigned short *)&nap_schedule_semaphore, false)
#else
#define probe1(name, a)			((void)(a))
#define probe2(name, a, b)		((void)(a), (void)(b))
#define probe3(name, a, b, c)		((void)(a), (void)(b), (void)(c))
#define probe4(name, a, b, c, d)	((void)(a), (void)(b), (void)(c), (void)(d))
#define probes_schedule()		false
#endif

struct nap_pool;

/* Out of line, because it is a loop. */
void nap__probe_list(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail);

/* Called before a list is published. */
static inline void probe_list(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail)
{
	if (probes_schedule())
		nap__probe_list(pool, head, tail);
}

#endif /* NAP_PROBE_H */
