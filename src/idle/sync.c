/* SPDX-License-Identifier: MIT */
/*
 * The Sync protocol (the blog text on Zap, "Notification Throttling"): at most one worker at a
 * time is being woken, and only when that one has found a task is the next one woken.
 *
 * No wake-up is lost. A producer publishes, then looks at NOTIFIED; a worker clears NOTIFIED, then
 * looks at the queues. Each needs its store before its load, or both may miss the other: the
 * store-buffering shape. The published form has no fence on either side, and one side's is not
 * enough off x86. Here both have one:
 *
 *	producer                          worker
 *	--------                          ------
 *	push the task                     clear NOTIFIED
 *	full fence [S1]                   full fence [S1]
 *	see NOTIFIED set: done            look at every queue: nothing
 *	or set it: CAS (release) [S2]     go idle: CAS; or NOTIFIED is set: CAS (acquire) [S2]
 *
 * If the producer sees the old NOTIFIED, its fence came before the worker's and the worker sees the
 * task. Otherwise it sets NOTIFIED by a CAS on the word on which the worker's going idle is a CAS
 * too: before that, the worker finds it set; after, the producer finds the worker idle and wakes
 * it.
 *
 * The idle set is a second such pair, between the word and the set:
 *
 *	notifier                          worker
 *	--------                          ------
 *	signal: CAS on the word           idle + 1: CAS on the word
 *	full fence [S3]                   enter the idle set
 *	pop the idle set: empty           full fence [S3]
 *	                                  look at NOTIFIED again before parking
 *
 * The set is empty although the word counts an idle worker: that worker is on its way in (or was
 * popped by an earlier notifier and will be back), and looks again after it has entered.
 *
 * Rejected: waking through one event that all workers park on, as Zap does (a shutdown between two
 * wakes strands a sleeper, and a wake cannot choose its worker); making the notification a
 * read-modify-write on every schedule instead of the fences (every producer then writes this word).
 */
#include "idle/idle.h"

#include <errno.h>

#include "atomic.h"
#include "event.h"
#include "idle/set.h"
#include "idle/sync.h"
#include "phase.h"
#include "registry.h"
#include "waitlist.h"
#include "worker.h"

static void sync_wake(struct nap_pool *pool)
{
	struct nap_worker *worker;

	nap_fence_seq_cst();	/* signal before pop; pairs with nap__idle_prepare() [S3] */
	worker = set_pop(pool);
	if (worker)
		event_set(&worker->event, EVENT_WORK);
}

/*
 * Notify whatever the fast path thought of it. @waking: from the waking worker, who is that no
 * more.
 */
static void notify(struct nap_pool *pool, bool waking)
{
	uint32_t limit = nap_load_relaxed(&pool->limit);
	uint32_t sync = nap_load_relaxed(&pool->sync);
	struct sync_step step;

	for (;;) {
		uint32_t spawned = sync_spawned(sync), found;
		uint32_t max = nap__spawn_allowed(pool, spawned) ? limit : 0;

		step = sync_notify(sync, max, waking);
		if (step.next == sync)
			return;
		/* Pairs with nap__idle_prepare(): the queues as they are now. [S2] */
		found = nap_cmpxchg_release(&pool->sync, sync, step.next);
		if (found == sync)
			break;
		sync = found;
	}
	if (step.act == SYNC_WAKE)
		sync_wake(pool);
	else if (step.act == SYNC_SPAWN)
		nap__spawn(pool);
}

void nap__idle_notify(struct nap_pool *pool)
{
	uint32_t limit;

	nap_fence_seq_cst();	/* publish before looking; pairs with nap__idle_prepare() [S1] */
	limit = nap_load_relaxed(&pool->limit);
	if (sync_must_notify(nap_load_relaxed(&pool->sync), limit))
		notify(pool, false);
}

/*
 * A notification may stand for several tasks: producers that found NOTIFIED set left it at that. So
 * whoever takes it and then takes a task, or stops looking for another reason, sets it again for
 * the rest; only who has looked everywhere and found nothing need not. Zap passes on only what the
 * waking thread took, and a task beside the one that was found then waits for its own pusher to
 * end.
 */
static void pass_on(struct nap_worker *worker, bool more)
{
	bool waking = worker->waking, owes = worker->owes_notify;

	worker->waking = worker->owes_notify = false;
	if (waking)
		notify(worker->pool, true);
	else if (owes || more)
		nap__idle_notify(worker->pool);
}

void nap__idle_cancel(struct nap_worker *worker)
{
	pass_on(worker, false);
}

void nap__idle_found(struct nap_worker *worker, bool more)
{
	pass_on(worker, more);
}

/* Get out of the idle set, and if a wake is on its way already, take it. */
static void withdraw(struct nap_worker *worker)
{
	if (worker->listed && !set_withdraw(worker))
		event_wait(&worker->event, EVENT_WORK, UINT64_MAX);
	worker->listed = false;
}

/* Go idle in the word; false when the word has changed. */
static bool fall_idle(struct nap_worker *worker, uint32_t *sync)
{
	struct nap_pool *pool = worker->pool;
	uint32_t next = sync_sleep(*sync, worker->waking);
	/* Pairs with nap__idle_quiet(): what the tasks did; and nap__idle_shutdown(). [S4] */
	uint32_t found = nap_cmpxchg_release(&pool->sync, *sync, next);

	if (found != *sync) {
		*sync = found;
		return false;
	}
	worker->waking = worker->owes_notify = false;
	worker->counted = true;
	*sync = next;
	if ((next & SYNC_WATCHED) && sync_quiet(next))
		nap__idle_wake_watchers(pool);
	return true;
}

enum nap__verdict nap__idle_prepare(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t sync = nap_load_relaxed(&pool->sync);

	for (;;) {
		if (sync_state(sync) == SYNC_SHUTDOWN) {
			withdraw(worker);
			return NAP_EXIT;
		}
		if (sync & SYNC_NOTIFIED) {
			uint32_t found;

			/*
			 * Out of the set first: then a wake meant for a later notification than the
			 * one taken here goes to somebody else.
			 */
			withdraw(worker);
			/* Pairs with notify(): the queues. [S2] */
			found = nap_cmpxchg_acquire(&pool->sync, sync,
						    sync_consume(sync, worker->counted));
			if (found == sync)
				break;
			sync = found;
		} else if (!worker->counted) {
			fall_idle(worker, &sync);
		} else if (!worker->listed) {
			worker->listed = true;
			set_enter(pool, worker);
			/* Enter before looking; pairs with sync_wake() [S3] */
			nap_fence_seq_cst();
			sync = nap_load_relaxed(&pool->sync);
		} else {
			return NAP_PARK;
		}
	}
	worker->counted = false;
	worker->waking |= sync_state(sync) == SYNC_SIGNALED;
	worker->owes_notify = true;
	nap_fence_seq_cst();	/* clear before looking; pairs with nap__idle_notify() [S1] */
	return NAP_SEARCH;
}

void nap__idle_woken(struct nap_worker *worker)
{
	worker->listed = false;
}

void nap__idle_leave(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t sync;

	/*
	 * In this order: after the first no wake is aimed here, the second answers those that were.
	 */
	withdraw(worker);
	sync = nap_load_relaxed(&pool->sync);
	for (;;) {
		/*
		 * Relaxed: nobody looks at a queue for it. A notification that is taken is passed
		 * on at once, and this and the next read-modify-write carry on its release.
		 */
		uint32_t found = nap_cmpxchg_relaxed(&pool->sync, sync, sync_leave(sync));

		if (found == sync)
			break;
		sync = found;
	}
	worker->counted = false;
	if (sync_state(sync) == SYNC_SHUTDOWN || !(sync & SYNC_NOTIFIED))
		return;
	notify(pool, sync_state(sync) == SYNC_SIGNALED);
}

void nap__idle_shutdown(struct nap_pool *pool)
{
	/* The order of the states makes this a plain or. Pairs with fall_idle() [S4]. */
	nap_fetch_or_acquire(&pool->sync, SYNC_SHUTDOWN);
	/*
	 * Unconditionally and one by one. Whoever parks later found the word without SHUTDOWN when
	 * it went idle, so its record is in the registry that is read here.
	 */
	for (struct nap_worker *worker = registry_first(pool); worker; worker = worker->next)
		event_set(&worker->event, EVENT_EXIT);
}

int nap__idle_spawn(struct nap_pool *pool, uint32_t want)
{
	uint32_t sync = nap_load_relaxed(&pool->sync);

	for (;;) {
		uint32_t found;

		if (sync_state(sync) == SYNC_SHUTDOWN)
			return -ESHUTDOWN;
		if (sync_spawned(sync) >= want)
			return -EALREADY;
		found = nap_cmpxchg_relaxed(&pool->sync, sync, sync + SYNC_SPAWNED_ONE);
		if (found == sync)
			return nap__spawn(pool);
		sync = found;
	}
}

void nap__idle_spawn_failed(struct nap_pool *pool)
{
	uint32_t sync = nap_load_relaxed(&pool->sync), found;

	while ((found = nap_cmpxchg_relaxed(&pool->sync, sync, sync_unspawn(sync))) != sync)
		sync = found;
	/*
	 * Those who wait from outside may now be the only ones who can run what was published.
	 * Uncounted before looking; pairs with their enlisting. [Q1]
	 */
	nap_fence_seq_cst();
	waitlist_wake(&pool->waiters, EVENT_POOL);
}
