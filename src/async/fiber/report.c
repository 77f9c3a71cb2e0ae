/* SPDX-License-Identifier: MIT */
/* The names, the stacks and the counts of fibers: nap/fiber.h */
#include <nap/fiber.h>

#include <errno.h>

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "os/happens.h"
#include "os/os.h"
#include "sync/gate.h"
#include "thread.h"
#include "worker/enter.h"

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

long nap_fibers_trim(struct nap_pool *pool)
{
	long bytes = -ESHUTDOWN;

	if (!pool)
		return -EINVAL;
	unseen_begin();
	if (visits_enter(pool)) {
		struct nap__fibers *fibers = fibers_if_any(pool);

		bytes = 0;
		if (fibers && stacks_are_sized(fibers)) {
			bytes = nap__stacks_trim(fibers);
			nap__starts_feed(fibers);
		}
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
	if (!stacks_are_sized(fibers))
		return;
	out->stack_size = fibers->slot - fibers->guard;
	out->free = nap__stacks_free(fibers);
	/*
	 * A stack that is being moved may have been counted twice, or may have come since. Not
	 * noticed in tests when dropped or >= for >: this takes luck.
	 */
	if (out->free > out->stacks)
		out->free = out->stacks;	/* Not noticed in tests when dropped: as above. */
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
