/* SPDX-License-Identifier: MIT */
/* Whether a thread may run one task inside another: a wait that nests uses the waiter's stack. */
#ifndef NAP_NEST_H
#define NAP_NEST_H

#include <stdbool.h>
#include <stdint.h>

#include "os/os.h"
#include "worker/self.h"

/*
 * Whether the calling thread may run another task inside the present one: true while less than half
 * of its stack is used. Otherwise a wait has to sleep, and other threads have to run the awaited
 * task.
 */
static inline bool may_nest(void)
{
	struct nap__self *self = nap__self();

	if (!self->stack_half)
		self->stack_half = nap__os_stack_half();
	/* Not noticed in tests when >= for >: a frame of one byte less decides. */
	return (uintptr_t)__builtin_frame_address(0) > self->stack_half;
}

/*
 * Stops the calling thread from nesting, whatever its stack: sets stack_half so that every frame is
 * below it. Returns the argument for nesting_back().
 */
static inline uintptr_t nesting_off(void)
{
	struct nap__self *self = nap__self();
	uintptr_t half = self->stack_half;

	self->stack_half = UINTPTR_MAX;
	return half;
}

static inline void nesting_back(uintptr_t half)
{
	nap__self()->stack_half = half;
}

/*
 * As nesting_off(), for a thread that ends soon. It is in no broadcast's function, so unlike after
 * nesting_off() it may broadcast.
 */
static inline void nesting_ends(void)
{
	nap__self()->stack_half = UINTPTR_MAX - 1;
}

static inline bool nesting_is_off(const struct nap__self *self)
{
	return self->stack_half >= UINTPTR_MAX - 1;
}

/*
 * As nesting_off(), for a callback that may come while the worker holds a task that it has chosen:
 * a task that ran in a wait of this callback would replace what the worker has noted of its choice.
 * The callback may broadcast if its caller may. Returns the argument for nesting_back().
 */
static inline uintptr_t nesting_pauses(void)
{
	uintptr_t half = nap__self()->stack_half;

	if (half != UINTPTR_MAX)
		nesting_ends();
	return half;
}

/* Whether the calling thread is in the function of a broadcast, or waits for a broadcast. */
static inline bool is_in_broadcast(void)
{
	return nap__self()->stack_half == UINTPTR_MAX;
}

#endif /* NAP_NEST_H */
