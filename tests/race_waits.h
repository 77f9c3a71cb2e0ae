/* SPDX-License-Identifier: MIT */
/*
 * A step of another thread at any access (race.h), in calls of a thread that waits for something in
 * a list (src/async/fiber/waiters.h). There is one thread. If it is about to sleep, the step comes
 * then at the latest; otherwise the time of the clock comes for which it sleeps.
 */
#ifndef NAP_TESTS_RACE_WAITS_H
#define NAP_TESTS_RACE_WAITS_H

#include <errno.h>

#include "async/fiber/waiters.h"
#include "wait/group.h"
#include "worker/self.h"
#include "race.h"
#include "wrap.h"

enum { BEGINS = 1000, TIMEOUT = 500 };

static uint64_t now = BEGINS;
static void (*last_step)(void);		/* wakes a thread that sleeps after the race */
static void (*at_deadline)(void);	/* called when the time has come for which it sleeps */

WRAP(uint64_t, nap__os_now, (void))
{
	return now;
}

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	void (*step)(void) = race_at ? race_step : last_step;

	(void)word;
	(void)expected;
	if (race_at)
		race_slept = true;
	else
		last_step = NULL;
	race_at = 0;
	if (step)
		step();
	else if (deadline == NAP_FOREVER)
		abort();
	else
		now = deadline;
	if (!step && at_deadline)
		at_deadline();
	return step ? 0 : -ETIMEDOUT;
}

/* Postpones a step for which another thread needs a lock that is held. */
static inline bool comes_later(bool is_held)
{
	if (is_held)
		race_at = 1;
	return is_held;
}

/* ---- another thread, which begins to wait */

static struct nap__sleeper sleeper;
static struct nap__fiber_waiter waiter;
static bool is_listed;

static inline void begin_to_wait(struct nap__waiters *list)
{
	memset(&waiter, 0, sizeof(waiter));
	if (nap__sleeper_begin(&sleeper, NULL))
		abort();
	is_listed = true;
	waiters_add(list, &waiter, &sleeper);
}

static inline bool was_woken(void)
{
	return group_is_complete(&sleeper.group);
}

/*
 * ---- a list whose lock another thread holds
 *
 * The list has to stay as it is until that thread gives the lock back, in a step.
 */

static struct nap__waiters *list;
static uint32_t *lock_of_list;
static struct nap__fiber_waiter *first_before;
static bool was_given, was_early;
static int result;

static inline void give_back(void)
{
	was_early = list->first != first_before;
	was_given = true;
	word_give(lock_of_list, 0, 0);
}

/* Begins the race of a call that needs the list. */
static inline void hold(struct nap__waiters *of, uint32_t *lock)
{
	list = of;
	lock_of_list = lock;
	first_before = of->first;
	was_given = was_early = false;
	*lock |= LOCK_HELD;
	race_begin();
}

/*
 * Makes each of @calls in a race with the thread that holds the list. The call sets result, and
 * calls hold().
 */
static inline void expect_held(struct __test_metadata *_metadata, void (*const *calls)(void),
			       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		EACH_RACE(give_back) {
			result = 0;
			calls[i]();
			race_end();
			EXPECT_TRUE(was_given && !was_early && !result && !list->first &&
				    !(*lock_of_list & LOCK_BITS)) {
				TH_LOG("call %zu, access %u", i, race_turn);
			}
		}
		EXPECT_GT(race_turn, 2);
	}
}

/* ---- a timeout is counted from the call on, and a deadline is a time */

struct timed {
	int (*wait_for)(uint64_t timeout);
	int (*wait_until)(uint64_t deadline);
	uint32_t on;		/* for a dump: the kind of wait, */
	const void *object;	/* and what is waited for */
};

static uint32_t seen_on;
static const void *seen_object;

static inline void see_for_what_it_waits(void)
{
	const struct nap__fiber_wait *wait = nap__self()->sleeper;

	seen_on = wait ? wait->on : 0;
	seen_object = wait ? wait->object : NULL;
}

static inline void expect_timed(struct __test_metadata *_metadata, const struct timed *calls,
				size_t n)
{
	for (size_t i = 0; i < n; i++) {
		now = BEGINS;
		at_deadline = see_for_what_it_waits;
		EXPECT_EQ(calls[i].wait_for(TIMEOUT), -ETIMEDOUT);
		EXPECT_EQ(now, BEGINS + TIMEOUT);
#ifndef NAP_NO_TRACE
		EXPECT_EQ(seen_on, calls[i].on);
		EXPECT_EQ(seen_object, calls[i].object);
#endif
		EXPECT_EQ(nap__self()->sleeper, NULL);
		EXPECT_EQ(calls[i].wait_until(BEGINS + 2 * TIMEOUT), -ETIMEDOUT);
		EXPECT_EQ(now, BEGINS + 2 * TIMEOUT);
		EXPECT_EQ(calls[i].wait_for(0), -ETIMEDOUT);
		EXPECT_EQ(calls[i].wait_until(0), -ETIMEDOUT);
		EXPECT_EQ(calls[i].wait_until(1), -ETIMEDOUT);
		EXPECT_EQ(calls[i].wait_until(now), -ETIMEDOUT);
		EXPECT_EQ(now, BEGINS + 2 * TIMEOUT);
		at_deadline = NULL;
	}
}

#endif /* NAP_TESTS_RACE_WAITS_H */
