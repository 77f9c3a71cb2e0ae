/* SPDX-License-Identifier: MIT */
/* The stacks of fibers, and counting them: src/fiber/stacks.h. */
#include "fiber/stacks.h"

#include <errno.h>

#include "atomic.h"
#include "fiber/fiber.h"
#include "lock.h"
#include "os.h"
#include "registry.h"
#include "syscall.h"
#include "thread.h"

#define STACK_LEAST	((size_t)16 << 10)
#define STACK_MOST	((size_t)1 << 30)
#define PAGE		((size_t)NAP__PAGE_MAX)
#define OWN_MOST	64u	/* free ones that a worker keeps, */
#define OWN_BATCH	32u	/* and gives or takes at once */

_Static_assert(sizeof(struct nap_fiber) <= 512, "as nap/fiber.h says");

/* ---- made, and sized */

struct nap__fibers *nap__fibers_of(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);
	struct nap__fibers *fibers;

	if (async)
		return nap_container_of(async, struct nap__fibers, async);
	fibers = nap__os_map(sizeof(*fibers));
	if (!fibers)
		return NULL;
	fibers->async.ops = &nap__fiber_ops;
	fibers->pool = pool;
	if (!nap_cmpxchg_release(&pool->async, NULL, &fibers->async))	/* pairs with pool_async() [A1] */
		return fibers;
	/* Another was first. */
	nap__os_unmap(fibers, sizeof(*fibers));
	return nap_container_of(pool_async(pool), struct nap__fibers, async);
}

static int map_stacks(struct nap__fibers *fibers, const struct nap_fibers_config *config)
{
	size_t stack = config->stack_size ? config->stack_size : NAP_FIBER_STACK;
	size_t guard = config->flags & NAP_FIBER_NO_GUARD ? 0 : PAGE;
	uint32_t most = config->most ? config->most : NAP_FIBERS;
	char *stacks;

	if (stack < STACK_LEAST || stack > STACK_MOST || (config->flags & ~NAP_FIBER_NO_GUARD) ||
	    most > INT32_MAX)
		return -EINVAL;
	stack = (stack + PAGE - 1) & ~(PAGE - 1);
	if (nap_load_relaxed(&fibers->stacks))
		return -EBUSY;
	stacks = nap__os_map((stack + guard) * most);
	if (!stacks)
		return -ENOMEM;
	tools_look();
	fibers->slot = stack + guard;
	fibers->guard = guard;
	fibers->most = most;
	nap_store_release(&fibers->stacks, stacks);	/* pairs with stacks_are_sized() [A6] */
	return 0;
}

int nap__stacks_init(struct nap__fibers *fibers, const struct nap_fibers_config *config)
{
	int err;

	lock_take(&fibers->lock);
	err = map_stacks(fibers, config);
	lock_give(&fibers->lock);
	return err;
}

/* Whoever has a fiber, or may take one. */
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

/* ---- the list of all: Treiber's stack of indices, with a tag */

static void give_list(struct nap__fibers *fibers, struct nap_fiber *first, struct nap_fiber *last)
{
	uint64_t head = nap_load_relaxed(&fibers->free), next;

	do {
		nap_store_relaxed(&last->next_free, (uint32_t)head);
		next = ((head >> 32) + 1) << 32 | (first->index + 1);
		/* Pairs with nap__stack_take_free(): the fiber, which nobody else has. [A7] */
	} while (!nap_try_cmpxchg_release(&fibers->free, &head, next));
}

struct nap_fiber *nap__stack_take_free(struct nap__fibers *fibers)
{
	for (;;) {
		/* Loaded anew each time: what a failed compare-exchange has read is not in order. */
		uint64_t head = nap_load_acquire(&fibers->free), next;	/* pairs with give_list() [A7] */
		struct nap_fiber *fiber;

		if (!(uint32_t)head)
			return NULL;
		fiber = nap__fiber_at(fibers, (uint32_t)head - 1);
		next = ((head >> 32) + 1) << 32 | nap_load_relaxed(&fiber->next_free);
		if (nap_try_cmpxchg_relaxed(&fibers->free, &head, next))
			return fiber;
	}
}

/* One that nobody has used yet. */
static struct nap_fiber *take_new(struct nap__fibers *fibers)
{
	uint32_t index = nap_load_relaxed(&fibers->used);
	struct nap_fiber *fiber;
	char *low;

	do {
		if (index == fibers->most)
			return NULL;
	} while (!nap_try_cmpxchg_relaxed(&fibers->used, &index, index + 1));
	fiber = nap__fiber_at(fibers, index);
	fiber->index = index;
	fiber->fibers = fibers;
	fiber->pool = fibers->pool;
	fiber->wait.fiber = fiber;
	low = nap__stack_low(fibers, fiber);
	tools_stack(&fiber->tools, low, fiber);
	fiber->half = (uintptr_t)(low + ((char *)fiber - low) / 2);
	if (fibers->guard && !nap__os_guard(low - fibers->guard, fibers->guard))
		nap_fetch_add_relaxed(&fibers->unguarded, 1);
	return fiber;
}

static struct nap_fiber *take(struct nap__fibers *fibers)
{
	struct nap_fiber *fiber = nap__stack_take_free(fibers);

	return fiber ? fiber : take_new(fibers);
}

/* ---- a worker's own list */

static bool has_own(struct nap_worker *worker)
{
	return worker && !worker->guest;
}

static void push_own(struct nap_worker *worker, struct nap_fiber *fiber)
{
	fiber->task.next = worker->fibers ? &worker->fibers->task : NULL;
	worker->fibers = fiber;
	worker->nr_fibers++;
}

static struct nap_fiber *pop_own(struct nap_worker *worker)
{
	struct nap_fiber *fiber = worker->fibers;
	struct nap_task *next = fiber->task.next;

	worker->fibers = next ? nap_container_of(next, struct nap_fiber, task) : NULL;
	worker->nr_fibers--;
	return fiber;
}

struct nap_fiber *nap__stack_take(struct nap__fibers *fibers, struct nap_worker *worker)
{
	struct nap_fiber *fiber;

	if (!has_own(worker))
		return take(fibers);
	while (!worker->nr_fibers) {
		/* Those that were used before, as many as there are; else a new one. */
		while (worker->nr_fibers < OWN_BATCH && (fiber = nap__stack_take_free(fibers)))
			push_own(worker, fiber);
		if (!worker->nr_fibers)
			return take_new(fibers);
	}
	return pop_own(worker);
}

void nap__stack_give(struct nap__fibers *fibers, struct nap_worker *worker, struct nap_fiber *fiber)
{
	struct nap_fiber *first, *last;

	nap_store_relaxed(&fiber->life, FIBER_FREE);
	if (!has_own(worker)) {
		give_list(fibers, fiber, fiber);
		return;
	}
	push_own(worker, fiber);
	if (worker->nr_fibers < OWN_MOST)
		return;
	first = last = pop_own(worker);
	for (uint32_t n = 1; n < OWN_BATCH; n++) {
		fiber = pop_own(worker);
		nap_store_relaxed(&last->next_free, fiber->index + 1);
		last = fiber;
	}
	give_list(fibers, first, last);
}

/* ---- how many there are */

/* Whose record is read as long as the pool is there. */
static bool counts(struct nap_worker *worker)
{
	return worker && worker->index != UINT32_MAX;
}

void nap__fibers_count_spawned(struct nap__fibers *fibers, struct nap_worker *worker)
{
	if (counts(worker))
		stat_add(&worker->stats.fibers_spawned, 1);
	else
		nap_fetch_add_relaxed(&fibers->spawned, 1);
}

void nap__fibers_count_ended(struct nap__fibers *fibers, struct nap_worker *worker)
{
	/* Pairs with nap__fibers_live(): that it was spawned, and whatever it has spawned. [A8] */
	if (counts(worker))
		nap_store_release(&worker->stats.fibers_ended, worker->stats.fibers_ended + 1);
	else
		nap_fetch_add_release(&fibers->ended, 1);	/* the same [A8] */
}

/*
 * First how many have ended, then how many were spawned. Both only grow, so if they are equal there
 * was none in between. (Friedemann Mattern, "Algorithms for Distributed Termination Detection",
 * 1987, section 6: two counts.)
 */
uint64_t nap__fibers_live(struct nap__fibers *fibers, uint64_t *spawned)
{
	struct nap_worker *first = registry_first(fibers->pool), *w;
	uint64_t ended = nap_load_acquire(&fibers->ended), all;	/* pairs with count_ended() [A8] */

	for (w = first; w; w = w->next)
		ended += nap_load_acquire(&w->stats.fibers_ended);	/* the same [A8] */
	all = nap_load_relaxed(&fibers->spawned);
	/* Whoever has spawned one that has ended is in the registry by now. */
	for (w = registry_first(fibers->pool); w; w = w->next)
		all += nap_load_relaxed(&w->stats.fibers_spawned);
	*spawned = all;
	return all - ended;
}
