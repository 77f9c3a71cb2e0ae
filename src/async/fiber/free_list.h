/* SPDX-License-Identifier: MIT */
/*
 * Free stacks in a list: Treiber's stack of indices, with a tag (IBM System/370 Extended
 * Architecture, Principles of Operation, appendix A). The links are outside the stacks, whose pages
 * may be gone.
 */
#ifndef NAP_FIBER_FREE_LIST_H
#define NAP_FIBER_FREE_LIST_H

#include <stdint.h>

#include "arch/atomic.h"

/* The note of a stack; valid while the stack is free. */
struct nap__stack_note {
	uint32_t next;		/* A: in a list: the next stack's index + 1, or 0 */
	uint32_t number;	/* number of the last wait, kept when the pages are given back */
	uint32_t generation;	/* number of the last fiber, kept when the pages are given back */
};

struct nap__free_list {
	uint64_t head;		/* A: a tag, and the first stack's index + 1 */
	uint32_t nr;		/* A: the number of stacks; too high during a push or a pop */
};

/* Pushes @n stacks from @first to @last, which the caller has linked by their @notes. */
static inline void free_list_push(struct nap__free_list *list, struct nap__stack_note *notes,
				  uint32_t first, uint32_t last, uint32_t n)
{
	uint64_t head = nap_load_relaxed(&list->head), next;

	nap_fetch_add_relaxed(&list->nr, n);
	do {
		nap_store_relaxed(&notes[last].next, (uint32_t)head);
		next = ((head >> 32) + 1) << 32 | (first + 1);
		/*
		 * The fiber and its note are written before this: pairs with free_list_pop_many().
		 * [A7]
		 */
	} while (!nap_try_cmpxchg_release(&list->head, &head, next));
}

/*
 * Pops up to @most stacks, which stay linked; *@n: the number of popped stacks. Returns the first
 * index + 1, or 0. The caller subtracts *@n from list->nr.
 */
static inline uint32_t free_list_pop_many(struct nap__free_list *list,
					  struct nap__stack_note *notes, uint32_t most, uint32_t *n)
{
	for (;;) {
		/* Loaded anew in each turn, because a failed compare-exchange orders nothing. */
		/* pairs with free_list_push() [A7] */
		uint64_t head = nap_load_acquire(&list->head), next;
		uint32_t first = (uint32_t)head, rest = first;

		/* The links may be stale, but then the compare-exchange below fails. */
		for (*n = 0; rest && *n < most; ++*n)
			rest = nap_load_relaxed(&notes[rest - 1].next);
		if (!first)
			return 0;
		next = ((head >> 32) + 1) << 32 | rest;
		/*
		 * Release: a thread that finds the list empty sees the move that emptied it. [A10]
		 */
		if (nap_try_cmpxchg_release(&list->head, &head, next))
			return first;
	}
}

static inline uint32_t free_list_pop(struct nap__free_list *list, struct nap__stack_note *notes)
{
	uint32_t n;

	return free_list_pop_many(list, notes, 1, &n);
}

#endif /* NAP_FIBER_FREE_LIST_H */
