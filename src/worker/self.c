/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of src/worker/self.h: in the child of a fork, and after a callback was left other
 * than by return.
 */
#include "worker/jump.h"
#include "worker/self.h"

#include "arch/atomic.h"
#include "os/os.h"
#include "worker/async.h"
#include "worker/leaving.h"

#ifndef NAP_SELF_BY_CALL
__thread struct nap__own nap__own;

#ifdef NAP_LTO
__attribute__((noinline)) struct nap__own *nap__own_here(void)
{
	/* Without this statement the compiler may leave out the second of two calls. */
	__asm__ volatile("");
	return &nap__own;
}
#endif

/*
 * Moves the thread's state in the parent to in_parent. The state that an earlier fork has put there
 * comes after it, because that state belongs to frames further up the stack.
 */
static void leave_all(struct nap__self *self)
{
	struct nap__outer *outer = self->outer;

	while (outer && outer->outer)
		outer = outer->outer;
	if (outer && !outer->worker)
		*outer = (struct nap__outer){ self->in_parent.worker, self->in_parent.outer,
					      outer->leave, outer->runs };
	if (outer || self->worker)
		self->in_parent = (struct nap__outer){ .worker = self->worker,
						       .outer = self->outer };
	self_is(self, NULL);
	self->outer = NULL;
	self->permits = NULL;
	self->number = 0;
}

/*
 * In the child the thread that called fork is no longer a worker or helper. The middle of its stack
 * is kept, because finding it again could allocate, in a process whose allocator may be locked.
 */
struct nap__self *nap__become_child(void)
{
	struct nap__own *own = nap__own_here();

	nap__os_init();
	/*
	 * If own->gen is 0 this is the thread's first use of nap, so it was no worker in the
	 * parent.
	 */
	if (own->gen)
		leave_all(&own->self);
	own->gen = nap_load_relaxed(&nap__fork_gen);
	return &own->self;
}
#endif

bool nap__is_inside(struct nap_pool *pool)
{
	struct nap__self *self = nap__self();
	struct nap_worker *worker = self->worker;

	for (struct nap__outer *o = self->outer; !worker || worker->pool != pool; o = o->outer) {
		if (!o)	/* in a fiber @worker is the one that runs the fiber, in the fiber's pool */
			return self->fiber && worker && async_ops(worker->pool)->beneath(pool);
		worker = o->worker;
	}
	return true;
}

void nap__panic_left(const char *how, void *caller)
{
	nap__os_panic(caller, "%s is not allowed", how);
}

void nap__maybe_jumped(uintptr_t frame_end, void *caller)
{
	uintptr_t record = (uintptr_t)nap__self()->outer;

	/*
	 * A program that has switched to a stack of its own has left no frame. So both addresses
	 * have to be on the thread's stack.
	 */
	if (nap__os_on_stack(record) && nap__os_on_stack(frame_end))
		nap__panic_left(LEFT_BY_JUMP, caller);
}
