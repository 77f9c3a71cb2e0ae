/* SPDX-License-Identifier: MIT */
/*
 * Ends on the calling thread of works that their pools refuse. The @done of one may so end the next
 * one, whose @done ends the next: how long such a chain is the program decides. So what an @done
 * ends in this way is listed, and delivered when that @done has returned, by the outermost of them:
 * the stack is as deep for a million as for two.
 *
 * What runs inside a wait of a @done is no part of that, because the @done may wait for just this:
 * it has another @outer, and a list of its own. A fiber does not leave its thread until then,
 * because the list is the thread's.
 */
#ifndef NAP_ENDING_H
#define NAP_ENDING_H

#include <stdbool.h>

#include <nap/task.h>

#include "worker/leaving.h"
#include "worker/self.h"

/* On the stack of the outermost. */
struct nap__ending {
	struct nap_batch listed;
	struct nap__outer *outer;	/* what the thread is inside of */
	struct nap_fiber *fiber;
	struct nap__ending *before;	/* further up the stack */
	struct nap__outer held;
	bool is_held;			/* a fiber, by @held */
};

/* To be ended by ending_end() in the same frame. */
static inline void ending_begin(struct nap__ending *ending)
{
	struct nap__self *self = nap__self();

	*ending = (struct nap__ending){ .fiber = self->fiber, .before = self->ending,
					.is_held = self->fiber && !self->outer };
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

/* The list of the @done that the caller is in, or NULL: it is in none. */
static inline struct nap_batch *ending_list(void)
{
	struct nap__self *self = nap__self();
	struct nap__ending *ending = self->ending;

	return ending && ending->outer == self->outer && ending->fiber == self->fiber ?
		       &ending->listed : NULL;
}

#endif /* NAP_ENDING_H */
