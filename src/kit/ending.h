/* SPDX-License-Identifier: MIT */
/*
 * Ending, on the calling thread, works that a pool refuses. The @done of a work may schedule
 * another work, which is refused and ended in the same way: the program decides how long such a
 * chain is. So works that end inside a @done are listed, and the outermost call delivers them after
 * this @done has returned: a chain of a million works needs no more stack than a chain of two.
 *
 * Tasks that run inside a wait of a @done have another self->outer, and a list of their own,
 * because the @done may wait for them. A fiber must not leave its thread until the list is empty,
 * because the list is the thread's. In the child of a fork the list is the parent's: works that end
 * there begin a new list.
 */
#ifndef NAP_ENDING_H
#define NAP_ENDING_H

#include <stdbool.h>

#include <nap/task.h>

#include "arch/atomic.h"
#include "os/os.h"
#include "worker/leaving.h"
#include "worker/self.h"

/* The list, on the stack of the outermost call. */
struct nap__ending {
	struct nap_batch listed;
	struct nap__outer *outer;	/* self->outer at the place where the list is valid */
	struct nap_fiber *fiber;
	struct nap__ending *before;	/* the list of a call further up the stack */
	struct nap__outer held;
	bool is_held;			/* a fiber is kept on its thread, by @held */
	uint32_t process;		/* the number of the process that the list belongs to */
};

/* Begins a list. The same function calls ending_end(). */
static inline void ending_begin(struct nap__ending *ending)
{
	struct nap__self *self = nap__self();

	*ending = (struct nap__ending){ .fiber = self->fiber, .before = self->ending,
					.is_held = self->fiber && !self->outer,
					.process = nap_load_relaxed(&nap__fork_gen) };
	if (ending->is_held)
		become(self->worker, &ending->held);
	ending->outer = self->outer;
	self->ending = ending;
}

static inline void ending_end(struct nap__ending *ending)
{
	nap__self()->ending = ending->before;
	if (ending->is_held)
		back_to(&ending->held);
}

/* Returns the list for the @done in which the caller runs; NULL: it runs in none. */
static inline struct nap_batch *ending_list(void)
{
	struct nap__self *self = nap__self();
	struct nap__ending *ending = self->ending;

	return ending && ending->outer == self->outer && ending->fiber == self->fiber &&
	       ending->process == nap_load_relaxed(&nap__fork_gen) ? &ending->listed : NULL;
}

#endif /* NAP_ENDING_H */
