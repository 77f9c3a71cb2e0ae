/* SPDX-License-Identifier: MIT */
/*
 * Pools under each idle protocol: how a protocol is chosen; that the protocol's word stays within
 * its bounds under any load, also when JEC's counter wraps; and how often a worker yields before it
 * sleeps.
 */
#include "call_fixture.h"
#include "idle_words.h"
#include "wrap.h"

static uint32_t yields;

WRAP(void, nap__os_yield, (void))
{
	nap_fetch_add_relaxed(&yields, 1);
	__real_nap__os_yield();
}

/* ---- choosing */

static struct nap_pool odd = NAP_POOL_INIT(.max_workers = 1, .idle = NAP__IDLE_PROTOCOLS);

TEST(another_number_is_refused)
{
	static const uint32_t wrong[] = { NAP__IDLE_PROTOCOLS, 1u << 31, UINT32_MAX };
	struct nap_task task = NAP_TASK_INIT(count_run);
	struct nap_pool before;

	memset(&pool, 0x5a, sizeof(pool));
	before = pool;
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(nap_pool_init(&pool, &(struct nap_config){ .idle = wrong[i] }), -EINVAL);
	EXPECT_EQ(memcmp(&pool, &before, sizeof(pool)), 0);
	/* A static initialiser cannot refuse a wrong value, so the pool takes the default. */
	EXPECT_EQ(idle_ops(&odd), &nap__sync_ops);
	ASSERT_EQ(nap_schedule(&odd, &task), 0);
	EXPECT_EQ(nap_pool_join(&odd, NULL), 0);
	EXPECT_EQ(nr_run, 1);
}

TEST_F(under, a_pool_that_was_never_used_is_joined)
{
	begin_pool(&pool, self->idle, 2);
	EXPECT_EQ(idle_protocol(&pool), self->idle);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_TRUE(idle_words(&pool)->ended(&pool));
	EXPECT_EQ(count_workers(), 0);
}

/* ---- yielding */

/* Returns how often the only worker yields from its start until it sleeps. */
static uint32_t yields_of(uint32_t idle, uint32_t config_yields, uint32_t us)
{
	struct nap_config config = {
		.max_workers = 1, .idle = idle, .yields = config_yields, .yield_us = us,
		.spin_us = NAP_NO_SPIN
	};
	struct nap_pool_stats stats;
	uint64_t searched;

	yields = 0;
	if (nap_pool_init(&pool, &config) || nap_pool_prewarm(&pool, 1))
		abort();
	do {
		sched_yield();
		nap_pool_get_stats(&pool, &stats);
	} while (!stats.workers.parked);
	if (nap_pool_join(&pool, NULL))
		abort();
	/* The pool keeps its counts after the join. */
	searched = stats.workers.searched;
	nap_pool_get_stats(&pool, &stats);
	if (stats.workers.searched < searched)
		abort();
	return yields;
}

TEST(a_worker_yields_as_often_as_it_is_told)
{
	static const uint32_t numbers[] = { 1, 2, 31, 500 };
	const uint32_t hour = 3600u * 1000000u;

	/* The worker yields once more when it has announced that it is sleepy. */
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(yields_of(NAP_IDLE_JEC, numbers[i], hour), numbers[i] + 1);
	EXPECT_EQ(yields_of(NAP_IDLE_JEC, NAP_NO_YIELDS, hour), 0);
	EXPECT_EQ(yields_of(NAP_IDLE_JEC, 0, hour), 32 + 1);
	/* The time limits the yields, whatever their number: this many would take minutes. */
	EXPECT_LT(yields_of(NAP_IDLE_JEC, NAP_NO_YIELDS - 1, 1), 1000000);
	EXPECT_LT(yields_of(NAP_IDLE_JEC, NAP_NO_YIELDS - 1, 0), 1000000);
	EXPECT_EQ(yields_of(NAP_IDLE_SYNC, 500, hour), 0);
	EXPECT_EQ(yields_of(NAP_IDLE_GO, 500, hour), 0);
}

/* ---- storms, while a thread reads the idle word all the time */

enum { PRODUCERS = 3, LIMIT = 4 };

static unsigned long per_producer, nr_scheduled, out_of_bounds, looks;
static uint32_t producing;

/*
 * Schedules some tasks at once, and pauses, so that workers go to sleep. Also makes calls, so that
 * guests count as workers.
 */
static void *produce(void *seed)
{
	unsigned long x = (uintptr_t)seed;
	long result;

	for (unsigned long i = 0; i < per_producer; i++) {
		struct nap_batch batch;

		x = x * 6364136223846793005u + 1442695040888963407u;
		batch = new_batch(1 + (x >> 61), count_and_free);
		nap_fetch_add_relaxed(&nr_scheduled, batch.count);
		if (nap_schedule_batch(&pool, &batch))
			abort();
		if (x >> 40 & 1)
			usleep(50);
		if ((x >> 44 & 15) == 0 && (nap_call(&pool, call_fib, &result) || result != FIB_15))
			abort();
	}
	nap_fetch_sub_release(&producing, 1);
	return NULL;
}

static bool within_bounds(void)
{
	/*
	 * A guest that leaves may count as one thread too many for a short time: one for each
	 * producer.
	 */
	uint32_t most = LIMIT + PRODUCERS + PRODUCERS;

	return nap__idle_spawned(&pool) <= most && nap__idle_count(&pool) <= most &&
	       idle_words(&pool)->within(&pool, most);
}

static void storm(struct __test_metadata *_metadata)
{
	pthread_t threads[PRODUCERS];

	per_producer = nap_test_count(2000) + 10;
	producing = PRODUCERS;
	for (uintptr_t i = 0; i < PRODUCERS; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, produce, (void *)(i + 1)), 0);
	while (nap_load_acquire(&producing)) {
		out_of_bounds += !within_bounds();
		looks++;
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(out_of_bounds, 0);
	EXPECT_GT(looks, 0);
	EXPECT_EQ(nr_run, nr_scheduled);
	/* At rest every count is exact: all workers sleep. */
	EXPECT_EQ(nap__idle_count(&pool), nap__idle_spawned(&pool));
	EXPECT_EQ(guests_inside(&pool), 0);
}

TEST_F(under, no_field_leaves_its_bounds)
{
	begin_pool(&pool, self->idle, LIMIT);
	storm(_metadata);
	EXPECT_TRUE(idle_words(&pool)->nobody_called(&pool));
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- JEC: events pass 2^32 while the pool is used */

TEST(events_wrap)
{
	static const uint32_t starts[] = { 0xfffffffe, 0xffffffff, 0xffffff00 };

	watchdog(&pool, 0);
	for (int i = 0; i < 3; i++) {
		begin_pool(&pool, NAP_IDLE_JEC, LIMIT);
		pool.counters = starts[i] * JEC_EVENT_ONE;
		storm(_metadata);
		/* At rest the last event was an announcement: a worker became sleepy. */
		for (int turn = 0; turn < 200; turn++) {
			struct nap_batch one = new_batch(1, count_and_free);

			nr_scheduled++;
			ASSERT_EQ(nap_schedule_batch(&pool, &one), 0);
			ASSERT_EQ(nap_pool_quiesce(&pool), 0);
			ASSERT_TRUE(jec_is_sleepy(nap_load_relaxed(&pool.counters)));
		}
		EXPECT_LT(jec_events(nap_load_relaxed(&pool.counters)), 1u << 31);
		EXPECT_EQ(nr_run, nr_scheduled);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

TEST_HARNESS_MAIN
