/* SPDX-License-Identifier: MIT */
/* The stacks of fibers, and the counts of fibers: src/async/fiber/stacks.h. */
#include "async/fiber/stacks.h"

#include <errno.h>

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "async/fiber/fiber.h"
#include "os/os.h"
#include "sync/lock.h"
#include "thread.h"
#include "worker/registry.h"

#define STACK_LEAST	((size_t)16 << 10)
#define STACK_MOST	((size_t)1 << 30)
#define PAGE		((size_t)NAP__PAGE_MAX)
#define GUARD_MOST	((size_t)1 << 30)
/* A worker keeps at most 1 / KEEP_PART of all stacks, and one more. */
#define KEEP_PART	16u

/* 15: what is lost where the stack begins at a multiple of 16 below (src/async/fiber/switch.c). */
_Static_assert(sizeof(struct nap_fiber) + 15 < 512, "as nap/fiber.h says");

/*
 * Atomic: how many fibers the pools that have ended had, in this process and before it was forked.
 * No stack had more of them, so the stacks of a later pool in the same memory begin with this
 * number as their generation: a number of nap_fiber_id() that was kept over a join, or over a
 * fork, is none of theirs.
 */
static uint32_t nr_generations;

/* ---- making and sizing stacks */

struct nap__fibers *nap__fibers_make(struct nap_pool *pool)
{
	struct nap__fibers *fibers;

	fibers = nap__os_map(sizeof(*fibers));
	if (!fibers)
		return NULL;
	fibers->async.head.ops = &nap__fiber_ops;
	fibers->pool = pool;
	fibers->generation = nap_load_relaxed(&nr_generations);
	/* pairs with the acquire in pool_async() [A1] */
	if (!nap_cmpxchg_release(&pool->async, NULL, &fibers->async))
		return fibers;
	/* Another thread was first. */
	nap__os_unmap(fibers, sizeof(*fibers));
	return fibers_of(pool);
}

void nap__fibers_unmake(struct nap__fibers *fibers)
{
	uint64_t spawned;

	nap__fibers_live(fibers, &spawned);
	nap_fetch_add_relaxed(&nr_generations, (uint32_t)spawned);
	if (fibers->stacks)
		nap__os_unmap(fibers->stacks, nap__stacks_size(fibers));
	nap__os_unguarded(nap_load_relaxed(&fibers->guard_mappings));
	nap__os_unmap(fibers, sizeof(*fibers));
}

/*
 * Returns the bytes of the guard below a stack of @stack bytes; 0: @config asks for too many. The
 * distance between stacks is made an odd number of pages: otherwise the tops of all stacks, with
 * the fibers' records, would share a few sets of a cache.
 */
static size_t guard_size(const struct nap_fibers_config *config, size_t stack)
{
	size_t guard = config->guard_size ? config->guard_size : NAP_FIBER_GUARD;

	if (guard > GUARD_MOST)
		return 0;
	guard = (guard + PAGE - 1) & ~(PAGE - 1);
	/*
	 * Not noticed in tests when operands of % swapped: only half of an even number of pages is
	 * a number of whole pages.
	 */
	return (stack + guard) / PAGE % 2 ? guard : guard + PAGE;
}

static int map_stacks(struct nap__fibers *fibers, const struct nap_fibers_config *config)
{
	size_t stack = config->stack_size ? config->stack_size : NAP_FIBER_STACK;
	uint32_t most = config->most ? config->most : NAP_FIBERS;
	bool guarded = !(config->flags & NAP_FIBER_NO_GUARD);
	size_t guard;
	char *stacks;

	if (stack < STACK_LEAST || stack > STACK_MOST || (config->flags & ~NAP_FIBER_NO_GUARD) ||
	    most > INT32_MAX || (!guarded && config->guard_size) || config->reserved)
		return -EINVAL;
	stack = (stack + PAGE - 1) & ~(PAGE - 1);
	guard = guarded ? guard_size(config, stack) : 0;
	if (guarded && !guard)
		return -EINVAL;
	if (nap_load_relaxed(&fibers->stacks))
		return -EBUSY;
	fibers->slot = stack + guard;
	fibers->guard = guard;
	fibers->most = most;
	fibers->unbegun = config->unbegun;
	fibers->keep = most / KEEP_PART < NAP__STACKS_KEPT ? most / KEEP_PART + 1 :
							     NAP__STACKS_KEPT;
	stacks = nap__os_map(nap__stacks_size(fibers));
	if (!stacks)
		return -ENOMEM;
	nap__os_small_pages(stacks, fibers->slot * most);
	tools_look();
	fibers->notes = (struct nap__stack_note *)(void *)(stacks + fibers->slot * most);
	/* pairs with the acquire in stacks_are_sized() [A6] */
	nap_store_release(&fibers->stacks, stacks);
	return 0;
}

int nap__stacks_init(struct nap__fibers *fibers, const struct nap_fibers_config *config)
{
	int err;

	/* Called without the lock, because the dynamic loader takes a lock of its own. */
	nap__os_thread_state_look();
	lock_take(&fibers->lock);
	err = map_stacks(fibers, config);
	lock_give(&fibers->lock);
	return err;
}

/* Returns the mapping. The caller has a fiber, or has seen stacks_are_sized(). */
static char *stacks_of(struct nap__fibers *fibers)
{
	return nap_load_relaxed(&fibers->stacks);
}

struct nap_fiber *nap__fiber_at(struct nap__fibers *fibers, uint32_t index)
{
	char *top = stacks_of(fibers) + fibers->slot * ((size_t)index + 1);

	return (struct nap_fiber *)(void *)(top - sizeof(struct nap_fiber));
}

char *nap__stack_low(struct nap__fibers *fibers, const struct nap_fiber *fiber)
{
	return stacks_of(fibers) + fibers->slot * fiber->index + fibers->guard;
}

/* Sets up the fiber's record, which is all zero, on a stack that the caller has. */
static struct nap_fiber *set_up(struct nap__fibers *fibers, uint32_t index)
{
	struct nap_fiber *fiber = nap__fiber_at(fibers, index);
	char *low;

	fiber->index = index;
	fiber->fibers = fibers;
	fiber->pool = fibers->pool;
	fiber->wait.fiber = fiber;
	low = nap__stack_low(fibers, fiber);
	tools_stack(&fiber->tools, low, fiber);
	fiber->half = (uintptr_t)(low + ((char *)fiber - low) / 2);
	return fiber;
}

static void guard_stack(struct nap__fibers *fibers, char *low)
{
	enum nap__guard guard;

	if (!fibers->guard)
		return;
	guard = nap__os_guard(low - fibers->guard, fibers->guard);
	if (guard == GUARD_NONE)
		nap_fetch_add_relaxed(&fibers->unguarded, 1);
	if (guard == GUARD_MAPPING)
		nap_fetch_add_relaxed(&fibers->guard_mappings, 1);
}

struct nap_fiber *nap__stack_new(struct nap__fibers *fibers)
{
	uint32_t index = nap_load_relaxed(&fibers->used);
	struct nap_fiber *fiber;

	do {
		if (index == fibers->most)
			return NULL;
	} while (!nap_try_cmpxchg_relaxed(&fibers->used, &index, index + 1));
	fiber = set_up(fibers, index);
	nap_store_relaxed(&fiber->generation, fibers->generation);
	guard_stack(fibers, nap__stack_low(fibers, fiber));
	return fiber;
}

struct nap_fiber *nap__stack_again(struct nap__fibers *fibers, uint32_t index)
{
	struct nap_fiber *fiber = set_up(fibers, index);

	nap_store_relaxed(&fiber->wait.state, fibers->notes[index].number);
	nap_store_relaxed(&fiber->generation, fibers->notes[index].generation);
	return fiber;
}

/* ---- counts of fibers */

/*
 * Reads how many fibers have ended, then how many were spawned. Both counts only grow: so if they
 * are equal, there was no fiber at some time between the reads. (Friedemann Mattern, "Algorithms
 * for Distributed Termination Detection", 1987, section 6: two counts.)
 */
uint64_t nap__fibers_live(struct nap__fibers *fibers, uint64_t *spawned)
{
	struct nap_worker *first = registry_first(fibers->pool), *w;
	/* Sees the spawns of the ended fibers: pairs with nap__fibers_count_ended(). [A8] */
	uint64_t ended = nap_load_acquire(&fibers->ended), all;

	for (w = first; w; w = w->next)
		/* pairs with nap__fibers_count_ended() [A8] */
		ended += nap_load_acquire(&w->stats.fibers_ended);
	all = nap_load_relaxed(&fibers->spawned);
	/*
	 * The registry is read again, because a worker that has spawned one of the ended fibers may
	 * have been registered since.
	 */
	for (w = registry_first(fibers->pool); w; w = w->next)
		all += nap_load_relaxed(&w->stats.fibers_spawned);
	*spawned = all;
	return all - ended;
}
