/* SPDX-License-Identifier: MIT */
/*
 * System calls by which a thread changes or reads its own state: its CPU, its timer slack, its
 * signal mask, its stack's limit.
 */
#include <stddef.h>
#include <stdint.h>

#include <nap/pool.h>

#include "arch/syscall.h"
#include "os/os.h"

void nap__os_yield(void)
{
	nap__syscall0(NAP__NR_sched_yield);
}

/* as in linux/prctl.h */
#define PR_SET_TIMERSLACK	29
#define PR_GET_TIMERSLACK	30

uint64_t nap__os_timer_slack(uint64_t ns)
{
	long old = ns ? nap__syscall1(NAP__NR_prctl, PR_GET_TIMERSLACK) : 0;

	/* The slack is not changed if it could not be restored. */
	if (old <= 0)
		return 0;
	nap__syscall2(NAP__NR_prctl, PR_SET_TIMERSLACK, (long)ns);
	return (uint64_t)old;
}

#define SIG_SETMASK	2

void nap_signals_unblock(void)
{
	const uint64_t none = 0;

	nap__syscall4(NAP__NR_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof(none));
}

#define RLIMIT_STACK	3

/*
 * Below the first stack the kernel keeps room free of other mappings: as much as the limit at the
 * program's start, but at least 128 MiB. nap counts on half of 128 MiB at most. So the stack
 * reaches no other mapping even if the limit was raised later, or is infinite.
 */
#define KEPT_CLEAR	((size_t)64 << 20)

size_t nap__os_stack_limit(void)
{
	struct {
		uint64_t soft, hard;
	} limit = { 0, 0 };

	nap__syscall4(NAP__NR_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit);
	return limit.soft < KEPT_CLEAR ? (size_t)limit.soft : KEPT_CLEAR;
}
