/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include <nap/pool.h>

#include "arch/syscall.h"

#define SIG_SETMASK	2

void nap_signals_unblock(void)
{
	const uint64_t none = 0;

	nap__syscall4(NAP__NR_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof(none));
}
