/* SPDX-License-Identifier: MIT */
/* What is said of fibers: names, stacks, counts. nap/fiber.h */
#include <nap/fiber.h>

#include <errno.h>

#include "atomic.h"
#include "enter.h"
#include "fiber/fiber.h"
#include "fiber/stacks.h"
#include "gate.h"
#include "happens.h"
#include "os.h"
#include "syscall.h"
#include "thread.h"

void nap_fiber_set_name(const char *name)
{
	struct nap_fiber *fiber = nap_fiber_self();
	size_t n = 0;

	if (!fiber)
		return;
	for (; name && name[n] && n < sizeof(fiber->name) - 1; n++)
		fiber->name[n] = name[n];
	fiber->name[n] = '\0';
}

const char *nap_fiber_name(const struct nap_fiber *fiber)
{
	return fiber ? fiber->name : "";
}

size_t nap_fiber_stack_used(const struct nap_fiber *fiber)
{
	char *low;

	if (!fiber)
		return 0;
	low = nap__stack_low(fiber->fibers, fiber);
	return nap__os_touched(low, fiber->fibers->slot - fiber->fibers->guard);
}

/* All but the page with the fiber itself, which stays one. */
static size_t forget(struct nap__fibers *fibers, struct nap_fiber *fiber)
{
	char *low = nap__stack_low(fibers, fiber);
	size_t size = fibers->slot - fibers->guard - NAP__PAGE_MAX;

	nap__os_forget(low, size);
	return size;
}

/* Taken out of the list of all, one by one, and given back when each has been seen. */
static long trim(struct nap__fibers *fibers)
{
	struct nap_fiber *seen = NULL, *fiber;
	long bytes = 0;

	while ((fiber = nap__stack_take_free(fibers))) {
		bytes += (long)forget(fibers, fiber);
		fiber->task.next = seen ? &seen->task : NULL;
		seen = fiber;
	}
	while (seen) {
		fiber = seen;
		seen = fiber->task.next ?
			       nap_container_of(fiber->task.next, struct nap_fiber, task) : NULL;
		nap__stack_give(fibers, NULL, fiber);
	}
	return bytes;
}

/* The caller is inside. */
static struct nap__fibers *fibers_if_any(struct nap_pool *pool)
{
	struct nap__async *async = pool_async(pool);

	return async ? nap_container_of(async, struct nap__fibers, async) : NULL;
}

long nap_fibers_trim(struct nap_pool *pool)
{
	long bytes = -ESHUTDOWN;

	if (!pool)
		return -EINVAL;
	unseen_begin();
	if (visits_enter(pool)) {
		struct nap__fibers *fibers = fibers_if_any(pool);

		bytes = fibers ? trim(fibers) : 0;
		gate_leave(&pool->visits);
	}
	unseen_end();
	return bytes;
}

static void read_stats(struct nap__fibers *fibers, struct nap_fiber_stats *out)
{
	out->live = nap__fibers_live(fibers, &out->spawned);
	out->stacks = nap_load_relaxed(&fibers->used);
	out->unguarded = nap_load_relaxed(&fibers->unguarded);
	out->stack_size = fibers->slot - fibers->guard;
}

int nap_fiber_get_stats(struct nap_pool *pool, struct nap_fiber_stats *out)
{
	int err = -ESHUTDOWN;

	if (!pool || !out)
		return -EINVAL;
	*out = (struct nap_fiber_stats){ 0 };
	unseen_begin();
	if (visits_enter(pool)) {
		struct nap__fibers *fibers = fibers_if_any(pool);

		if (fibers)
			read_stats(fibers, out);
		err = 0;
		gate_leave(&pool->visits);
	}
	unseen_end();
	return err;
}
