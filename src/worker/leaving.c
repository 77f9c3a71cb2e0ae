/* SPDX-License-Identifier: MIT */
/* What is said when a callback has been left other than by return: src/worker/leaving.h. */
#include "worker/leaving.h"

#include "os/os.h"

void nap__remaining(const char *how, void *caller)
{
	nap__os_panic(caller, "%s is not allowed", how);
}
