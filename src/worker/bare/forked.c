/* SPDX-License-Identifier: MIT */
/* The program says that this is the child of a fork: src/worker/linux/process.c. */
#include <nap/bare.h>

#include "arch/atomic.h"
#include "os/os.h"

void nap_bare_forked(void)
{
	nap__os_forked(nap_load_relaxed(&nap__fork_gen));
}
