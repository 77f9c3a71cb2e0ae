/* SPDX-License-Identifier: MIT */
/* What the calling thread is, where src/worker/self.h has to look twice. */
#include "worker/self.h"

void nap__maybe_jumped(uintptr_t frame_end, void *caller)
{
	uintptr_t record = (uintptr_t)nap__self()->outer;

	/* Programs with stacks of their own may be on one, and have left nothing. */
	if (nap__os_on_stack(record) && nap__os_on_stack(frame_end))
		nap__remaining(LEFT_BY_JUMP, caller);
}
