/* SPDX-License-Identifier: MIT */
/*
 * nap/fiber.h: a fiber whose waits are always over at once leaves its worker after NAP_FIBER_BUDGET
 * waits. The pool has one worker and another fiber that is always ready; the turns of this second
 * fiber show when the first one has yielded.
 */
#include <errno.h>
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

static void one(struct __test_metadata *_metadata, int (*call)(uint32_t), nap_fiber_fn fn)
{
	struct nap_fiber *fiber;

	found.call = call;
	nap_event_set(&event);
	ASSERT_EQ(nap_spawn(&pool, NULL, has_turns, NULL), 0);
	while (!nap_load_relaxed(&turns))
		usleep(100);
	ASSERT_EQ(nap_spawn(&pool, &fiber, fn, NULL), 0);
	finish(_metadata, fiber);
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
	struct nap_fiber *fiber;

	found.call = locks;
	ASSERT_EQ(nap_spawn(&pool, NULL, looks_whether_it_is_free, NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, &fiber, calls, NULL), 0);
	finish(_metadata, fiber);
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
