/* SPDX-License-Identifier: MIT */
/*
 * Workers that wait at the nesting limit, and so run nothing (src/wait/deadlock.h). A thread that
 * waits outside runs the tasks that these workers wait for; otherwise a worker reports a deadlock.
 * Under each idle protocol.
 */
#include "wait/deadlock.h"

#include "worker/worker.h"
#include "call_fixture.h"
#include "wrap.h"

#define DEPTH	64
#define FRAME	8192	/* used by each link; half of a stack has room for a few */

static struct link {
	struct nap_task task;
	struct nap_group group;
} links[DEPTH + 1];
static uint32_t deadlocks, ended;

/* Schedules the next link, and waits for it, on a stack that is too small for all links. */
static void run_link(struct nap_task *task)
{
	struct link *link = nap_container_of(task, struct link, task), *next = link + 1;
	char frame[FRAME];
	int err;

	__asm__ volatile("" : : "r"(frame) : "memory");
	if (next < links + DEPTH) {
		nap_task_init(&next->task, run_link);
		nap_group_init(&next->group, &pool);
		nap_group_add(&next->group, 1);
		if (nap_schedule(&pool, &next->task))
			abort();
		err = nap_group_wait(&next->group);
		if (err && err != -EDEADLK)
			abort();
		nap_fetch_add_relaxed(&deadlocks, err == -EDEADLK);
	}
	nap_fetch_add_relaxed(&ended, 1);
	nap_group_done(&link->group);
}

static void schedule_first_link(struct __test_metadata *_metadata, enum nap_idle idle,
				uint32_t workers)
{
	struct nap_config config = { .idle = idle, .max_workers = workers,
				     .stack_size = 192 << 10 };

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	nap_task_init(&links[0].task, run_link);
	nap_group_init(&links[0].group, &pool);
	nap_group_add(&links[0].group, 1);
	ASSERT_EQ(nap_schedule(&pool, &links[0].task), 0);
}

/* No thread waits outside: a wait reports the deadlock, and the awaited task runs later. */
TEST_F(under, a_deep_wait_that_nobody_serves_says_so)
{
	schedule_first_link(_metadata, self->idle, 2);
	while (nap_load_relaxed(&ended) < DEPTH)
		usleep(1000);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_GE(deadlocks, 1);
	EXPECT_EQ(nap_load_relaxed(&pool.at_nest_limit), 0);
}

/*
 * A thread that waits outside runs the tasks on its own stack. So all waits end. If this thread
 * gets no CPU for DEADLOCK_NS, a deadlock is reported; then the test is repeated.
 */
TEST_F(under, who_waits_outside_serves_deep_waits)
{
	struct nap_pool_stats stats;

	for (int tries = 1; tries == 1 || (deadlocks && tries <= 10); tries++) {
		deadlocks = ended = 0;
		schedule_first_link(_metadata, self->idle, 1);
		EXPECT_EQ(nap_group_wait(&links[0].group), 0);
		while (nap_load_relaxed(&ended) < DEPTH)
			usleep(1000);
		nap_pool_get_stats(&pool, &stats);
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
	EXPECT_EQ(deadlocks, 0);
	EXPECT_GT(stats.helped, 0);
}

/*
 * A thread outside whose stack is as small as a worker's reaches the nesting limit, too, and runs
 * no more tasks. Then a waiter reports the deadlock.
 */
static void *wait_for_first(void *result)
{
	*(int *)result = nap_group_wait(&links[0].group);
	return NULL;
}

TEST_F(under, deep_guests_do_not_keep_deep_workers_waiting)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err = 1;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 192 << 10);
	schedule_first_link(_metadata, self->idle, 1);
	ASSERT_EQ(pthread_create(&thread, &attr, wait_for_first, &err), 0);
	pthread_join(thread, NULL);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_GE(deadlocks, 1);
	EXPECT_EQ(ended, DEPTH);
}

/*
 * A worker waits for something that is not queued. A thread outside ends the wait some time later.
 */
static struct nap_group by_hand = NAP_GROUP_INIT(&pool);
static struct nap_task never = NAP_TASK_INIT(count_run);
static int waited, waited_for;
static unsigned long nr_waits, nr_pauses;

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	if (deadline != UINT64_MAX)
		nap_fetch_add_relaxed(&nr_pauses, 1);
	nap_fetch_add_relaxed(&nr_waits, 1);
	return __real_nap__futex_wait(word, expected, deadline);
}

static void wait_deep_by_hand(struct nap_task *task)
{
	char frame[112 << 10];

	__asm__ volatile("" : : "r"(frame) : "memory");
	(void)task;
	flag_set(&at_door);
	waited = nap_group_wait(&by_hand);
	/*
	 * No thread can run this queued task, but the wait has a time limit, and so reports no
	 * deadlock.
	 */
	nap_group_add(&by_hand, 1);
	if (nap_schedule(&pool, &never))
		abort();
	waited_for = nap_group_wait_for(&by_hand, 3 * (uint64_t)DEADLOCK_NS);
}

TEST_F(under, a_deep_wait_that_others_will_end_goes_on)
{
	struct nap_config config = { .idle = self->idle, .max_workers = 1,
				     .stack_size = 192 << 10 };
	struct nap_task task = NAP_TASK_INIT(wait_deep_by_hand);
	unsigned long before;

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	nap_group_add(&by_hand, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	flag_wait(&at_door);
	before = nap_load_relaxed(&nr_waits);
	usleep(3 * DEADLOCK_NS / 1000);
	/* The pauses of the wait become longer, so there are few of them. */
	EXPECT_LT(nap_load_relaxed(&nr_waits) - before, 30);
	EXPECT_EQ(nap_group_done(&by_hand), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(waited, 0);
	EXPECT_EQ(waited_for, -ETIMEDOUT);
	EXPECT_EQ(nr_run, 1);
}

/*
 * While a worker is inside the awaited task, the waiting thread sleeps until it is notified, and
 * does not poll.
 */
static void end_by_hand_at_door(struct nap_task *task)
{
	unsigned long before = nap_load_relaxed(&nr_waits);

	(void)task;
	flag_set(&at_door);
	while (nap_load_relaxed(&nr_waits) == before)
		usleep(100);
	nap_group_done(&by_hand);
}

TEST_F(under, a_wait_for_a_busy_worker_has_no_pauses)
{
	/* no spinning, because its measurement sleeps with a time limit */
	struct nap_config config = { .idle = self->idle, .max_workers = 1, .spin_us = NAP_NO_SPIN };
	struct nap_task task = NAP_TASK_INIT(end_by_hand_at_door);

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	nap_group_add(&by_hand, 1);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	flag_wait(&at_door);
	EXPECT_EQ(nap_group_wait(&by_hand), 0);
	EXPECT_EQ(nr_pauses, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* A thread that slept before the worker reached the limit is woken, whatever the worker awaits. */
static struct nap_group from_outside = NAP_GROUP_INIT(NULL);
static struct nap_task behind;

static void wait_deep_for_other(struct nap_task *task)
{
	char frame[112 << 10];

	__asm__ volatile("" : : "r"(frame) : "memory");
	(void)task;
	flag_set(&at_door);
	usleep(20000);
	from_outside.pool = &other;
	if (nap_schedule(&pool, &behind) || nap_group_wait(&from_outside))
		abort();
}

static void end_wait(struct nap_task *task)
{
	(void)task;
	nap_group_done(&from_outside);
}

TEST_F(under, who_slept_before_is_told)
{
	struct nap_config config = { .idle = self->idle, .max_workers = 1,
				     .stack_size = 192 << 10 };
	struct nap_task task = NAP_TASK_INIT(wait_deep_for_other);

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	begin_pool(&other, self->idle, 1);
	nap_group_add(&from_outside, 1);
	nap_task_init(&behind, end_wait);
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	flag_wait(&at_door);
	EXPECT_EQ(nap_pool_quiesce(&pool), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
}

/*
 * A worker that waits at the limit for the parts of its loop, which other workers have, is as stuck
 * as these are: each waits for a task that no worker can run.
 */
enum { PARTS = 3 };		/* as many as the pool has workers: the fewest with a crew */
static struct awaited {
	struct nap_task task;
	struct nap_group group;
} awaited[PARTS];
static __thread bool has_the_loop;

/* Returns how much of its stack the caller has to use until it may no longer nest. */
static size_t until_half(void)
{
	return (uintptr_t)__builtin_frame_address(0) - nap__os_stack_half() + 4096;
}

static void end_awaited(struct nap_task *task)
{
	nap_group_done(&nap_container_of(task, struct awaited, task)->group);
}

static __attribute__((noinline)) void wait_deep(struct awaited *a)
{
	char *frame = __builtin_alloca(until_half());
	int err;

	__asm__ volatile("" : : "r"(frame) : "memory");
	nap_group_add(&a->group, 1);
	if (nap_schedule(&pool, &a->task))
		abort();
	err = nap_group_wait(&a->group);
	if (err && err != -EDEADLK)
		abort();
	nap_fetch_add_relaxed(&deadlocks, err == -EDEADLK);
}

static int wait_in_part(size_t begin, size_t end, void *arg)
{
	(void)end;
	(void)arg;
	if (!has_the_loop)
		nap_fetch_add_release(&at_door, 1);
	/* A worker without a part would run the awaited tasks. */
	await_at_door(PARTS - 1);
	if (!has_the_loop)
		wait_deep(&awaited[begin]);
	return 0;
}

static void loop_deep(struct nap_task *task)
{
	struct nap_loop how = { .grain = 1 };
	char *frame = __builtin_alloca(until_half());

	(void)task;
	__asm__ volatile("" : : "r"(frame) : "memory");
	has_the_loop = true;
	if (nap_for_as(&pool, &how, 0, PARTS, wait_in_part, NULL))
		abort();
	nap_store_release(&ended, 1);
}

TEST_F(under, a_deep_loop_whose_parts_are_stuck_is_stuck)
{
	struct nap_config config = { .idle = self->idle, .max_workers = PARTS,
				     .stack_size = 192 << 10 };
	struct nap_task task = NAP_TASK_INIT(loop_deep);

	ASSERT_EQ(nap_pool_init(&pool, &config), 0);
	for (int i = 0; i < PARTS; i++) {
		nap_task_init(&awaited[i].task, end_awaited);
		nap_group_init(&awaited[i].group, &pool);
	}
	ASSERT_EQ(nap_schedule(&pool, &task), 0);
	/* A joiner would run the tasks. */
	while (!nap_load_acquire(&ended))
		usleep(1000);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_GE(deadlocks, 1);
	EXPECT_EQ(nap_load_relaxed(&pool.at_nest_limit), 0);
}

TEST_HARNESS_MAIN
