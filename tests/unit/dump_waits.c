/* SPDX-License-Identifier: MIT */
/* src/dump/waits.c: what a dump says of waits and their objects, step by step. No thread waits. */
#include <nap/sync.h>
#include <nap/trace_file.h>

#include "async/fiber/fiber.h"
#include "dump_steps.h"
#include "sync/waitlist.h"
#include "wait/wait.h"

static struct nap_pool pool;
static struct nap__wait_ops ops = { .name = "thing", .list_at = 16 };
static struct nap__wait first = { .ops = &ops, .deadline = NAP_FOREVER };
static struct nap__wait second = { .ops = &ops, .deadline = NAP_FOREVER };

/* Returns what a dump says of a wait for @object. The copy number @failing fails; 0: none. */
static const char *object(uint32_t on, const void *object, int failing)
{
	text_begin(failing);
	dump.pool = &pool;
	nap__dump_object(&dump, on, object);
	nap__dump_flush(&dump);
	return text;
}

TEST(objects_that_are_named_by_kind_and_address)
{
	const void *at = (void *)0x70;

	EXPECT_STREQ(object(NAP_TRACE_ON_UNKNOWN, NULL, 0), "something");
	EXPECT_STREQ(object(NAP_TRACE_ON_TIMER + 1, at, 0), "something 0x70");
	EXPECT_STREQ(object(NAP_TRACE_ON_YIELD, NULL, 0), "its turn");
	EXPECT_STREQ(object(NAP_TRACE_ON_TIMER, at, 0), "the end of a timer's task 0x70");
	EXPECT_STREQ(object(NAP_TRACE_ON_GROUP, at, 0), "a group 0x70");
	EXPECT_STREQ(object(NAP_TRACE_ON_FILE, at, 0), "file descriptor 112");
	EXPECT_STREQ(object(NAP_TRACE_ON_FILE, NULL, 0), "file descriptor 0");
	EXPECT_STREQ(object(NAP_TRACE_ON_FIBER, at, 0), "the end of fiber 0x70");
}

TEST(the_owner_of_a_mutex)
{
	static struct nap_mutex mutex;
	char name[32], whole[96];

	snprintf(name, sizeof(name), "a mutex 0x%lx", (unsigned long)&mutex);
	EXPECT_STREQ(object(NAP_TRACE_ON_MUTEX, &mutex, 1), name);
	snprintf(whole, sizeof(whole), "%s, which was locked by a thread", name);
	EXPECT_STREQ(object(NAP_TRACE_ON_MUTEX, &mutex, 0), whole);
	mutex.owner = (struct nap_fiber *)(void *)&pool;
	snprintf(whole, sizeof(whole), "%s, which was locked by a fiber of another pool", name);
	EXPECT_STREQ(object(NAP_TRACE_ON_MUTEX, &mutex, 0), whole);
}

/* ---- waits */

/* Returns what a dump says of the first wait, "" if it is none. */
static const char *waits(const struct nap__fiber_wait *sleeper, int failing)
{
	bool is_wait;

	text_begin(failing);
	dump.pool = &pool;
	is_wait = nap__dump_wait(&dump, &first, sleeper);
	nap__dump_flush(&dump);
	return is_wait == (text[0] != '\0') ? text : "?";
}

TEST(a_wait_for_an_object_with_a_list)
{
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing");
	first.list = (uintptr_t *)0x80;
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing 0x70");
	ops.list_at = 0;
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing");
}

TEST(a_fibers_part_of_a_wait_says_more)
{
	struct nap__fiber_wait sleeper = { .on = NAP_TRACE_ON_SEM, .object = (void *)0x60 };

	EXPECT_STREQ(waits(&sleeper, 0), "waits for a semaphore 0x60");
	EXPECT_STREQ(waits(&sleeper, 3), "waits for a thing");
}

TEST(how_long_a_wait_has_lasted_and_how_long_it_may)
{
	dump.now = 5000000000;
	first.since = 3500000000;
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing, since 1.500 s");
	first.since = dump.now;
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing, since 0.000 s");
	first.since = dump.now + 1;
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing");
	first.since = 0;
	first.deadline = 7000000000;
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing, 2.000 s more at most");
	first.deadline = dump.now;
	EXPECT_STREQ(waits(NULL, 0), "waits for a thing, its time is over");
}

TEST(what_is_no_wait_any_longer)
{
	EXPECT_STREQ(waits(NULL, 1), "");
	EXPECT_STREQ(waits(NULL, 2), "");
	ops.name[sizeof(ops.name) - 1] = 'x';
	EXPECT_STREQ(waits(NULL, 0), "");
	ops.name[sizeof(ops.name) - 1] = '\0';
	first.ops = NULL;
	EXPECT_STREQ(waits(NULL, 0), "");
}

/* ---- threads from outside */

/* Returns what a dump says of the pool's waiters. */
static const char *waiters(int failing)
{
	text_begin(failing);
	dump.pool = &pool;
	nap__dump_waiters(&dump);
	nap__dump_flush(&dump);
	return text;
}

static void list_both(void)
{
	first.visitor.next = &second.visitor;
	pool.waiters = (uintptr_t)&first.visitor;
}

TEST(every_thread_in_the_list)
{
	EXPECT_STREQ(waiters(0), "");
	pool.waiters = WAITLIST_CLOSED;
	EXPECT_STREQ(waiters(0), "");
	list_both();
	second.list = (uintptr_t *)0x80;
	EXPECT_STREQ(waiters(0), "a thread from outside waits for a thing\n"
				 "a thread from outside waits for a thing 0x70\n");
}

TEST(workers_and_listeners_are_left_out)
{
	static struct nap_worker worker;

	list_both();
	first.visitor.event = (uint32_t *)WAITER_IS_LISTENER;
	EXPECT_STREQ(waiters(0), "a thread from outside waits for a thing\n");
	first.visitor.event = NULL;
	second.worker = &worker;
	EXPECT_STREQ(waiters(0), "a thread from outside waits for a thing\n");
}

TEST(threads_that_leave_during_the_dump)
{
	list_both();
	EXPECT_STREQ(waiters(1), "the list of waiting threads has changed during the dump\n");
	EXPECT_STREQ(waiters(2), "a thread from outside waits for a thing\n");
	EXPECT_STREQ(waiters(3), "a thread from outside waited\n"
				 "a thread from outside waits for a thing\n");
	EXPECT_STREQ(waiters(5), "a thread from outside waits for a thing\n"
				 "the list of waiting threads has changed during the dump\n");
}

TEST_HARNESS_MAIN
