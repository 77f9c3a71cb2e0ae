/* SPDX-License-Identifier: MIT */
/*
 * Polling before sleeping (src/idle/spin.h), by one thread. Only a yield advances the clock. The
 * test replaces a yield, or a futex wait, by the steps of other threads, and counts futex waits.
 */
#include "idle/spin.h"
#include "idle/sync.h"
#include "sched/schedule.h"
#include "fork/ask.h"
#include "worker/self.h"

static void before_count(uint32_t *word);

static inline uint32_t count_up(uint32_t *word, uint32_t n)
{
	before_count(word);
	return nap_fetch_add_relaxed(word, n);
}

#pragma push_macro("nap_fetch_add_relaxed")
#undef nap_fetch_add_relaxed
#define nap_fetch_add_relaxed count_up
#include "../src/idle/spin.c"
#pragma pop_macro("nap_fetch_add_relaxed")

#include "idle_steps.h"
#include "wrap.h"

#define YIELD_NS	1000u

static uint32_t counted_without_a_result;

/* Called before a word of spin.c is counted up. */
static void before_count(uint32_t *word)
{
	counted_without_a_result += word == &measures && !sleep_ns;
}

static void (*meanwhile)(void);
static uint64_t now, asleep_ns;
static unsigned yields, waits, wakes;

WRAP(void, nap__os_yield, (void))
{
	yields++;
	now += YIELD_NS;
	if (meanwhile)
		meanwhile();
}

WRAP(uint64_t, nap__os_now, (void))
{
	return now;
}

/* A sleep with a deadline lasts asleep_ns. Any other sleep ends at once. */
WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	(void)expected;
	if (deadline != UINT64_MAX) {
		now += asleep_ns;
		return asleep_ns ? -ETIMEDOUT : -EAGAIN;
	}
	waits++;
	event_set(word, EVENT_WORK);
	return 0;
}

WRAP(void, nap__futex_wake, (uint32_t *word, uint32_t n))
{
	(void)word;
	(void)n;
	wakes++;
}

static uint32_t event;

static void tell(void)
{
	event_set(&event, EVENT_WORK);
}

/* The number of yields before the notification comes. */
static unsigned tell_in;

static void tell_later(void)
{
	if (!--tell_in)
		tell();
}

/* Begins with both workers idle. */
static void begin_spinning(struct __test_metadata *_metadata, uint32_t us, uint32_t cpus)
{
	memset(&pool, 0, sizeof(pool));
	begin(_metadata, NAP_IDLE_SYNC, 2);
	ASSERT_GE(settle(0), 0);
	ASSERT_GE(settle(1), 0);
	pool.config.spin_us = us;
	pool.cpus = cpus;
	nap__self()->spin_skip = nap__self()->spin_fails = 0;
	now = 1000000007;
	event = yields = waits = wakes = 0;
	meanwhile = NULL;
}

static bool spin(bool outside)
{
	uint32_t before[2] = { pool.spinning[0], pool.spinning[1] };
	bool told;

	yields = 0;
	told = nap__spin(&pool, outside ? NULL : worker_at(0), &event, UINT64_MAX);
	if (memcmp(before, pool.spinning, sizeof(before)))
		abort();
	return told;
}

TEST(who_is_told_before_or_meanwhile_need_not_sleep)
{
	for (unsigned n = 0; n < 10; n++) {
		begin_spinning(_metadata, 20, 2);
		meanwhile = tell_later;
		tell_in = n;
		if (!n)
			tell();
		EXPECT_TRUE(spin(false));
		EXPECT_EQ(yields, n);
		EXPECT_EQ(worker_at(0)->stats.yielded, n);
		/* Neither thread has made a system call. */
		EXPECT_EQ(event_wait(&event, EVENT_ANY, UINT64_MAX), EVENT_WORK);
		EXPECT_TRUE(waits == 0 && wakes == 0);
	}
}

TEST(it_lasts_as_long_as_is_said)
{
	for (uint32_t us = 1; us < 100; us += 7) {
		begin_spinning(_metadata, us, 2);
		EXPECT_FALSE(spin(false));
		EXPECT_EQ(yields, us);
	}
}

TEST(it_lasts_twice_as_long_as_the_shortest_sleep_of_some_within_bounds)
{
	const uint64_t took[] = { 70000, 9000, 11000, 10000, 2 };

	begin_spinning(_metadata, 0, 2);
	for (unsigned i = 0; i < 5; i++) {
		asleep_ns = took[i];
		nap__self()->spin_skip = 0;
		EXPECT_FALSE(spin(false));
		/* The first four sleeps were measured, and the fifth is not. */
		EXPECT_EQ(yields, i ? 18 : 100);
	}
	EXPECT_EQ(measures, 4);
	/* A child that is forked between the two would count on a result that it never gets. */
	EXPECT_EQ(counted_without_a_result, 0);
}

TEST(it_lasts_no_shorter_than_four_microseconds)
{
	begin_spinning(_metadata, 0, 2);
	asleep_ns = 10;
	EXPECT_FALSE(spin(false));
	EXPECT_EQ(yields, 4);
}

TEST(who_could_not_measure_does_not_spin)
{
	begin_spinning(_metadata, 0, 2);
	asleep_ns = 0;
	EXPECT_FALSE(spin(false));
	EXPECT_EQ(yields, 0);
	asleep_ns = 9000;
	EXPECT_FALSE(spin(false));
	EXPECT_EQ(yields, 18);
}

/* Returns how often the thread sleeps without spinning. */
static unsigned sleeps_at_once(void)
{
	unsigned n = 0;

	while (nap__self()->spin_skip) {
		if (spin(false) || yields)
			abort();
		n++;
	}
	return n;
}

TEST(who_spins_for_nothing_sleeps_at_once_twice_as_often_each_time)
{
	begin_spinning(_metadata, 7, 2);
	for (unsigned i = 0; i < 12; i++) {
		EXPECT_FALSE(spin(false));
		EXPECT_EQ(yields, 7);
		EXPECT_EQ(sleeps_at_once(), 1u << (i < 10 ? i : 10));
	}
	/* Each spin that ends with a notification makes up for one spin in vain. */
	for (unsigned i = 10; i > 1; i--) {
		tell();
		EXPECT_TRUE(spin(false));
		event = 0;
	}
	EXPECT_FALSE(spin(false));
	EXPECT_EQ(sleeps_at_once(), 2);
}

static void long_slice(void)
{
	now += 49 * YIELD_NS;
	tell();
}

/* Other threads had the CPU during a yield: the notification came too late. */
TEST(who_is_told_much_too_late_has_spun_for_nothing)
{
	for (uint32_t us = 6; us <= 7; us++) {
		begin_spinning(_metadata, us, 2);
		meanwhile = long_slice;
		EXPECT_TRUE(spin(false));
		EXPECT_EQ(yields, 1);
		EXPECT_EQ(nap__self()->spin_skip, us == 6 ? 4 << 6 : 0);
	}
	/* Each spin that ends much too late counts as several spins in vain, up to a bound. */
	nap__self()->spin_fails = 7;
	for (int i = 0; i < 2; i++) {
		pool.config.spin_us = 6;
		nap__self()->spin_skip = 0;
		event = 0;
		EXPECT_TRUE(spin(false));
		EXPECT_EQ(nap__self()->spin_skip, 4 << 10);
	}
}

TEST(with_one_cpu_nobody_spins)
{
	for (uint32_t cpus = 0; cpus < 2; cpus++)
		for (int outside = 0; outside < 2; outside++) {
			begin_spinning(_metadata, 7, cpus);
			EXPECT_FALSE(spin(outside));
			EXPECT_EQ(yields, 0);
			EXPECT_EQ(nap__self()->spin_skip, 0);
		}
}

TEST(a_pool_counts_its_cpus)
{
	unsigned long mask[] = { 0x15 };
	struct nap_config config = { .affinity = mask, .affinity_size = sizeof(mask) };

	config.max_workers = 8;
	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(pool.cpus, 3);
	memset(&pool, 0, sizeof(pool));
	ASSERT_EQ(nap_pool_init(&pool, NULL), 0);
	ASSERT_EQ(nap_pool_prewarm(&pool, 1), 0);
	EXPECT_EQ(pool.cpus, nap_cpu_count());
}

TEST(only_so_many_spin_as_cpus_are_left)
{
	/*
	 * A case: the numbers of CPUs, spinning workers, other spinners and busy workers; whether a
	 * worker may spin, and whether another thread may.
	 */
	static const struct {
		uint32_t cpus, workers, others, busy;
		bool worker_may, other_may;
	} cases[] = {
		{ 2, 0, 0, 0, true, true },  { 2, 1, 0, 0, true, true },
		{ 2, 2, 0, 0, false, true }, { 2, 0, 0, 1, true, true },
		{ 2, 1, 0, 1, false, true }, { 2, 0, 1, 0, true, false },
		{ 3, 1, 1, 1, true, true },  { 3, 2, 2, 1, false, false },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin_spinning(_metadata, 7, cases[i].cpus);
		pool.sync -= cases[i].busy * SYNC_IDLE_ONE;
		pool.spinning[0] = cases[i].workers;
		pool.spinning[1] = cases[i].others;
		spin(false);
		EXPECT_EQ(yields > 0, cases[i].worker_may);
		nap__self()->spin_skip = 0;
		spin(true);
		EXPECT_EQ(yields > 0, cases[i].other_may);
	}
}

TEST(there_are_those_who_never_spin)
{
	begin_spinning(_metadata, NAP_NO_SPIN, 2);
	EXPECT_FALSE(spin(false));
	pool.config.spin_us = 7;
	EXPECT_FALSE(nap__spin(&pool, worker_at(0), &event, now + 1000000));
	EXPECT_EQ(worker_at(0)->stats.yielded, 0);
	for (uint32_t idle = NAP_IDLE_SYNC + 1; idle < NAP__IDLE_PROTOCOLS; idle++) {
		pool.config.idle = idle;
		EXPECT_FALSE(spin(false));
		EXPECT_EQ(yields, 0);
	}
}

static void schedule_meanwhile(void)
{
	schedule_as(OUTSIDE, 1, 1);
	meanwhile = NULL;
}

TEST(a_worker_that_is_told_while_it_spins_has_not_slept)
{
	struct nap_worker_stats *stats;
	uint32_t reasons = 0;

	begin_spinning(_metadata, 7, 2);
	meanwhile = schedule_meanwhile;
	stats = &worker_at(1)->stats;
	EXPECT_EQ(nap__park(worker_at(1), UINT64_MAX, &reasons), NAP_SEARCH);
	EXPECT_TRUE(waits == 0 && wakes == 0);
	EXPECT_TRUE(stats->spun == 1 && stats->parked == 0);
	EXPECT_EQ(nap__dequeue(worker_at(1)), &tasks[1]);
	EXPECT_EQ(nap__dequeue(worker_at(1)), NULL);
	EXPECT_GE(stats->searched, 1);
}

/* Asking all workers for jobs counts once. It does not count if all have been asked before. */
TEST(a_worker_counts_how_often_it_asks_for_jobs)
{
	struct nap__deque *deque;

	begin_spinning(_metadata, 7, 2);
	/* Without a libc this call makes workers ask for jobs: src/worker/source.h. */
	nap__fork_mode(&pool);
	pool.forks = FORKS_SPLIT;
	deque = &worker_at(1)->deque;
	for (unsigned i = 1; i < 4; i++) {
		deque->forks.limit = deque_full(deque);
		for (int again = 0; again < 2; again++) {
			EXPECT_EQ(nap__ask_for_jobs(worker_at(0)), 0);
			EXPECT_EQ(worker_at(0)->stats.asked, i);
		}
	}
}

TEST_HARNESS_MAIN
