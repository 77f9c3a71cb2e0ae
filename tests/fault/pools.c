/* SPDX-License-Identifier: MIT */
/*
 * Pools by the thousand. Each is created, used, shut down and joined while several threads schedule
 * on it: one thread shuts it down, and two join it. Each task is run, refused or returned, once. At
 * the end the process has no more memory and threads than before.
 */
#include <errno.h>
#include <pthread.h>

#include "os/os.h"
#include "fault/footprint.h"
#include "fault/report.h"
#include "pool_fixture.h"
#include "watchdog.h"
#include "wrap.h"

enum { PRODUCERS = 3, JOINERS = 2, TASKS = 24, ALL = PRODUCERS * TASKS };

/* How many bytes the pools have mapped, and unmapped. */
static size_t mapped, unmapped;

WRAP(void *, nap__os_map, (size_t size))
{
	void *mem = __real_nap__os_map(size);

	nap_fetch_add_relaxed(&mapped, mem ? size : 0);
	return mem;
}

WRAP(void, nap__os_unmap, (void *mem, size_t size))
{
	nap_fetch_add_relaxed(&unmapped, size);
	__real_nap__os_unmap(mem, size);
}

/* ---- what has become of each task */

struct probe {
	struct nap_task task;
	uint32_t accepted, run, returned;
};

static struct probe probes[ALL];
static struct nap_pool *pool;
static bool stop_mode;
static unsigned long round_nr;
static pthread_barrier_t start, end;
static bool over;

static void run_probe(struct nap_task *task)
{
	nap_fetch_add_relaxed(&nap_container_of(task, struct probe, task)->run, 1);
}

/* Schedules singly and in batches, until all tasks are accepted or the pool refuses one. */
static void produce(struct probe *mine)
{
	unsigned i = 0;

	while (i < TASKS) {
		unsigned n = i % 5 == 0 && i + 3 <= TASKS ? 3 : 1;
		struct nap_batch batch = NAP_BATCH_INIT;

		for (unsigned k = 0; k < n; k++)
			nap_batch_push(&batch, &mine[i + k].task);
		if (n == 1 ? nap_schedule(pool, &mine[i].task) : nap_schedule_batch(pool, &batch))
			return;
		while (n--)
			mine[i++].accepted = 1;
		if (i % 7 == round_nr % 7)
			sched_yield();
	}
}

static void *producer(void *mine)
{
	for (;;) {
		pthread_barrier_wait(&start);
		if (over)
			return NULL;
		produce(mine);
		pthread_barrier_wait(&end);
	}
}

static struct { int result; struct nap_batch left; } joins[JOINERS];

static void *joiner(void *number)
{
	uintptr_t i = (uintptr_t)number;

	for (;;) {
		pthread_barrier_wait(&start);
		if (over)
			return NULL;
		for (unsigned long n = 0; n < round_nr / 2 % (20 * (i + 1)); n++)
			sched_yield();
		joins[i].result = nap_pool_join(pool, &joins[i].left);
		pthread_barrier_wait(&end);
	}
}

/* Shuts the pool down on the test's own thread. */
static void shut_down(struct __test_metadata *_metadata)
{
	int err;

	for (unsigned long n = 0; n < round_nr % 31; n++)
		sched_yield();
	err = nap_pool_shutdown(pool, stop_mode ? NAP_STOP : NAP_DRAIN);
	/* A joiner may have begun a drain before this. */
	ASSERT_TRUE(err == 0 || err == -EALREADY);
}

static unsigned long accepted, ended, nr_returned, nr_refused;

static void judge(struct __test_metadata *_metadata)
{
	struct nap_task *task;
	int ended_by = 0;

	for (int i = 0; i < JOINERS; i++) {
		ended_by += joins[i].result == 0;
		ASSERT_TRUE(joins[i].result == 0 || joins[i].result == -EALREADY);
		while ((task = nap_batch_pop(&joins[i].left)))
			nap_container_of(task, struct probe, task)->returned++;
		ASSERT_EQ(joins[i].left.count, 0);
	}
	ASSERT_EQ(ended_by, 1);
	for (int i = 0; i < ALL; i++) {
		struct probe *p = &probes[i];

		ASSERT_EQ(p->run + p->returned, p->accepted);
		accepted += p->accepted;
		ended += p->run + p->returned;
		nr_returned += p->returned;
		nr_refused += !p->accepted;
		if (!stop_mode)
			ASSERT_EQ(p->returned, 0);
	}
}

static void one_life(struct __test_metadata *_metadata)
{
	struct nap_config config = {
		.max_workers = 1 + (uint32_t)(round_nr % 3), .stack_size = 65536,
	};

	for (int i = 0; i < ALL; i++)
		probes[i] = (struct probe){ .task = NAP_TASK_INIT(run_probe) };
	ASSERT_EQ(nap_pool_init(pool, &config), 0);
	if (round_nr % 5 == 0)
		nap_pool_prewarm(pool, 2);
	pthread_barrier_wait(&start);
	shut_down(_metadata);
	pthread_barrier_wait(&end);
	judge(_metadata);
}

/* ---- memory and threads */

#define FIRST_ROUNDS 50	/* after these rounds the libc has cached all stacks that it ever will */

FIXTURE(pools) { pthread_t threads[PRODUCERS + JOINERS]; };
FIXTURE_VARIANT(pools) { bool stop, heap; };
FIXTURE_VARIANT_ADD(pools, drain_static) { .stop = false, .heap = false };
FIXTURE_VARIANT_ADD(pools, drain_heap) { .stop = false, .heap = true };
FIXTURE_VARIANT_ADD(pools, stop_static) { .stop = true, .heap = false };
FIXTURE_VARIANT_ADD(pools, stop_heap) { .stop = true, .heap = true };
FIXTURE_SETUP(pools)
{
	footprint_prepare();
	pthread_barrier_init(&start, NULL, PRODUCERS + JOINERS + 1);
	pthread_barrier_init(&end, NULL, PRODUCERS + JOINERS + 1);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_create(&self->threads[i], NULL, producer, &probes[i * TASKS]);
	for (int i = 0; i < JOINERS; i++)
		pthread_create(&self->threads[PRODUCERS + i], NULL, joiner, (void *)(uintptr_t)i);
}
FIXTURE_TEARDOWN(pools)
{
	over = true;
	pthread_barrier_wait(&start);
	for (int i = 0; i < PRODUCERS + JOINERS; i++)
		pthread_join(self->threads[i], NULL);
}

TEST_F(pools, live_and_end)
{
	static struct nap_pool kept;
	unsigned long lives = nap_test_count(2500) + FIRST_ROUNDS;
	struct footprint before = footprint();
	size_t outside = mapped - unmapped;	/* without a libc: stacks of threads */

	stop_mode = variant->stop;
	for (round_nr = 0; round_nr < lives; round_nr++) {
		if (round_nr == FIRST_ROUNDS)
			before.kib = footprint_after(before).kib;
		pool = variant->heap ? aligned_alloc(64, sizeof(*pool)) : &kept;
		watchdog(pool, 0);
		one_life(_metadata);
		watchdog_forget(pool);
		if (variant->heap)
			free(pool);
	}
	EXPECT_EQ(count_workers(), 0);
	EXPECT_GT(unmapped, 0);
	EXPECT_EQ(mapped - unmapped, outside);
	footprint_expect(before);
	TH_LOG("%lu lives: %lu tasks accepted, %lu refused, %lu returned; "
	       "mapped %ld KiB, then %ld KiB",
	       lives, accepted, nr_refused, nr_returned, before.kib, mapped_kib());
	EXPECT_GT(nr_refused, 0);
	if (variant->stop)
		EXPECT_GT(nr_returned, 0);
	fault_report(variant->stop ? "pools stopped in a race" : "pools drained in a race", lives,
		     accepted, ended);
}

TEST_HARNESS_MAIN
