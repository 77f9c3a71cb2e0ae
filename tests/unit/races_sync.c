/* SPDX-License-Identifier: MIT */
/*
 * What threads wait on, with a step of another thread between any two accesses (tests/race/). src/
 * is compiled into the test, which has one thread (tests/race_waits.h).
 */
#include "../src/async/fiber/wait.c"
#include "../src/async/fiber/wait_end.c"
#include "../src/async/fiber/event.c"
#include "../src/async/fiber/cond.c"
#include "../src/async/fiber/sem.c"
enum { SEM_AWAITED = AWAITED };
#undef AWAITED
#include "../src/async/fiber/mutex.c"

#include "harness.h"
#include "race_detected.h"
#include "race_fiber.h"
#include "race_waits.h"

/* ---- semaphores */

static struct nap_sem sem;
static bool got;

static bool sem_is_held(void)
{
	return sem.state & SEM_AWAITED && sem.state & LOCK_BITS;
}

static void release_one(void)
{
	if (!comes_later(sem_is_held()))
		nap_sem_release(&sem, 1);
}

static void release_two(void)
{
	if (!comes_later(sem_is_held()))
		nap_sem_release(&sem, 2);
}

TEST(a_unit_that_is_released_meanwhile_is_acquired)
{
	for (uint32_t n = 1; n <= 2; n++) {
		EACH_RACE(n == 1 ? release_one : release_two) {
			nap_sem_init(&sem, 0);
			race_begin();
			ASSERT_EQ(nap_sem_acquire(&sem), 0);
			race_end();
			ASSERT_EQ(sem.state, (n - 1) * ONE);
			ASSERT_EQ(sem.waiters.first, NULL);
		}
		EXPECT_GT(race_turn, 4);
	}
}

static void try_one(void)
{
	got = nap_sem_try(&sem);
}

TEST(one_of_two_has_the_last_unit)
{
	EACH_RACE(try_one) {
		bool mine;

		nap_sem_init(&sem, 1);
		got = false;
		race_begin();
		mine = nap_sem_try(&sem);
		race_end();
		ASSERT_EQ(mine + got, 1);
		ASSERT_EQ(sem.state, 0);
	}
	EXPECT_GT(race_turn, 2);
}

TEST(two_releases_add_up)
{
	EACH_RACE(release_one) {
		nap_sem_init(&sem, 0);
		race_begin();
		nap_sem_release(&sem, 2);
		race_end();
		ASSERT_EQ(sem.state, (raced ? 3 : 2) * ONE);
	}
	EXPECT_GT(race_turn, 2);
}

static void begin_to_acquire(void)
{
	if (!comes_later(sem.state & LOCK_BITS) && !sem_take_or_await(&sem.state))
		begin_to_wait(&sem.waiters);
}

TEST(a_release_reaches_a_thread_that_begins_to_wait)
{
	EACH_RACE(begin_to_acquire) {
		nap_sem_init(&sem, 0);
		is_listed = false;
		race_begin();
		nap_sem_release(&sem, 1);
		race_end();
		ASSERT_EQ(sem.state, raced ? 0 : ONE);
		ASSERT_TRUE(!is_listed || was_woken());
		ASSERT_EQ(sem.waiters.first, NULL);
	}
	EXPECT_GT(race_turn, 2);
}

/* ---- mutexes */

static struct nap_mutex mutex;

static void lock_of_another(void)
{
	nap_mutex_init(&mutex);
	mutex.state = OWNED;
	mutex.taken_by = ~this_thread();
	mutex.owner = (void *)&mutex;	/* as if a fiber had locked it */
}

/* A library without dumps notes no owner. */
static bool is_noted_as_owner(struct nap_fiber *owner)
{
#ifdef NAP_NO_TRACE
	return true;
#endif
	return mutex.owner == owner;
}

static void unlock_it(void)
{
	uint32_t word = mutex.state;

	if (!comes_later((word & (AWAITED | WOKEN)) == AWAITED && word & LOCK_BITS))
		nap_mutex_unlock(&mutex);
}

TEST(a_mutex_that_is_unlocked_meanwhile_is_locked)
{
	EACH_RACE(unlock_it) {
		lock_of_another();
		race_begin();
		ASSERT_EQ(nap_mutex_lock(&mutex), 0);
		race_end();
		ASSERT_EQ(mutex.state, OWNED);
		ASSERT_EQ(mutex.waiters.first, NULL);
		/* The first access locks it, if it is free. */
		ASSERT_TRUE(race_turn == 1 || mutex.taken_by == this_thread());
		ASSERT_TRUE(is_noted_as_owner(NULL));
	}
	EXPECT_GT(race_turn, 6);
}

static void try_it(void)
{
	got = nap_mutex_trylock(&mutex);
}

TEST(one_of_two_locks_it)
{
	EACH_RACE(try_it) {
		bool mine;

		lock_of_another();
		mutex.state = 0;
		got = false;
		race_begin();
		mine = nap_mutex_trylock(&mutex);
		race_end();
		ASSERT_EQ(mine + got, 1);
		ASSERT_EQ(mutex.state, OWNED);
		ASSERT_TRUE(is_noted_as_owner(NULL));
	}
	EXPECT_GT(race_turn, 1);
}

static void begin_to_lock(void)
{
	if (!comes_later(mutex.state & LOCK_BITS) && !mutex_take_or_await(&mutex, false))
		begin_to_wait(&mutex.waiters);
}

TEST(an_unlock_reaches_a_thread_that_begins_to_wait)
{
	EACH_RACE(begin_to_lock) {
		lock_of_another();
		is_listed = false;
		race_begin();
		nap_mutex_unlock(&mutex);
		race_end();
		ASSERT_EQ(mutex.state, !raced ? 0 : is_listed ? WOKEN : OWNED);
		ASSERT_TRUE(!is_listed || was_woken());
		ASSERT_EQ(mutex.waiters.first, NULL);
	}
	EXPECT_GT(race_turn, 1);
}

/* A waiter was woken, and is about to lock: no other is woken. */
TEST(an_unlock_wakes_one_at_a_time)
{
	EACH_RACE(begin_to_lock) {
		lock_of_another();
		mutex.state |= WOKEN;
		is_listed = false;
		race_begin();
		nap_mutex_unlock(&mutex);
		race_end();
		ASSERT_EQ(mutex.state, !raced ? WOKEN : is_listed ? WOKEN | AWAITED :
								    (WOKEN | OWNED) + PASSED);
		ASSERT_TRUE(!is_listed || !was_woken());
		ASSERT_EQ(mutex.waiters.first, is_listed ? &waiter : NULL);
	}
	EXPECT_GT(race_turn, 2);
}

/* ---- events */

static struct nap_event event;

static void set_it(void)
{
	if (!comes_later(event.state & LOCK_BITS))
		nap_event_set(&event);
}

TEST(an_event_that_happens_meanwhile_has_happened)
{
	EACH_RACE(set_it) {
		event = (struct nap_event)NAP_EVENT_INIT;
		race_begin();
		ASSERT_EQ(nap_event_wait(&event), 0);
		race_end();
		ASSERT_EQ(event.state, HAPPENED);
		ASSERT_EQ(event.waiters.first, NULL);
	}
	EXPECT_GT(race_turn, 4);
}

static void begin_to_wait_for_it(void)
{
	if (!comes_later(event.state & LOCK_BITS) && !has_happened(&event.state))
		begin_to_wait(&event.waiters);
}

TEST(an_event_reaches_a_thread_that_begins_to_wait)
{
	EACH_RACE(begin_to_wait_for_it) {
		event = (struct nap_event)NAP_EVENT_INIT;
		is_listed = false;
		race_begin();
		nap_event_set(&event);
		race_end();
		ASSERT_EQ(event.state, HAPPENED);
		ASSERT_TRUE(!is_listed || was_woken());
		ASSERT_EQ(event.waiters.first, NULL);
	}
	EXPECT_GT(race_turn, 1);
}

/* ---- conditions, with a lock that orders nothing */

static struct nap_cond cond;

static void do_nothing(void *unused)
{
	(void)unused;
}

static int wait_for_signal(uint64_t deadline)
{
	static const struct nap_lock_ops no_lock = { .unlock = do_nothing, .lock = do_nothing };

	return nap_cond_wait_with(&cond, NULL, &no_lock, deadline);
}

/* ---- a list whose lock another thread holds */

static void release_at_last(void)
{
	nap_sem_release(&sem, 1);
}

static void unlock_at_last(void)
{
	nap_mutex_unlock(&mutex);
}

static void set_at_last(void)
{
	nap_event_set(&event);
}

static void signal_at_last(void)
{
	nap_cond_signal(&cond);
}

static void acquire_held(void)
{
	nap_sem_init(&sem, 0);
	hold(&sem.waiters, &sem.state);
	last_step = release_at_last;
	result = nap_sem_acquire(&sem);
}

static void release_held(void)
{
	nap_sem_init(&sem, 0);
	begin_to_acquire();
	hold(&sem.waiters, &sem.state);
	nap_sem_release(&sem, 1);
}

static void lock_held(void)
{
	lock_of_another();
	hold(&mutex.waiters, &mutex.state);
	last_step = unlock_at_last;
	result = nap_mutex_lock(&mutex);
}

static void unlock_held(void)
{
	lock_of_another();
	begin_to_lock();
	hold(&mutex.waiters, &mutex.state);
	nap_mutex_unlock(&mutex);
}

/* The caller was woken, and gives up. */
static void pass_on_held(void)
{
	lock_of_another();
	begin_to_lock();
	mutex.state |= WOKEN;
	hold(&mutex.waiters, &mutex.state);
	mutex_pass_on(&mutex);
}

static void set_held(void)
{
	event = (struct nap_event)NAP_EVENT_INIT;
	begin_to_wait_for_it();
	hold(&event.waiters, &event.state);
	nap_event_set(&event);
}

static void wait_for_event_held(void)
{
	event = (struct nap_event)NAP_EVENT_INIT;
	hold(&event.waiters, &event.state);
	last_step = set_at_last;
	result = nap_event_wait(&event);
}

static void begin_cond(bool is_awaited)
{
	cond = (struct nap_cond)NAP_COND_INIT;
	if (is_awaited)
		begin_to_wait(&cond.waiters);
	hold(&cond.waiters, &cond.lock);
}

static void wait_held(void)
{
	begin_cond(false);
	last_step = signal_at_last;
	result = wait_for_signal(NAP_FOREVER);
}

static void signal_held(void)
{
	begin_cond(true);
	nap_cond_signal(&cond);
}

static void broadcast_held(void)
{
	begin_cond(true);
	nap_cond_broadcast(&cond);
}

/* The list is held when the time of the wait is over, and the waiter leaves. */
static void hold_at_deadline(void)
{
	at_deadline = NULL;
	hold(&sem.waiters, &sem.state);
}

static void time_out_held(void)
{
	nap_sem_init(&sem, 0);
	at_deadline = hold_at_deadline;
	result = nap_sem_acquire_for(&sem, TIMEOUT) == -ETIMEDOUT ? 0 : 1;
}

TEST(a_list_that_another_thread_holds_stays_as_it_is)
{
	static void (*const calls[])(void) = {
		acquire_held, release_held, lock_held, unlock_held, pass_on_held, set_held,
		wait_for_event_held, wait_held, signal_held, broadcast_held, time_out_held
	};

	expect_held(_metadata, calls, sizeof(calls) / sizeof(*calls));
}

/* ---- timeouts */

static int sem_for(uint64_t timeout)
{
	return nap_sem_acquire_for(&sem, timeout);
}

static int sem_until(uint64_t deadline)
{
	return nap_sem_acquire_until(&sem, deadline);
}

static int mutex_for(uint64_t timeout)
{
	return nap_mutex_lock_for(&mutex, timeout);
}

static int mutex_until(uint64_t deadline)
{
	return nap_mutex_lock_until(&mutex, deadline);
}

static int event_for(uint64_t timeout)
{
	return nap_event_wait_for(&event, timeout);
}

static int event_until(uint64_t deadline)
{
	return nap_event_wait_until(&event, deadline);
}

static int cond_for(uint64_t timeout)
{
	static struct nap_mutex of_cond = { .state = OWNED };

	return nap_cond_wait_for(&cond, &of_cond, timeout);
}

TEST(a_timeout_is_counted_from_the_call_on)
{
	static const struct timed calls[] = {
		{ sem_for, sem_until, NAP_TRACE_ON_SEM, &sem },
		{ mutex_for, mutex_until, NAP_TRACE_ON_MUTEX, &mutex },
		{ event_for, event_until, NAP_TRACE_ON_EVENT, &event },
		{ cond_for, wait_for_signal, NAP_TRACE_ON_COND, &cond },
	};

	nap_sem_init(&sem, 0);
	lock_of_another();
	expect_timed(_metadata, calls, sizeof(calls) / sizeof(*calls));
}

/* ---- a fiber waits */

static int acquire_new(void)
{
	nap_sem_init(&sem, 0);
	race_begin();
	return nap_sem_acquire(&sem);
}

static int lock_of_another_and_lock(void)
{
	lock_of_another();
	race_begin();
	return nap_mutex_lock(&mutex);
}

static int wait_for_new(void)
{
	event = (struct nap_event)NAP_EVENT_INIT;
	race_begin();
	return nap_event_wait(&event);
}

/* Another thread could still end a wait that is open. */
TEST(a_fiber_that_need_not_wait_has_no_wait_open)
{
	static const struct {
		int (*call)(void);
		void (*step)(void);
	} calls[] = {
		{ acquire_new, release_one }, { lock_of_another_and_lock, unlock_it },
		{ wait_for_new, set_it },
	};

	pool.plain = nap_load_relaxed(&nap__fork_gen);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		EACH_RACE(calls[i].step) {
			int err;

			of_fiber->fiber = &fiber;
			of_fiber->state = SEVENTH;
			be_fiber(true);
			err = calls[i].call();
			race_end();
			be_fiber(false);
			ASSERT_EQ(err, 0);
			ASSERT_FALSE(of_fiber->state & WAIT_OPEN);
		}
		EXPECT_GT(race_turn, 4);
	}
	EXPECT_TRUE(is_noted_as_owner(&fiber));
}

/* If the fiber left its stack, the worker would run all other tasks first. */
TEST(a_fiber_that_only_polls_does_not_leave_its_stack)
{
	pool.plain = nap_load_relaxed(&nap__fork_gen);
	nap_sem_init(&sem, 0);
	lock_of_another();
	be_fiber(true);
	EXPECT_EQ(nap_sem_acquire_for(&sem, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_mutex_lock_for(&mutex, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_event_wait_for(&event, 0), -ETIMEDOUT);
	EXPECT_EQ(wait_for_signal(0), -ETIMEDOUT);
	be_fiber(false);
	EXPECT_EQ(nr_suspended, 0);
	EXPECT_EQ(of_fiber->state, 0);
}

/* ---- what a race detector is told of a waiter */

#ifndef NAP_NO_DETECTOR
static void signal_first(void)
{
	claimed = cond.waiters.first;
	nap_cond_signal(&cond);
}

TEST(a_waiter_comes_after_the_thread_that_claims_it)
{
	nap__detected = true;
	last_step = signal_first;
	EXPECT_EQ(wait_for_signal(NAP_FOREVER), 0);
	nap__detected = false;
	EXPECT_TRUE(told_before && told_after);
}
#endif

/* ---- the list of waiters */

enum { WAITERS = 3, OPS = 3 + WAITERS, STEPS = 5 };

static struct nap__fiber_waiter listed[WAITERS];
static struct nap__waiters in_order;
static int order[WAITERS], nr_listed;	/* what the list has to be */

static int place_of(int which)
{
	for (int i = 0; i < nr_listed; i++)
		if (order[i] == which)
			return i;
	return -1;
}

static void expect_taken(int which)
{
	int at = place_of(which);

	if (at >= 0)
		memmove(&order[at], &order[at + 1], (size_t)(--nr_listed - at) * sizeof(*order));
}

/* Lists the first waiter that is not listed, at the end or at the beginning. */
static void add(bool at_end, const struct nap__sleeper *of)
{
	int which = 0;

	while (which < WAITERS && place_of(which) >= 0)
		which++;
	if (which == WAITERS)
		return;
	/* The memory has been used before. */
	memset(&listed[which], 0x5a, sizeof(listed[which]));
	if (at_end) {
		waiters_add(&in_order, &listed[which], of);
		order[nr_listed++] = which;
	} else {
		waiters_add_first(&in_order, &listed[which], of);
		memmove(&order[1], &order[0], (size_t)nr_listed++ * sizeof(*order));
		order[0] = which;
	}
}

static bool is_in_order(void)
{
	struct nap__fiber_waiter *w = in_order.first, *before = NULL;

	for (int i = 0; i < nr_listed; i++, before = w, w = w->next)
		if (w != &listed[order[i]] || w->prev != before || !w->listed ||
		    w->wait != of_fiber || w->number != SEVENTH)
			return false;
	for (int which = 0; which < WAITERS; which++)
		if (place_of(which) < 0 && listed[which].listed)
			return false;
	return !w && in_order.last == before;
}

TEST(a_list_has_its_waiters_in_order)
{
	struct nap__sleeper of = { .wait = of_fiber, .number = SEVENTH };
	uint32_t all = 1;

	for (int i = 0; i < STEPS; i++)
		all *= OPS;
	for (uint32_t ops = 0; ops < all; ops++) {
		memset(listed, 0, sizeof(listed));
		in_order = (struct nap__waiters){ NULL, NULL };
		nr_listed = 0;
		for (uint32_t i = 0, rest = ops; i < STEPS; i++, rest /= OPS) {
			uint32_t op = rest % OPS;

			if (op < 2)
				add(op, &of);
			else if (op > 2)
				waiters_take(&in_order, &listed[op - 3]);
			else if (nr_listed)
				ASSERT_EQ(waiters_take_first(&in_order), &listed[order[0]]);
			if (op > 2)
				expect_taken((int)op - 3);
			else if (op == 2 && nr_listed)
				expect_taken(order[0]);
			ASSERT_TRUE(is_in_order()) {
				TH_LOG("operations %u, %u", ops, i);
			}
		}
	}
}

/* ---- waiters whose wait has ended otherwise are passed over */

static struct nap__fiber_wait waits[3];

/* Three fibers wait, and one of them no longer; the last is off its stack. */
static void list_three(int ended)
{
	in_order = (struct nap__waiters){ NULL, NULL };
	nr_ready = 0;
	for (int i = 0; i < 3; i++) {
		struct nap__sleeper of = { .wait = &waits[i], .number = SEVENTH };

		waits[i] = (struct nap__fiber_wait){
			.state = SEVENTH | (i == ended ? 0 : WAIT_OPEN) | (i == 2 ? WAIT_OFF : 0),
			.fiber = &fiber };
		memset(&listed[i], 0x5a, sizeof(listed[i]));
		listed[i].winner = (uint32_t)i + 1;
		waiters_add(&in_order, &listed[i], &of);
	}
}

static bool is_claimed(struct nap__fiber_waiter *all, int ended)
{
	for (int i = 0; i < 3; i++) {
		if (i == ended)
			continue;
		if (all != &listed[i] || all->off != (i == 2) || waits[i].winner != (uint32_t)i + 1)
			return false;
		all = all->next;
	}
	return !all && !in_order.first && !in_order.last;
}

TEST(all_are_claimed_but_who_waits_no_longer)
{
	for (int ended = -1; ended < 3; ended++) {
		struct nap__fiber_waiter *all = NULL;

		list_three(ended);
		all = waiters_claim_all(&in_order);
		EXPECT_TRUE(is_claimed(all, ended));
		waiters_go_on(all);
		EXPECT_EQ(nr_ready, ended == 2 ? 0 : 1);
		for (int i = 0; i < 3; i++)
			EXPECT_EQ(waits[i].state, SEVENTH | (i == 2 ? WAIT_OFF : 0) |
						  (i == ended ? 0 : WAIT_READY));
		list_three(ended);
		sem.waiters = in_order;
		EXPECT_EQ(hand_over(&sem, 4, &all), ended < 0 ? 1 : 2);
		in_order = sem.waiters;
		EXPECT_TRUE(is_claimed(all, ended));
		list_three(ended);
		sem.waiters = in_order;
		EXPECT_EQ(hand_over(&sem, 1, &all), 0);
		EXPECT_EQ(all, &listed[ended == 0]);
		EXPECT_EQ(all->next, NULL);
		EXPECT_EQ(sem.waiters.first, &listed[ended == 0 ? 2 : 1]);
	}
}

TEST_HARNESS_MAIN
