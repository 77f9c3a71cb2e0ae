/* SPDX-License-Identifier: MIT */
/*
 * The Sync protocol. Its transitions are tested on the edges of every field, exhaustively. All of
 * src/idle/sync.c is driven step by step, by one thread that plays all the workers.
 */
#include "idle/sync.h"

#include <errno.h>
#include <nap/nap.h>
#include <pthread.h>

#include "idle/idle.h"
#include "idle/set.h"
#include "os/os.h"
#include "queue/kind.h"
#include "sched/schedule.h"
#include "sync/event.h"
#include "worker/self.h"
#include "worker/worker.h"
#include "harness.h"
#include "wrap.h"

/* ---- the word ---- */

static const uint32_t edges[] = { 0, 1, 2, 3, 8190, SYNC_FIELD_MAX - 1, SYNC_FIELD_MAX };
#define NR_EDGES (sizeof(edges) / sizeof(edges[0]))

static uint32_t word(uint32_t state, bool notified, bool watched, uint32_t idle, uint32_t spawned)
{
	return state | (notified ? SYNC_NOTIFIED : 0) | (watched ? SYNC_WATCHED : 0) |
	       idle * SYNC_IDLE_ONE | spawned * SYNC_SPAWNED_ONE;
}

/* Runs @body for every legal word: idle <= spawned, and SIGNALED only with NOTIFIED. */
#define FOR_EACH_WORD(body) \
	for (uint32_t state = 0; state < 4; state++) \
	for (int notified = 0; notified < 2; notified++) \
	for (int watched = 0; watched < 2; watched++) \
	for (size_t i = 0; i < NR_EDGES; i++) \
	for (size_t j = i; j < NR_EDGES; j++) { \
		uint32_t idle = edges[i], spawned = edges[j]; \
		uint32_t sync = word(state, notified, watched, idle, spawned); \
		if (state == SYNC_SIGNALED && !notified) \
			continue; \
		nr_words++; \
		body \
	}

static unsigned long nr_words;

TEST(fields_are_apart)
{
	FOR_EACH_WORD(
		ASSERT_EQ(sync_state(sync), state);
		ASSERT_EQ(sync_idle(sync), idle);
		ASSERT_EQ(sync_spawned(sync), spawned);
		ASSERT_EQ(!!(sync & SYNC_NOTIFIED), notified);
		ASSERT_EQ(!!(sync & SYNC_WATCHED), watched);
	)
	EXPECT_GT(nr_words, 300);
}

TEST(notify)
{
	static const uint32_t maxima[] = { 0, 1, 2, SYNC_FIELD_MAX };

	for (int waking = 0; waking < 2; waking++)
	for (int m = 0; m < 4; m++)
	FOR_EACH_WORD(
		struct sync_step step = sync_notify(sync, maxima[m], waking);
		bool can = waking || state == SYNC_PENDING;

		if (waking && state != SYNC_WAKING && state != SYNC_SHUTDOWN)
			continue;
		if (state == SYNC_SHUTDOWN) {
			ASSERT_EQ(step.next, sync);
			ASSERT_EQ(step.act, SYNC_NOTHING);
		} else if (can && idle) {
			ASSERT_EQ(step.act, SYNC_WAKE);
			ASSERT_EQ(step.next, word(SYNC_SIGNALED, 1, watched, idle, spawned));
		} else if (can && spawned < maxima[m]) {
			ASSERT_EQ(step.act, SYNC_SPAWN);
			ASSERT_EQ(step.next, word(SYNC_SIGNALED, 1, watched, idle, spawned + 1));
		} else {
			ASSERT_EQ(step.act, SYNC_NOTHING);
			ASSERT_EQ(step.next, word(waking ? SYNC_PENDING : state, 1, watched, idle,
						  spawned));
		}
		/* The fast path may skip a call only if the call would change nothing. */
		if (!waking && !sync_must_notify(sync, maxima[m]) &&
		    !(state == SYNC_PENDING && notified && idle))
			ASSERT_EQ(step.next, sync);
	)
}

TEST(consume_sleep_leave)
{
	FOR_EACH_WORD(
		uint32_t then = state == SYNC_SIGNALED ? SYNC_WAKING : state;

		if (notified && state != SYNC_SHUTDOWN) {
			ASSERT_EQ(sync_consume(sync, false), word(then, 0, watched, idle, spawned));
			if (idle) {
				ASSERT_EQ(sync_consume(sync, true),
					  word(then, 0, watched, idle - 1, spawned));
				ASSERT_EQ(sync_leave(sync),
					  word(then, 0, watched, idle - 1, spawned));
			}
		} else if (idle) {
			ASSERT_EQ(sync_leave(sync),
				  word(state, notified, watched, idle - 1, spawned));
		}
		if (idle < spawned && !notified && state != SYNC_SHUTDOWN) {
			ASSERT_EQ(sync_sleep(sync, false),
				  word(state, 0, watched, idle + 1, spawned));
			if (state == SYNC_WAKING)
				ASSERT_EQ(sync_sleep(sync, true),
					  word(SYNC_PENDING, 0, watched, idle + 1, spawned));
		}
	)
}

TEST(unspawn_rolls_back)
{
	FOR_EACH_WORD(
		uint32_t then = state == SYNC_SIGNALED ? SYNC_PENDING : state;
		bool keep = spawned > 1 || state == SYNC_SHUTDOWN;

		if (spawned == 0 || idle == spawned)
			continue;
		ASSERT_EQ(sync_unspawn(sync),
			  word(then, notified && keep, watched, idle, spawned - 1));
		/*
		 * If no worker is left and none is notified, the next schedule tries again to start
		 * one.
		 */
		if (spawned == 1 && state != SYNC_SHUTDOWN && state != SYNC_WAKING)
			ASSERT_EQ(sync_notify(sync_unspawn(sync), 1, false).act, SYNC_SPAWN);
	)
}

TEST(a_failed_first_spawn_leaves_nothing_latched)
{
	struct sync_step step = sync_notify(0, 4, false);

	EXPECT_EQ(step.act, SYNC_SPAWN);
	EXPECT_EQ(sync_unspawn(step.next), 0);
	EXPECT_TRUE(sync_must_notify(0, 4));
}

/*
 * A guest counts as idle, but not as spawned. Here the state is SIGNALED for a guest, and the first
 * start of a worker fails. NOTIFIED has to stay set, because an idle guest searches only when it
 * finds that bit.
 */
TEST(a_failed_first_spawn_leaves_an_idle_guest_its_notification)
{
	for (uint32_t idle = 1; idle <= NAP_GUESTS; idle++) {
		uint32_t sync = word(SYNC_SIGNALED, true, false, idle, 1);

		ASSERT_EQ(sync_unspawn(sync), word(SYNC_PENDING, true, false, idle, 0));
		ASSERT_EQ(sync_unspawn(word(SYNC_WAKING, true, true, idle, 1)),
			  word(SYNC_WAKING, true, true, idle, 0));
	}
}

TEST(quiet)
{
	FOR_EACH_WORD(
		ASSERT_EQ(sync_quiet(sync), !notified && idle == spawned && state != SYNC_WAKING &&
					    state != SYNC_SIGNALED);
	)
}

/* ---- the idle set ---- */

#define WORKERS 4
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = WORKERS);
static int nr_started;

static struct nap_pool without_worker = NAP_POOL_INIT(.max_workers = 1);

/* No threads in these tests: the start of a worker is only counted, or fails. */
WRAP(int, nap__os_thread_start, (struct nap_worker *worker, size_t stack_size))
{
	(void)stack_size;
	if (worker->pool == &without_worker)
		return -EAGAIN;
	nr_started++;
	return 0;
}

static struct nap_worker *worker_at(uint32_t i)
{
	return registry_at(&pool, i);
}

TEST(idle_set_wakes_the_most_recently_parked_first)
{
	ASSERT_EQ(nap_pool_prewarm(&pool, WORKERS), 0);
	ASSERT_EQ(nr_started, WORKERS);
	EXPECT_EQ(set_pop(&pool), NULL);
	for (uint32_t i = 0; i < WORKERS; i++)
		set_enter(&pool, worker_at(i));
	for (uint32_t i = WORKERS; i-- > 0; )
		EXPECT_EQ(set_pop(&pool), worker_at(i));
	EXPECT_EQ(set_pop(&pool), NULL);
}

TEST(idle_set_skips_those_who_have_left)
{
	nap_pool_prewarm(&pool, WORKERS);
	for (uint32_t i = 0; i < WORKERS; i++)
		set_enter(&pool, worker_at(i));
	EXPECT_TRUE(set_withdraw(worker_at(3)));
	EXPECT_TRUE(set_withdraw(worker_at(1)));
	EXPECT_EQ(set_pop(&pool), worker_at(2));
	/* Worker 1 returns to its old position before a pop has met its old entry. */
	set_enter(&pool, worker_at(1));
	set_enter(&pool, worker_at(3));
	EXPECT_EQ(set_pop(&pool), worker_at(3));
	EXPECT_EQ(set_pop(&pool), worker_at(1));
	EXPECT_EQ(set_pop(&pool), worker_at(0));
	EXPECT_EQ(set_pop(&pool), NULL);
	/* The worker was popped: the wake is on its way, and it is too late to withdraw. */
	EXPECT_FALSE(set_withdraw(worker_at(0)));
}

TEST(idle_set_tag_wraps)
{
	nap_pool_prewarm(&pool, WORKERS);
	pool.idle_set = ~(uint64_t)SET_INDEX_MASK;
	for (int round = 0; round < 3; round++) {
		uint64_t head;

		set_enter(&pool, worker_at(0));
		head = pool.idle_set;
		set_enter(&pool, worker_at(1));
		EXPECT_EQ(set_pop(&pool), worker_at(1));
		EXPECT_EQ(set_pop(&pool), worker_at(0));
		/* Worker 0 is on top as before, but the head differs: its tag has changed. */
		set_enter(&pool, worker_at(0));
		EXPECT_EQ((pool.idle_set ^ head) & SET_INDEX_MASK, 0);
		EXPECT_NE(pool.idle_set, head);
		EXPECT_EQ(set_pop(&pool), worker_at(0));
		EXPECT_EQ(set_pop(&pool), NULL);
	}
}

/* ---- the protocol, step by step ---- */

static struct nap_task tasks[64];

static void run_nothing(struct nap_task *task)
{
	(void)task;
}

/* Whether at most one worker is waking, and the word says the same. */
static bool one_waking(void)
{
	int waking = 0;

	for (uint32_t i = 0; i < nap__idle_spawned(&pool); i++)
		waking += sync_of(worker_at(i))->waking;
	return waking == (sync_state(pool.sync) == SYNC_WAKING);
}

/* Schedules tasks[from .. from + n) as worker @i, into its own ring. */
static void schedule_as(uint32_t i, int from, int n)
{
	self_is(nap__self(), worker_at(i));
	for (int t = from; t < from + n; t++) {
		nap_task_init(&tasks[t], run_nothing);
		nap_schedule(&pool, &tasks[t]);
	}
	self_is(nap__self(), NULL);
}

/* Does what nap__park() does when it returns from its futex. */
static enum nap__verdict wake_up(uint32_t i)
{
	if (event_wait(&worker_at(i)->event, EVENT_WORK, 1))
		nap__idle_woken(worker_at(i));
	return nap__idle_prepare(worker_at(i));
}

static bool was_woken(uint32_t i)
{
	return worker_at(i)->event & EVENT_WORK;
}

/* Parks all workers; worker 0 takes a task from outside: T1 runs, the other three are parked. */
static void start_with_t1_running(struct __test_metadata *_metadata)
{
	ASSERT_EQ(nap_pool_prewarm(&pool, WORKERS), 0);
	for (uint32_t i = WORKERS; i-- > 0; )
		ASSERT_EQ(nap__idle_prepare(worker_at(i)), NAP_PARK);
	nap_task_init(&tasks[0], run_nothing);
	ASSERT_EQ(nap_schedule(&pool, &tasks[0]), 0);
	ASSERT_TRUE(was_woken(0));
	ASSERT_EQ(sync_state(pool.sync), SYNC_SIGNALED);
	ASSERT_EQ(wake_up(0), NAP_SEARCH);
	ASSERT_TRUE(sync_of(worker_at(0))->waking);
	ASSERT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
	/* There was one task only, so no second worker is woken. */
	ASSERT_FALSE(was_woken(1));
	ASSERT_EQ(sync_state(pool.sync), SYNC_PENDING);
	ASSERT_FALSE(pool.sync & SYNC_NOTIFIED);
	ASSERT_EQ(sync_idle(pool.sync), 3);
}

TEST(hand_over_t1_to_t4)
{
	enum { T1, T2, T3, T4 };

	start_with_t1_running(_metadata);
	ASSERT_TRUE(one_waking());

	/* Worker T1 pushes tasks and notifies. */
	schedule_as(T1, 1, 2);
	EXPECT_TRUE(was_woken(T2));
	EXPECT_EQ(sync_state(pool.sync), SYNC_SIGNALED);
	ASSERT_TRUE(one_waking());

	/* T2 is woken and becomes the waking thread. */
	EXPECT_EQ(wake_up(T2), NAP_SEARCH);
	EXPECT_TRUE(sync_of(worker_at(T2))->waking);
	ASSERT_TRUE(one_waking());

	/*
	 * T1 pushes again, but cannot wake another worker, because T2 is waking: it sets NOTIFIED.
	 */
	schedule_as(T1, 3, 2);
	EXPECT_EQ(sync_state(pool.sync), SYNC_WAKING);
	EXPECT_TRUE(pool.sync & SYNC_NOTIFIED);
	EXPECT_FALSE(was_woken(T3));
	EXPECT_FALSE(was_woken(T4));
	ASSERT_TRUE(one_waking());

	/* T2 steals from T1 and wakes T3 as the new waking thread. */
	EXPECT_EQ(nap__dequeue(worker_at(T2)), &tasks[1]);
	EXPECT_FALSE(sync_of(worker_at(T2))->waking);
	EXPECT_TRUE(was_woken(T3));
	EXPECT_FALSE(was_woken(T4));
	ASSERT_TRUE(one_waking());
	EXPECT_EQ(wake_up(T3), NAP_SEARCH);
	EXPECT_TRUE(sync_of(worker_at(T3))->waking);
	ASSERT_TRUE(one_waking());

	/* T3 steals from T1 or T2, and wakes T4. */
	EXPECT_NE(nap__dequeue(worker_at(T3)), NULL);
	EXPECT_TRUE(was_woken(T4));
	ASSERT_TRUE(one_waking());

	/* All tasks are taken before T4 wakes up. */
	for (uint32_t i = T1; i <= T3; i++)
		while (nap__dequeue(worker_at(i)))
			ASSERT_TRUE(one_waking());
	EXPECT_EQ(wake_up(T4), NAP_SEARCH);
	EXPECT_TRUE(sync_of(worker_at(T4))->waking);
	ASSERT_TRUE(one_waking());

	/* T4 finds nothing, gives up the waking state and goes back to sleep. */
	EXPECT_EQ(nap__dequeue(worker_at(T4)), NULL);
	while (nap__idle_prepare(worker_at(T4)) == NAP_SEARCH) {
		ASSERT_TRUE(one_waking());
		EXPECT_EQ(nap__dequeue(worker_at(T4)), NULL);
	}
	EXPECT_FALSE(sync_of(worker_at(T4))->waking);
	EXPECT_EQ(sync_state(pool.sync), SYNC_PENDING);
	ASSERT_TRUE(one_waking());
	for (uint32_t i = T1; i <= T3; i++)
		while (nap__idle_prepare(worker_at(i)) != NAP_PARK)
			ASSERT_TRUE(one_waking());
	EXPECT_TRUE(nap__idle_quiet(&pool));
}

/* A worker that was woken for work leaves for another reason, and passes the wake on. */
TEST(a_wake_for_work_is_passed_on_by_one_who_leaves)
{
	start_with_t1_running(_metadata);
	schedule_as(0, 1, 1);
	ASSERT_TRUE(was_woken(1));
	nap__idle_abort_park(worker_at(1));
	/* The worker has taken the wake, so that no thread touches its event later. */
	EXPECT_FALSE(was_woken(1));
	EXPECT_TRUE(was_woken(2));
	EXPECT_EQ(sync_state(pool.sync), SYNC_SIGNALED);
	EXPECT_EQ(sync_idle(pool.sync), 2);
	EXPECT_EQ(wake_up(2), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(2)), &tasks[1]);
}

/* The last idle worker has a wake when it leaves: the state must not stay signaled then. */
TEST(the_last_idle_worker_leaves_with_a_wake)
{
	start_with_t1_running(_metadata);
	for (uint32_t i = 2; i < WORKERS; i++)
		nap__idle_abort_park(worker_at(i));
	schedule_as(0, 1, 1);
	ASSERT_TRUE(was_woken(1));
	nap__idle_abort_park(worker_at(1));
	EXPECT_EQ(sync_state(pool.sync), SYNC_PENDING);
	/* The next worker that wants to sleep checks first. */
	EXPECT_TRUE(pool.sync & SYNC_NOTIFIED);
	EXPECT_EQ(sync_idle(pool.sync), 0);
	EXPECT_EQ(nap__idle_prepare(worker_at(2)), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(2)), &tasks[1]);
}

/*
 * A worker leaves while another worker is waking. The waking worker may already have searched
 * everywhere, so NOTIFIED is set for it.
 */
TEST(who_leaves_puts_back_what_the_waking_worker_is_to_look_for)
{
	start_with_t1_running(_metadata);
	schedule_as(0, 1, 1);
	ASSERT_EQ(wake_up(1), NAP_SEARCH);
	ASSERT_TRUE(sync_of(worker_at(1))->waking);
	schedule_as(0, 2, 1);
	ASSERT_EQ(pool.sync & (SYNC_STATE | SYNC_NOTIFIED), SYNC_WAKING | SYNC_NOTIFIED);
	nap__idle_abort_park(worker_at(2));
	EXPECT_EQ(pool.sync & (SYNC_STATE | SYNC_NOTIFIED), SYNC_WAKING | SYNC_NOTIFIED);
	EXPECT_FALSE(was_woken(2));
	EXPECT_EQ(sync_idle(pool.sync), 1);
	/*
	 * A worker finds one of the two tasks, and then wakes the next worker for the other task.
	 */
	EXPECT_EQ(nap__dequeue(worker_at(1)), &tasks[1]);
	EXPECT_TRUE(was_woken(3));
	EXPECT_EQ(wake_up(3), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(3)), &tasks[2]);
}

/*
 * A worker is on its way into the idle set when the notifier pops. The worker sees the
 * notification.
 */
TEST(a_worker_between_word_and_set_looks_again)
{
	start_with_t1_running(_metadata);
	for (uint32_t i = 1; i < WORKERS; i++)
		nap__idle_abort_park(worker_at(i));
	/* Worker 1 is counted as idle, but not in the set yet. */
	pool.sync = sync_sleep(pool.sync, false);
	worker_at(1)->counted_idle = true;
	schedule_as(0, 1, 1);
	EXPECT_EQ(sync_state(pool.sync), SYNC_SIGNALED);
	EXPECT_FALSE(was_woken(1));
	EXPECT_EQ(nap__idle_prepare(worker_at(1)), NAP_SEARCH);
	EXPECT_TRUE(sync_of(worker_at(1))->waking);
	EXPECT_FALSE(worker_at(1)->in_idle_set);
}

TEST(the_last_to_retire_takes_the_notification_along)
{
	const uint32_t kept = SYNC_WATCHED | SYNC_NOTIFIED;

	EXPECT_EQ(sync_retire(SYNC_SPAWNED_ONE + kept), SYNC_WATCHED);
	EXPECT_EQ(sync_retire(2 * SYNC_SPAWNED_ONE + kept), SYNC_SPAWNED_ONE + kept);
	/* A guest is left, and takes the notification. */
	EXPECT_EQ(sync_retire(SYNC_SPAWNED_ONE + SYNC_IDLE_ONE + kept), SYNC_IDLE_ONE + kept);
	EXPECT_EQ(sync_retire(SYNC_SPAWNED_ONE + kept + SYNC_SHUTDOWN), kept + SYNC_SHUTDOWN);
	/* The count is at the edge of its field. */
	EXPECT_EQ(sync_retire(SYNC_FIELD_MAX * SYNC_SPAWNED_ONE + SYNC_WAKING),
		  (SYNC_FIELD_MAX - 1) * SYNC_SPAWNED_ONE + SYNC_WAKING);
}

/*
 * One notification stands for two tasks, because the second push found NOTIFIED set. The worker
 * that takes the notification is not the waking worker. It finds one task, and must notify for the
 * other task.
 */
static void two_pushes_behind_one_notification(struct __test_metadata *_metadata)
{
	ASSERT_EQ(nap_pool_prewarm(&pool, 3), 0);
	pool.limit = pool.most = 3;
	ASSERT_EQ(nap__dequeue(worker_at(1)), NULL);
	ASSERT_EQ(nap__dequeue(worker_at(2)), NULL);
	schedule_as(0, 0, 2);
	ASSERT_EQ(nap__idle_prepare(worker_at(2)), NAP_SEARCH);
	ASSERT_FALSE(sync_of(worker_at(2))->waking);
	ASSERT_EQ(nap__idle_prepare(worker_at(1)), NAP_PARK);
}

TEST(who_takes_a_notification_and_a_task_passes_it_on)
{
	two_pushes_behind_one_notification(_metadata);
	ASSERT_EQ(nap__dequeue(worker_at(2)), &tasks[0]);
	EXPECT_EQ(ring_count(&worker_at(0)->ring), 1);
	EXPECT_TRUE(was_woken(1));
	EXPECT_EQ(wake_up(1), NAP_SEARCH);
	EXPECT_EQ(nap__dequeue(worker_at(1)), &tasks[1]);
}

TEST(who_takes_a_notification_and_stops_looking_passes_it_on)
{
	two_pushes_behind_one_notification(_metadata);
	nap__idle_stop_search(worker_at(2), false);	/* as at the end of a wait */
	EXPECT_TRUE(was_woken(1));
}

/*
 * The waking worker finds nothing, waits for another pool, which has no worker, and runs that
 * pool's task. During this wait its own pool may not rely on the worker.
 */
static struct nap_group awaited;
static bool next_was_woken, still_waking;

static void look_at_own_pool(struct nap_task *task)
{
	struct nap_worker *self = nap__self()->worker;

	(void)task;
	still_waking = sync_of(worker_at(1))->waking;
	schedule_as(0, 2, 1);
	self_is(nap__self(), self);
	next_was_woken = was_woken(2);
	nap_group_done(&awaited);
}

TEST(who_helps_another_pool_is_not_counted_on)
{
	struct nap_task elsewhere = NAP_TASK_INIT(look_at_own_pool);

	start_with_t1_running(_metadata);
	schedule_as(0, 1, 1);
	ASSERT_EQ(wake_up(1), NAP_SEARCH);
	ASSERT_TRUE(sync_of(worker_at(1))->waking);
	ASSERT_EQ(ring_pop(&worker_at(0)->ring), &tasks[1]);
	nap_group_init(&awaited, &without_worker);
	nap_group_add(&awaited, 1);
	ASSERT_EQ(nap_schedule(&without_worker, &elsewhere), 0);
	self_is(nap__self(), worker_at(1));
	EXPECT_EQ(nap_group_wait(&awaited), 0);
	self_is(nap__self(), NULL);
	EXPECT_FALSE(still_waking);
	EXPECT_TRUE(next_was_woken);
	EXPECT_TRUE(one_waking());
}

TEST(who_takes_a_notification_and_finds_nothing_tells_nobody)
{
	two_pushes_behind_one_notification(_metadata);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(ring_pop(&worker_at(0)->ring), &tasks[i]);
	EXPECT_EQ(nap__dequeue(worker_at(2)), NULL);
	EXPECT_EQ(nap__idle_prepare(worker_at(2)), NAP_PARK);
	nap__idle_stop_search(worker_at(2), false);
	EXPECT_FALSE(was_woken(1));
	EXPECT_TRUE(nap__idle_quiet(&pool) || nap__idle_count(&pool) == 2);
}

TEST(the_search_goes_on_behind_where_it_stopped)
{
	/* Each search begins after the last victim: two rounds, from the youngest worker on. */
	static const int order[] = { 5, 3, 1, 6, 4, 2 };

	ASSERT_EQ(nap_pool_prewarm(&pool, WORKERS), 0);
	for (int i = 1; i < WORKERS; i++)
		schedule_as((uint32_t)i, 2 * i - 1, 2);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		EXPECT_EQ(nap__dequeue(worker_at(0)), &tasks[order[i]]);
	EXPECT_EQ(nap__dequeue(worker_at(0)), NULL);
}

/* ---- a worker notifies others of tasks that it has moved, or left behind a lock */

/*
 * Begins with worker 0, which runs and has no notification, and with worker 1 parked. Injects @n
 * tasks without a notification.
 */
static void inject_silently(struct __test_metadata *_metadata, int n)
{
	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	pool.limit = pool.most = 2;
	ASSERT_EQ(nap__idle_prepare(worker_at(1)), NAP_PARK);
	for (int i = 0; i < n; i++) {
		nap_task_init(&tasks[i], run_nothing);
		inject_push(&pool.inject, &tasks[i], &tasks[i]);
	}
	ASSERT_FALSE(was_woken(1));
}

TEST(tasks_moved_into_a_ring_are_told_of)
{
	inject_silently(_metadata, 2);
	/* Both tasks leave the injection queue: worker 0 runs one, and moves one to its ring. */
	EXPECT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
	EXPECT_EQ(ring_count(&worker_at(0)->ring), 1);
	EXPECT_TRUE(was_woken(1));
}

TEST(tasks_left_behind_a_lock_are_told_of)
{
	inject_silently(_metadata, 3);
	/*
	 * A tick sends the worker to the injection queue. Its ring is not empty, so it takes one
	 * task only.
	 */
	nap_task_init(&tasks[10], run_nothing);
	ring_put(&worker_at(0)->ring, 0, &tasks[10]);
	ring_commit(&worker_at(0)->ring, 1);
	worker_at(0)->tick = NAP_FAIR_PERIOD;
	worker_at(0)->behind = 0;
	EXPECT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
	EXPECT_EQ(ring_count(&worker_at(0)->ring), 1);
	EXPECT_TRUE(was_woken(1));
}

TEST(one_task_that_leaves_nothing_is_nobody_elses_business)
{
	inject_silently(_metadata, 1);
	EXPECT_EQ(nap__dequeue(worker_at(0)), &tasks[0]);
	EXPECT_FALSE(was_woken(1));
}

TEST(a_helper_tells_of_what_it_leaves)
{
	inject_silently(_metadata, 2);
	EXPECT_EQ(nap_pool_help(&pool, 1), 1);
	EXPECT_TRUE(was_woken(1));
}

/* ---- counters ---- */

TEST(counters_count)
{
	struct nap_worker_stats stats, sum;
	struct nap_pool_stats all;

	start_with_t1_running(_metadata);
	ASSERT_EQ(nap_worker_get_stats(&pool, WORKERS, &stats), -ENOENT);
	schedule_as(0, 1, 4);
	ASSERT_EQ(wake_up(1), NAP_SEARCH);
	ASSERT_EQ(nap__dequeue(worker_at(1)), &tasks[1]);
	ASSERT_EQ(nap_worker_get_stats(&pool, 1, &stats), 0);
	EXPECT_EQ(stats.stolen, 2);
	EXPECT_EQ(stats.run, 0);
	nap__run(worker_at(1), &tasks[1]);
	nap_worker_get_stats(&pool, 1, &stats);
	EXPECT_EQ(stats.run, 1);
	schedule_as(2, 10, NAP_RING_SIZE < 32 ? NAP_RING_SIZE + 1 : 1);
	nap_worker_get_stats(&pool, 2, &stats);
	EXPECT_EQ(stats.overflowed, NAP_RING_SIZE < 32 ? NAP_RING_SIZE / 2 + 1 : 0);
	nap_pool_get_stats(&pool, &all);
	memset(&sum, 0, sizeof(sum));
	for (unsigned i = 0; nap_worker_get_stats(&pool, i, &stats) == 0; i++) {
		sum.run += stats.run;
		sum.stolen += stats.stolen;
		sum.overflowed += stats.overflowed;
		sum.parked += stats.parked;
		sum.woken_idle += stats.woken_idle;
		if (sum.most_queued < stats.most_queued)
			sum.most_queued = stats.most_queued;
	}
	EXPECT_EQ(sum.most_queued, NAP_RING_SIZE < 32 ? NAP_RING_SIZE + 1 : 0);
	EXPECT_EQ(memcmp(&sum, &all.workers, sizeof(sum)), 0);
	EXPECT_EQ(all.spawned, WORKERS);
	EXPECT_EQ(all.max_workers, WORKERS);
}

static void wait_until_parked(uint64_t times)
{
	while (nap_load_relaxed(&worker_at(0)->stats.parked) < times)
		sched_yield();
}

static void *wake_twice(void *arg)
{
	(void)arg;
	wait_until_parked(1);
	if (set_pop(&pool) != worker_at(0))
		abort();
	event_set(&worker_at(0)->event, EVENT_WORK);
	wait_until_parked(2);
	nap__idle_shutdown(&pool);
	return NULL;
}

/* This thread parks as worker 0: it is woken in vain, and then by the end of the pool. */
TEST(parking_is_counted)
{
	struct nap_worker_stats stats;
	uint32_t reasons = 0;
	pthread_t thread;

	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	pthread_create(&thread, NULL, wake_twice, NULL);
	while (nap__park(worker_at(0), UINT64_MAX, &reasons) != NAP_EXIT)
		;
	pthread_join(thread, NULL);
	nap_worker_get_stats(&pool, 0, &stats);
	EXPECT_EQ(stats.parked, 2);
	EXPECT_EQ(stats.woken_idle, 1);
}

TEST(shutdown_reaches_everybody_whatever_woke_them)
{
	start_with_t1_running(_metadata);
	schedule_as(0, 1, 1);		/* worker 1 was woken, and has not cleared its event */
	nap__idle_shutdown(&pool);
	for (uint32_t i = 0; i < WORKERS; i++) {
		EXPECT_TRUE(worker_at(i)->event & EVENT_EXIT);
		EXPECT_EQ(nap__idle_prepare(worker_at(i)), NAP_EXIT);
	}
}

TEST(when_all_are_busy_a_schedule_writes_no_shared_word)
{
	uint32_t sync;
	uint64_t set;

	ASSERT_EQ(nap_pool_prewarm(&pool, 2), 0);
	pool.limit = pool.most = 2;
	for (int i = 0; i < 2; i++) {
		nap_task_init(&tasks[i], run_nothing);
		nap_schedule(&pool, &tasks[i]);
	}
	sync = pool.sync;
	set = pool.idle_set;
	EXPECT_TRUE(sync & SYNC_NOTIFIED);
	schedule_as(0, 2, 20);
	EXPECT_EQ(pool.sync, sync);
	EXPECT_EQ(pool.idle_set, set);
	EXPECT_FALSE(sync_must_notify(pool.sync, 2));
}

TEST_HARNESS_MAIN
