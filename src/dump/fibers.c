/* SPDX-License-Identifier: MIT */
/*
 * The part of a dump about fibers. A record stays as long as the pool, but a later fiber may take
 * it over at any time. So the kernel copies the record; the number of the wait, which grows from
 * fiber to fiber, says whether the copy is of one fiber.
 */
#include "dump/dump.h"

#include <string.h>

#include <nap/pool.h>

#include "async/fiber/fiber.h"
#include "async/fiber/stacks.h"
#include "worker/registry.h"
#include "worker/runs.h"
#include "worker/self.h"

static const char *const lives[] = {
	[FIBER_SPAWNED] = "is queued, has not begun",
	[FIBER_ENDED] = "has ended, nobody has awaited it",
};

/*
 * Does what nap__fiber_at() does, so that a program without fibers does not link
 * src/async/fiber/stacks.c.
 */
static struct nap_fiber *fiber_at(struct nap__fibers *fibers, char *stacks, uint32_t index)
{
	return (struct nap_fiber *)(void *)(stacks + fibers->slot * ((size_t)index + 1) -
					    sizeof(struct nap_fiber));
}

/* Copies the record @fiber; false: no fiber has it, or it has changed during the copy. */
static bool copy_fiber(struct nap_fiber *fiber, struct nap_fiber *copy)
{
	uint32_t state = nap_load_relaxed(&fiber->wait.state);

	return nap__os_peek(fiber, copy, sizeof(*copy)) && copy->life != FIBER_FREE &&
	       copy->life <= FIBER_ENDED && copy->wait.state == state &&
	       nap_load_relaxed(&fiber->wait.state) == state;
}

/*
 * The fibers that workers of this pool run. The state of a fiber's wait does not show that the
 * fiber runs: WAIT_OFF stays set until the fiber waits again. If more fibers run than there is room
 * for here, the dump writes "is to go on" for the remaining running fibers.
 */
#define DUMP_RUNNING 64u
struct running {
	const struct nap_fiber *fibers[DUMP_RUNNING];
	uint32_t n;
};

static void find_running(struct nap__dump *dump, struct running *running)
{
	running->n = 0;
	for (struct nap_worker *w = registry_first(dump->pool); w && running->n < DUMP_RUNNING;
	     w = w->next) {
		const struct nap__self *self = nap_load_relaxed(&w->self);

		if (self &&
		    nap__os_peek(&self->fiber, &running->fibers[running->n], sizeof(self->fiber)))
			running->n += running->fibers[running->n] != NULL;
	}
}

static bool is_running(const struct running *running, const struct nap_fiber *fiber)
{
	for (uint32_t i = 0; i < running->n; i++)
		if (running->fibers[i] == fiber)
			return true;
	return false;
}

static void say_wait(struct nap__dump *dump, struct nap_fiber *fiber, const struct nap_fiber *copy,
		     const struct running *running)
{
	uint32_t state = copy->wait.state;
	uint64_t ms = seen_for(&fiber->seen, state / WAIT_NUMBER, dump->now);

	if (!(state & WAIT_OFF) || (!(state & WAIT_OPEN) && is_running(running, fiber))) {
		say_only(dump, "runs");
		return;
	}
	if (!(state & WAIT_OPEN)) {
		say_only(dump, "is to go on");
	} else {
		say_only(dump, "waits for ");
		nap__dump_object(dump, copy->wait.on, copy->wait.object);
		if (ms)
			say(dump, ", since %m or longer", ms);
	}
	if (state & WAIT_TO_END)
		say_only(dump, ", was asked to end");
}

static void dump_fiber(struct nap__dump *dump, struct nap_fiber *fiber,
		       const struct running *running)
{
	struct nap_fiber copy;

	if (!copy_fiber(fiber, &copy)) {
		if (nap_load_relaxed(&fiber->life) != FIBER_FREE)
			say(dump, "fiber at %p: changed during the dump\n", (uintptr_t)fiber);
		return;
	}
	nap__dump_say_fiber(dump, &copy);
	say_only(dump, ": ");
	if (copy.life == FIBER_BEGUN)
		say_wait(dump, fiber, &copy, running);
	else
		say(dump, "%s", (uintptr_t)lives[copy.life]);
	say_only(dump, "\n");
}

void nap__dump_fibers(struct nap__dump *dump)
{
	struct nap__fibers *fibers = fibers_if_any(dump->pool);
	char *stacks = nap__dump_stacks(fibers);
	uint32_t used = stacks ? nap_load_relaxed(&fibers->used) : 0;
	struct running running;

	find_running(dump, &running);
	for (uint32_t i = 0; i < used && i < DUMP_FIBERS && !dump->err; i++)
		dump_fiber(dump, fiber_at(fibers, stacks, i), &running);
	if (used > DUMP_FIBERS)
		say(dump, "and %u more stacks of fibers\n", used - DUMP_FIBERS);
}
