/* SPDX-License-Identifier: MIT */
/* The program says that this is the child of a fork: src/linux/process.c. */
#include <nap/bare.h>

#include "atomic.h"
#include "os.h"

void nap_bare_forked(void)
{
	nap__os_forked(nap_load_relaxed(&nap__fork_gen));
}
