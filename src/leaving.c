/* SPDX-License-Identifier: MIT */
/* What is said when a callback has been left other than by return: src/leaving.h. */
#include "leaving.h"

void nap__left(const char *how, void *caller)
{
	nap__os_panic(caller, "%s is not allowed", how);
}

void nap__maybe_jumped(uintptr_t frame_end, void *caller)
{
	uintptr_t record = (uintptr_t)nap__self()->outer;

	/* Programs with stacks of their own may be on one, and have left nothing. */
	if (nap__os_on_stack(record) && nap__os_on_stack(frame_end))
		nap__left(LEFT_BY_JUMP, caller);
}
