/* SPDX-License-Identifier: MIT */
/*
 * The JEC protocol (Rayon's, which Blitz follows): workers that find nothing yield for a while,
 * then announce that they are getting sleepy, search again, and sleep. New work wakes as many
 * workers as are missing. A worker that finds a task while more are queued wakes two others before
 * it runs the task.
 *
 * Typically a worker is still looking when work comes. The producer finds the event counter odd and
 * enough workers awake, and does nothing; one of these workers finds the task.
 *
 * 	active --nothing found--> looking --32 yields--> sleepy --nothing since--> asleep
 * 	   ^                         ^                      |                         |
 * 	   +------- found -----------+---- new work --------+-------- woken ----------+
 *
 * No wake-up is lost:
 *
 * 	producer                              worker
 * 	--------                              ------
 * 	push the task                         announce: JEC is even, remember it
 * 	full fence [C1]                       search: nothing
 * 	JEC is even: make it odd              sleeping + 1, if JEC is what it was
 * 	enough are awake: done                enter the idle set
 * 	else pop the idle set: wake them      full fence [C1]
 * 	                                      search: nothing: park
 *
 * A producer may find the set empty, but a worker that enters the set afterwards sees the task. A
 * producer may rely on a worker that is awake. The producer has then read the word before this
 * worker counted itself as sleeping, so the worker's last search sees the task. If the worker finds
 * another task first, it checks whether more tasks are left (stop_looking()). Rayon leaves out the
 * fence for tasks that a worker pushes to its own queue, and accepts that a sleeper overlooks such
 * tasks. Here no sleeper overlooks a task.
 *
 * These arguments do not need the event counter. The counter saves a worker from entering the set
 * and leaving it again, if new work has arrived.
 */
#include "idle/jec.h"

#include <errno.h>

#include "arch/atomic.h"
#include "idle/protocols.h"
#include "idle/set.h"
#include "os/os.h"
#include "sync/event.h"
#include "thread/spawn.h"
#include "worker/queued.h"

/*
 * The defaults of nap_config: how often a worker yields before it gets sleepy, and for how long at
 * most.
 */
#ifndef NAP_YIELDS
#define NAP_YIELDS	32u
#endif
#define YIELD_US	200u

static uint32_t spawned(struct nap_pool *pool)
{
	return nap_load_relaxed(&pool->sync) / JEC_SPAWNED_ONE;
}

/* Counts and starts one worker, which counts as inactive from now on. */
static int start(struct nap_pool *pool, uint32_t max)
{
	uint32_t word = nap_load_relaxed(&pool->sync);

	for (;;) {
		if (word & JEC_SHUTDOWN)
			return -ESHUTDOWN;
		if (word / JEC_SPAWNED_ONE >= max)
			return -EALREADY;
		if (nap_try_cmpxchg_relaxed(&pool->sync, &word, word + JEC_SPAWNED_ONE))
			break;
	}
	nap_fetch_add_relaxed(&pool->counters, JEC_INACTIVE_ONE);
	return nap__idle_start(pool);
}

/* Wakes up to @n workers that sleep. Returns how many of the @n could not be woken. */
static size_t wake(struct nap_pool *pool, size_t n)
{
	while (n) {
		struct nap_worker *worker = set_pop(pool);

		if (!worker)
			break;
		nap_fetch_sub_relaxed(&pool->counters, JEC_SLEEPING_ONE);
		wake_for_work(worker);
		n--;
	}
	return n;
}

static bool may_start(struct nap_pool *pool)
{
	uint32_t n = spawned(pool);

	return n < nap_load_relaxed(&pool->limit) && nap__spawn_allowed(pool, n);
}

/* Called for new work: makes JEC odd. Returns the new word. */
static uint64_t new_work(struct nap_pool *pool)
{
	uint64_t word = nap_load_relaxed(&pool->counters);

	while (jec_is_sleepy(word)) {
		if (nap_try_cmpxchg_relaxed(&pool->counters, &word, jec_new_work(word)))
			return jec_new_work(word);
	}
	return word;
}

static void notify_jec(struct nap_pool *pool, size_t tasks, bool was_empty, bool lone)
{
	size_t missing;
	uint64_t word;

	(void)lone;
	nap_fence_seq_cst();	/* publish before checking; pairs with fall_asleep() [C1] */
	word = new_work(pool);
	missing = jec_missing(word, tasks, was_empty);
	if (missing && jec_sleeping(word))
		missing = wake(pool, missing);
	/*
	 * One worker is started at a time: the new worker starts the next one if it finds more than
	 * one task.
	 */
	if (missing && !jec_awake(word) && may_start(pool))
		start(pool, nap_load_relaxed(&pool->limit));
}

/* Leaves the set. The worker is awake, and still looks for work. */
static void stop_idling(struct nap_worker *worker)
{
	if (!worker->counted_idle)
		return;
	worker->counted_idle = false;
	/* If the worker was popped, the waker has subtracted it. */
	if (!withdraw(worker))
		nap_fetch_sub_relaxed(&worker->pool->counters, JEC_SLEEPING_ONE);
}

/*
 * Stops looking, because of a task or for another reason. Wakes sleeping workers for the producers
 * that relied on this worker, if some of their tasks are left. @more: tasks are left.
 */
static void stop_looking(struct nap_worker *worker, bool more)
{
	struct nap_pool *pool = worker->pool;
	uint64_t word;

	stop_idling(worker);
	if (!jec_of(worker)->searching) {
		if (more)
			notify_jec(pool, 1, true, false);
		return;
	}
	jec_of(worker)->searching = jec_of(worker)->search_first = jec_of(worker)->sleepy = false;
	word = nap_fetch_sub_relaxed(&pool->counters, JEC_INACTIVE_ONE);
	/* Stop counting as inactive before checking; pairs with notify_jec() [C1] */
	nap_fence_seq_cst();
	if (more || nap__others_needed(worker))
		notify_jec(pool, JEC_CASCADE, jec_sleeping(word) == 0, false);
}

/* Begins to look for work. A worker that was woken or started is counted as inactive already. */
static void start_looking(struct nap_worker *worker)
{
	if (!jec_of(worker)->searching)
		nap_fetch_add_relaxed(&worker->pool->counters, JEC_INACTIVE_ONE);
	jec_of(worker)->searching = true;
	jec_of(worker)->search_first = false;
	jec_of(worker)->yields = 0;
	jec_of(worker)->since = nap__os_now();
}

/* Yields to other threads. Returns whether the worker searches again before it gets sleepy. */
static bool go_on_looking(struct nap_worker *worker)
{
	const struct nap_config *config = &worker->pool->config;
	uint32_t yields = config->yields ? config->yields : NAP_YIELDS;
	uint32_t us = config->yield_us ? config->yield_us : YIELD_US;

	if (yields == NAP_NO_YIELDS || jec_of(worker)->yields >= yields ||
	    nap__os_now() - jec_of(worker)->since >= us * (uint64_t)1000)
		return false;
	jec_of(worker)->yields++;
	nap__os_yield();
	return true;
}

static void announce(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint64_t word = nap_load_relaxed(&pool->counters);

	while (!jec_is_sleepy(word) &&
	       !nap_try_cmpxchg_relaxed(&pool->counters, &word, jec_announce(word)))
		;
	jec_of(worker)->announced = jec_events(jec_announce(word));
	jec_of(worker)->sleepy = true;
	if (pool->config.yields != NAP_NO_YIELDS)
		nap__os_yield();
}

/*
 * Counts the worker as sleeping, then enters the set; does neither if there is new work since the
 * announcement.
 */
static void fall_asleep(struct nap_worker *worker)
{
	struct nap_pool *pool = worker->pool;
	uint64_t word = nap_load_relaxed(&pool->counters);

	jec_of(worker)->sleepy = false;
	for (;;) {
		if (jec_events(word) != jec_of(worker)->announced)
			return;
		/* Publishes what the worker's tasks did: pairs with quiet(). [C2] */
		if (nap_try_cmpxchg_release(&pool->counters, &word, word + JEC_SLEEPING_ONE))
			break;
	}
	worker->counted_idle = worker->in_idle_set = true;
	set_enter(pool, worker);
	/* count as sleeping before checking; pairs with notify_jec() [C1] */
	nap_fence_seq_cst();
}

static bool quiet(struct nap_pool *pool)
{
	/* Sees what the workers' tasks did: pairs with fall_asleep(). [C2] */
	return jec_sleeping(nap_load_acquire(&pool->counters)) == spawned(pool);
}

static enum nap__verdict prepare(struct nap_worker *worker)
{
	if (nap_load_relaxed(&worker->pool->sync) & JEC_SHUTDOWN) {
		stop_idling(worker);
		return NAP_EXIT;
	}
	/* The worker has entered the set, and has searched since. */
	if (worker->counted_idle)
		return nap__idle_at_rest(worker);
	if (!jec_of(worker)->searching || jec_of(worker)->search_first) {
		start_looking(worker);
	} else if (jec_of(worker)->sleepy) {
		/* If there is new work, but the worker finds none, it gets sleepy again at once. */
		fall_asleep(worker);
	} else if (!go_on_looking(worker)) {
		announce(worker);
	}
	return NAP_SEARCH;
}

/* A started worker is in the state of a woken one: its starter has counted it as inactive. */
static void started(struct nap_worker *worker)
{
	jec_of(worker)->searching = jec_of(worker)->search_first = true;
}

static void woken(struct nap_worker *worker)
{
	worker->in_idle_set = worker->counted_idle = false;
	jec_of(worker)->search_first = true;
}

static void shut_down(struct nap_pool *pool)
{
	nap_fetch_or_relaxed(&pool->sync, JEC_SHUTDOWN);
	/*
	 * Set the end in the word before walking the records. A worker whose record is registered
	 * later has a fence, and reads the word, before it parks. [C1]
	 */
	nap_fence_seq_cst();
}

static void spawn_failed(struct nap_pool *pool)
{
	nap_fetch_sub_relaxed(&pool->sync, JEC_SPAWNED_ONE);
	nap_fetch_sub_relaxed(&pool->counters, JEC_INACTIVE_ONE);
	/*
	 * Wake sleeping workers for threads that relied on this worker. No other start is tried,
	 * because it would fail, too. [C1]
	 */
	nap_fence_seq_cst();
	wake(pool, 1);
}

static int retire(struct nap_pool *pool, uint32_t keep)
{
	uint32_t word = nap_load_relaxed(&pool->sync);

	for (;;) {
		if (word & JEC_SHUTDOWN)
			return -ESHUTDOWN;
		if (word / JEC_SPAWNED_ONE <= keep)
			return -EALREADY;
		if (nap_try_cmpxchg_relaxed(&pool->sync, &word, word - JEC_SPAWNED_ONE))
			return 0;
	}
}

static uint32_t idle(struct nap_pool *pool)
{
	return jec_sleeping(nap_load_relaxed(&pool->counters));
}

const struct nap__idle_ops nap__jec_ops = {
	.notify = notify_jec,
	.stop_search = stop_looking,
	.prepare = prepare,
	.started = started,
	.woken = woken,
	.abort_park = stop_idling,
	.shutdown = shut_down,
	.spawn = start,
	.spawn_failed = spawn_failed,
	.retire = retire,
	.quiet = quiet,
	.spawned = spawned,
	.idle = idle,
	.watched = JEC_WATCHED,
	.others_first = true,
	.random = true,
};
