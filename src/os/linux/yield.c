/* SPDX-License-Identifier: MIT */
#include "arch/syscall.h"
#include "os/os.h"

void nap__os_yield(void)
{
	nap__syscall0(NAP__NR_sched_yield);
}
