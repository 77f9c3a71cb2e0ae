/* SPDX-License-Identifier: MIT */
/*
 * What the calling thread is, where src/worker/self.h has to look twice: in the child of a fork, and
 * where a callback was left other than by return.
 */
#include "worker/self.h"

#include "arch/atomic.h"
#include "os/os.h"
#include "worker/leaving.h"

#ifndef NAP_SELF_BY_CALL
__thread struct nap__own nap__own;

/*
 * What the parent was is left now, in front of what had been left at an earlier fork, which is
 * further up the stack.
 */
static void leave_all(struct nap__self *self)
{
	struct nap__outer *outer = self->outer;

	while (outer && outer->outer)
		outer = outer->outer;
	if (outer && !outer->worker)
		*outer = (struct nap__outer){ self->in_parent.worker, self->in_parent.outer, outer->leave };
	if (outer || self->worker)
		self->in_parent = (struct nap__outer){ .worker = self->worker, .outer = self->outer };
	self_is(self, NULL);
	self->outer = NULL;
	self->permits = NULL;
}

/*
 * In the child the thread that called fork is no longer a worker, and helps nobody. Its stack is
 * the same: to ask for it again could allocate, in a process whose allocator may be locked.
 */
struct nap__self *nap__become_child(void)
{
	nap__os_init();
	/* Or it is the first number that the thread sees: before there was one there was no pool. */
	if (nap__own.gen)
		leave_all(&nap__own.self);
	nap__own.gen = nap_load_relaxed(&nap__fork_gen);
	return &nap__own.self;
}
#endif

void nap__remaining(const char *how, void *caller)
{
	nap__os_panic(caller, "%s is not allowed", how);
}

void nap__maybe_jumped(uintptr_t frame_end, void *caller)
{
	uintptr_t record = (uintptr_t)nap__self()->outer;

	/* Programs with stacks of their own may be on one, and have left nothing. */
	if (nap__os_on_stack(record) && nap__os_on_stack(frame_end))
		nap__remaining(LEFT_BY_JUMP, caller);
}
