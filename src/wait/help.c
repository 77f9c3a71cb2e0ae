/* SPDX-License-Identifier: MIT */
/*
 * Running a pool's tasks on threads that are not its workers: these call nap_pool_help(), or wait
 * in a pool that has no worker. Such a thread is a guest until it returns (src/sched/guest.h), so a
 * task runs on a worker in every case.
 *
 * Typically the thread takes a guest record, runs tasks as a worker does until no task is left, and
 * gives the record back.
 */
#include "wait/help.h"

#include <errno.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/happens.h"
#include "os/os.h"
#include "queue/kind.h"
#include "sched/guest.h"
#include "sched/schedule.h"
#include "sync/debug.h"
#include "sync/gate.h"
#include "wait/deadlock.h"
#include "worker/enter.h"
#include "worker/jump.h"
#include "worker/leaving.h"
#include "worker/nest.h"
#include "worker/phase.h"
#include "worker/queued.h"
#include "worker/self.h"
#include "worker/source.h"
#include "worker/worker.h"

/* Runs up to @max tasks as @worker. @ask: stop at the nesting limit. */
static unsigned long run_tasks(struct nap_worker *worker, unsigned long max, bool ask)
{
	struct nap__outer before;
	struct nap_task *task;
	unsigned long n = 0;

	nothing_leaves();
	become(worker, &before);
	while (n < max && (!ask || may_nest()) && (task = nap__dequeue(worker))) {
		nap__run(worker, task);
		n++;
	}
	back_to(&before);
	return n;
}

static unsigned long help_as(struct nap_worker *guest, unsigned long max, bool ask)
{
	struct nap_pool *pool = guest->pool;
	unsigned long n = run_tasks(guest, max, ask);

	/* If a task has forked and this is the child, there is no guest to end. */
	if (!pool_forked(pool)) {
		nap__guest_end(guest);
		/* This comes after the fence in nap__guest_end(). [N1] */
		nap__sources_hear(pool, NEWS_RESTED, NULL);
	}
	return n;
}

/* Not inlined, because the guest's record takes much stack. */
static __attribute__((noinline)) unsigned long help_unregistered(struct nap_pool *pool,
								 unsigned long max, bool ask)
{
	struct nap__unregistered aside;

	return help_as(nap__guest_begin_unregistered(pool, &aside), max, ask);
}

/* Runs up to @max tasks as a guest. The caller is inside the pool. */
static unsigned long help(struct nap_pool *pool, unsigned long max, bool ask)
{
	struct nap_worker *guest;

	/* If there is no task, no memory is mapped for guest records. */
	if (!nap__work_queued(pool))
		return 0;
	guest = nap__guest_begin(pool);
	return guest ? help_as(guest, max, ask) : help_unregistered(pool, max, ask);
}

bool nap__help_one(struct nap_pool *pool)
{
	bool ran;

	if (!visits_enter(pool))
		return false;
	/*
	 * The caller has called may_nest() already, which could give another answer in this deeper
	 * frame.
	 */
	ran = help(pool, 1, false);
	if (!pool_forked(pool))
		gate_leave(&pool->visits);
	return ran;
}

/*
 * Reads no worker's record, because the caller is not inside, and the records may be unmapped. So
 * workers at the nesting limit are assumed to have queued tasks.
 */
bool nap__needs_help(struct nap_pool *pool)
{
	return all_at_nest_limit(pool) &&
	       (!inject_empty(&pool->inject) || nap_load_relaxed(&pool->at_nest_limit) ||
		nap__sources_queued(pool, false));
}

long nap_pool_help(struct nap_pool *pool, unsigned long max)
{
	struct nap_worker *worker;
	long n = -ESHUTDOWN;

	if (!pool)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	check_jump(__builtin_return_address(0));
	worker = own_worker(pool);
	/* Not noticed in tests when >= for >: it is set to the same number. */
	if (max == 0 || max > (unsigned long)INT64_MAX)
		max = (unsigned long)INT64_MAX;
	unseen_begin();
	if (worker) {
		n = (long)run_tasks(worker, max, true);
	} else if (visits_enter(pool)) {
		n = (long)help(pool, max, nap__self()->worker);
		if (!pool_forked(pool))
			gate_leave(&pool->visits);
	}
	unseen_end();
	return n;
}
