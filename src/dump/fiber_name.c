/* SPDX-License-Identifier: MIT */
/* Writes the number, name and function of a fiber. The pointer to the fiber may be invalid. */
#include "dump/dump.h"

#include <nap/pool.h>

#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"

void nap__dump_say_fiber(struct nap__dump *dump, struct nap_fiber *copy)
{
	copy->name[sizeof(copy->name) - 1] = '\0';
	say(dump, "fiber %u", copy->index);
	if (copy->name[0])
		say(dump, " %n", (uintptr_t)copy->name);
	say(dump, " %f", (uintptr_t)copy->fn);
}

char *nap__dump_stacks(struct nap__fibers *fibers)
{
	return fibers && stacks_are_sized(fibers) ? nap_load_relaxed(&fibers->stacks) : NULL;
}

/* Whether a fiber's record of this pool begins at @fiber, which may be any address. */
static bool is_fiber_of(struct nap__fibers *fibers, const struct nap_fiber *fiber)
{
	char *stacks = nap__dump_stacks(fibers);
	uintptr_t from = (uintptr_t)stacks, at = (uintptr_t)fiber + sizeof(*fiber);

	return stacks && at > from && at - from <= fibers->slot * nap_load_relaxed(&fibers->used) &&
	       (at - from) % fibers->slot == 0;
}

bool nap__dump_fiber_name(struct nap__dump *dump, const struct nap_fiber *fiber)
{
	struct nap_fiber copy;

	if (!is_fiber_of(fibers_if_any(dump->pool), fiber))
		return false;
	if (nap__os_peek(fiber, &copy, sizeof(copy)))
		nap__dump_say_fiber(dump, &copy);
	return true;
}
