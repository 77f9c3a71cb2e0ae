/* SPDX-License-Identifier: MIT */
/*
 * Telling tools that a thread goes on on another stack: src/hosted/fiber_tools.c. Without one each
 * is a test of a byte.
 */
#ifndef NAP_FIBER_TOOLS_H
#define NAP_FIBER_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

/* What they know a fiber by; and, beside it, the stack that it was begun or resumed from. */
struct nap__tools_fiber {
	void *tsan;		/* ThreadSanitizer's context, */
	void *tsan_home;	/* and of who runs it */
	void *fake;		/* AddressSanitizer's frames of this stack, */
	void *fake_home;	/* and of who runs it, */
	const void *home_low;	/* whose stack this is */
	size_t home_size;
};

/* A fiber begins whose stack goes from @low up to @top. */
static inline void tools_begin(struct nap__tools_fiber *tools, const void *low, const void *top)
{
	(void)tools;
	(void)low;
	(void)top;
}

/* Who runs it: about to go there; back again. */
static inline void tools_enter(struct nap__tools_fiber *tools)
{
	(void)tools;
}

static inline void tools_return(struct nap__tools_fiber *tools)
{
	(void)tools;
}

/* The fiber: about to leave; there again, or for the first time; about to leave for good. */
static inline void tools_leave(struct nap__tools_fiber *tools)
{
	(void)tools;
}

static inline void tools_arrive(struct nap__tools_fiber *tools)
{
	(void)tools;
}

static inline void tools_end(struct nap__tools_fiber *tools)
{
	(void)tools;
}

#endif /* NAP_FIBER_TOOLS_H */
