/* SPDX-License-Identifier: MIT */
/* How exact the kernel's timers are for a thread: prctl(2), PR_SET_TIMERSLACK. */
#include "arch/syscall.h"
#include "os/os.h"

/* linux/prctl.h */
#define PR_SET_TIMERSLACK	29
#define PR_GET_TIMERSLACK	30

uint64_t nap__os_timer_slack(uint64_t ns)
{
	long old = ns ? nap__syscall1(NAP__NR_prctl, PR_GET_TIMERSLACK) : 0;

	/* Not to be set where it cannot be set back. */
	if (old <= 0)
		return 0;
	nap__syscall2(NAP__NR_prctl, PR_SET_TIMERSLACK, (long)ns);
	return (uint64_t)old;
}
