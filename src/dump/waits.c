/* SPDX-License-Identifier: MIT */
/*
 * The part of a dump about waiting threads. A wait lies on the stack of its thread, which may
 * return at any time, so the kernel copies the wait. If the stack is used for something else by
 * then, the copy is no wait: typically its table cannot be read, or the table's name has no end.
 */
#include "dump/dump.h"

#include <string.h>

#include <nap/pool.h>
#include <nap/sync.h>
#include <nap/trace_file.h>

#include "async/fiber/fiber.h"
#include "sync/deadline.h"
#include "sync/waitlist.h"
#include "wait/wait.h"
#include "worker/worker.h"

static const char *const objects[] = {
	[NAP_TRACE_ON_UNKNOWN] = "something",	[NAP_TRACE_ON_YIELD] = "its turn",
	[NAP_TRACE_ON_TIME] = "a time",		[NAP_TRACE_ON_FIBER] = "the end of",
	[NAP_TRACE_ON_GROUP] = "a group",	[NAP_TRACE_ON_SEM] = "a semaphore",
	[NAP_TRACE_ON_MUTEX] = "a mutex",	[NAP_TRACE_ON_COND] = "a condition",
	[NAP_TRACE_ON_EVENT] = "an event",	[NAP_TRACE_ON_CHANNEL] = "a channel",
	[NAP_TRACE_ON_SELECT] = "one of several channels", [NAP_TRACE_ON_FILE] = "file descriptor",
	[NAP_TRACE_ON_TIMER] = "the end of a timer's task",
};

static void say_owner(struct nap__dump *dump, const void *object)
{
	struct nap_mutex mutex;

	if (!nap__os_peek(object, &mutex, sizeof(mutex)))
		return;
	say_only(dump, ", which was locked by ");
	if (!mutex.owner)
		say_only(dump, "a thread");
	else if (!nap__dump_fiber_name(dump, mutex.owner))
		say_only(dump, "a fiber of another pool");
}

void nap__dump_object(struct nap__dump *dump, uint32_t on, const void *object)
{
	const char *name = on < sizeof(objects) / sizeof(objects[0]) ? objects[on] : NULL;

	say(dump, "%s", (uintptr_t)(name ? name : objects[NAP_TRACE_ON_UNKNOWN]));
	if (on == NAP_TRACE_ON_FILE) {
		say(dump, " %u", (uintptr_t)object);
	} else if (on == NAP_TRACE_ON_FIBER) {
		say_only(dump, " ");
		if (!nap__dump_fiber_name(dump, object))
			say(dump, "fiber %p", (uintptr_t)object);
	} else if (object) {
		say(dump, " %p", (uintptr_t)object);
	}
	if (on == NAP_TRACE_ON_MUTEX)
		say_owner(dump, object);
}

static void say_until(struct nap__dump *dump, uint64_t deadline)
{
	if (deadline == NAP_FOREVER)
		return;
	if (deadline > dump->now)
		say(dump, ", %t more at most", deadline - dump->now);
	else
		say_only(dump, ", its time is over");
}

bool nap__dump_wait(struct nap__dump *dump, const void *wait, const struct nap__fiber_wait *sleeper)
{
	struct nap__fiber_wait thing;
	struct nap__wait_ops ops;
	struct nap__wait copy;

	if (!nap__os_peek(wait, &copy, sizeof(copy)) ||
	    !nap__os_peek(copy.ops, &ops, sizeof(ops)) || ops.name[sizeof(ops.name) - 1])
		return false;
	say_only(dump, "waits for ");
	if (sleeper && nap__os_peek(sleeper, &thing, sizeof(thing))) {
		nap__dump_object(dump, thing.on, thing.object);
	} else {
		say(dump, "a %s", (uintptr_t)ops.name);
		if (copy.list && ops.list_at)
			say(dump, " %p", (uintptr_t)copy.list - ops.list_at);
	}
	if (copy.since && copy.since <= dump->now)
		say(dump, ", since %t", dump->now - copy.since);
	say_until(dump, copy.deadline);
	return true;
}

/* Writes the threads that wait inside the visits: threads that are no workers of this pool. */
void nap__dump_waiters(struct nap__dump *dump)
{
	uintptr_t at = nap_load_relaxed(&dump->pool->waiters);
	struct nap__waiter node;

	for (uint32_t n = 0; at && at != WAITLIST_CLOSED; n++, at = (uintptr_t)node.next) {
		const struct nap__wait *wait;
		struct nap_worker *worker;

		if (n == DUMP_MOST) {
			say_only(dump, "and more threads\n");
			return;
		}
		if (!nap__os_peek((void *)at, &node, sizeof(node))) {
			say_only(dump, "the list of waiting threads has changed during the dump\n");
			return;
		}
		if (node.event == (uint32_t *)WAITER_IS_LISTENER)
			continue;
		wait = nap_container_of((struct nap__waiter *)at, struct nap__wait, visitor);
		if (!nap__os_peek(&wait->worker, &worker, sizeof(worker)) || worker)
			continue;
		say_only(dump, "a thread from outside ");
		if (!nap__dump_wait(dump, wait, NULL))
			say_only(dump, "waited");
		say_only(dump, "\n");
	}
}
