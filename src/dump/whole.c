/* SPDX-License-Identifier: MIT */
/* Dumps one pool: src/dump/dump.h. */
#include "dump/dump.h"

#include <errno.h>

#include <nap/nap.h>

#include "idle/idle.h"
#include "life/pool.h"
#include "sync/gate.h"
#include "worker/enter.h"
#include "worker/phase.h"

static const char *const phases[] = {
	[PHASE_RUNNING] = "runs",	[PHASE_DRAIN] = "is shut down, and runs what remains",
	[PHASE_STOP] = "is stopped",	[PHASE_JOINED] = "was joined",
	[PHASE_JOINED_STOP] = "was stopped and joined",
};

static void say_pool(struct nap__dump *dump, const char *how)
{
	const char *name = dump->pool->config.name;

	say(dump, "nap: pool %p", (uintptr_t)dump->pool);
	if (name)
		say(dump, " %n", (uintptr_t)name);
	say(dump, " of process %u %s\n", nap__os_process_number(), (uintptr_t)how);
}

static void say_counts(struct nap__dump *dump)
{
	struct nap_pool *pool = dump->pool;
	struct nap__remaining left;

	nap__remaining_count(pool, &left);
	say(dump, "workers: %u of %u started, %u idle, %u blocked; guests: %u\n",
	    nap__idle_spawned(pool), nap_load_relaxed(&pool->limit), nap__idle_count(pool),
	    nap_load_relaxed(&pool->blocked), left.guests);
	say(dump, "queued: %u injected, %u in rings, %u in overflows, %u in classes, "
	    "%u in serial queues, %u starts of fibers, %u calls\n", left.injected, left.rings,
	    left.overflow, left.classes, left.serial, left.starts, left.calls);
	if (nap_load_relaxed(&pool->spawn_failures))
		say(dump, "starts of workers that failed: %u, errno %u\n",
		    nap_load_relaxed(&pool->spawn_failures),
		    (uint64_t)nap_load_relaxed(&pool->spawn_errno));
}

/* Writes all parts. The caller is inside the visits. */
static void dump_inside(struct nap__dump *dump)
{
	say_pool(dump, phases[pool_phase(dump->pool)]);
	say_counts(dump);
	nap__dump_queue(dump, "injected", &dump->pool->inject, false);
	nap__dump_workers(dump);
	nap__dump_classes(dump);
	nap__dump_waiters(dump);
	nap__dump_fibers(dump);
	say_only(dump, "end of pool\n");
}

/* The members are set one by one, because the buffers are too large to be cleared. */
static void dump_begin(struct nap__dump *dump, struct nap_pool *pool, int fd)
{
	dump->pool = pool;
	dump->fd = fd;
	dump->err = 0;
	dump->len = dump->next_name = 0;
	/*
	 * Not noticed in tests when <= for <: the first bytes of the buffer, behind the names, are
	 * written later.
	 */
	for (uint32_t i = 0; i < DUMP_NAMES; i++)
		/* Not noticed in tests when 1 for 0: no function has this address either. */
		dump->names[i].address = 0;
	dump->now = nap__os_now();
}

int nap__dump_parents(struct nap_pool *pool, int fd)
{
	struct nap__dump dump;

	if (!pool)
		return 0;
	dump_begin(&dump, pool, fd);
	say(&dump, "nap: pool %p of process %u is the parent's\n", (uintptr_t)pool,
	    nap__os_process_number());
	nap__dump_flush(&dump);
	return dump.err;
}

int nap__dump_pool(struct nap_pool *pool, int fd)
{
	struct nap__dump dump;
	int err = 0;

	dump_begin(&dump, pool, fd);
	if (pool_forked(pool)) {
		say_pool(&dump, "is the parent's");
		err = -ESHUTDOWN;
	} else if (!nap_load_relaxed(&pool->limit)) {
		say_pool(&dump, "was not used yet");
	} else if (visits_enter(pool)) {
		dump_inside(&dump);
		gate_leave(&pool->visits);
	} else {
		say_pool(&dump, "was joined, or is about to be");
		err = -ESHUTDOWN;
	}
	nap__dump_flush(&dump);
	return dump.err ? dump.err : err;
}

int nap_pool_dump(struct nap_pool *pool, int fd)
{
	if (!pool)
		return -EINVAL;
	/*
	 * unseen_begin(), which hides accesses from a race detector, is not called here: it does
	 * not nest, and this may be a signal handler that has interrupted a call between
	 * unseen_begin() and unseen_end().
	 */
	return nap__dump_pool(pool, fd);
}
