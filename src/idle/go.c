/* SPDX-License-Identifier: MIT */
/*
 * The Go-style protocol: no worker is woken while one searches, and the last worker that stops
 * searching because it has found a task wakes the next one.
 *
 * Typically no worker searches. A producer takes a token: its compare-exchange adds one to the
 * count of searching workers. The producer wakes the worker on top of the idle set, which searches
 * with the token. Until that worker finds the task, other producers do nothing. Then the worker
 * gives the token back; if that was the last token and tasks are left, it wakes the next worker in
 * the same way.
 *
 * No wake-up is lost. There is no notification that a worker could overlook, because a worker
 * counts itself as idle first, and then searches all queues once more before it parks.
 *
 *	producer                          worker
 *	--------                          ------
 *	push the task                     enter the idle set; idle + 1, searching - 1
 *	full fence [O1]                   full fence [O1]
 *	look at the word:                 search: nothing: park
 *	  a worker searches: done
 *	  none is idle: done (or start one)
 *	  else searching + 1, pop the idle set, wake
 *
 * If a producer sees that no worker is idle, or that one searches, the producer has read the word
 * before the worker changed it. So the producer's fence came before this worker's fence, and the
 * worker's search sees the task. The searcher may find another task first. Then the searcher gives
 * its token back; if that was the last token, the searcher acts as a producer of the tasks that are
 * left (stop_searching()).
 *
 * Producers trust in the token of a waker (a thread that wakes a worker) as in a searcher's. The
 * waker's token is not lost. While no worker searches, every worker that the word counts as idle is
 * in the idle set: a worker enters the set before it is counted, and leaves the set after it is
 * counted out; and a worker that was popped belongs to a token. A waker may still find the set
 * empty, because workers have left for other reasons. Then the waker gives the token back, checks
 * the word again for producers that trusted in the token, and checks the limit, which another
 * thread may have raised.
 *
 * Documentation/idle.rst says what was wrong in kprotty/zap's form.
 */
#include "idle/go.h"

#include <errno.h>

#include "arch/atomic.h"
#include "idle/protocols.h"
#include "idle/set.h"
#include "thread/spawn.h"
#include "worker/queued.h"

static uint32_t spawn_limit(struct nap_pool *pool)
{
	uint32_t spawned = go_spawned(nap_load_relaxed(&pool->counters));
	uint32_t limit = nap_load_relaxed(&pool->limit);

	return spawned < limit && nap__spawn_allowed(pool, spawned) ? limit : 0;
}

/* Wakes a worker if none searches, or starts one if @may_start. */
static void wake_one(struct nap_pool *pool, bool may_start)
{
	uint64_t word = nap_load_relaxed(&pool->counters);

	for (;;) {
		struct go_step step = go_notify(word, may_start ? spawn_limit(pool) : 0);

		if (step.act == GO_NOTHING)
			return;
		/* Pairs with fall_idle(): a worker that is counted as idle is in the set. [O2] */
		if (!nap_try_cmpxchg_acquire(&pool->counters, &word, step.next))
			continue;
		if (step.act == GO_SPAWN) {
			nap__idle_start(pool);
			return;
		}
		if (set_wake(pool))
			return;
		word = nap_fetch_sub_relaxed(&pool->counters, GO_SEARCHING_ONE) - GO_SEARCHING_ONE;
		/* Give the token back before checking a limit that may have been raised. [R4] */
		nap_fence_seq_cst();
	}
}

static void notify_go(struct nap_pool *pool, size_t tasks, bool was_empty, bool lone)
{
	uint32_t limit;
	uint64_t word;

	(void)tasks;
	(void)was_empty;
	(void)lone;
	/* Publish before checking the word; pairs with fall_idle(), stop_searching(). [O1] */
	nap_fence_seq_cst();
	limit = nap_load_relaxed(&pool->limit);
	word = nap_load_relaxed(&pool->counters);
	if (go_notify(word, limit).act != GO_NOTHING)
		wake_one(pool, true);
}

/* Stops counting the worker as idle. Afterwards the worker may have a waker's token. */
static void stop_idling(struct nap_worker *worker)
{
	if (!worker->counted_idle)
		return;
	worker->counted_idle = false;
	nap_fetch_sub_relaxed(&worker->pool->counters, GO_IDLE_ONE);
	go_of(worker)->searching |= withdraw(worker);
}

/*
 * Stops searching: gives the token back. If that was the last token, notifies in place of the
 * producers that trusted in it, if some of their tasks are left. @more: tasks are left.
 */
static void stop_searching(struct nap_worker *worker, bool more)
{
	struct nap_pool *pool = worker->pool;
	bool last = worker->relied_on;

	stop_idling(worker);
	if (go_of(worker)->searching)
		last |= go_searching(nap_fetch_sub_relaxed(&pool->counters,
							   GO_SEARCHING_ONE)) == 1;
	go_of(worker)->searching = go_of(worker)->search_first = worker->relied_on = false;
	if (last && !more) {
		/* Give the token back before checking; pairs with notify_go() [O1] */
		nap_fence_seq_cst();
		more = nap__others_needed(worker);
	}
	if (more)
		notify_go(pool, 1, true, false);
}

static void abort_park(struct nap_worker *worker)
{
	stop_searching(worker, false);
}

/* Takes a token, unless too many workers search. */
static bool start_searching(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint64_t word = nap_load_relaxed(&pool->counters);

	while (go_may_search(word)) {
		if (nap_try_cmpxchg_relaxed(&pool->counters, &word, word + GO_SEARCHING_ONE))
			return true;
	}
	return false;
}

/* Enters the idle set, then counts itself as idle in the word; false: the pool has ended. */
static bool fall_idle(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint64_t word = nap_load_relaxed(&pool->counters);

	worker->in_idle_set = true;
	set_enter(pool, worker);
	while (!(word & GO_SHUTDOWN)) {
		uint64_t next = word + GO_IDLE_ONE -
				(go_of(worker)->searching ? GO_SEARCHING_ONE : 0);
		/*
		 * Publishes the entry in the set: pairs with wake_one() [O2]. Publishes what the
		 * worker's tasks did: pairs with quiet() and shut_down() [O3].
		 */
		if (nap_try_cmpxchg_release(&pool->counters, &word, next)) {
			/*
			 * Producers may trust in this worker's token until it has searched once
			 * more.
			 */
			worker->relied_on = go_of(worker)->searching;
			go_of(worker)->searching = false;
			worker->counted_idle = true;
			/* Count itself as idle before checking; pairs with notify_go() [O1] */
			nap_fence_seq_cst();
			return true;
		}
	}
	return false;
}

/* Parks; the worker has searched since it was counted as idle. */
static enum nap__verdict park(struct nap_worker *worker)
{
	/* Not noticed in tests when dropped: the worker notifies once too often when it wakes. */
	worker->relied_on = false;
	return nap__idle_at_rest(worker);
}

static enum nap__verdict prepare(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;

	if (nap_load_relaxed(&pool->counters) & GO_SHUTDOWN) {
		withdraw(worker);
		return NAP_EXIT;
	}
	if (go_of(worker)->search_first) {
		go_of(worker)->search_first = false;
		return NAP_SEARCH;
	}
	if (worker->counted_idle)
		return park(worker);
	if (!go_of(worker)->searching && start_searching(worker)) {
		go_of(worker)->searching = true;
		return NAP_SEARCH;
	}
	if (fall_idle(worker))
		return NAP_SEARCH;
	withdraw(worker);
	return NAP_EXIT;
}

/* A started worker is in the state of a woken one: it has its starter's token. */
static void started(struct nap_worker *worker)
{
	go_of(worker)->searching = go_of(worker)->search_first = true;
}

static void woken(struct nap_worker *worker)
{
	worker->in_idle_set = worker->counted_idle = false;
	go_of(worker)->searching = go_of(worker)->search_first = true;
	nap_fetch_sub_relaxed(&worker->pool->counters, GO_IDLE_ONE);
}

static void shut_down(struct nap_pool *pool)
{
	/* sees what the workers' tasks did: pairs with fall_idle() [O3] */
	nap_fetch_or_acquire(&pool->counters, GO_SHUTDOWN);
}

static int spawn(struct nap_pool *pool, uint32_t want)
{
	uint64_t word = nap_load_relaxed(&pool->counters);

	for (;;) {
		if (word & GO_SHUTDOWN)
			return -ESHUTDOWN;
		if (go_spawned(word) >= want)
			return -EALREADY;
		if (nap_try_cmpxchg_relaxed(&pool->counters, &word,
					    word + GO_SPAWNED_ONE + GO_SEARCHING_ONE))
			return nap__idle_start(pool);
	}
}

static void spawn_failed(struct nap_pool *pool)
{
	nap_fetch_sub_relaxed(&pool->counters, GO_SPAWNED_ONE + GO_SEARCHING_ONE);
	/*
	 * Wakes a sleeping worker for threads that trusted in the token. No other start is tried,
	 * because that one would fail, too; if there is no worker at all, waiting threads check the
	 * queues. There is no fence here: a worker that is awake has a fence before it sleeps, and
	 * a woken worker has one, too.
	 */
	wake_one(pool, false);
}

static int retire(struct nap_pool *pool, uint32_t keep)
{
	uint64_t word = nap_load_relaxed(&pool->counters);

	for (;;) {
		if (word & GO_SHUTDOWN)
			return -ESHUTDOWN;
		if (go_spawned(word) <= keep)
			return -EALREADY;
		if (nap_try_cmpxchg_relaxed(&pool->counters, &word, word - GO_SPAWNED_ONE))
			return 0;
	}
}

static bool quiet(struct nap_pool *pool)
{
	/* sees what the tasks did: pairs with fall_idle() [O3] */
	return go_quiet(nap_load_acquire(&pool->counters));
}

static uint32_t spawned(struct nap_pool *pool)
{
	return go_spawned(nap_load_relaxed(&pool->counters));
}

static uint32_t idle(struct nap_pool *pool)
{
	return go_idle(nap_load_relaxed(&pool->counters));
}

const struct nap__idle_ops nap__go_ops = {
	.notify = notify_go,
	.stop_search = stop_searching,
	.prepare = prepare,
	.started = started,
	.woken = woken,
	.abort_park = abort_park,
	.shutdown = shut_down,
	.spawn = spawn,
	.spawn_failed = spawn_failed,
	.retire = retire,
	.quiet = quiet,
	.spawned = spawned,
	.idle = idle,
	.watched = GO_WATCHED,
};
