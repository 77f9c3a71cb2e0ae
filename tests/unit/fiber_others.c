/* SPDX-License-Identifier: MIT */
/*
 * Fibers that wait for something in another pool (src/async/fiber/foreign.h). That pool ends just
 * when the fiber begins to wait; or it has ended, and has begun a second life, before the fiber
 * goes on.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <nap/nap.h>

#include "async/fiber/fiber.h"
#include "async/fiber/foreign.h"
#include "os/futex.h"
#include "os/os.h"
#include "sync/gate.h"
#include "sync/lock.h"
/* comes after the library's headers, whose functions have parameters named pool */
#include "fiber_fixture.h"
#include "harness.h"
#include "wrap.h"

static const struct nap_config one_worker = { .max_workers = 1 };
static struct nap_pool other = NAP_POOL_INIT(.max_workers = 1);
static struct nap_pool third = NAP_POOL_INIT(.max_workers = 1);
static struct nap_fiber *of_other;

static void begin(void)
{
	begin_waiting(&other);
	if (nap_pool_init(&pool, &one_worker) || nap_pool_prewarm(&other, 1))
		abort();
}

/* ---- the other pool ends while the fiber is about to be listed there */

/* What the fiber's thread does in its next look at the clock, or when it waits for the lock. */
static __thread void (*at_clock)(void), (*at_lock)(void);

static void once(void (**step)(void))
{
	void (*now)(void) = *step;

	*step = NULL;
	if (now)
		now();
}

WRAP(uint64_t, nap__os_now, (void))
{
	once(&at_clock);
	return __real_nap__os_now();
}

WRAP(int, nap__futex_wait, (uint32_t *at, uint32_t expected, uint64_t deadline))
{
	if (at != &other.foreign_lock || !at_lock)
		return __real_nap__futex_wait(at, expected, deadline);
	once(&at_lock);
	return 0;
}

static intptr_t waits_for_group(void *deadline)
{
	return nap_group_wait_until(&never, *(uint64_t *)deadline);
}

static intptr_t awaits_other(void *deadline)
{
	return nap_await_until(of_other, NULL, *(uint64_t *)deadline);
}

struct late {
	nap_fiber_fn fn;
	void (*at_clock)(void);
	void (*at_lock)(void);
};

/* A fiber that looks at the clock has a deadline that never comes. */
static intptr_t waits_late(void *arg)
{
	const struct late *late = arg;
	uint64_t deadline = late->at_clock ? NAP_FOREVER - 1 : NAP_FOREVER;

	at_clock = late->at_clock;
	at_lock = late->at_lock;
	return late->fn(&deadline);
}

/* This thread has the lock, and the fiber waits for it: gives the lock back, and stops the pool. */
static void stop_before_the_list(void)
{
	lock_give(&other.foreign_lock);
	nap_pool_shutdown(&other, NAP_STOP);
}

static void end_by_stop(void)
{
	nap_pool_shutdown(&other, NAP_STOP);
	nap_pool_join(&other, NULL);
}

static void end_by_drain(void)
{
	nap_pool_join(&other, NULL);
}

static pthread_t joiner;

static void *joins(void *unused)
{
	(void)unused;
	nap_pool_join(&other, NULL);
	return NULL;
}

/* The joiner has closed the gate, and waits for the fiber, which is inside. */
static void stop_and_close(void)
{
	nap_pool_shutdown(&other, NAP_STOP);
	if (pthread_create(&joiner, NULL, joins, NULL))
		abort();
	while (!gate_is_closed(&other.visits))
		usleep(100);
}

static intptr_t result_of(struct nap_fiber *fiber)
{
	intptr_t result = 1;
	int err = nap_await(fiber, &result);

	return err ? err : result;
}

static intptr_t late_result(nap_fiber_fn fn, void (*clock)(void), void (*lock)(void))
{
	struct late late = { fn, clock, lock };
	struct nap_fiber *fiber;

	if (nap_spawn(&pool, &fiber, waits_late, &late))
		abort();
	return result_of(fiber);
}

/* Nobody is inside the other pool, and no fiber is listed there. */
static void expect_left(struct __test_metadata *_metadata)
{
	EXPECT_EQ(nap_load_relaxed(&other.visits) & ~GATE_CLOSED, 0);
	EXPECT_TRUE(!other.foreign);
	nap_pool_join(&other, NULL);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_stop_before_the_list_ends_the_wait)
{
	begin();
	lock_take(&other.foreign_lock);
	EXPECT_EQ(late_result(waits_for_group, NULL, stop_before_the_list), -ECANCELED);
	expect_left(_metadata);
}

static void spawn_in_other(void)
{
	if (nap_spawn(&other, &of_other, waits, NULL))
		abort();
	until_waiting(1);
}

TEST(a_stop_before_the_list_ends_the_await)
{
	begin();
	spawn_in_other();
	lock_take(&other.foreign_lock);
	EXPECT_EQ(late_result(awaits_other, NULL, stop_before_the_list), -ECANCELED);
	EXPECT_EQ(nap_load_relaxed(&of_other->joiner), JOINER_NONE);
	expect_left(_metadata);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
}

TEST(a_closed_pool_ends_the_await)
{
	begin();
	spawn_in_other();
	EXPECT_EQ(late_result(awaits_other, stop_and_close, NULL), -ECANCELED);
	pthread_join(joiner, NULL);
	expect_left(_metadata);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
}

TEST(a_stopped_pool_that_is_gone_ends_the_wait)
{
	begin();
	EXPECT_EQ(late_result(waits_for_group, end_by_stop, NULL), -ECANCELED);
	expect_left(_metadata);
}

/* Waits until @fiber has left its stack in a wait later than that of @before. */
static void until_asleep(struct nap_fiber *fiber, uint32_t before)
{
	uint32_t state;

	do {
		usleep(100);
		state = nap_load_relaxed(&fiber->wait.state);
	} while (!(state & WAIT_OPEN) || !(state & WAIT_OFF) || state / WAIT_NUMBER <= before);
}

TEST(a_drained_pool_that_is_gone_does_not_end_the_wait)
{
	struct late late = { waits_for_group, end_by_drain, NULL };
	struct nap_fiber *fiber;

	begin();
	ASSERT_EQ(nap_spawn(&pool, &fiber, waits_late, &late), 0);
	until_asleep(fiber, 0);
	nap_group_done(&never);
	EXPECT_EQ(result_of(fiber), 0);
	expect_left(_metadata);
}

/* ---- a thread from outside */

static uint32_t visits_seen;

static void sees_visits(void)
{
	visits_seen = nap_load_relaxed(&other.visits);
	nap_group_done(&never);
}

/* Until it has its result the thread is inside the pool, which a join does not free then. */
TEST(an_awaiter_from_outside_is_a_visitor)
{
	intptr_t result = 1;

	begin();
	spawn_in_other();
	at_clock = sees_visits;
	EXPECT_EQ(nap_await_until(of_other, &result, NAP_FOREVER - 1), 0);
	EXPECT_EQ(result, 0);
	EXPECT_EQ(visits_seen, GATE_ONE);
	expect_left(_metadata);
}

/* ---- the other pool has a second life */

static struct nap_fiber *spawn_listed(void)
{
	struct nap_fiber *fiber;

	begin();
	if (nap_spawn(&pool, &fiber, waits, NULL))
		abort();
	while (!has_foreign_fibers(&other))
		usleep(100);
	until_asleep(fiber, 0);
	return fiber;
}

TEST(a_later_life_of_the_pool_does_not_end_the_wait)
{
	struct nap_fiber *fiber = spawn_listed();
	uint32_t before = nap_load_relaxed(&fiber->wait.state) / WAIT_NUMBER;

	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	ASSERT_EQ(nap_pool_init(&other, &one_worker), 0);
	ASSERT_EQ(nap_pool_prewarm(&other, 1), 0);
	until_asleep(fiber, before);
	EXPECT_FALSE(has_foreign_fibers(&other));
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	nap_group_done(&never);
	EXPECT_EQ(result_of(fiber), 0);
	expect_left(_metadata);
}

/* ---- one wait is ended by the other pool, the next one is not */

static intptr_t awaits_third(void *fiber)
{
	intptr_t result = 1;

	if (waits(NULL) != -ECANCELED || nap_await(fiber, &result))
		return -EIO;
	return result;
}

static uint32_t go;

static intptr_t returns_later(void *unused)
{
	(void)unused;
	while (!nap_load_relaxed(&go))
		nap_yield();
	return 7;
}

TEST(what_ended_one_wait_has_not_ended_the_next)
{
	struct nap_fiber *fiber, *of_third;

	begin();
	ASSERT_EQ(nap_spawn(&third, &of_third, returns_later, NULL), 0);
	ASSERT_EQ(nap_spawn(&pool, &fiber, awaits_third, of_third), 0);
	while (!has_foreign_fibers(&other))
		usleep(100);
	until_asleep(fiber, 0);
	ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
	while (nap_load_relaxed(&of_third->joiner) == JOINER_NONE)
		usleep(100);
	nap_store_relaxed(&go, true);
	EXPECT_EQ(result_of(fiber), 7);
	expect_left(_metadata);
	ASSERT_EQ(nap_pool_join(&third, NULL), 0);
}

/* ---- the awaited fiber has ended, its pool is gone, and only then the awaiter goes on */

static uint32_t is_held, let_go;

static void holds_worker(struct nap_task *task)
{
	(void)task;
	nap_store_relaxed(&is_held, true);
	while (!nap_load_acquire(&let_go))
		usleep(100);
}

TEST(a_cancellation_that_is_seen_late_loses_no_result)
{
	struct nap_task task = NAP_TASK_INIT(holds_worker);
	uint64_t deadline = NAP_FOREVER;
	struct nap_fiber *fiber;

	begin();
	spawn_in_other();
	ASSERT_EQ(nap_spawn(&pool, &fiber, awaits_other, &deadline), 0);
	until_asleep(fiber, 0);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	while (!nap_load_relaxed(&is_held))
		usleep(100);
	nap_fiber_cancel(fiber);
	nap_group_done(&never);
	ASSERT_EQ(nap_pool_join(&other, NULL), 0);
	nap_store_release(&let_go, true);
	EXPECT_EQ(result_of(fiber), 0);
	EXPECT_EQ(nap_load_relaxed(&nr_ended), 1);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- the list: each may leave from its place */

static intptr_t waits_for_its_own(void *group)
{
	return nap_group_wait(group);
}

/* Each fiber has a group of its own: a fiber that leaves a group has the others look again. */
TEST(who_leaves_the_list_takes_no_other_along)
{
	static struct nap_group groups[3];

	for (int gone = 0; gone < 3; gone++) {
		struct nap_fiber *fibers[3];
		uint32_t listed = 0;

		begin();
		for (int i = 0; i < 3; i++) {
			nap_group_init(&groups[i], &other);
			nap_group_add(&groups[i], 1);
			ASSERT_EQ(nap_spawn(&pool, &fibers[i], waits_for_its_own, &groups[i]), 0);
			until_asleep(fibers[i], 0);
		}
		nap_fiber_cancel(fibers[gone]);
		EXPECT_EQ(result_of(fibers[gone]), -ECANCELED);
		for (struct nap__foreign *f = other.foreign; f; f = f->next)
			listed++;
		EXPECT_EQ(listed, 2);
		ASSERT_EQ(nap_pool_shutdown(&other, NAP_STOP), 0);
		for (int i = 0; i < 3; i++) {
			if (i != gone)
				EXPECT_EQ(result_of(fibers[i]), -ECANCELED);
		}
		expect_left(_metadata);
		ASSERT_EQ(nap_pool_init(&other, &one_worker), 0);
	}
}

static intptr_t waits_armed(void *unused)
{
	at_lock = stop_before_the_list;
	return waits(unused);
}

/* The fiber waits for the lock to leave, and the stop gets the lock first. */
TEST(one_leaves_while_the_stop_empties_the_list)
{
	struct nap_fiber *first = spawn_listed(), *second;

	ASSERT_EQ(nap_spawn(&pool, &second, waits_armed, NULL), 0);
	until_asleep(second, 0);
	lock_take(&other.foreign_lock);
	nap_fiber_cancel(second);
	EXPECT_EQ(result_of(second), -ECANCELED);
	EXPECT_EQ(result_of(first), -ECANCELED);
	expect_left(_metadata);
}

TEST_HARNESS_MAIN
