/* SPDX-License-Identifier: MIT */
/*
 * nap/fiber.h: a fiber whose waits are always over at once leaves its worker after NAP_FIBER_BUDGET
 * waits. The pool has one worker and another fiber that is always ready; the turns of this second
 * fiber show when the first one has yielded.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "os/linux/file.h"
#include "harness.h"

#define CALLS (10 * NAP_FIBER_BUDGET)

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_mutex mutex = NAP_MUTEX_INIT;
static struct nap_sem sem = NAP_SEM_INIT(1);
static struct nap_event event = NAP_EVENT_INIT;
static int buffer[1];
static struct nap_channel channel = NAP_CHANNEL_INIT(buffer, sizeof(*buffer), 1);
static struct nap_fiber *ended[CALLS];
static uint32_t turns, stop;	/* the second fiber's turns; @stop ends it */
static int value, file;

static intptr_t has_turns(void *arg)
{
	(void)arg;
	while (!nap_load_relaxed(&stop)) {
		nap_fetch_add_relaxed(&turns, 1);
		nap_yield();
	}
	return 0;
}

/*
 * Locks and unlocks. Each function here makes one call, which the test repeats, and returns 0 or an
 * error.
 */
static int locks(uint32_t nth)
{
	int err = nap_mutex_lock(&mutex);

	(void)nth;
	nap_mutex_unlock(&mutex);
	return err;
}

static int locks_for(uint32_t nth)
{
	int err = nap_mutex_lock_for(&mutex, 1000000000);

	(void)nth;
	nap_mutex_unlock(&mutex);
	return err;
}

static int acquires(uint32_t nth)
{
	int err = nap_sem_acquire(&sem);

	(void)nth;
	nap_sem_release(&sem, 1);
	return err;
}

static int waits_for_event(uint32_t nth)
{
	(void)nth;
	return nap_event_wait(&event);
}

static int sends_and_receives(uint32_t nth)
{
	return nth % 2 ? nap_channel_recv(&channel, &value) : nap_channel_send(&channel, &value);
}

static int selects(uint32_t nth)
{
	struct nap_select_case one = { .channel = &channel, .value = &value,
				       .sends = nth % 2 == 0 };

	return nap_select(&one, 1);
}

static int awaits(uint32_t nth)
{
	return nap_await(ended[nth], NULL);
}

static int waits_for_file(uint32_t nth)
{
	(void)nth;
	return nap_io_wait(file, NAP_IO_READ, NAP_FOREVER) < 0;
}

/* The functions from here on make calls that cannot wait. */
static int tries(uint32_t nth)
{
	int err = nap_mutex_trylock(&mutex) ? 0 : -1;

	(void)nth;
	nap_mutex_unlock(&mutex);
	return err;
}

static int looks(uint32_t nth)
{
	int err = nap_mutex_lock_for(&mutex, 0);

	(void)nth;
	nap_mutex_unlock(&mutex);
	return err ? err : nap_event_wait_for(&event, 0);
}

/* The counts of a fiber, or of a task. */
static struct {
	int (*call)(uint32_t nth);
	uint32_t errors, gave_way, longest;	/* @longest: most calls without a yield */
} found;

static intptr_t calls(void *arg)
{
	uint32_t run = 0;

	(void)arg;
	for (uint32_t i = 0; i < CALLS; i++) {
		uint32_t before = nap_load_relaxed(&turns);

		found.errors += found.call(i) != 0;
		if (nap_load_relaxed(&turns) != before) {
			found.gave_way++;
			run = 0;
		}
		run++;
		if (run > found.longest)
			found.longest = run;
	}
	return 0;
}

/* ---- where a fiber cannot leave its stack */

static struct nap_pool other = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);

static void spends(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	for (uint32_t i = 0; i < CALLS; i++)
		found.errors += found.call(i) != 0;
}

static intptr_t spends_as_a_thread(void *arg)
{
	found.errors += nap_call(&other, spends, NULL) != 0;
	return calls(arg);
}

static uint32_t nr_ended;

static intptr_t ends(void *arg)
{
	(void)arg;
	nr_ended++;
	return 0;
}

static intptr_t begins(void *arg)
{
	for (uint32_t i = 0; i < CALLS; i++)
		found.errors += nap_spawn(&pool, &ended[i], ends, NULL) != 0;
	while (nr_ended < CALLS)
		nap_yield();
	return calls(arg);
}

static void finish(struct __test_metadata *_metadata, struct nap_fiber *fiber)
{
	if (fiber) {
		ASSERT_EQ(nap_await(fiber, NULL), 0);
	}
	nap_store_relaxed(&stop, true);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(found.errors, 0);
}

/* Runs @fn, which makes @call, beside the fiber @second, which counts its turns. */
static void beside(struct __test_metadata *_metadata, nap_fiber_fn second, int (*call)(uint32_t),
		   nap_fiber_fn fn)
{
	struct nap_fiber *fiber;

	found.call = call;
	ASSERT_EQ(nap_spawn(&pool, NULL, second, NULL), 0);
	while (!nap_load_relaxed(&turns))
		usleep(100);
	ASSERT_EQ(nap_spawn(&pool, &fiber, fn, NULL), 0);
	finish(_metadata, fiber);
}

static void one(struct __test_metadata *_metadata, int (*call)(uint32_t), nap_fiber_fn fn)
{
	nap_event_set(&event);
	beside(_metadata, has_turns, call, fn);
}

static void gives_way(struct __test_metadata *_metadata, int (*call)(uint32_t), nap_fiber_fn fn)
{
	one(_metadata, call, fn);
	EXPECT_LE(found.longest, NAP_FIBER_BUDGET);
	EXPECT_GE(found.gave_way, CALLS / NAP_FIBER_BUDGET - 1);
	EXPECT_LE(found.gave_way, CALLS / NAP_FIBER_BUDGET);
}

TEST(of_a_mutex)
{
	gives_way(_metadata, locks, calls);
}

TEST(of_a_mutex_with_a_deadline)
{
	gives_way(_metadata, locks_for, calls);
}

TEST(of_a_semaphore_after_waits_as_a_thread)
{
	gives_way(_metadata, acquires, spends_as_a_thread);
}

TEST(of_a_semaphore)
{
	gives_way(_metadata, acquires, calls);
}

TEST(of_an_event)
{
	gives_way(_metadata, waits_for_event, calls);
}

TEST(of_a_channel)
{
	gives_way(_metadata, sends_and_receives, calls);
}

TEST(of_a_select)
{
	gives_way(_metadata, selects, calls);
}

TEST(of_fibers_that_have_ended)
{
	gives_way(_metadata, awaits, begins);
}

/* A wait for a regular file is over at once. */
TEST(of_a_regular_file)
{
	file = file_open("/proc/self/exe");
	ASSERT_GE(file, 0);
	gives_way(_metadata, waits_for_file, calls);
}

/* ---- waits that fail at once, because the fiber was canceled, or its pool stopped */

/* Another pool has a timer's task that runs, and a fiber that has not ended. */
static struct nap_pool holder = NAP_POOL_INIT(.max_workers = 2);
static struct nap_timer held;
static struct nap_fiber *unended;
static uint32_t may_end, is_held;
static struct nap_mutex owned = NAP_MUTEX_INIT, guard = NAP_MUTEX_INIT;
static struct nap_sem empty = NAP_SEM_INIT(0);
static struct nap_event never = NAP_EVENT_INIT;
static struct nap_cond cond = NAP_COND_INIT;
static struct nap_channel nothing = NAP_CHANNEL_INIT(NULL, 0, 0);
static struct nap_group group = NAP_GROUP_INIT(NULL), group_of_pool = NAP_GROUP_INIT(&pool);
static int fds[2];

static void holds(struct nap_task *task)
{
	(void)task;
	nap_store_release(&is_held, 1);
	while (!nap_load_acquire(&may_end))
		usleep(100);
}

static intptr_t ends_late(void *arg)
{
	(void)arg;
	return nap_event_wait(&never);
}

static void begin_holding(struct __test_metadata *_metadata)
{
	nap_timer_init(&held, holds);
	ASSERT_EQ(nap_schedule_after(&holder, &held, 0), 0);
	ASSERT_EQ(nap_spawn(&holder, &unended, ends_late, NULL), 0);
	while (!nap_load_acquire(&is_held))
		usleep(100);
	ASSERT_EQ(pipe(fds), 0);
	ASSERT_TRUE(nap_mutex_trylock(&owned));
	ASSERT_EQ(nap_group_add(&group, 1), 0);
	ASSERT_EQ(nap_group_add(&group_of_pool, 1), 0);
}

static void end_holding(struct __test_metadata *_metadata)
{
	nap_store_release(&may_end, 1);
	nap_event_set(&never);
	ASSERT_EQ(nap_await(unended, NULL), 0);
	ASSERT_EQ(nap_pool_join(&holder, NULL), 0);
}

static void unlock_guard(void *lock)
{
	nap_mutex_unlock(lock);
}

static void lock_guard(void *lock)
{
	while (nap_mutex_lock(lock))
		nap_yield();
}

static const struct nap_lock_ops guard_ops = { .unlock = unlock_guard, .lock = lock_guard };

/* While the caller gives way, this may be one of the others that have their turn. */
static intptr_t takes_a_turn(void *unused)
{
	(void)unused;
	nap_fetch_add_relaxed(&turns, 1);
	return 0;
}

/* In a stopped pool no fiber is spawned. Elsewhere it may have run while the caller gave way. */
static int runs_another(void)
{
	int err = nap_run(&pool, takes_a_turn, NULL, NULL);

	return !err || err == -ESHUTDOWN ? -ECANCELED : err;
}

#define PAST 1u
#define HOUR 3600000000000u

/* Makes wait @nth. Returns its result, or 1: there is no such wait. */
static int wait_nth(uint32_t nth)
{
	struct nap_select_case one = { .channel = &nothing };

	switch (nth) {
	case 0: return nap_cond_wait(&cond, &guard);
	case 1: return nap_cond_wait_for(&cond, &guard, HOUR);
	case 2: return nap_cond_wait_until(&cond, &guard, PAST);
	case 3: return nap_cond_wait_with(&cond, &guard, &guard_ops, NAP_FOREVER);
	case 4: return nap_mutex_lock(&owned);
	case 5: return nap_mutex_lock_for(&owned, HOUR);
	case 6: return nap_mutex_lock_until(&owned, PAST);
	case 7: return nap_sem_acquire(&empty);
	case 8: return nap_sem_acquire_for(&empty, HOUR);
	case 9: return nap_sem_acquire_until(&empty, PAST);
	case 10: return nap_event_wait(&never);
	case 11: return nap_event_wait_for(&never, HOUR);
	case 12: return nap_event_wait_until(&never, PAST);
	case 13: return nap_channel_send(&nothing, NULL);
	case 14: return nap_channel_send_for(&nothing, NULL, HOUR);
	case 15: return nap_channel_send_until(&nothing, NULL, PAST);
	case 16: return nap_channel_recv(&nothing, NULL);
	case 17: return nap_channel_recv_for(&nothing, NULL, HOUR);
	case 18: return nap_channel_recv_until(&nothing, NULL, PAST);
	case 19: return nap_select(&one, 1);
	case 20: return nap_select_for(&one, 1, HOUR);
	case 21: return nap_select_until(&one, 1, PAST);
	case 22: return nap_select_in_order(&one, 1, NAP_FOREVER);
	case 23: return nap_await(unended, NULL);
	case 24: return nap_await_for(unended, NULL, HOUR);
	case 25: return nap_await_until(unended, NULL, PAST);
	case 26: return nap_group_wait(&group);
	case 27: return nap_group_wait_for(&group, HOUR);
	case 28: return nap_group_wait_until(&group, PAST);
	case 29: return nap_group_wait(&group_of_pool);
	case 30: return nap_sleep(HOUR);
	case 31: return nap_sleep(0);
	case 32: return nap_sleep_until(NAP_FOREVER);
	case 33: return nap_sleep_until(PAST);
	case 34: return nap_timer_cancel_wait(&held, NAP_FOREVER);
	case 35: return nap_timer_cancel_wait(&held, PAST);
	case 36: return nap_io_wait(fds[0], NAP_IO_READ, NAP_FOREVER);
	case 37: return nap_io_wait(fds[0], NAP_IO_READ, PAST);
	case 38: return runs_another();
	default: return 1;
	}
}

#define NR_WAITS 39u
#define LAST_OF_COND 3u

static uint32_t nth_wait;

static int fails(uint32_t nth)
{
	(void)nth;
	return wait_nth(nth_wait) != -ECANCELED;
}

/* The waits for a condition are made with the mutex locked all the time. */
static intptr_t calls_canceled(void *arg)
{
	nap_fiber_cancel(nap_fiber_self());
	if (nth_wait <= LAST_OF_COND)
		found.errors += nap_mutex_lock(&guard) != 0;
	calls(arg);
	if (nth_wait <= LAST_OF_COND)
		nap_mutex_unlock(&guard);
	return 0;
}

TEST(in_each_wait_of_a_canceled_fiber)
{
	begin_holding(_metadata);
	EXPECT_EQ(wait_nth(NR_WAITS), 1);
	for (nth_wait = 0; nth_wait < NR_WAITS; nth_wait++) {
		memset(&found, 0, sizeof(found));
		nap_store_relaxed(&stop, false);
		nap_store_relaxed(&turns, 0);
		nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
		one(_metadata, fails, calls_canceled);
		if (found.longest > NAP_FIBER_BUDGET)
			TH_LOG("wait %u does not give way", nth_wait);
		EXPECT_LE(found.longest, NAP_FIBER_BUDGET);
		EXPECT_GE(found.gave_way, CALLS / NAP_FIBER_BUDGET - 1);
	}
	end_holding(_metadata);
}

/* ---- after a stop: the joiner runs the fibers one after the other */

static uint32_t nr_begun, nr_ready, nr_given_up;

/* Makes waits until the other fibers are ready, or far too often. */
static intptr_t waits_until_ready(void *arg)
{
	uint32_t n = 0;

	(void)arg;
	nap_fetch_add_release(&nr_begun, 1);
	found.errors += nap_event_wait(&never) != -ECANCELED;
	if (nth_wait <= LAST_OF_COND)
		lock_guard(&guard);
	while (nr_ready < 2 && n++ < 100 * NAP_FIBER_BUDGET)
		found.errors += fails(0);
	nr_given_up += nr_ready < 2;
	if (nth_wait <= LAST_OF_COND)
		nap_mutex_unlock(&guard);
	return 0;
}

/* As a user of the condition: with the mutex, for which it does not yield. */
static intptr_t gets_ready(void *arg)
{
	(void)arg;
	nap_fetch_add_release(&nr_begun, 1);
	found.errors += nap_event_wait(&never) != -ECANCELED;
	while (nap_mutex_lock(&guard))
		;
	nr_ready++;
	nap_mutex_unlock(&guard);
	return 0;
}

TEST(in_each_wait_after_a_stop)
{
	begin_holding(_metadata);
	for (nth_wait = 0; nth_wait < NR_WAITS; nth_wait++) {
		nr_begun = nr_ready = nr_given_up = 0;
		nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 });
		ASSERT_EQ(nap_spawn(&pool, NULL, gets_ready, NULL), 0);
		ASSERT_EQ(nap_spawn(&pool, NULL, waits_until_ready, NULL), 0);
		ASSERT_EQ(nap_spawn(&pool, NULL, gets_ready, NULL), 0);
		while (nap_load_acquire(&nr_begun) < 3)
			usleep(100);
		ASSERT_EQ(nap_pool_shutdown(&pool, NAP_STOP), 0);
		ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
		if (nr_given_up)
			TH_LOG("wait %u does not give way", nth_wait);
		EXPECT_EQ(nr_given_up, 0);
		EXPECT_EQ(found.errors, 0);
	}
	end_holding(_metadata);
}

/* ---- a wait that has ended before the fiber leaves its stack */

static void only_signal(void *lock)
{
	nap_cond_signal(lock);
}

static void do_nothing(void *lock)
{
	(void)lock;
}

static const struct nap_lock_ops no_lock = { .unlock = only_signal, .lock = do_nothing };

static int signals_itself(uint32_t nth)
{
	(void)nth;
	return nap_cond_wait_with(&cond, &cond, &no_lock, NAP_FOREVER);
}

TEST(of_a_condition_that_is_signaled_at_once)
{
	gives_way(_metadata, signals_itself, calls);
}

/* ---- a fiber that would signal the condition, and needs the mutex, gets it in between */

static uint32_t is_calling, nr_locked;

static intptr_t calls_with_the_mutex(void *arg)
{
	nap_store_relaxed(&is_calling, true);
	calls_canceled(arg);
	nap_store_relaxed(&is_calling, false);
	return 0;
}

static intptr_t locks_between(void *arg)
{
	(void)arg;
	while (!nap_load_relaxed(&stop)) {
		nap_fetch_add_relaxed(&turns, 1);
		if (nap_mutex_trylock(&guard)) {
			nr_locked += nap_load_relaxed(&is_calling);
			nap_mutex_unlock(&guard);
		}
		nap_yield();
	}
	return 0;
}

TEST(a_wait_for_a_condition_gives_way_without_the_mutex)
{
	beside(_metadata, locks_between, fails, calls_with_the_mutex);
	EXPECT_GE(nr_locked, CALLS / NAP_FIBER_BUDGET - 1);
}

/* Nobody is there to give way to while the budget is spent for the first times. */
static intptr_t calls_alone_first(void *arg)
{
	for (uint32_t i = 0; i < CALLS; i++)
		found.errors += found.call(i) != 0;
	found.errors += nap_spawn(&pool, NULL, has_turns, NULL) != 0;
	return calls(arg);
}

TEST(of_a_mutex_after_nobody_was_there)
{
	struct nap_fiber *fiber;

	found.call = locks;
	ASSERT_EQ(nap_spawn(&pool, &fiber, calls_alone_first, NULL), 0);
	finish(_metadata, fiber);
	EXPECT_LE(found.longest, NAP_FIBER_BUDGET);
	EXPECT_GE(found.gave_way, CALLS / NAP_FIBER_BUDGET - 1);
}

TEST(who_cannot_wait_gives_no_way)
{
	one(_metadata, tries, calls);
	EXPECT_EQ(found.gave_way, 0);
}

TEST(who_only_looks_gives_no_way)
{
	one(_metadata, looks, calls);
	EXPECT_EQ(found.gave_way, 0);
}

/* The fiber yields before it takes the mutex, so another fiber then finds the mutex free. */
static uint32_t found_locked;

static intptr_t looks_whether_it_is_free(void *arg)
{
	(void)arg;
	while (!nap_load_relaxed(&stop)) {
		nap_fetch_add_relaxed(&turns, 1);
		if (nap_mutex_trylock(&mutex))
			nap_mutex_unlock(&mutex);
		else
			found_locked++;
		nap_yield();
	}
	return 0;
}

TEST(it_has_taken_nothing_by_then)
{
	beside(_metadata, looks_whether_it_is_free, locks, calls);
	EXPECT_EQ(found_locked, 0);
	EXPECT_GE(found.gave_way, CALLS / NAP_FIBER_BUDGET - 1);
}

static void task_calls(struct nap_task *task)
{
	(void)task;
	calls(NULL);
	nap_store_release(&stop, true);
}

/* A task that is no fiber cannot leave its worker. */
TEST(of_a_task_that_is_none)
{
	struct nap_task task = NAP_TASK_INIT(task_calls);

	found.call = locks;
	ASSERT_EQ(nap_spawn(&pool, NULL, has_turns, NULL), 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	finish(_metadata, NULL);
	EXPECT_EQ(found.gave_way, 0);
}

TEST_HARNESS_MAIN
