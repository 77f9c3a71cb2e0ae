/* SPDX-License-Identifier: MIT */
#include "os.h"
#include "syscall.h"

void nap__os_yield(void)
{
	nap__syscall0(NAP__NR_sched_yield);
}
