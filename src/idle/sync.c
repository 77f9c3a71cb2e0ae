/* SPDX-License-Identifier: MIT */
/*
 * The Sync protocol (the blog text on Zap, "Notification Throttling"): one worker at a time is
 * being woken, and the next is woken when that worker has found a task.
 *
 * Typically no thread has notified since the last search. A producer's compare-exchange sets
 * NOTIFIED and SIGNALED, and the producer wakes the worker on top of the idle set. That worker
 * takes both, searches as the waking worker, and finds the task. It signals the next worker if more
 * tasks are left, or else sets PENDING. While it searches, one producer sets NOTIFIED again, and
 * further ones do nothing.
 *
 * No wake-up is lost. A producer publishes, then reads NOTIFIED; a worker clears NOTIFIED, then
 * searches the queues. If one of them loads before it stores, both may miss each other's store (the
 * store-buffering shape). The published form has no fence on either side, and only on x86 one fence
 * would be enough. Here both sides have a fence:
 *
 *	producer                          worker
 *	--------                          ------
 *	push the task                     clear NOTIFIED
 *	full fence [S1]                   full fence [S1]
 *	see NOTIFIED set: done            look at every queue: nothing
 *	or set it: CAS (release) [S2]     idle + 1; or NOTIFIED is set: CAS (acquire) [S2]
 *
 * If the producer sees the old NOTIFIED, its fence came before the worker's and the worker sees the
 * task. Otherwise the producer sets NOTIFIED by a CAS on the word, and the worker goes idle by a
 * read-modify-write of the same word. If the worker is second, it finds NOTIFIED set. If the
 * producer is second, it finds the worker idle and wakes it.
 *
 * The word and the idle set form a second such pair:
 *
 *	notifier                          worker
 *	--------                          ------
 *	signal: CAS on the word           idle + 1: on the word
 *	full fence [S3]                   enter the idle set
 *	pop the idle set: empty           full fence [S3]
 *	                                  look at NOTIFIED again before parking
 *
 * If the set is empty although the word counts an idle worker, there are two cases. The worker is
 * about to enter the set, and checks again after that. Or another thread has popped the worker, and
 * the worker reads the word when it counts itself out.
 *
 * Rejected: waking through one event that all workers park on, as Zap does (a shutdown between two
 * wakes strands a sleeper, and a wake cannot choose its worker); making the notification a
 * read-modify-write on every schedule instead of the fences (every producer then writes this word).
 */
#include "idle/sync.h"

#include <errno.h>

#include "arch/atomic.h"
#include "idle/doze.h"
#include "idle/protocols.h"
#include "idle/set.h"
#include "idle/wave.h"
#include "thread/spawn.h"
#include "worker/queued.h"
#include "worker/worker.h"

_Static_assert(NAP_MAX_WORKERS + NAP_GUESTS <= SYNC_FIELD_MAX, "idle counts guests, too");

static void sync_wake(struct nap_pool *pool)
{
	nap_fence_seq_cst();	/* signal before pop; pairs with prepare() [S3] */
	set_wake(pool);
}

/*
 * Whether the limit has risen: the thread that has raised it may have left a start to the waking
 * worker.
 */
static bool has_risen(struct nap_pool *pool, uint32_t limit)
{
	nap_fence_seq_cst();	/* stop waking before checking; pairs with make_sum() [R4] */
	return nap_load_relaxed(&pool->limit) > limit;
}

/* Notifies, without the check of the fast path. @waking: the caller was the waking worker. */
static void notify(struct nap_pool *pool, bool waking)
{
	uint32_t limit = nap_load_relaxed(&pool->limit);
	uint32_t sync = nap_load_relaxed(&pool->sync);
	struct sync_step step;

	for (;;) {
		uint32_t spawned = sync_spawned(sync);
		uint32_t max = nap__spawn_allowed(pool, spawned) ? limit : 0;

		step = sync_notify(sync, max, waking);
		if (step.next == sync)
			return;
		/* Publishes the queues as they are now: pairs with prepare(). [S2] */
		if (nap_try_cmpxchg_release(&pool->sync, &sync, step.next))
			break;
	}
	if (step.act == SYNC_WAKE)
		sync_wake(pool);
	else if (step.act == SYNC_SPAWN)
		nap__idle_start(pool);
	else if (waking && has_risen(pool, limit))
		notify(pool, false);
}

static void notify_sync(struct nap_pool *pool, size_t tasks, bool was_empty, bool lone)
{
	uint32_t limit, sync;

	(void)tasks;
	(void)was_empty;
	nap_fence_seq_cst();	/* publish before checking; pairs with prepare() [S1] */
	limit = nap_load_relaxed(&pool->limit);
	sync = nap_load_relaxed(&pool->sync);
	if (sync_must_notify(sync, limit))
		notify(pool, false);
	/*
	 * Only the waking worker dozes. If a worker has become the waking one since, its search
	 * sees the tasks. [S1]
	 */
	if (!lone && sync_state(sync) == SYNC_WAKING)
		nap__doze_end(pool);
}

/*
 * The waking worker stops waking, because it has found the only task; false: more tasks have come.
 */
static bool stop_waking(struct nap_pool *pool)
{
	uint32_t sync = nap_load_relaxed(&pool->sync);

	while (sync_state(sync) == SYNC_WAKING && !(sync & SYNC_NOTIFIED)) {
		/* Relaxed: a thread that notifies later finds no waking worker, and wakes one. */
		if (nap_try_cmpxchg_relaxed(&pool->sync, &sync,
					    sync_with_state(sync, SYNC_PENDING)))
			return true;
	}
	return false;
}

/*
 * A worker that was woken, or has taken a notification, calls others for the tasks that it has
 * found. A job counts as NAP_WAVE_TASKS tasks, because it forks others. Not inlined, so that a
 * search that has found one task saves no registers.
 */
static __attribute__((noinline)) void call_others(struct nap_worker *worker)
{
	struct sync_worker *own = sync_of(worker);

	if (own->waking || own->called || worker->relied_on)
		wave(worker->pool, worker->stole == STOLE_JOB ? NAP_WAVE_TASKS :
								ring_count(&worker->ring));
}

/*
 * A notification may stand for several tasks, because producers that found NOTIFIED set did
 * nothing. So a worker that takes the notification and then takes a task, or stops searching for
 * another reason, sets NOTIFIED again if tasks are left. A worker that has searched everywhere and
 * found nothing does not set it. In Zap only the waking thread passes its notification on: so a
 * second task may wait until its own pusher is done; and for a single task Zap wakes another thread
 * in vain.
 *
 * The check sees the remaining tasks of the notification: they were published before their
 * producers' fences, and this worker has taken the notification with a fence after it [S1].
 * Producers that came later have set NOTIFIED again.
 */
static void pass_on(struct nap_worker *worker, bool more)
{
	struct nap_pool *pool = worker->pool;
	bool waking = sync_of(worker)->waking;

	if (!more && (waking || worker->relied_on))
		more = nap__others_needed(worker);
	if (HAS_WAVES && more)
		call_others(worker);
	worker->relied_on = worker->patient = false;
	sync_of(worker)->waking = sync_of(worker)->called = false;
	sync_of(worker)->alarms = 0;
	if (waking && (more || !stop_waking(pool)))
		notify(pool, true);
	else if (more)
		nap__idle_notify(pool);
}

/*
 * Counts the worker as idle in the word, and in the caller's copy *@sync. If the compare-exchange
 * of the waking worker fails, *@sync is the present word. Any other worker adds itself, whatever
 * the word is, so that many can fall idle at once: a compare-exchange of one worker would make
 * those of all others fail. A worker that finds NOTIFIED set in *@sync takes the notification next.
 */
static void fall_idle(struct nap_worker *worker, uint32_t *sync)
{
	struct nap_pool *pool = worker->pool;

	/*
	 * Publishes what the worker's tasks did: pairs with is_quiet(), and with shut_down(). [S4]
	 */
	if (HAS_WAVES && !sync_of(worker)->waking)
		*sync = nap_fetch_add_release(&pool->sync, SYNC_IDLE_ONE);
	else if (!nap_try_cmpxchg_release(&pool->sync, sync,
					  sync_sleep(*sync, sync_of(worker)->waking)))
		return;
	*sync = sync_sleep(*sync, sync_of(worker)->waking);
	sync_of(worker)->waking = worker->relied_on = worker->patient = false;
	worker->counted_idle = true;
	if ((*sync & SYNC_WATCHED) && sync_quiet(*sync))
		nap__idle_wake_watchers(pool);
}

/*
 * Called by a worker that was woken: no longer counts the worker as idle. True: the worker searches
 * without taking a notification, because it was called (src/idle/wave.h), or because another worker
 * has taken the notification. False: the pool has ended, or a notification is out since the wake.
 * The notifier may have found no worker in the set, so this worker takes the notification. [S3]
 */
static bool search_unnotified(struct nap_worker *worker, uint32_t *sync)
{
	/* Relaxed, because no thread relies on what this search sees. */
	*sync = nap_fetch_sub_relaxed(&worker->pool->sync, SYNC_IDLE_ONE) - SYNC_IDLE_ONE;
	worker->counted_idle = false;
	return sync_state(*sync) != SYNC_SHUTDOWN && !sync_is_unanswered(*sync);
}

static enum nap__verdict prepare(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	bool was_woken = HAS_WAVES && worker->counted_idle && !worker->in_idle_set;
	uint32_t sync = nap_load_relaxed(&pool->sync);

	if (sync_state(sync) == SYNC_WAKING && may_doze(worker)) {
		nap__doze(worker);
		sync = nap_load_relaxed(&pool->sync);
	}
	for (;;) {
		if (sync_state(sync) == SYNC_SHUTDOWN) {
			withdraw(worker);
			return NAP_EXIT;
		}
		if (was_woken && !sync_is_unanswered(sync)) {
			if (search_unnotified(worker, &sync))
				return NAP_SEARCH;
			was_woken = false;
		} else if (sync & SYNC_NOTIFIED) {
			/*
			 * Leave the set first, so that a wake for a later notification goes to
			 * another worker.
			 */
			withdraw(worker);
			/*
			 * Sees the queues as they were at the notification: pairs with notify().
			 * [S2]
			 */
			if (nap_try_cmpxchg_acquire(&pool->sync, &sync,
						    sync_consume(sync, worker->counted_idle)))
				break;
		} else if (!worker->counted_idle) {
			fall_idle(worker, &sync);
		} else if (!worker->in_idle_set) {
			stat_add(&worker->stats.woken_idle, sync_of(worker)->called);
			sync_of(worker)->called = false;
			worker->in_idle_set = true;
			set_enter(pool, worker);
			/* Enter the set before checking; pairs with sync_wake() [S3] */
			nap_fence_seq_cst();
			sync = nap_load_relaxed(&pool->sync);
		} else {
			return NAP_PARK;
		}
	}
	worker->counted_idle = false;
	sync_of(worker)->waking |= sync_state(sync) == SYNC_SIGNALED;
	sync_of(worker)->alarms += sync_of(worker)->alarms < NAP_ALARMS;
	worker->patient = sync_of(worker)->alarms == NAP_ALARMS;
	worker->relied_on = true;
	nap_fence_seq_cst();	/* clear before checking; pairs with notify_sync() [S1] */
	return NAP_SEARCH;
}

/* The starter has set SIGNALED. The worker becomes the waking one when it first reads the word. */
static void started(struct nap_worker *worker)
{
	(void)worker;
}

static void woken(struct nap_worker *worker)
{
	worker->in_idle_set = false;
	sync_of(worker)->called = true;
}

static void abort_park(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint32_t sync;

	/*
	 * The order matters: after withdraw() no new wake chooses this worker. The change of the
	 * word below passes on the wakes that chose it earlier.
	 */
	withdraw(worker);
	sync = nap_load_relaxed(&pool->sync);
	for (;;) {
		/*
		 * Relaxed: the worker searches no queue because of this change. If the worker takes
		 * a notification, it passes the notification on at once; both read-modify-writes
		 * continue the notification's release sequence.
		 */
		if (nap_try_cmpxchg_relaxed(&pool->sync, &sync, sync_leave(sync)))
			break;
	}
	worker->counted_idle = sync_of(worker)->called = false;
	if (sync_state(sync) == SYNC_SHUTDOWN || !(sync & SYNC_NOTIFIED))
		return;
	notify(pool, sync_state(sync) == SYNC_SIGNALED);
}

static void shut_down(struct nap_pool *pool)
{
	/*
	 * An or leads to SHUTDOWN from every state. Sees what the workers did: pairs with
	 * fall_idle(). [S4]
	 */
	nap_fetch_or_acquire(&pool->sync, SYNC_SHUTDOWN);
}

static int spawn(struct nap_pool *pool, uint32_t want)
{
	uint32_t sync = nap_load_relaxed(&pool->sync);

	for (;;) {
		if (sync_state(sync) == SYNC_SHUTDOWN)
			return -ESHUTDOWN;
		if (sync_spawned(sync) >= want)
			return -EALREADY;
		if (nap_try_cmpxchg_relaxed(&pool->sync, &sync, sync + SYNC_SPAWNED_ONE))
			return nap__idle_start(pool);
	}
}

static void spawn_failed(struct nap_pool *pool)
{
	uint32_t sync = nap_load_relaxed(&pool->sync);

	while (!nap_try_cmpxchg_relaxed(&pool->sync, &sync, sync_unspawn(sync)))
		;
}

static int retire(struct nap_pool *pool, uint32_t keep)
{
	uint32_t sync = nap_load_relaxed(&pool->sync);

	for (;;) {
		if (sync_state(sync) == SYNC_SHUTDOWN)
			return -ESHUTDOWN;
		if (sync_spawned(sync) <= keep)
			return -EALREADY;
		if (nap_try_cmpxchg_relaxed(&pool->sync, &sync, sync_retire(sync)))
			return 0;
	}
}

static bool is_quiet(struct nap_pool *pool)
{
	/* sees what the tasks did: pairs with fall_idle() [S4] */
	return sync_quiet(nap_load_acquire(&pool->sync));
}

static uint32_t spawned(struct nap_pool *pool)
{
	return sync_spawned(nap_load_relaxed(&pool->sync));
}

static uint32_t idle(struct nap_pool *pool)
{
	return sync_idle(nap_load_relaxed(&pool->sync));
}

const struct nap__idle_ops nap__sync_ops = {
	.notify = notify_sync,
	.stop_search = pass_on,
	.prepare = prepare,
	.started = started,
	.woken = woken,
	.abort_park = abort_park,
	.shutdown = shut_down,
	.spawn = spawn,
	.spawn_failed = spawn_failed,
	.retire = retire,
	.quiet = is_quiet,
	.spawned = spawned,
	.idle = idle,
	.watched = SYNC_WATCHED,
	.spins = true,
};
