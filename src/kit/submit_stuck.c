/* SPDX-License-Identifier: MIT */
/*
 * The rule by which a wait for a slot is given up.
 *
 * A function that waits for a slot has a slot itself. While all workers of a pool are idle or wait
 * for slots, no slot becomes free. When this state has lasted for DEADLOCK_NS, one worker gives up:
 * its function goes on without a second slot, and gives back its own slot, for which the others
 * wait.
 *
 * Workers may change their state while one of them checks the others. A worker that gives up was
 * stuck before, and is idle afterwards, so a check may not see that this worker went on in between.
 * Therefore the count of stuck workers has a tag, which shows that a worker has given up during the
 * check. And the slots are checked after the workers: this check finds the slot of a worker that
 * had given up earlier.
 */
#include "kit/submit_stuck.h"

#include <nap/group.h>

#include "idle/idle.h"
#include "kit/slots.h"
#include "sched/guest.h"
#include "wait/deadlock.h"
#include "worker/queued.h"
#include "worker/registry.h"

#define STUCK_ONE	(((uint64_t)1 << 32) + 1)

/*
 * Counts the worker as stuck, unless it belongs to another pool, which does not know what the
 * worker waits for.
 */
void nap__slot_be_stuck(struct nap__wait *wait)
{
	struct nap__slot_wait *w = slot_wait_of(wait);
	struct nap_worker *worker = wait->worker;

	if (w->stuck || wait->deadline != NAP_FOREVER || worker->retired ||
	    worker->pool != w->submit->pool)
		return;
	/*
	 * Counted after the fence that ends the worker's rest, so that no thread sees the worker
	 * both stuck and at rest. [K8]
	 */
	nap_fetch_add_relaxed(&w->submit->stuck, STUCK_ONE);
	w->stuck = true;
}

void nap__slot_be_stuck_no_more(struct nap__wait *wait)
{
	struct nap__slot_wait *w = slot_wait_of(wait);

	if (w->stuck)
		nap_fetch_sub_relaxed(&w->submit->stuck, 1);
	w->stuck = false;
	wait->alone_until = 0;
}

static uint32_t nr_at_rest(struct nap_pool *pool)
{
	uint32_t n = 0;

	for (struct nap_worker *w = registry_first(pool); w; w = w->next)
		n += nap_load_relaxed(&w->record) == RECORD_STARTED &&
		     nap_load_relaxed(&w->rest) & 1;
	return n;
}

/*
 * Whether no running thread has a slot, and no thread could run a queued task that has one. @stuck:
 * the number of stuck threads.
 */
static bool nobody_goes_on(struct nap__slot_wait *w, uint32_t stuck)
{
	struct nap_pool *pool = w->submit->pool;
	uint32_t all = nap__idle_spawned(pool) + guests_inside(pool);

	stuck += nap_load_relaxed(&pool->stuck) + nap_load_relaxed(&pool->stuck_guests);
	return stuck + nr_at_rest(pool) >= all &&
	       (!nap__anything_queued(pool) || (wait_at_limit(&w->wait) && cannot_start(pool)));
}

/*
 * Whether no slot was given back, and none is about to be. If a function is queued, its slot stays
 * taken, because no waiter here can run it. If none is queued, the function of every taken slot has
 * to be running; otherwise a thread is about to schedule a function, or to give a slot back.
 */
static bool none_comes(struct nap__slot_wait *w)
{
	struct nap_submitter *submit = w->submit;
	uint32_t taken = slots_taken_last(submit);

	return taken >= slots_limit(submit) &&
	       (nap__anything_queued(submit->pool) || slots_nr_run(submit) >= taken);
}

/*
 * Whether the waiter gives up. If several waiters may give up at once, only one does, and another
 * waiter gets its slot. The workers are checked before the slots, and once more after the slots: a
 * worker whose function has begun in the meantime is no longer seen at rest. [K6]
 */
bool nap__slot_gives_up(struct nap__wait *wait)
{
	struct nap__slot_wait *w = slot_wait_of(wait);
	struct nap_submitter *submit = w->submit;
	uint64_t stuck;

	/* Not counted as stuck: gives up where no thread of the submitter's pool comes. */
	if (wait->worker->pool != submit->pool)
		return nap__deadlock_gives_up(wait);
	/* From here on no stuck worker is still seen at rest: pairs with rest(). [K8] */
	stuck = nap_load_acquire(&submit->stuck);
	if (!has_lasted(w->stuck && nobody_goes_on(w, stuck_in(stuck)), &wait->alone_until))
		return false;
	wait->alone_until = 0;
	if (!none_comes(w) || !nobody_goes_on(w, stuck_in(stuck)) ||
	    nap_cmpxchg_relaxed(&submit->stuck, stuck, stuck - 1) != stuck)
		return false;
	w->stuck = false;
	return true;
}
