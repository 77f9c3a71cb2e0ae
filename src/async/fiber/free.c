/* SPDX-License-Identifier: MIT */
/*
 * Free stacks: src/async/fiber/stacks.h. A free stack is one of these:
 *
 *	kept	by a worker, for its next spawns, in a slot that only this worker fills
 *	warm	in a list for all threads
 *	cold	in a second list for all threads; the stack's pages were given back
 *
 * Typically a worker keeps the stacks that its fibers leave, and spawns on those. A worker with too
 * many stacks moves many at a time to the warm list. A spawn searches everywhere before it is
 * refused: the worker's own stacks, the warm list, the cold list, stacks that were never used, and
 * at last stacks that other workers keep.
 *
 *	spawner                              mover, between worker, warm and cold
 *	-------                              ------------------------------------
 *	read the count of moves              count a move, and itself as a mover
 *	search everywhere                    take stacks out
 *	is the count the same, and was       put them in
 *	  there no mover? then refuse        count itself out
 *
 * So no stack is missed because a mover has it. (Reading a version before and after: Lamport,
 * "Concurrent Reading and Writing", 1977.)
 */
#include "async/fiber/stacks.h"

#include "arch/atomic.h"
#include "async/fiber/fiber.h"
#include "os/os.h"
#include "sync/pause.h"
#include "worker/registry.h"
#include "worker/worker.h"

/* ---- the lists of free stacks */

/* Subtracts @n stacks, which the caller has popped. */
static void count_out(struct nap__free_list *list, uint32_t n)
{
	if (n)
		nap_fetch_sub_relaxed(&list->nr, n);
}

static struct nap_fiber *take_warm(struct nap__fibers *fibers)
{
	uint32_t first = free_list_pop(&fibers->warm, fibers->notes);

	count_out(&fibers->warm, first != 0);
	return first ? nap__fiber_at(fibers, first - 1) : NULL;
}

static struct nap_fiber *take_cold(struct nap__fibers *fibers)
{
	uint32_t first = free_list_pop(&fibers->cold, fibers->notes);

	count_out(&fibers->cold, first != 0);
	return first ? nap__stack_again(fibers, first - 1) : NULL;
}

/* ---- moves */

#define MOVE		((uint64_t)1 << 32)
#define MOVERS		(MOVE - 1)

static void move_begin(struct nap__fibers *fibers)
{
	/* The release by which stacks are taken out comes later, and publishes this. [A10] */
	nap_fetch_add_relaxed(&fibers->moves, MOVE + 1);
}

static void move_end(struct nap__fibers *fibers)
{
	/* Publishes that the stacks are in their new place: pairs with take_anywhere(). [A11] */
	nap_fetch_sub_release(&fibers->moves, 1);
}

/* ---- stacks that a worker keeps */

/* Pops a stack that @worker keeps. NULL: none is left, or other threads have taken them. */
static struct nap_fiber *pop_own(struct nap_worker *worker)
{
	while (worker->nr_stacks) {
		struct nap_fiber *fiber = nap_xchg_relaxed(&worker->stacks[--worker->nr_stacks],
							   NULL);

		if (fiber)
			return fiber;
	}
	return NULL;
}

/* Takes the stack out of a worker's @slot; returns NULL if there is none. Called by any thread. */
static struct nap_fiber *take_slot(struct nap_fiber **slot)
{
	/*
	 * Acquire: if the slot is empty, sees the count of the move that emptied it; pairs with the
	 * exchange below. [A10]
	 */
	/* Not noticed in tests when dropped: the exchange below finds nothing either. */
	if (!nap_load_acquire(slot))
		return NULL;
	/*
	 * Acquire: sees the fiber that stack_keep() has stored [A12]. Release: publishes the count
	 * of moves to a thread that finds the slot empty [A10].
	 */
	return nap_xchg_acq_rel(slot, NULL);
}

static struct nap_fiber *take_from_others(struct nap__fibers *fibers)
{
	for (struct nap_worker *w = registry_first(fibers->pool); w; w = w->next)
		for (uint32_t i = 0; i < fibers->keep; i++) {
			struct nap_fiber *fiber = take_slot(&w->stacks[i]);

			if (fiber)
				return fiber;
		}
	return NULL;
}

/*
 * Moves warm stacks to @worker, which keeps none: at most half of what it may keep, and one more.
 * Returns one of them.
 */
static struct nap_fiber *refill(struct nap__fibers *fibers, struct nap_worker *worker)
{
	uint32_t first, n, next;

	if (!(uint32_t)nap_load_relaxed(&fibers->warm.head))
		return NULL;
	move_begin(fibers);
	first = free_list_pop_many(&fibers->warm, fibers->notes, fibers->keep / 2 + 1, &n);
	for (uint32_t i = 0; i < n; i++, first = next) {
		/*
		 * Read before stack_keep(), because afterwards another thread may have the stack
		 * and its note.
		 */
		next = nap_load_relaxed(&fibers->notes[first - 1].next);
		stack_keep(worker, nap__fiber_at(fibers, first - 1));
	}
	count_out(&fibers->warm, n);
	move_end(fibers);
	return pop_own(worker);
}

void nap__stacks_spill(struct nap__fibers *fibers, struct nap_worker *worker)
{
	uint32_t first = 0, last = 0, n = 0;

	move_begin(fibers);
	/* Not noticed in tests when 3 for 2: the worker has some more stacks to move. */
	for (uint32_t i = fibers->keep / 2; i < fibers->keep; i++) {
		struct nap_fiber *fiber = take_slot(&worker->stacks[i]);

		if (!fiber)
			continue;
		if (n++)
			nap_store_relaxed(&fibers->notes[last].next, fiber->index + 1);
		else
			first = fiber->index;
		last = fiber->index;
	}
	worker->nr_stacks = fibers->keep / 2;
	if (n)
		free_list_push(&fibers->warm, fibers->notes, first, last, n);
	move_end(fibers);
}

/* ---- taking a stack */

/* Takes any stack, preferably one that was used before, because its memory is there already. */
static struct nap_fiber *take_somewhere(struct nap__fibers *fibers, struct nap_worker *worker)
{
	struct nap_fiber *fiber = keeps_stacks(worker) ? refill(fibers, worker) : take_warm(fibers);

	if (!fiber)
		fiber = take_cold(fibers);
	if (!fiber)
		fiber = nap__stack_new(fibers);
	return fiber ? fiber : take_from_others(fibers);
}

static __attribute__((noinline)) struct nap_fiber *take_anywhere(struct nap__fibers *fibers,
								 struct nap_worker *worker)
{
	/* Not noticed in tests when 1 for 0: the first pause is longer. */
	uint32_t looks = 0;

	for (;;) {
		/* pairs with move_end() [A11] */
		uint64_t moves = nap_load_acquire(&fibers->moves);
		struct nap_fiber *fiber = take_somewhere(fibers, worker);

		if (fiber)
			return fiber;
		/* The acquires of the search come before this load. [A10] */
		if (!(moves & MOVERS) && nap_load_relaxed(&fibers->moves) == moves)
			return NULL;
		pause_briefly(&looks);
	}
}

struct nap_fiber *nap__stack_take(struct nap__fibers *fibers, struct nap_worker *worker)
{
	struct nap_fiber *fiber = keeps_stacks(worker) ? pop_own(worker) : NULL;

	return fiber ? fiber : take_anywhere(fibers, worker);
}

/* ---- giving back memory, and counting */

/* Gives back the pages of a stack that the caller has, and moves the stack to the cold list. */
static size_t stack_forget(struct nap__fibers *fibers, struct nap_fiber *fiber)
{
	size_t size = fibers->slot - fibers->guard;
	uint32_t index = fiber->index;

	/*
	 * The number of the wait is kept, so that a thread that acts late on an earlier wait ends
	 * no later wait.
	 */
	fibers->notes[index].number = nap_load_relaxed(&fiber->wait.state) & -WAIT_NUMBER;
	fibers->notes[index].generation = nap_load_relaxed(&fiber->generation);
	/* Not noticed in tests when dropped: only valgrind notices. */
	tools_no_stack(&fiber->tools);
	nap__os_forget(nap__stack_low(fibers, fiber), size);
	free_list_push(&fibers->cold, fibers->notes, index, index, 1);
	return size;
}

/* Trims one stack at a time, so that a spawn finds the others, or waits only for this stack. */
static size_t trim_warm(struct nap__fibers *fibers)
{
	struct nap_fiber *fiber;
	size_t size;

	move_begin(fibers);
	fiber = take_warm(fibers);
	size = fiber ? stack_forget(fibers, fiber) : 0;
	move_end(fibers);
	return size;
}

static size_t trim_slot(struct nap__fibers *fibers, struct nap_fiber **slot)
{
	struct nap_fiber *fiber;
	size_t size;

	/* Not noticed in tests when dropped: the exchange below finds nothing either. */
	if (!nap_load_relaxed(slot))
		return 0;
	move_begin(fibers);
	fiber = take_slot(slot);
	/* Not noticed in tests when 1 for 0: it takes luck that the stack is gone here. */
	size = fiber ? stack_forget(fibers, fiber) : 0;
	move_end(fibers);
	return size;
}

long nap__stacks_trim(struct nap__fibers *fibers)
{
	size_t bytes = 0, size = 1;

	/*
	 * The number of rounds is limited to the number of stacks now, because other threads may
	 * free more in the meantime.
	 */
	for (uint32_t n = nap_load_relaxed(&fibers->used); n && size; n--)
		bytes += size = trim_warm(fibers);
	for (struct nap_worker *w = registry_first(fibers->pool); w; w = w->next)
		for (uint32_t i = 0; i < fibers->keep; i++)
			bytes += trim_slot(fibers, &w->stacks[i]);
	return (long)bytes;
}

uint32_t nap__stacks_free(struct nap__fibers *fibers)
{
	uint32_t n = nap_load_relaxed(&fibers->warm.nr) + nap_load_relaxed(&fibers->cold.nr);

	for (struct nap_worker *w = registry_first(fibers->pool); w; w = w->next)
		for (uint32_t i = 0; i < fibers->keep; i++)
			n += nap_load_relaxed(&w->stacks[i]) != NULL;
	return n;
}
