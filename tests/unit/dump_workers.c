/* SPDX-License-Identifier: MIT */
/* src/dump/workers.c: what a dump says of a worker or a guest, step by step. No worker runs. */
#include "dump_steps.h"
#include "worker/self.h"
#include "worker/worker.h"

static struct nap_pool pool;
static struct nap_worker worker = { .pool = &pool, .index = 3, .record = RECORD_STARTED };
static struct nap_worker another = { .pool = &pool };
static struct nap__self thread = { .worker = &worker, .number = 77 };

/* Dumps the only worker of the pool. The copy number @failing fails; 0: none. */
static void dump_worker(int failing)
{
	text_begin(failing);
	dump.pool = &pool;
	pool.registry = &worker;
	nap__dump_workers(&dump);
	nap__dump_flush(&dump);
}

/* The worker runs a function at this address, and the thread is known. */
static void run(uintptr_t at)
{
	worker.runs = at;
	worker.self = &thread;
}

TEST(a_worker_that_runs_nothing)
{
	worker.stats.run = 12;
	worker.record = RECORD_FREE;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: has no thread, 12 run\n");
	worker.record = RECORD_CLAIMED;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: starts, 12 run\n");
	worker.record = RECORD_STANDBY;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: stands by, 12 run\n");
	worker.record = RECORD_JOINED;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: was joined, 12 run\n");
	worker.record = RECORD_STARTED;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: looks for work\n");
	run(0);
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: looks for work\n");
	worker.rest = 5;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: idle, 12 run\n");
	worker.rest = 6;
	worker.record = RECORD_GONE;
	worker.home = 1;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: has left, 12 run\n");
	worker.home = 0;
	worker.record = RECORD_LEAVING;
	run(0x10);
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10\n");
}

TEST(a_guest_is_there_as_long_as_it_has_its_record)
{
	worker.guest = true;
	worker.record = RECORD_FREE;
	dump_worker(0);
	EXPECT_STREQ(text, "");
	worker.record = RECORD_CLAIMED;
	worker.rest = 1;
	dump_worker(0);
	EXPECT_STREQ(text, "guest 3: looks for work\n");
}

TEST(a_thread_that_is_not_known)
{
	run(0x10);
	thread.number = 0;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3: runs 0x10\n");
	thread.number = 77;
	dump_worker(1);
	EXPECT_STREQ(text, "worker 3: runs 0x10\n");
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10\n");
}

/* The time is that of the worker's last check for what is due. */
TEST(since_when_a_function_runs_at_most)
{
	run(0x10);
	dump.now = 5000000000;
	worker.due_by = 3000000000;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10, 2.000 s at most\n");
	worker.due_by = dump.now;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10, 0.000 s at most\n");
	worker.due_by = dump.now + 1;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10\n");
	dump.now += 1500000000;
	worker.due_by = 0;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10, since 1.500 s or longer\n");
}

/* ---- functions inside functions */

static struct nap__outer outer[100];

/* Each of @n waits has begun inside the next one, in a function of the same worker. */
static void nest(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		outer[i] = (struct nap__outer){ .worker = &worker, .runs = 0x100 + i,
						.outer = i + 1 < n ? &outer[i + 1] : NULL };
	thread.outer = outer;
}

TEST(the_innermost_function_comes_first)
{
	run(0);
	nest(3);
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: in a wait\n\tin 0x100\n\tin 0x101\n\tin 0x102\n");
	dump_worker(3);
	EXPECT_STREQ(text, "worker 3, thread 77: in a wait\n\tin 0x100\n");
}

/* The second function runs on another pool's worker, and inside the third one none runs. */
TEST(functions_of_another_worker_are_left_out)
{
	run(0x10);
	nest(4);
	outer[0].worker = &another;
	outer[2].runs = 0;
	dump_worker(0);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10\n\tin 0x100\n\tin 0x103\n");
}

TEST(not_all_of_many_functions_are_shown)
{
	run(0x10);
	nest(64);
	dump_worker(0);
	EXPECT_EQ(said("\tin 0x"), 64);
	EXPECT_EQ(said("in more"), 0);
	nest(65);
	dump_worker(0);
	EXPECT_EQ(said("\tin 0x"), 64);
	EXPECT_EQ(said("\tand in more\n"), 1);
}

/* ---- fibers and waits that are not known */

TEST(a_fiber_and_a_wait_that_the_pool_does_not_know)
{
	static char no_fiber[64], no_wait;

	run(0x10);
	thread.fiber = (struct nap_fiber *)(void *)no_fiber;
	thread.sleeps = (struct nap__wait *)(void *)&no_wait;
	dump_worker(2);
	EXPECT_STREQ(text, "worker 3, thread 77: runs 0x10\n"
			   "\ton the stack of a fiber of another pool\n\twaited\n");
}

TEST(the_workers_queues_follow)
{
	run(0x10);
	worker.ring.tail = worker.ring.head + 1;
	dump_worker(0);
	EXPECT_EQ(said("runs 0x10\n\tring: 1\n"), 1);
}

TEST_HARNESS_MAIN
