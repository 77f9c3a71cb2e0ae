/* SPDX-License-Identifier: MIT */
/*
 * Whether a jump has left an earlier call of the thread. A call that still runs has its record
 * (struct nap__outer) in a frame of a caller; a record below the callers' frames, on the same
 * stack, was left by a jump.
 */
#ifndef NAP_JUMP_H
#define NAP_JUMP_H

#include <stdint.h>

#include "worker/self.h"

/*
 * The end of the caller's frame: below this address, on the same stack, there is no frame of a
 * caller. (clang 14 has no such builtin for RISC-V; there another builtin gives a slightly lower
 * address.)
 */
#ifdef __clang__
#define FRAME_END ((uintptr_t)__builtin_frame_address(0))
#else
#define FRAME_END ((uintptr_t)__builtin_dwarf_cfa())
#endif

/*
 * Called if the innermost record is below @frame_end: it was left by a jump, or is on another
 * stack.
 */
void nap__maybe_jumped(uintptr_t frame_end, void *caller);

/*
 * Called at the beginning of a slow public call: checks whether a jump has left an earlier call of
 * the thread.
 */
static inline __attribute__((always_inline)) void check_jump(void *caller)
{
	struct nap__self *self = nap__self();
	uintptr_t end = FRAME_END;

	/* Without a record (NULL) the difference wraps, and the test is false. */
	if ((uintptr_t)self->outer - 1 < end - 1)
		nap__maybe_jumped(end, caller);
}

#endif /* NAP_JUMP_H */
