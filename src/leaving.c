/* SPDX-License-Identifier: MIT */
/* What is said when a callback has been left other than by return: src/leaving.h. */
#include "leaving.h"

#include "os.h"

void nap__left(const char *how, void *caller)
{
	nap__os_panic(caller, "%s is not allowed", how);
}
