/* SPDX-License-Identifier: MIT */
/*
 * The part of a dump about workers and guests. A worker's record has the task that it runs
 * (src/worker/runs.h). The outer functions, the fiber and the wait are in the thread's own record
 * and on its stack, which are gone when the thread ends: so the kernel copies them.
 */
#include "dump/dump.h"

#include <nap/pool.h>

#include "worker/capacity.h"
#include "worker/registry.h"
#include "worker/runs.h"
#include "worker/self.h"
#include "worker/worker.h"

#define DUMP_NESTED	64u

static const char *const states[] = {
	[RECORD_FREE] = "has no thread",
	[RECORD_CLAIMED] = "starts",
	[RECORD_STANDBY] = "stands by",
	[RECORD_LEAVING] = "leaves",
	[RECORD_GONE] = "has left",
	[RECORD_JOINING] = "is joined",
	[RECORD_JOINED] = "was joined",
};

/* Writes for how long the worker has been in its present function, as far as is known. */
static void say_since(struct nap__dump *dump, struct nap_worker *worker)
{
	uint64_t ms = seen_for(&worker->seen, done_by(worker), dump->now);
	uint64_t checked = nap_load_relaxed(&worker->due_by);

	if (ms)
		say(dump, ", since %m or longer", ms);
	if (checked && checked <= dump->now)
		say(dump, ", %t at most", dump->now - checked);
}

/* Writes the functions inside which the worker runs its present function, the innermost first. */
static void say_nested(struct nap__dump *dump, struct nap_worker *worker,
		       const struct nap__self *self)
{
	struct nap__outer *at = self->outer, outer;
	struct nap_worker *as = self->worker;

	for (uint32_t n = 0; at && n < DUMP_NESTED; n++) {
		if (!nap__os_peek(at, &outer, sizeof(outer)))
			return;
		if (as == worker && outer.runs)
			say(dump, "\tin %f\n", outer.runs);
		as = outer.worker;
		at = outer.outer;
	}
	if (at)
		say_only(dump, "\tand in more\n");
}

static void say_thread(struct nap__dump *dump, struct nap_worker *worker,
		       const struct nap__self *self)
{
	if (self->fiber) {
		say_only(dump, "\ton the stack of ");
		if (!nap__dump_fiber_name(dump, self->fiber))
			say_only(dump, "a fiber of another pool");
		say_only(dump, "\n");
	}
	if (self->sleeps) {
		say_only(dump, "\t");
		if (!nap__dump_wait(dump, self->sleeps, self->sleeper))
			say_only(dump, "waited");
		say_only(dump, "\n");
	}
	say_nested(dump, worker, self);
}

static void dump_busy(struct nap__dump *dump, struct nap_worker *worker)
{
	const struct nap__self *at = nap_load_relaxed(&worker->self);
	uintptr_t runs = nap_load_relaxed(&worker->runs);
	struct nap__self self;
	bool is_there = at && nap__os_peek(at, &self, sizeof(self));

	if (is_there && self.number)
		say(dump, ", thread %u", self.number);
	if (runs)
		say(dump, ": runs %f", runs);
	else
		say(dump, ": %s",
		    (uintptr_t)(is_there && self.outer ? "in a wait" : "looks for work"));
	say_since(dump, worker);
	say_only(dump, "\n");
	if (is_there)
		say_thread(dump, worker, &self);
}

static bool is_doing_something(struct nap_worker *worker, uint32_t record)
{
	if (worker->guest)
		return record != RECORD_FREE;
	if (record == RECORD_CLAIMED && !nap_load_relaxed(&worker->runs))
		return false;
	return record_may_run(record) && record != RECORD_STANDBY &&
	       !(nap_load_relaxed(&worker->rest) & 1) && !nap_load_relaxed(&worker->home);
}

static void dump_worker(struct nap__dump *dump, struct nap_worker *worker)
{
	uint32_t record = nap_load_relaxed(&worker->record);

	say(dump, "%s %u", (uintptr_t)(worker->guest ? "guest" : "worker"), worker->index);
	if (is_doing_something(worker, record))
		dump_busy(dump, worker);
	else
		say(dump, ": %s, %u run\n",
		    (uintptr_t)(record == RECORD_STARTED ? "idle" : states[record]),
		    nap_load_relaxed(&worker->stats.run));
	nap__dump_worker_queues(dump, worker);
}

void nap__dump_workers(struct nap__dump *dump)
{
	for (struct nap_worker *w = registry_first(dump->pool); w && !dump->err; w = w->next)
		if (!w->guest || nap_load_relaxed(&w->record) != RECORD_FREE)
			dump_worker(dump, w);
}
