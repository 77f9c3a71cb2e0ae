/* SPDX-License-Identifier: MIT */
/*
 * Producer slots (src/worker/producer.h): which threads get a slot; tasks arrive with a slot and
 * without one; the pool's end waits for a thread inside a slot.
 */
#include "worker/producer.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "idle/idle.h"
#include "os/happens.h"
#include "queue/kind.h"
#include "sync/debug.h"
#include "pool_fixture.h"
#include "watchdog.h"

static struct nap_pool pool;

static void new_pool(void)
{
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }))
		abort();
	nr_run = 0;
}

/*
 * Whether this build uses producer slots: not under a tool that watches each task, nor without
 * membarrier.
 */
static bool producers_are_used(void)
{
	return !DEBUG_BUILD && !is_detected() && nap__os_membarrier_works();
}

static void schedule(unsigned n)
{
	while (n--)
		if (nap_schedule(&pool, new_task(count_and_free)))
			abort();
}

static bool owns_a_producer_in(struct nap_pool *where)
{
	struct nap__producer *producer = producer_enter(where);

	if (producer)
		producer_leave(producer);
	return producer;
}

static bool owns_a_producer(void)
{
	return owns_a_producer_in(&pool);
}

static unsigned nr_owned(void)
{
	unsigned n = 0;

	for (int i = 0; i < NAP__PRODUCERS; i++)
		n += pool.producers[i].owner != 0;
	return n;
}

TEST(who_comes_again_has_a_producer_slot)
{
	new_pool();
	/* The first call starts the pool. */
	schedule(2);
	EXPECT_FALSE(owns_a_producer());
	schedule(1);
	EXPECT_EQ(owns_a_producer(), producers_are_used());
	schedule(99);
	EXPECT_EQ(nr_owned(), producers_are_used());
	EXPECT_EQ(pool.producers[0].owner, producers_are_used() ? (uintptr_t)nap__self() : 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 102);
	EXPECT_EQ(nap_schedule(&pool, &(struct nap_task){ .run = count_run }), -ESHUTDOWN);
}

TEST(batches_come_by_the_producer_slot_too)
{
	new_pool();
	for (int i = 0; i < 3; i++) {
		struct nap_batch batch = new_batch(10, count_and_free);

		ASSERT_EQ(nap_schedule_batch(&pool, &batch), 0);
	}
	EXPECT_EQ(owns_a_producer(), producers_are_used());
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 30);
}

TEST(the_pool_made_anew_has_new_producer_slots)
{
	for (int i = 0; i < 3; i++) {
		new_pool();
		schedule(1);
		/*
		 * No thread owns a slot of this new pool yet, although the calling thread still
		 * remembers its slot of the last pool.
		 */
		EXPECT_EQ(nr_owned(), 0);
		/* In one of these calls the thread asks for a slot again. */
		schedule(9);
		EXPECT_EQ(nr_owned(), producers_are_used());
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
		EXPECT_EQ(nr_run, 10);
	}
}

TEST(between_two_pools_each_keeps_its_producer_slot)
{
	static struct nap_pool other;
	uintptr_t me;

	new_pool();
	nap_pool_init(&other, &(struct nap_config){ .max_workers = 1 });
	for (int i = 0; i < 3; i++) {
		schedule(3);
		for (int k = 0; k < 3; k++)
			ASSERT_EQ(nap_schedule(&other, new_task(count_and_free)), 0);
		EXPECT_EQ(owns_a_producer_in(&other), producers_are_used());
		EXPECT_FALSE(owns_a_producer());
	}
	me = producers_are_used() ? (uintptr_t)nap__self() : 0;
	EXPECT_EQ(pool.producers[0].owner, me);
	EXPECT_EQ(other.producers[0].owner, me);
	EXPECT_EQ(pool.producers[1].owner | other.producers[1].owner, 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nap_pool_join(&other, NULL), 0);
	EXPECT_EQ(nr_run, 18);
}

/* ---- more threads than slots */

enum { THREADS = NAP__PRODUCERS + 3, EACH = 300 };
static uint32_t nr_there;
static unsigned nr_owners;

static void *schedule_beside_others(void *unused)
{
	schedule(3);
	nap_fetch_add_relaxed(&nr_owners, owns_a_producer());
	nap_fetch_add_release(&nr_there, 1);
	while (nap_load_acquire(&nr_there) < THREADS)
		sched_yield();
	schedule(EACH - 3);
	return unused;
}

TEST(who_finds_no_producer_slot_goes_by_the_gate)
{
	pthread_t threads[THREADS];

	new_pool();
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, schedule_beside_others, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(nr_owners, producers_are_used() ? NAP__PRODUCERS : 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, THREADS * EACH);
}

/* ---- a thread that waits, and then schedules again, still owns its slot */

TEST(a_wait_in_between_costs_nobody_its_producer_slot)
{
	new_pool();
	for (int i = 0; i < 100; i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct member m = { NAP_TASK_INIT(member_done), &group, &pool, 0 };

		schedule(3);
		EXPECT_EQ(owns_a_producer(), producers_are_used());
		nap_group_add(&group, 1);
		ASSERT_EQ(nap_schedule(&pool, &m.task), 0);
		ASSERT_EQ(nap_group_wait(&group), 0);
		EXPECT_EQ(owns_a_producer(), producers_are_used());
	}
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- a worker gets no slot */

static void see_producer(struct nap_worker *worker, void *owns)
{
	(void)worker;
	schedule(3);
	*(bool *)owns = owns_a_producer();
}

TEST(a_guest_has_none_while_it_is_one)
{
	bool owns = true;

	new_pool();
	schedule(3);
	ASSERT_EQ(nap_call(&pool, see_producer, &owns), 0);
	EXPECT_FALSE(owns);
	schedule(3);
	EXPECT_EQ(nr_owned(), producers_are_used());
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 9);
}

/* To be used after the first schedule: only then is it known whether this build uses slots. */
#define SKIP_WITHOUT_SEATS()								\
	do {										\
		if (!producers_are_used())							\
			SKIP(return, "no producer slots: debug build, or no membarrier");	\
	} while (0)

/* A thread schedules while it is inside its slot, as a signal handler may. */
TEST(who_schedules_while_it_is_inside_goes_by_the_gate)
{
	struct nap__producer *producer;

	new_pool();
	schedule(3);
	SKIP_WITHOUT_SEATS();
	producer = producer_enter(&pool);
	ASSERT_NE(producer, NULL);
	schedule(99);
	/* The thread is inside its slot as before, and owns no other slot. */
	EXPECT_EQ(producer->owner, (uintptr_t)nap__self() | PRODUCER_INSIDE);
	EXPECT_EQ(nr_owned(), 1);
	producer_leave(producer);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 102);
}

/* ---- the end */

TEST(a_join_waits_for_who_is_in_a_producer_slot)
{
	struct nap_task *task = new_task(count_and_free);
	struct nap__producer *producer;

	watchdog(&pool, 0);
	new_pool();
	schedule(3);
	SKIP_WITHOUT_SEATS();
	producer = producer_enter(&pool);
	ASSERT_NE(producer, NULL);
	EXPECT_EQ(nap_pool_join_for(&pool, NULL, 1000000), -ETIMEDOUT);
	/* The rest of a nap_schedule() that has entered the slot before. */
	inject_push(&pool.inject, task, task);
	nap__idle_notify(&pool);
	producer_leave(producer);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 4);
}

TEST(nobody_comes_in_by_a_producer_slot_when_the_intake_is_closed)
{
	new_pool();
	schedule(3);
	EXPECT_EQ(nap_pool_shutdown(&pool, NAP_DRAIN), 0);
	EXPECT_EQ(producer_enter(&pool), NULL);
	EXPECT_EQ(pool.producers[0].owner & PRODUCER_INSIDE, 0);
	EXPECT_EQ(nap_schedule(&pool, &(struct nap_task){ .run = count_run }), -ESHUTDOWN);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3);
}

/*
 * ThreadSanitizer takes the child's worker for the parent's. An emulator cannot start the child's
 * worker.
 */
#if !defined(NAP_TEST_TSAN) && !defined(NAP_TEST_EMULATED)

/*
 * Checks in the child that the parent's pool refuses, and that a new pool in its place has no
 * owned slots.
 */
static int in_child(void)
{
	if (nap_schedule(&pool, &(struct nap_task){ .run = count_run }) != -ESHUTDOWN)
		return 1;
	if (nap_pool_init_child(&pool) || nr_owned())
		return 2;
	nr_run = 0;
	schedule(3);
	if (nr_owned() != producers_are_used())
		return 3;
	return nap_pool_join(&pool, NULL) || nr_run != 3 ? 4 : 0;
}

TEST(a_producer_slot_is_not_inherited)
{
	int status;
	pid_t child;

	new_pool();
	schedule(3);
	/* No task is queued at the fork: the child would lose it, which is a leak. */
	ASSERT_EQ(nap_pool_quiesce(&pool), 0);
	child = fork();
	if (child == 0)
		_exit(in_child());
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_run, 3);
}

#endif

TEST_HARNESS_MAIN
