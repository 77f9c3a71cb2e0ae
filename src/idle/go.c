/* SPDX-License-Identifier: MIT */
/*
 * The Go-style protocol: nobody is woken while somebody searches, and the last one to stop
 * searching because it found something wakes the next.
 *
 * Typically nobody searches. A producer's compare-exchange counts a searching worker, and it wakes
 * the one on top of the idle set, which searches with that token. Until it finds the task other
 * producers do nothing. When it has found the task it gives the token back; if it was the last that
 * searched and more is left, it wakes the next worker in the same way.
 *
 * No wake-up is lost. There is no notification to be taken or missed: a worker that goes idle says
 * so and then searches once more, everywhere, before it parks.
 *
 *	producer                          worker
 *	--------                          ------
 *	push the task                     enter the idle set; idle + 1, searching - 1
 *	full fence [O1]                   full fence [O1]
 *	look at the word:                 search: nothing: park
 *	  somebody searches: done
 *	  nobody is idle: done (or start one)
 *	  else searching + 1, pop the idle set, wake
 *
 * A producer that sees nobody idle, or somebody searching, looked before that worker's change of
 * the word; so its fence came before the worker's, and the worker's search sees the task. Unless
 * the searcher finds another task first: then it gives its token back, and if that was the last, it
 * does as the producer of whatever else there is would have done (stop_searching()).
 *
 * The token that a waker takes is trusted by other producers like a searcher. It is not lost: while
 * nobody searches every worker that the word counts as idle is in the idle set, for a worker enters
 * the set before it is counted and withdraws after, and one that is popped belongs to a token. A
 * waker that finds nobody all the same (they have left for other reasons) gives the token back and
 * looks again at the word, as every producer would have done that had trusted it; and at the limit,
 * as a thread would have done that has raised it since.
 *
 * What was wrong in kprotty/zap's form: Documentation/idle.rst.
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

/* Wake somebody, if nobody searches, or start one, if that @may_start. */
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
		/* Token before looking, at a limit that others may have raised since [R4] */
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
	/* Publish before looking; pairs with fall_idle(), stop_searching(). [O1] */
	nap_fence_seq_cst();
	limit = nap_load_relaxed(&pool->limit);
	word = nap_load_relaxed(&pool->counters);
	if (go_notify(word, limit).act != GO_NOTHING)
		wake_one(pool, true);
}

/* No longer idle. Afterwards the worker may have a waker's token. */
static void stop_idling(struct nap_worker *worker)
{
	if (!worker->counted_idle)
		return;
	worker->counted_idle = false;
	nap_fetch_sub_relaxed(&worker->pool->counters, GO_IDLE_ONE);
	go_of(worker)->searching |= withdraw(worker);
}

/*
 * Stop searching: give the token back. The last one does as the producers would have done that
 * trusted in it, if anything of theirs is left. @more: something is.
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
		/* Token before looking; pairs with notify_go() [O1] */
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

/* Take a token, if there are not too many out. */
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

/* Into the set, then into the word; false: the pool has ended. */
static bool fall_idle(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint64_t word = nap_load_relaxed(&pool->counters);

	worker->in_idle_set = true;
	set_enter(pool, worker);
	while (!(word & GO_SHUTDOWN)) {
		uint64_t next = word + GO_IDLE_ONE - (go_of(worker)->searching ? GO_SEARCHING_ONE : 0);
		/* Pairs with wake_one(): its entry [O2]; quiet(), shut_down(): its tasks [O3]. */
		if (nap_try_cmpxchg_release(&pool->counters, &word, next)) {
			/* Until it has searched once more it may be trusted for its token. */
			worker->relied_on = go_of(worker)->searching;
			go_of(worker)->searching = false;
			worker->counted_idle = true;
			/* Idle before looking; pairs with notify_go() [O1] */
			nap_fence_seq_cst();
			return true;
		}
	}
	return false;
}

/* It has searched since it said that it is idle: nothing is left to be done but to say so. */
static enum nap__verdict park(struct nap_worker *worker)
{
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

/* As if it had just been woken: with its starter's token. */
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
	nap_fetch_or_acquire(&pool->counters, GO_SHUTDOWN);	/* pairs with fall_idle() [O3] */
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
	 * A thread that trusted in the token is answered by those that sleep. Another start would
	 * fail, too, and if there is no worker at all the queues are looked at by those who wait.
	 * No fence: a worker that is awake has one before it sleeps, and one that is woken another
	 * one.
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
	return go_quiet(nap_load_acquire(&pool->counters));	/* pairs with fall_idle() [O3] */
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
